/**
 * What sweeping does about items of every shape: it removes what has expired, whatever properties
 * the items have, and then it is idle, whatever properties are left. Steps are counted, in time
 * that is told to pass; a sweep that went on for ever would be stopped by the count.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TERM_BYTES } from "../../index/termSpace.ts";
import type { JsonObject } from "../../json/value.ts";
import type { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import type { WriteGroup } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey, idOfKey } from "../item/itemKey.ts";
import { itemTermsOf } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { Simulated } from "../simulatedAccount.fake.ts";
import { containerIn, databaseIn, simulatedAccount, stopped } from "../simulatedAccount.fake.ts";
import { write } from "../simulatedRequests.fake.ts";

const SECOND = 1000;
const ROUND = 2 * SECOND;
/** Steps of a round that finds nothing: terms of ends, the log, the items in it. */
const IDLE_STEPS_MAX = 3;
const STEPS_MAX = 2_000;

interface Life {
  readonly members: JsonObject;
  readonly ttl: number | undefined;
}

const anyMembers: fc.Arbitrary<JsonObject> = fc.dictionary(
  fc.string({ minLength: 1, maxLength: 4 }).filter((name) => !RESERVED.has(name)),
  fc.constantFrom<JsonObject[string]>(1, "x", null, { a: { b: 1 } }, [1, 2]),
  { maxKeys: 4 },
);
const RESERVED = new Set(["id", "pk", "ttl"]);
const anyLife: fc.Arbitrary<Life> = fc.record({
  members: anyMembers,
  ttl: fc.constantFrom(undefined, -1, 4, 8, 1_000),
});

describe("items of every shape", () => {
  test.each([
    ["for ever", -1],
    ["for six seconds", 6],
  ])(
    "that live %s unless they say otherwise are removed in time, and then nothing runs",
    async (_rule, defaultTtl) => {
      await fc.assert(
        fc.asyncProperty(fc.array(anyLife, { maxLength: 30, size: "max" }), async (lives) => {
          const stage = await opened({ defaultTtl });
          for (const [index, { members, ttl }] of lives.entries()) {
            await stage.put(`${index}`, ttl === undefined ? members : { ...members, ttl });
          }
          await stage.time.advance(14 * SECOND);
          const isOver = (ttl = defaultTtl): boolean => ttl !== -1 && ttl <= 10;
          const left = lives.flatMap(({ ttl }, index) => (isOver(ttl) ? [] : [`${index}`]));
          expect(stage.ids()).toEqual([...left].sort());
          stage.stepCount = 0;
          await stage.time.advance(10 * ROUND);
          expect(stage.stepCount).toBeLessThanOrEqual(10 * IDLE_STEPS_MAX);
        }),
        { numRuns: process.env["ORRERY_LONG"] !== undefined ? 400 : 20 },
      );
    },
  );

  test("are in order of a property once each, whether they lack it or not", async () => {
    const stage = await opened({ defaultTtl: -1 });
    const names = Array.from({ length: 300 }, (_, index) => `${index}`.padStart(3, "0"));
    for (const [index, name] of names.entries()) {
      const n = index % 3 === 1 ? { n: index } : {};
      await stage.put(name, { [`p${index % 5}`]: 1, ...n, ttl: 1_000 });
    }
    const lacking = names.filter((_, index) => index % 3 !== 1);
    const having = names.filter((_, index) => index % 3 === 1);
    const rows = await stage.query("SELECT VALUE c.id FROM c ORDER BY c.n");
    expect(rows).toEqual([...lacking, ...having].map((name) => `"${name}"`));
  });
});

test("versions that have to be kept are not looked through in every round, however many", async () => {
  const stage = await opened({ changeFeedPolicy: { retentionDuration: 60 } });
  await stage.put("i", {});
  await stage.lengthenLog(10_000);
  await stage.time.advance(2 * ROUND);
  stage.stepCount = 0;
  await stage.time.advance(10 * ROUND);
  expect(stage.stepCount).toBe(0);
});

