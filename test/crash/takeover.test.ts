/**
 * Who may write to a part when several come at once. A part changes hands while its last owner has
 * a commit under way; a lease is asked for by two in the same turn. In every order there is one
 * holder afterwards, and nothing that was acknowledged is forgotten.
 */
import { describe, expect, test } from "vitest";
import { lsn } from "../../src/base/units.ts";
import { EmbeddedStore } from "../../src/store/embedded/embeddedStore.ts";
import type { ItemWrite } from "../../src/store/partitionStore.ts";
import { Fenced } from "../../src/store/partitionStore.ts";
import { microTimer } from "./machine.ts";

describe("a part that changes hands", () => {
  test("keeps what its last owner had under way, if that came first", async () => {
    const store = await storeWithPart();
    const [last] = await Promise.all([store.commit(1, 1, [[putOf(1)]]), store.claim(1, 2)]);
    expect(last.lsns).toEqual([1]);
    expect(store.head(1)).toMatchObject({ epoch: 2, lsn: 1, itemCount: 1, numberMax: 1 });
  });

  test("takes nothing from its last owner that comes after, not even in the same turn", async () => {
    const store = await storeWithPart();
    const claimed = store.claim(1, 2);
    await expect(store.commit(1, 1, [[putOf(1)]])).rejects.toThrow(Fenced);
    await claimed;
    expect(store.head(1)).toMatchObject({ epoch: 2, lsn: 0 });
    expect((await store.commit(1, 2, [[putOf(1)]])).lsns).toEqual([1]);
  });

  test("belongs to the later of two that claim it at once", async () => {
    const store = await storeWithPart();
    await Promise.allSettled([store.claim(1, 3), store.claim(1, 2)]);
    expect(store.head(1)).toMatchObject({ epoch: 3 });
  });
});

test("a sweep of the log beside a commit takes nothing of the commit away", async () => {
  const store = await storeWithPart();
  await store.commit(1, 1, [[putOf(1)]]);
  await Promise.all([store.commit(1, 1, [[putOf(2)]]), store.sweepLog(1, 1, lsn(1))]);
  expect(store.head(1)).toMatchObject({ lsn: 2, itemCount: 2, sweptLsn: 1 });
});

test("a lease that two ask for in the same turn goes to one of them", async () => {
  const store = EmbeddedStore.inMemory(microTimer);
  const leases = await Promise.all([
    store.acquireLease("sweeper", "a", 1000, 500),
    store.acquireLease("sweeper", "b", 1000, 500),
  ]);
  expect(leases.filter((lease) => lease !== undefined)).toHaveLength(1);
});

async function storeWithPart(): Promise<EmbeddedStore> {
  const store = EmbeddedStore.inMemory(microTimer);
  await store.claim(1, 1);
  return store;
}

function putOf(number: number): ItemWrite {
  const shared = { key: `k${number}`, number, tag: 0, body: Buffer.from("x"), before: undefined };
  return { kind: "put", ...shared, termsAdded: [], termsRemoved: [] };
}
