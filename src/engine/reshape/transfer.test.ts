/**
 * Copying what physical partitions hold into fresh parts while they go on. That nothing is lost by
 * a whole split or merge is in `reshaping.test.ts`; here is one copy, step by step.
 */
import { describe, expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { contains, epkRange, WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { AddedEntry } from "../../partition/partitionMap.ts";
import type { KeptVersion } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import {
  containerIn,
  databaseIn,
  put,
  simulatedAccount,
  troubledStore,
} from "../simulatedAccount.fake.ts";
import { Transfer } from "./transfer.ts";

const GO_ON = (): boolean => false;

describe("a copy", () => {
  test("has everything, once, as it was", async () => {
    const { transfer, account, container, logOf, itemsOf } = await stage();
    for (let n = 0; n < 150; n++) await put(account, container, { pk: `k${n % 9}`, id: `i${n}` });
    expect(transfer.lag).toBe(150);
    expect(await transfer.catchUp(GO_ON)).toBe(true);
    expect(transfer.lag).toBe(0);
    expect(transfer.copiedCount).toBe(150);
    expect(itemsOf(COPY)).toEqual(itemsOf(container.map.entries[0]!.part));
    expect(logOf(COPY)).toEqual(logOf(container.map.entries[0]!.part));
  });

  test("passes over what was superseded, and catches up with what came later", async () => {
    const { transfer, account, container, logOf, itemsOf } = await stage();
    for (let n = 0; n < 10; n++) await put(account, container, { pk: "a", id: `i${n % 3}`, n });
    await transfer.catchUp(GO_ON);
    expect(transfer.copiedCount).toBe(3);
    await put(account, container, { pk: "a", id: "i1", n: 99 });
    await remove(account, container, "a", "i2");
    await put(account, container, { pk: "a", id: "i2", n: 100 });
    await remove(account, container, "a", "i0");
    expect(transfer.lag).toBe(4);
    await transfer.catchUp(GO_ON);
    expect(itemsOf(COPY)).toEqual(itemsOf(container.map.entries[0]!.part));
    expect(logOf(COPY)).toEqual(logOf(container.map.entries[0]!.part));
  });

  test("of half the keys has the LSN of all", async () => {
    const half = [{ part: COPY, range: epkRange(WHOLE_RANGE.min, "20" as Epk) }];
    const { transfer, account, container, store, itemsOf } = await stage(half);
    for (let n = 0; n < 30; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    await transfer.catchUp(GO_ON);
    expect(itemsOf(COPY).length).toBeGreaterThan(5);
    expect(itemsOf(COPY).length).toBeLessThan(25);
    expect(store.head(COPY)!.lsn).toBe(container.partitions.get("0")!.lsn);
  });

  test("keeps a deletion of something that it never had", async () => {
    const { transfer, account, container, logOf } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    await remove(account, container, "a", "i");
    await transfer.catchUp(GO_ON);
    expect(logOf(COPY).map(({ kind }) => kind)).toEqual(["deleted"]);
  });

  test("takes kept versions along, to those who own their keys", async () => {
    const left = epkRange(WHOLE_RANGE.min, "20" as Epk);
    const right = epkRange("20" as Epk, WHOLE_RANGE.max);
    const both = [
      { part: COPY, range: left },
      { part: COPY + 1, range: right },
    ];
    const { transfer, account, container, store, time } = await stage(both, KEPT);
    for (let n = 0; n < 40; n++) await put(account, container, { pk: `k${n % 9}`, id: "i", n });
    await transfer.catchUp(GO_ON);
    await remove(account, container, "k3", "i");
    time.skip(5000);
    await put(account, container, { pk: "k3", id: "i", n: 99 });
    await transfer.catchUp(GO_ON);
    const versionsOf = (part: number): readonly KeptVersion[] =>
      store.readVersions(part, lsn(0), ALL).versions;
    const all = versionsOf(container.map.entries[0]!.part);
    expect(all.length).toBe(42);
    for (const { part, range } of both) {
      const own = all.filter(({ key }) => contains(range, epkOfKey(key)));
      expect(versionsOf(part)).toEqual(own);
    }
  });

  test("knows what has been forgotten, and begins again if that happens meanwhile", async () => {
    const { transfer, account, container, store, time } = await stage();
    const [partition] = container.partitions.values();
    await put(account, container, { pk: "a", id: "i" });
    await remove(account, container, "a", "i");
    expect(await transfer.catchUp(GO_ON)).toBe(true);
    await put(account, container, { pk: "a", id: "j" });
    await partition!.exclusively(() => partition!.sweepLog(lsn(2)));
    expect(await transfer.catchUp(GO_ON)).toBe(false);
    const setting = { store, timer: time.timer, epoch: account.catalog.epoch };
    await store.claim(COPY + 1, account.catalog.epoch);
    const destination = [{ part: COPY + 1, range: WHOLE_RANGE }];
    const again = new Transfer(setting, container, [partition!], destination);
    expect(await again.catchUp(GO_ON)).toBe(true);
    expect(store.head(COPY + 1)).toMatchObject({ lsn: 3, sweptLsn: 2, itemCount: 1 });
  });

  test("while writers are at it ends where they were when it began", async () => {
    const { transfer, account, container, trouble, time } = await stage();
    for (let n = 0; n < 200; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    trouble.isDistant = true;
    const copied = transfer.catchUp(GO_ON);
    const writes = Array.from({ length: 50 }, (_, n) =>
      put(account, container, { pk: `k${n}`, id: "i", n }),
    );
    expect(await copied).toBe(true);
    await Promise.all(writes);
    await time.advance(0);
    expect(transfer.copiedCount).toBeGreaterThanOrEqual(150);
    expect(await transfer.catchUp(GO_ON)).toBe(true);
    expect(transfer.lag).toBe(0);
  });
});

describe("told to stop", () => {
  test("it ends after a step, and says so", async () => {
    const { transfer, account, container } = await stage();
    for (let n = 0; n < 200; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    let asked = 0;
    expect(await transfer.catchUp(() => ++asked > 1)).toBe(false);
    expect(transfer.copiedCount).toBeGreaterThan(0);
    expect(transfer.copiedCount).toBeLessThan(200);
    expect(await transfer.catchUp(GO_ON)).toBe(true);
    expect(transfer.copiedCount).toBe(200);
  });

  test("it says so even if there was nothing left to do", async () => {
    const { transfer, account, container } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    await transfer.catchUp(GO_ON);
    expect(await transfer.catchUp(() => true)).toBe(false);
  });
});

test("whenever in a split the policy changes, the index is that of the new one", async () => {
  const { account, database, store, time } = await stage();
  const request = { kind: "split", partitionId: "0", at: "middle" } as const;
  for (let turns = 0; turns < 160; turns += 13) {
    const id = `c${turns}`;
    const container = await containerIn(account, database, undefined, { id });
    for (let n = 0; n < 3; n++) await put(account, container, { pk: `k${n}`, id: "i", n });
    const split = account.reshaping.request(container, request);
    for (let turn = 0; turn < turns; turn++) await Promise.resolve();
    const body = { id, partitionKey: container.definition.partitionKey, ...WITHOUT_N };
    const definition = parseContainerDefinition(body as never, undefined, account.limits);
    if (!definition.ok) throw new Error(JSON.stringify(definition.error));
    await account.catalog.replaceContainer(container, definition.value);
    await time.advance(300);
    expect((await split).ok).toBe(true);
    expect([container.indexProgress, container.map.entries.length]).toEqual([100, 2]);
    for (const { entry } of container.partitions.values()) {
      const { items } = store.scanItems(entry.part, 0, ALL);
      const scan = { range: { min: "", max: "\xff\xff" }, withItems: false, ...ALL };
      const indexed = store.scanTerms(entry.part, scan).entries;
      const expected = items.flatMap(({ key, number, body: bytes }) =>
        itemTermsOf(container, epkOfKey(key), objectOf(bytes)).terms.map(
          (term) => `${term} ${number}`,
        ),
      );
      expect(indexed.map(({ term, number }) => `${term} ${number}`).sort()).toEqual(
        expected.sort(),
      );
    }
  }
});

const ALL = { countMax: 1e6, bytesMax: 1e9 };
const WITHOUT_N = {
  indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/n/?" }] },
};
const COPY = 77;

const KEPT = { changeFeedPolicy: { retentionDuration: 10 } };

async function stage(
  destinations: readonly AddedEntry[] = [{ part: COPY, range: WHOLE_RANGE }],
  body: JsonObject = {},
) {
  const simulated = await simulatedAccount();
  const { account, store, time, trouble } = simulated;
  const database = await databaseIn(account);
  const container = await containerIn(account, database, undefined, body);
  const { epoch } = account.catalog;
  for (const { part } of destinations) await store.claim(part, epoch);
  const transfer = new Transfer(
    { store: troubledStore(store, trouble), timer: time.timer, epoch },
    container,
    [...container.partitions.values()],
    destinations,
  );
  const itemsOf = (part: number) => store.scanItems(part, 0, ALL).items;
  const logOf = (part: number) => store.readLog(part, lsn(0), 1e6).entries;
  return { ...simulated, database, container, transfer, itemsOf, logOf };
}

async function remove(
  account: Account,
  container: Container,
  pk: string,
  id: string,
): Promise<void> {
  const removed = account.writeItem(container, { kind: "delete", key: [pk], id });
  expect(removed.ok && (await removed.value).kind).toBe("deleted");
}