describe("a term of an end that says what its item does not", () => {
  test("is passed by, once a round, and holds up none behind it", async () => {
    const stage = await opened({ defaultTtl: -1 });
    for (let index = 0; index < 100; index++) await stage.put(`live${index}`, { ttl: -1 });
    await stage.retermAll((number) => ({
      added: [`${TERM_BYTES.expiry}000000${String(number).padStart(4, "0")}`],
      removed: [],
    }));
    await stage.put("over", { ttl: 3 });
    await stage.time.advance(6 * SECOND);
    expect(stage.ids()).not.toContain("over");
    expect(stage.ids()).toHaveLength(100);
    stage.stepCount = 0;
    await stage.time.advance(10 * ROUND);
    expect(stage.stepCount).toBeLessThan(10 * 12);
  });
});

describe("a container of the format in which ends and shapes shared a byte", () => {
  const ITEMS = 150;

  test("gets new terms for its ends, and is swept and found as if it had always had them", async () => {
    const stage = await opened({ defaultTtl: -1 });
    for (let index = 0; index < ITEMS; index++) {
      const ttl = index % 3 === 0 ? {} : { ttl: index % 3 === 1 ? 5 : 1_000 };
      await stage.put(`i${index}`, { [`p${index % 7}`]: 1, ...ttl });
    }
    await stage.becomeFormer();
    await stage.restart();
    await stage.time.advance(20 * SECOND);
    expect(stage.ids()).toHaveLength(100);
    expect(stage.endTerms("shape")).toEqual([]);
    expect(stage.endTerms("expiry")).toHaveLength(50);
    expect(stage.container().record.hasFormerExpiry).toBeUndefined();
    stage.expectSound();
    stage.stepCount = 0;
    await stage.restart();
    await stage.time.advance(10 * ROUND);
    expect(stage.stepCount).toBeLessThanOrEqual(10 * IDLE_STEPS_MAX + 30);
  });

  test("keeps no term of an item that is written before its turn comes", async () => {
    const stage = await opened({ defaultTtl: -1 });
    for (let index = 0; index < ITEMS; index++) await stage.put(`i${index}`, { ttl: 100 });
    await stage.becomeFormer();
    await stage.restart();
    const { account, container } = stage;
    const writes = Array.from({ length: ITEMS }, (_, index) => {
      const id = `i${ITEMS - 1 - index}`;
      if (index % 3 === 0) return write(account(), container(), "delete", id);
      return stage.put(id, index % 3 === 1 ? { ttl: 200 } : {});
    });
    await Promise.all(writes);
    await stage.time.advance(4 * SECOND);
    expect(stage.endTerms("shape")).toEqual([]);
    expect(stage.endTerms("expiry")).toHaveLength(50);
    stage.expectSound();
  });
});

interface Stage {
  /** Of the part of the container, while nobody asks for anything. */
  stepCount: number;
  readonly time: Simulated["time"];
  readonly account: () => Account;
  readonly container: () => Container;
  readonly put: (id: string, members: JsonObject) => Promise<unknown>;
  readonly ids: () => readonly string[];
  readonly query: (text: string) => Promise<readonly string[]>;
  readonly retermAll: (
    change: (
      number: number,
      item: JsonObject,
    ) => { readonly added: readonly string[]; readonly removed: readonly string[] },
  ) => Promise<void>;
  /** By so many LSNs. */
  readonly lengthenLog: (count: number) => Promise<void>;
  /** As the version before wrote it: the terms of ends, and the format of the container. */
  readonly becomeFormer: () => Promise<void>;
  /** Terms of ends among those of this kind. */
  readonly endTerms: (kind: "shape" | "expiry") => readonly string[];
  /** Every item has the terms that it is due, and no other. */
  readonly expectSound: () => void;
  readonly restart: () => Promise<void>;
}

const ALL = { countMax: 1e6, bytesMax: 1e9 };

