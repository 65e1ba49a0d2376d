/**
 * Published charges, tried through the official client: the small ones, so that no change of the
 * price list or of what is counted goes unnoticed. `scripts/charges.mjs` tries all of them.
 */
import type { Container, IndexingPolicy, ItemDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { clientOf, openStage, refusalOf } from "./stage.ts";

const KIB = 1024;
const NO_INDEX: IndexingPolicy = { indexingMode: "none", automatic: false };
const ALL_EXCLUDED: IndexingPolicy = {
  indexingMode: "consistent",
  excludedPaths: [{ path: "/*" }],
};

let stage: Stage;
let strong: Stage;

beforeAll(async () => {
  stage = await openStage({ memory: true, rateLimit: false });
  strong = await openStage({ memory: true, rateLimit: false, consistency: "Strong" });
});

afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await strong[Symbol.asyncDispose]();
});

let containerCount = 0;

async function containerOf(
  setting: { readonly key?: string; readonly policy?: IndexingPolicy; readonly on?: Stage } = {},
): Promise<Container> {
  const { key = "/id", policy, on = stage } = setting;
  const id = `charged-${++containerCount}`;
  const definition = { id, partitionKey: { paths: [key] } };
  const { container } = await on.database.containers.create(
    policy === undefined ? definition : { ...definition, indexingPolicy: policy },
  );
  return container;
}

function onlyIndexed(path: string): IndexingPolicy {
  return { includedPaths: [{ path }], excludedPaths: [{ path: "/*" }] };
}

/** What the server adds to an item. */
const STAMP_BYTES = 205;

/** An item that is stored in so many bytes; where everything is indexed its filling is a leaf. */
function sized<T extends ItemDefinition>(item: T, storedBytes: number): T & { id: string } {
  const used = STAMP_BYTES + JSON.stringify({ ...item, pad: "" }).length;
  return { id: "a", ...item, pad: "x".repeat(storedBytes - used) };
}

function leaves(count: number): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, n) => [`p${n}`, `v${n}`]));
}

function expectNear(charge: number, published: number, percent: number): void {
  const error = (100 * Math.abs(charge - published)) / published;
  expect({ charge, published, isNear: error <= percent }).toMatchObject({ isNear: true });
}

test("an item is stored in as many bytes as these tests take it to be", async () => {
  const { items } = await containerOf();
  const { resource } = await items.create(sized({ id: "a" }, 500));
  expect(JSON.stringify(resource)).toHaveLength(500);
});

describe("operations on items (within 5 %)", () => {
  test.each([
    [1, 1, 4.95],
    [2, 1.04, 6.29],
    [8, 1.33, 7.04],
    [64, 4.76, 22.67],
    [512, 40.95, 184.57],
    [2048, 291.8, 1250],
  ])("%d KiB without an index: read %d, write %d", async (kib, read, write) => {
    const container = await containerOf({ policy: NO_INDEX });
    const created = await container.items.create(sized({ id: "a" }, kib * KIB));
    expectNear(created.requestCharge, write, 5);
    expectNear((await container.item("a", "a").read()).requestCharge, read, 5);
  });

  test.each<readonly [string, number, ItemDefinition, IndexingPolicy | undefined]>([
    ["1 KB, nothing indexed", 5.5, sized({ id: "a" }, KIB), ALL_EXCLUDED],
    ["an id and a name", 5.71, { id: "a", name: "a name" }, undefined],
    ["4 leaves", 7.05, sized({ id: "a", ...leaves(3) }, 600), undefined],
    ["5 leaves, beyond 1 KiB", 8.57, sized({ id: "a", ...leaves(4) }, 1_500), undefined],
    ["6 leaves, beyond 1 KiB", 8.76, sized({ id: "a", ...leaves(5) }, 1_500), undefined],
    ["24 leaves", 15, sized({ id: "a", ...leaves(23) }, KIB), undefined],
    ["21 leaves, beyond 1 KiB", 15, sized({ id: "a", ...leaves(20) }, 1_800), undefined],
  ])("create and delete: %s", async (_what, published, item, policy) => {
    const container = await containerOf(policy === undefined ? {} : { policy });
    expectNear((await container.items.create(item)).requestCharge, published, 5);
    expectNear((await container.item("a", "a").delete()).requestCharge, published, 5);
  });

  test("changes: the capacity planner's update, the documented replace and patch", async () => {
    const container = await containerOf({ policy: onlyIndexed("/p1/?") });
    await container.items.create({ id: "a", ...leaves(4) });
    const item = container.item("a", "a");
    const replaced = await item.replace({ id: "a", ...leaves(4), p1: "changed" });
    expectNear(replaced.requestCharge, 10.67, 5);
    expectNear(replaced.requestCharge, 10.8, 5);
    const patched = await item.patch([
      { op: "set", path: "/p1", value: "again" },
      { op: "set", path: "/p2", value: "again" },
    ]);
    expectNear(patched.requestCharge, 11.6, 5);
  });
});

