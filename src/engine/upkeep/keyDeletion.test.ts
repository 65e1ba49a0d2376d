/** Deleting all items of a key: which those are, while others write, split and pay. */
import { describe, expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { idOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { RoutedKey } from "../partition/itemRouting.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  settled,
  simulatedAccount,
} from "../simulatedAccount.fake.ts";
import { KEY, read, write } from "../simulatedRequests.fake.ts";

describe("deleting a key", () => {
  test("takes every item of it and none of another", async () => {
    const stage = await opened();
    for (let n = 0; n < 150; n++) await stage.put(`${n}`, n % 2 === 0 ? KEY : "other");
    await stage.deleteKey();
    expect(stage.ids().every((id) => Number(id) % 2 === 1)).toBe(true);
    expect(stage.ids().length).toBe(75);
  });

  test("of which there are no items does nothing", async () => {
    const stage = await opened();
    await stage.put("a", "other");
    await stage.deleteKey();
    expect(stage.head()).toMatchObject({ lsn: 1, itemCount: 1 });
  });

  test("ends each item with an LSN, as deleted, and takes expired ones along", async () => {
    const stage = await opened({ defaultTtl: 10 });
    for (const id of ["a", "b"]) await stage.put(id);
    stage.time.skip(20_000);
    await stage.put("c");
    await stage.deleteKey();
    expect(stage.head()).toMatchObject({ lsn: 6, itemCount: 0, itemBytes: 0 });
  });

  test("leaves what is written after it was asked for", async () => {
    const stage = await opened();
    const { account, container } = stage;
    for (let n = 0; n < 200; n++) await stage.put(`${n}`);
    const deleted = stage.deleteKey();
    const later = ["3", "150", "199", "new"];
    await Promise.all(later.map((id) => write(account, container, "upsert", id, { n: 1 })));
    await deleted;
    expect(stage.ids()).toEqual([...later].sort());
    for (const id of later)
      expect(await read(account, container, id)).toMatchObject({ kind: "found" });
  });

  test("goes on in the children of a split, and in what they become", async () => {
    for (const reshape of ["split", "merge"] as const) {
      for (let turns = 0; turns < 400; turns += 80) {
        const stage = await opened();
        const { container, trouble } = stage;
        const { reshaping } = stage.account;
        const ids = Array.from({ length: 150 }, (_, n) => n);
        await Promise.all(ids.map((n) => stage.put(`${n}`, n % 3 === 0 ? `other${n}` : KEY)));
        const split = { kind: "split", partitionId: "0", at: "middle" } as const;
        const merge = { kind: "merge", partitionIds: ["1", "2"] } as const;
        if (reshape === "merge") await reshaping.request(container, split);
        trouble.isDistant = true;
        const reshaped = reshaping.request(container, reshape === "split" ? split : merge);
        for (let turn = 0; turn < turns; turn++) await Promise.resolve();
        await stage.deleteKey();
        expect((await reshaped).ok).toBe(true);
        trouble.isDistant = false;
        expect(stage.ids().length).toBe(50);
      }
    }
  });

  test("comes to an end with its container", async () => {
    const stage = await opened();
    const { account, container } = stage;
    for (let n = 0; n < 200; n++) await stage.put(`${n}`);
    stage.trouble.isDistant = true;
    const deleted = stage.deleteKey();
    await account.catalog.deleteContainer(account.catalog.databaseOf(container), container);
    await deleted;
  });

  test("ends when the server closes, which its asker is told", async () => {
    const stage = await opened();
    for (let n = 0; n < 200; n++) await stage.put(`${n}`);
    stage.trouble.isDistant = true;
    const deleted = stage.deleteKey();
    await stage.account.jobs.stop();
    const message = "The server is closing.";
    expect(await deleted).toEqual({ ok: false, error: { kind: "unavailable", message } });
    expect(stage.ids().length).toBe(200 - 64);
  });

  test("ends when the store fails, which its asker is told; the rest may be asked for again", async () => {
    const stage = await opened();
    for (let n = 0; n < 200; n++) await stage.put(`${n}`);
    let scanCount = 0;
    stage.trouble.fault = (operation) =>
      operation === "scanTerms" && ++scanCount > 1 ? new StoreFault("the disk is full") : undefined;
    const message = "the disk is full";
    expect(await stage.deleteKey()).toEqual({ ok: false, error: { kind: "unavailable", message } });
    expect(stage.ids().length).toBe(200 - 64);
    stage.trouble.fault = undefined;
    expect((await stage.deleteKey()).ok).toBe(true);
    expect(stage.ids()).toEqual([]);
  });

  test("does not look again and again at what it has passed over", async () => {
    const stage = await opened();
    const { account, container, trouble } = stage;
    for (let n = 0; n < 640; n++) await stage.put(`${n}`);
    let scanCount = 0;
    trouble.fault = (operation) => {
      if (operation === "scanTerms") scanCount++;
      return undefined;
    };
    const deleted = stage.deleteKey();
    // Most of them stay in front of what is to be deleted.
    const ids = Array.from({ length: 300 }, (_, n) => `${n}`);
    await Promise.all(ids.map((id) => write(account, container, "upsert", id)));
    await deleted;
    expect(stage.ids().length).toBe(300);
    expect(scanCount).toBeLessThan(20);
  });

  test("spends what is left over, and holds nobody up beyond that", async () => {
    const stage = await opened({}, true);
    for (let n = 0; n < 100; n++) {
      await stage.put(`${n}`);
      stage.time.skip(100);
    }
    stage.time.skip(5000);
    await stage.deleteKey();
    expect(stage.ids()).toEqual([]);
    const { budget } = stage.container.partitions.get("0")!.spending.purse;
    expect(budget.holding()!.balance).toBeGreaterThan(180);
    expect(budget.holding()!.balance).toBeLessThan(210);
  });
});

interface Stage extends Simulated {
  readonly container: Container;
  readonly put: (id: string, pk?: string) => Promise<unknown>;
  readonly deleteKey: () => ReturnType<Account["deleteKey"]>;
  /** In the order of texts, in all physical partitions. */
  readonly ids: () => readonly string[];
  readonly head: () => NonNullable<ReturnType<Simulated["store"]["head"]>>;
}

async function opened(body: JsonObject = {}, isLimited = false): Promise<Stage> {
  const simulated = await simulatedAccount(isLimited ? { rates: LIMITED } : {});
  const { account, store } = simulated;
  const throughput = { kind: "manual", ratePerSecond: 400 } as const;
  const container = await containerIn(account, await databaseIn(account), throughput, body);
  await settled();
  const routed = (): RoutedKey => {
    const found = account.route(container, [KEY]);
    assert(found.ok, "the key is no key");
    return found.value;
  };
  const idsIn = ({ part }: { readonly part: number }): readonly string[] =>
    store.scanItems(part, 0, { countMax: 1e6, bytesMax: 1e9 }).items.map(({ key }) => idOfKey(key));
  return {
    ...simulated,
    container,
    put: (id, pk) => write(account, container, "upsert", id, {}, pk),
    deleteKey: () => account.deleteKey(container, routed()),
    ids: () => container.map.entries.flatMap(idsIn).sort(),
    head: () => store.head(container.map.entries[0]!.part)!,
  };
}