async function opened(body: JsonObject): Promise<Stage> {
  const simulated = await simulatedAccount();
  const { time, store, trouble } = simulated;
  let account = simulated.account;
  await containerIn(account, await databaseIn(account), undefined, body);
  const container = (): Container => account.catalog.container("d", "c")!;
  const part = container().map.entries[0]!.part;
  const termsWithin = (min: string, max: string) =>
    store.scanTerms(part, { range: { min, max }, withItems: true, ...ALL }).entries;
  const retermed = (change: Parameters<Stage["retermAll"]>[0]): WriteGroup =>
    store.scanItems(part, 0, ALL).items.map(({ key, number, body }) => {
      const { added, removed } = change(number, objectOf(body));
      return { kind: "reterm", key, number, termsAdded: added, termsRemoved: removed } as const;
    });
  const stage: Stage = {
    stepCount: 0,
    time,
    account: () => account,
    container,
    put: (id, members) => write(account, container(), "upsert", id, members),
    ids: () =>
      store
        .scanItems(part, 0, ALL)
        .items.map(({ key }) => idOfKey(key))
        .sort(),
    query: async (text) => {
      const answer = await account.queryItems(container(), { ...QUERY, text });
      return answer.ok ? answer.value.rows.map(String) : ["refused"];
    },
    retermAll: (change) => {
      const [partition] = container().partitions.values();
      return partition!.commitBetween(async () => [retermed(change)]);
    },
    lengthenLog: async (count) => {
      await stopped(account);
      const nothing = Array.from({ length: count }, () => []);
      await store.commit(part, store.head(part)!.epoch, nothing);
      account = await simulated.reopen();
    },
    becomeFormer: async () => {
      await stopped(account);
      const group = retermed((_number, { ttl, _ts }) => {
        if (typeof ttl !== "number" || ttl < 0) return { added: [], removed: [] };
        const end = String((_ts as number) + ttl);
        return { added: [TERM_BYTES.shape + end], removed: [TERM_BYTES.expiry + end] };
      });
      await store.commit(part, store.head(part)!.epoch, [group]);
      await becomeFormat4(store);
    },
    endTerms: (kind) =>
      termsWithin(`${TERM_BYTES[kind]}0`, `${TERM_BYTES[kind]}:`)
        .map(({ term }) => term)
        .filter((term) => /^.\d{10}$/.test(term)),
    expectSound: () => {
      const held = termsWithin("", "\xff".repeat(8)).map(({ term, number }) => `${number} ${term}`);
      const due = store.scanItems(part, 0, ALL).items.flatMap(({ key, number, body }) => {
        const { terms } = itemTermsOf(container(), epkOfKey(key), objectOf(body));
        return terms.map((term) => `${number} ${term}`);
      });
      expect([...held].sort()).toEqual([...due].sort());
    },
    restart: async () => {
      account = await simulated.reopen();
    },
  };
  trouble.fault = (_operation, asked) => {
    if (asked === part && ++stage.stepCount > STEPS_MAX) return new StoreFault("too many steps");
    return undefined;
  };
  return stage;
}

async function becomeFormat4(store: EmbeddedStore): Promise<void> {
  const { items } = store.scanItems(CATALOG_PART, 0, ALL);
  const item = items.find(({ key }) => key.startsWith("container "))!;
  const body = Buffer.from(item.body.toString().replace(/"indexFormat":\d+/, '"indexFormat":4'));
  expect(body.equals(item.body)).toBe(false);
  const before = { lsn: item.lsn, bodyBytes: item.body.length };
  const put = { ...item, kind: "put", body, before, termsAdded: [], termsRemoved: [] } as const;
  await store.commit(CATALOG_PART, store.head(CATALOG_PART)!.epoch, [[put]]);
}

const QUERY = {
  parameters: new Map<string, never>(),
  parameterNames: new Set<string>(),
  scope: { kind: "container" },
  isFanOutAllowed: true,
  continuation: undefined,
  countMax: 1_000,
} as const;