/** Only payloadId is indexed; published in whole units. */
describe("operations by size of payload, rounded", () => {
  test.each([
    [1_000, 1, 7, 13, 2],
    [5_000, 1, 8, 14, 3],
    [10_000, 2, 10, 19, 3],
    [50_000, 5, 24, 46, 10],
    [100_000, 10, 49, 97, 20],
    [400_000, 41, 186, 370, 82],
  ])("%d bytes", async (bytes, read, create, replace, readStrong) => {
    const item = { id: "a", payloadId: "k", payload: "x".repeat(bytes) };
    const charges = async (on: Stage): Promise<readonly number[]> => {
      const policy = onlyIndexed("/payloadId/?");
      const container = await containerOf({ key: "/payloadId", policy, on });
      const answers = [await container.items.create(item), await container.item("a", "k").read()];
      answers.push(await container.item("a", "k").replace(item));
      answers.push(await container.items.upsert(item));
      answers.push(await container.item("a", "k").delete());
      return answers.map(({ requestCharge }) => Math.round(requestCharge));
    };
    expect(await charges(stage)).toEqual([create, read, replace, replace, create]);
    expect(await charges(strong)).toEqual([create, readStrong, replace, replace, create]);
  });
});

describe("queries (within 10 %)", () => {
  let families: Container;
  let foods: Container;

  beforeAll(async () => {
    families = await containerOf({ key: "/k" });
    const keys = ["pa", "pb", "pb", "pb", "q", "q", "r"];
    for (const [n, k] of keys.entries()) {
      await families.items.create(sized({ id: `${n}`, k, n }, 256));
    }
    foods = await containerOf({ policy: onlyIndexed("/code/?") });
    const operations = Array.from({ length: 400 }, (_, n) => ({
      operationType: "Create" as const,
      partitionKey: `i${n}`,
      resourceBody: sized({ id: `i${n}`, code: `c${n}`, plain: `c${n}`, list: [1, 2] }, 2 * KIB),
    }));
    await foods.items.executeBulkOperations(operations);
  });

  const chargeOf = async (container: Container, text: string, rowCount: number) => {
    const { resources, requestCharge } = await container.items
      .query(text, { maxItemCount: 1_000 })
      .fetchAll();
    expect(resources).toHaveLength(rowCount);
    return requestCharge;
  };

  test.each([
    ["SELECT * FROM c", 7, 2.35],
    ["SELECT * FROM c WHERE c.k = 'pa'", 1, 2.83],
    ["SELECT * FROM c WHERE c.k = 'pb'", 3, 2.89],
    ["SELECT * FROM c WHERE STARTSWITH(c.k, 'p')", 4, 2.92],
    ["SELECT * FROM c WHERE c.k = 'pa' OR c.k = 'q'", 3, 2.99],
    ["SELECT * FROM c WHERE c.k = 'pa' OR c.k = 'pb'", 4, 3.02],
    ["SELECT * FROM c WHERE c.id = '1'", 1, 2.83],
    ["SELECT * FROM c WHERE c.k = 'pb' AND c.n = 2", 1, 2.92],
    ["SELECT * FROM c WHERE c.k = 'pb' AND c.n IN (1, 2)", 2, 3.06],
    ["SELECT * FROM c WHERE c.k = 'pb' AND c.n IN (1, 2, 3)", 3, 3.2],
    ["SELECT * FROM c WHERE c.n = 99", 0, 2.8],
  ])("%s: %d rows, %d", async (text, rowCount, published) => {
    expectNear(await chargeOf(families, text, rowCount), published, 1);
  });

  /** By the formula, which meets the published figures of larger containers. */
  test.each([
    ["a scan", "SELECT * FROM c WHERE c.plain = 'c9'", 1, 2.24 + 400 * 0.0234 + 0.024],
    ["the index", "SELECT * FROM c WHERE c.code = 'c9'", 1, 2.79 + 0.061],
    [
      "a prefix and two functions",
      "SELECT c.id, ARRAY_LENGTH(c.list) AS a, ARRAY_LENGTH(c.none) AS b " +
        "FROM c WHERE c.code LIKE 'c%'",
      400,
      2.79 + 400 * (0.0135 + 0.0234 + 2 * 0.005 + 0.0002),
    ],
    ["a function of a text", "SELECT * FROM c WHERE UPPER(c.code) = 'C9'", 1, 2.24 + 400 * 0.0394],
    ["distinct values", "SELECT DISTINCT VALUE c.code FROM c", 400, 2.24 + 400 * 0.0035],
  ])("of 400 items, %s", async (_what, text, rowCount, expected) => {
    expectNear(await chargeOf(foods, text, rowCount), expected, 1);
  });

  test("an account that is strong pays twice, a request that asks for less does not", async () => {
    const container = await containerOf({ key: "/k", on: strong });
    for (let n = 0; n < 7; n++) await container.items.create(sized({ id: `${n}`, k: "k" }, 256));
    expectNear(await chargeOf(container, "SELECT * FROM c", 7), 2 * 2.35, 1);
    const client = clientOf(strong.server, { consistencyLevel: "Eventual" });
    const weaker = client.database(strong.database.id).container(container.id);
    expectNear(await chargeOf(weaker, "SELECT * FROM c", 7), 2.35, 1);
    expect((await weaker.item("1", "k").read()).requestCharge).toBe(1);
    client.dispose();
    const asking = clientOf(stage.server, { consistencyLevel: "Strong" });
    const stronger = asking.database(stage.database.id).container(families.id);
    expect(await refusalOf(stronger.item("0", "pa").read())).toMatchObject({ status: 400 });
    asking.dispose();
  });
});
