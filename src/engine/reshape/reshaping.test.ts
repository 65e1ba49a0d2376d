/**
 * Splits and merges on an account in memory: what must be the same before and after, while writers
 * go on. Crashes are in `test/crash`, real clients in `test/sdk`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { lsn, millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import type { Limits } from "../../model/limits.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { contains } from "../../partition/epkRange.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { objectOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { ReshapeRequest } from "./reshapePlan.ts";

const TERMS = { caller: HIGH_CALLER, consistency: "session" } as const;

describe("a split", () => {
  test("leaves every item in the child that owns its key, with its terms, LSN and number", async () => {
    const { container, store, put, reshape } = await stage();
    for (let n = 0; n < 100; n++) await put(`k${n % 20}`, `i${n}`, { n });
    const before = await everything(store, container);
    const lsnBefore = container.partitions.get("0")!.lsn;
    expect(await reshape({ kind: "split", partitionId: "0", at: "median" })).toEqual(["1", "2"]);
    expect(container.map.entries.map(({ id, parents }) => [id, parents])).toEqual([
      ["1", ["0"]],
      ["2", ["0"]],
    ]);
    expect(await everything(store, container)).toEqual(before);
    for (const partition of container.partitions.values()) expect(partition.lsn).toBe(lsnBefore);
    expect((await store.parts()).length).toBe(3);
    await isSound(store, container);
  });

  test("cuts at the middle of the bytes between logical partitions", async () => {
    const { container, put, reshape } = await stage();
    for (let n = 0; n < 200; n++) await put(`k${n % 50}`, `i${n}`, { pad: "x".repeat(n % 7) });
    await reshape({ kind: "split", partitionId: "0", at: "median" });
    const [left, right] = [...container.partitions.values()].map(({ head }) => head.itemBytes);
    expect(left! / right!).toBeGreaterThan(0.9);
    expect(left! / right!).toBeLessThan(1.1);
  });

  test("takes writers and readers along", async () => {
    const { container, store, put, read, reshape } = await stage();
    const acknowledged = new Map<string, number>();
    let isOver = false;
    const writer = async (name: string): Promise<void> => {
      for (let n = 0; !isOver; n++) {
        const id = `${name}-${n % 40}`;
        const outcome = await put(`k${n % 13}${name}`, id, { n });
        expect(outcome.kind).toMatch(/created|replaced/);
        acknowledged.set(`k${n % 13}${name} ${id}`, n);
        expect((await read(`k${n % 13}${name}`, id)).kind).toBe("found");
      }
    };
    const writers = ["a", "b", "c"].map(writer);
    while (acknowledged.size < 60) await realTimer.soon();
    for (let round = 0; round < 5; round++) {
      const partitionId = container.map.entries[round % container.map.entries.length]!.id;
      await reshape({ kind: "split", partitionId, at: round % 2 === 0 ? "median" : "middle" });
    }
    const [first, second] = container.map.entries;
    await reshape({ kind: "merge", partitionIds: [first!.id, second!.id] });
    isOver = true;
    await Promise.all(writers);
    for (const [name, n] of acknowledged) {
      const [key, id] = name.split(" ") as [string, string];
      const outcome = await read(key, id);
      expect(outcome.kind === "found" && JSON.parse(outcome.body!.toString()).n).toBe(n);
    }
    const items = [...(await everything(store, container)).keys()];
    expect(items.length).toBe(acknowledged.size);
    await isSound(store, container);
  });

  test.each([
    ["an unknown partition", { kind: "split", partitionId: "9", at: "middle" }, /there are 0/],
    ["a retired one", { kind: "split", partitionId: "9", at: "median" }, /no physical partition/],
    ["no bytes", { kind: "split", partitionId: "0", at: "median" }, /is empty/],
    ["a key outside", { kind: "split", partitionId: "0", at: { epk: "" as Epk } }, /inside/],
    ["a single one", { kind: "merge", partitionIds: ["0", "1"] }, /no physical partition '1'/],
  ] as const)("of %s is refused", async (_name, request, message) => {
    const { account, container } = await stage();
    const result = await account.reshaping.request(container, request);
    expect(!result.ok && "message" in result.error && result.error.message).toMatch(message);
  });

  test("never cuts a logical partition", async () => {
    const { account, container, put } = await stage();
    for (let n = 0; n < 10; n++) await put("only", `i${n}`, { n });
    const request = { kind: "split", partitionId: "0", at: "median" } as const;
    const result = await account.reshaping.request(container, request);
    expect(!result.ok && "message" in result.error && result.error.message).toMatch(/never cut/);
    expect(container.map.entries.length).toBe(1);
  });

  test("happens by itself when there is too much in a partition", async () => {
    const limits = { ...SERVICE_LIMITS, physicalPartitionBytesMax: 20_000 };
    const { container, put, settled, store } = await stage(limits);
    for (let n = 0; n < 300; n++) await put(`k${n}`, "i", { pad: "x".repeat(100) });
    await settled();
    expect(container.map.entries.length).toBeGreaterThanOrEqual(6);
    for (const { head } of container.partitions.values()) {
      expect(head.itemBytes).toBeLessThanOrEqual(20_000);
    }
    await isSound(store, container);
  });

  test("of one logical partition that is too large is tried, and given up", async () => {
    const limits = { ...SERVICE_LIMITS, physicalPartitionBytesMax: 5_000 };
    const { account, container, put, settled } = await stage(limits);
    for (let n = 0; n < 60; n++) await put("only", `i${n}`, { pad: "x".repeat(100) });
    await settled();
    expect(container.map.entries.length).toBe(1);
    const { jobs } = account.reshaping;
    expect(jobs.length).toBeLessThan(30);
    expect(jobs[0]!.outcome).toMatchObject({ state: "failed" });
    expect(JSON.stringify(jobs[0]!.outcome)).toMatch(/never cut/);
  });
});

test("a merge brings the logs of both together, and goes on after the higher LSN", async () => {
  const { container, store, put, reshape } = await stage();
  for (let n = 0; n < 50; n++) await put(`k${n}`, "i", { n });
  await reshape({ kind: "split", partitionId: "0", at: "median" });
  for (let n = 0; n < 30; n++) await put(`k${n % 7}`, "i", { n: -n });
  const before = await everything(store, container);
  const lsns = [...container.partitions.values()].map((partition) => partition.lsn);
  expect(await reshape({ kind: "merge", partitionIds: ["2", "1"] })).toEqual(["3"]);
  expect(container.map.entries[0]!.parents).toEqual(["0", "1", "2"]);
  expect(container.partitions.get("3")!.lsn).toBe(Math.max(...lsns));
  expect(await everything(store, container)).toEqual(before);
  await isSound(store, container);
});

test("any row of writes, deletions, splits and merges leaves what a map would hold", async () => {
  const anyStep = fc.oneof(
    {
      weight: 10,
      arbitrary: fc.record({ verb: fc.constant("put"), key: fc.nat(9), id: fc.nat(4) }),
    },
    {
      weight: 4,
      arbitrary: fc.record({ verb: fc.constant("delete"), key: fc.nat(9), id: fc.nat(4) }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        verb: fc.constantFrom("split", "merge"),
        key: fc.nat(9),
        id: fc.nat(1),
      }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 60 }), async (steps) => {
      const { account, container, store, put, remove, settled } = await stage();
      const model = new Map<string, number>();
      const pending: Promise<unknown>[] = [];
      steps.forEach(({ verb, key, id }, n) => {
        const name = `k${key} i${id}`;
        const { entries } = container.map;
        const at = key % entries.length;
        if (verb === "put") {
          model.set(name, n);
          pending.push(put(`k${key}`, `i${id}`, { n }));
        } else if (verb === "delete") {
          model.delete(name);
          pending.push(remove(`k${key}`, `i${id}`));
        } else {
          const request: ReshapeRequest =
            verb === "split" || at + 1 >= entries.length
              ? { kind: "split", partitionId: entries[at]!.id, at: id === 0 ? "median" : "middle" }
              : { kind: "merge", partitionIds: [entries[at]!.id, entries[at + 1]!.id] };
          pending.push(account.reshaping.request(container, request));
        }
      });
      await Promise.all(pending);
      await settled();
      const found = await everything(store, container);
      const values = [...found.values()].map(({ object }) => object);
      const seen = new Map(values.map(({ pk, id, n }) => [`${pk} ${id}`, n]));
      expect(seen).toEqual(model);
      await isSound(store, container);
    }),
    { numRuns: 60 },
  );
});

interface Stage {
  readonly account: Account;
  readonly container: Container;
  readonly store: EmbeddedStore;
  put(pk: string, id: string, members: JsonObject): Promise<ItemOutcome>;
  remove(pk: string, id: string): Promise<ItemOutcome>;
  read(pk: string, id: string): Promise<ItemOutcome>;
  reshape(request: ReshapeRequest): Promise<readonly string[]>;
  /** When no split or merge runs any more. */
  settled(): Promise<void>;
}

