/**
 * The lab's prices of operations on single items beside what the engine charges: the same, to the
 * last hundredth. Then the whole of it through the official client, from means alone.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Account } from "../../src/engine/account.ts";
import type { Container } from "../../src/engine/partition/container.ts";
import { DEFAULT_INDEXING_POLICY, parseIndexingPolicy } from "../../src/index/policy.ts";
import { changedLeafCount } from "../../src/index/terms.ts";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";
import {
  changedLeavesOf,
  createRu,
  deleteRu,
  leafCountOf,
  patchRu,
  pointReadRu,
  replaceRu,
  upsertRu,
} from "../../src/lab/price/itemPrice.ts";
import type { PriceSetting } from "../../src/lab/price/price.ts";
import { filterPriceOf, queryPriceOf } from "../../src/lab/price/queryPrice.ts";
import { HIGH_CALLER } from "../../src/model/caller.ts";
import type { WriteRequest } from "../../src/model/request/writeRequest.ts";
import { openStage as openServer } from "../sdk/stage.ts";
import { openAccount, openContainer, POLICY, unwrapped } from "./priceStage.ts";

let account: Account;

beforeAll(async () => {
  account = await openAccount();
});

afterAll(() => account.close());

function settingOf(item: JsonObject, policy?: JsonObject): PriceSetting {
  const parsed =
    policy === undefined ? DEFAULT_INDEXING_POLICY : unwrapped(parseIndexingPolicy(policy));
  return {
    itemBytes: Buffer.byteLength(JSON.stringify(item)),
    leafCount: leafCountOf(item, parsed),
    example: item,
    consistency: "session",
    policy: parsed,
  };
}

async function charged(container: Container, request: WriteRequest): Promise<number> {
  const outcome = await unwrapped(account.writeItem(container, request));
  expect(outcome.kind).not.toBe("refused");
  return outcome.charge;
}

function leaves(count: number): JsonObject {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, `value ${n}`]));
}

const ITEMS: readonly (readonly [string, JsonObject])[] = [
  ["two leaves", { id: "a", pk: "k", n: 1 }],
  ["300 bytes", { id: "a", pk: "k", ts: 1_700_000_000, note: "x".repeat(250) }],
  ["20 leaves", { id: "a", pk: "k", ...leaves(19) }],
  ["1 KB", { id: "a", pk: "k", ...leaves(6), pad: "x".repeat(900) }],
  ["just below a step", { id: "a", pk: "k", pad: "x".repeat(1024 - 205 - 29) }],
  ["just beyond a step", { id: "a", pk: "k", pad: "x".repeat(1024 - 205 - 28) }],
  ["not only ASCII", { id: "ä", pk: "k", name: "Zoë ☃ 𝄞", pad: "é".repeat(300) }],
  ["4 KB", { id: "a", pk: "k", ...leaves(10), pad: "x".repeat(3_600) }],
  [
    "nested, with arrays",
    {
      id: "a",
      pk: "k",
      tags: ["red", "red", "blue"],
      lines: [
        { sku: "s1", n: 1 },
        { sku: "s2", n: 2, more: { deep: [true, null] } },
      ],
      place: { city: "Oslo", at: { type: "Point", coordinates: [1.5, 2.5] } },
      kind: "order",
      ts: 5,
    },
  ],
];

const POLICIES: readonly (readonly [string, JsonObject | undefined])[] = [
  ["the default policy", undefined],
  ["a composite index and a path left out", { ...POLICY, excludedPaths: [{ path: "/p1/?" }] }],
  ["an indexed etag", { includedPaths: [{ path: "/*" }, { path: "/_etag/?" }] }],
  ["one path only", { includedPaths: [{ path: "/ts/?" }], excludedPaths: [{ path: "/*" }] }],
  ["no index", { indexingMode: "none", automatic: false }],
];

describe.each(POLICIES)("under %s", (_policy, policy) => {
  test.each(ITEMS)("an item with %s costs what was predicted", async (_what, item) => {
    const container = await openContainer(account, policy);
    const setting = settingOf(item, policy);
    const key = ["k"];
    const id = item["id"] as string;
    const body = (value: JsonValue): Buffer => Buffer.from(JSON.stringify(value));
    expect(await charged(container, { kind: "create", key, body: body(item) })).toBe(
      createRu(setting),
    );
    const { partition, epk } = unwrapped(account.route(container, key));
    for (const consistency of ["session", "strong"] as const) {
      const found = await partition.read(epk, id, { caller: HIGH_CALLER, consistency });
      expect(found.charge).toBe(pointReadRu({ ...setting, consistency }));
    }
    const paths = Object.keys(item).filter((name) => name !== "id" && name !== "pk");
    const changedPaths = paths.slice(0, 2).map((name) => `/${name}`);
    const changed: JsonObject = {
      ...item,
      ...Object.fromEntries(paths.slice(0, 2).map((name) => [name, other(item[name]!)])),
    };
    const count = changedLeafCount(container.policy, item, changed);
    expect(changedLeavesOf(setting, changedPaths)).toBe(count);
    expect(await charged(container, { kind: "replace", id, key, body: body(changed) })).toBe(
      replaceRu(setting, count, changedPaths),
    );
    expect(await charged(container, { kind: "upsert", key, body: body(item) })).toBe(
      upsertRu(setting, { isNew: 0, changedLeafCount: count, changedPaths }),
    );
    const [first] = paths;
    const operations = [{ op: "set", path: `/${first}`, value: other(item[first!]!) }];
    expect(await charged(container, { kind: "patch", id, key, body: { operations } })).toBe(
      patchRu(setting, changedLeavesOf(setting, [`/${first}`]), 1, [`/${first}`]),
    );
    expect(await charged(container, { kind: "delete", id, key })).toBe(deleteRu(setting));
    expect(await charged(container, { kind: "upsert", key, body: body(item) })).toBe(
      upsertRu(setting, { isNew: 1, changedLeafCount: 0 }),
    );
  });
});

/** The same shape and length, with every scalar another. */
function other(value: JsonValue): JsonValue {
  if (typeof value === "string") return value.replace(/^./, "?");
  if (typeof value === "number") return value + 1;
  if (typeof value === "boolean") return !value;
  if (value === null) return 0;
  if (Array.isArray(value)) return value.map(other);
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, other(each as JsonValue)]),
  );
}