async function stage(limits: Limits = SERVICE_LIMITS): Promise<Stage> {
  const store = EmbeddedStore.inMemory(realTimer);
  let now = 0;
  const account = await Account.open({
    store,
    timer: realTimer,
    random: seededRandom(1),
    limits,
    clock: { now: () => millis(++now), wallNow: () => 1_700_000_000_000 },
  });
  const database = await account.catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, limits);
  if (!database.ok || !definition.ok) throw new Error("the stage could not be set");
  const provisioning = { throughput: undefined };
  const made = await account.catalog.createContainer(
    database.value,
    definition.value,
    provisioning,
  );
  if (!made.ok) throw new Error("the stage could not be set");
  const container = made.value;
  const write = async (kind: "upsert" | "delete", pk: string, item: JsonObject) => {
    const id = String(item["id"]);
    const request = kind === "delete" ? { kind, id, key: [pk] } : { kind, key: [pk], body: item };
    const submitted = account.writeItem(container, request);
    if (!submitted.ok) throw new Error(JSON.stringify(submitted.error));
    return submitted.value;
  };
  return {
    account,
    container,
    store,
    put: (pk, id, members) => write("upsert", pk, { id, pk, ...members }),
    remove: (pk, id) => write("delete", pk, { id }),
    read: async (pk, id) => {
      const routed = account.route(container, [pk]);
      if (!routed.ok) throw new Error("a full key has an owner");
      return routed.value.partition.read(routed.value.epk, id, TERMS);
    },
    reshape: async (request) => {
      const result = await account.reshaping.request(container, request);
      if (!result.ok) throw new Error(JSON.stringify(result.error));
      return result.value;
    },
    settled: async () => {
      while (account.reshaping.jobsOf(container).length > 0) await realTimer.soon();
    },
  };
}

interface Seen {
  readonly number: number;
  readonly lsn: number;
  readonly object: JsonObject;
}

/** Every item of every physical partition, by key. */
async function everything(
  store: EmbeddedStore,
  container: Container,
): Promise<ReadonlyMap<string, Seen>> {
  const seen = new Map<string, Seen>();
  for (const { entry } of container.partitions.values()) {
    const { items } = store.scanItems(entry.part, 0, { countMax: 1e6, bytesMax: 1e9 });
    for (const item of items) {
      expect(contains(entry.range, epkOfKey(item.key))).toBe(true);
      expect(seen.has(item.key)).toBe(false);
      const { number, lsn: itemLsn, body } = item;
      seen.set(item.key, { number, lsn: itemLsn, object: objectOf(body) });
    }
  }
  return new Map([...seen].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Terms, log, tallies and counters are what the items say. */
async function isSound(store: EmbeddedStore, container: Container): Promise<void> {
  for (const { entry, head } of container.partitions.values()) {
    const { part } = entry;
    const { items } = store.scanItems(part, 0, { countMax: 1e6, bytesMax: 1e9 });
    const expected = items.flatMap(({ key, number, body }) =>
      itemTermsOf(container, epkOfKey(key), objectOf(body)).terms.map(
        (term) => `${term} ${number}`,
      ),
    );
    const range = { min: "", max: "\xff\xff" };
    const scan = { range, countMax: 1e6, bytesMax: 1e9, withItems: false };
    const terms = store
      .scanTerms(part, scan)
      .entries.map(({ term, number }) => `${term} ${number}`);
    expect([...terms].sort()).toEqual([...expected].sort());
    const log = store.readLog(part, lsn(0), 1e6).entries.filter(({ kind }) => kind !== "deleted");
    expect(log.map((change) => [change.number, change.lsn]).sort()).toEqual(
      items.map((item) => [item.number, item.lsn]).sort(),
    );
    expect(head.itemCount).toBe(items.length);
    const bytes = items.reduce((sum, { body }) => sum + body.length, 0);
    expect(head.itemBytes).toBe(bytes);
    const { tallies } = store.scanTallies(part, { range, countMax: 1e6 });
    expect(tallies.reduce((sum, { itemBytes }) => sum + itemBytes, 0)).toBe(bytes);
    expect(tallies.reduce((sum, { itemCount }) => sum + itemCount, 0)).toBe(items.length);
  }
}