test("a share of upserts creates", () => {
  const setting = settingOf({ id: "a", pk: "k", n: 1 });
  const mixed = upsertRu(setting, { isNew: 0.25, changedLeafCount: 1 });
  expect(mixed).toBeCloseTo(0.25 * createRu(setting) + 0.75 * replaceRu(setting, 1), 10);
});

describe("queries without a price, and without a text", () => {
  const setting = settingOf({ id: "a", pk: "k", n: 1, at: { city: "Oslo" } });

  test.each([
    ["SELECT * FORM c", "at character 10"],
    ["SELECT * FROM c WHERE NOSUCH(c.n)", "NOSUCH"],
    ["SELECT TOP @n * FROM c", "TOP"],
    ["SELECT * FROM c ORDER BY c.a, c.b", "composite index"],
  ])("%s", (sql, part) => {
    const price = queryPriceOf(sql, new Map(), setting);
    expect(price).toMatchObject({ ok: false, error: expect.stringContaining(part) });
  });

  test("filters alone are equalities that give out whole items", () => {
    const found = { matchCount: 5, rowCount: 5, heldItems: 100 };
    const sql = "SELECT * FROM c WHERE c.n = @n AND c.at.city = @city";
    const written = unwrapped(queryPriceOf(sql, new Map(), setting));
    const { ruOfVisits, visitRu } = filterPriceOf(["/n", "/at/city"], setting);
    expect(ruOfVisits([found])).toEqual(written.ruOfVisits([found]));
    expect(visitRu).toBeCloseTo(2.89, 10);
  });

  test("a visit and what it finds are the whole", () => {
    const sql = "SELECT * FROM c WHERE c.n > @from ORDER BY c.n";
    const price = unwrapped(queryPriceOf(sql, new Map(), setting));
    const found = { matchCount: 7, rowCount: 7, heldItems: 60, partitionItems: 900 };
    expect(price.visitRu + price.foundRu(found)).toBeCloseTo(price.ruOfVisits([found])[0]!, 10);
    expect(price.orderedPath).toBe("/n");
  });
});

test("an answer that the server merges is charged what means alone predict", async () => {
  await using stage = await openServer();
  const { container } = await stage.database.containers.create({
    id: "spread",
    partitionKey: { paths: ["/pk"] },
    throughput: 40_000,
  });
  const { resources: ranges } = await container.readPartitionKeyRanges().fetchAll();
  expect(ranges.length).toBeGreaterThan(3);
  const itemCount = 600;
  const itemOf = (n: number): { id: string } & JsonObject => ({
    id: `i${String(n).padStart(4, "0")}`,
    pk: `p${n % 200}`,
    status: n % 6,
    ts: 1_000_000 + n,
    pad: "x".repeat(700),
  });
  const setting = settingOf(itemOf(1));
  let created = 0;
  for (let n = 0; n < itemCount; n += TOGETHER) {
    const items = Array.from({ length: TOGETHER }, (_, index) => itemOf(n + index));
    const answers = await Promise.all(items.map((item) => container.items.create(item)));
    created += answers.reduce((sum, { requestCharge }) => sum + requestCharge, 0);
  }
  expect(created).toBeCloseTo(itemCount * createRu(setting), 6);
  const { length } = ranges;
  const table: string[] = [];
  for (const [sql, matches, rows] of SPREAD) {
    const { requestCharge } = await container.items.query(sql, MERGED).fetchAll();
    const each = {
      matchCount: matches / length,
      rowCount: rows / length,
      heldItems: itemCount / length,
    };
    const { ruOfVisits } = unwrapped(queryPriceOf(sql, new Map(), setting));
    const predicted = ruOfVisits(ranges.map(() => each)).reduce((sum, part) => sum + part, 0);
    const error = Math.abs(predicted - requestCharge) / requestCharge;
    if (error > 0.02) table.push(`${requestCharge} ${predicted.toFixed(2)} ${sql}`);
  }
  expect(table).toEqual([]);
}, 120_000);

/** The official client, merging by itself, asks for small pages and for TOP rows of each range. */
const MERGED = { initialHeaders: { "x-orrery-merge-query": "true" } };

/** Items that are written at the same time. */
const TOGETHER = 50;

/** Matches and rows among 600 items. */
const SPREAD: readonly (readonly [string, number, number])[] = [
  ["SELECT * FROM c", 600, 600],
  ["SELECT * FROM c WHERE c.status = 3", 100, 100],
  ["SELECT * FROM c WHERE c.status = 3 ORDER BY c.ts DESC", 100, 100],
  ["SELECT TOP 10 * FROM c WHERE c.status = 3 ORDER BY c.ts DESC", 100, 10],
  ["SELECT c.id FROM c WHERE c.ts >= 1000300", 300, 300],
  ["SELECT * FROM c WHERE c.id = 'i0123'", 1, 1],
  ["SELECT VALUE COUNT(1) FROM c WHERE c.status = 3", 100, 1],
  ["SELECT c.status, COUNT(1) AS n FROM c GROUP BY c.status", 600, 6],
  ["SELECT DISTINCT VALUE c.status FROM c", 600, 6],
  ["SELECT * FROM c WHERE c.status = 7", 0, 0],
];
