/**
 * Computed properties through the official client: what may define one, and that queries see it as
 * if it were stored, while items do not have it. What queries make of them in detail is in the
 * cases of test/query.
 */
import type { Container, ContainerDefinition, FeedOptions } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

type Computed = { readonly name: string; readonly query: string };

let count = 0;

async function openComputed(
  computedProperties: unknown,
  settings: { readonly throughput?: number; readonly indexingPolicy?: object } = {},
): Promise<Container> {
  const { container } = await stage.database.containers.create({
    id: `computed-${++count}`,
    partitionKey: { paths: ["/pk"], version: 2 },
    computedProperties,
    ...settings,
  } as never);
  return container;
}

const LOWER: Computed = { name: "lower", query: "SELECT VALUE LOWER(c.name) FROM c" };
const TOTAL: Computed = { name: "total", query: "SELECT VALUE r.price * r.amount FROM root r" };

const ITEMS = [
  { id: "1", pk: "a", name: "Pear", price: 2, amount: 3 },
  { id: "2", pk: "b", name: "apple", price: 5, amount: 1 },
  { id: "3", pk: "c", name: "APPLE", price: 1, amount: 10 },
  { id: "4", pk: "d", price: 1 },
  { id: "5", pk: "e", name: "fig", lower: "stored", price: 2, amount: 2 },
];

describe("a query", () => {
  let container: Container;
  beforeAll(async () => {
    container = await openComputed([LOWER, TOTAL], { throughput: 30_000 });
    await Promise.all(ITEMS.map((item) => container.items.create(item)));
  });

  const WAYS: readonly (readonly [way: string, options: FeedOptions])[] = [
    ["merged by the server", {}],
    ["merged by the client", { forceQueryPlan: true }],
  ];
  const ROWS: readonly (readonly [rule: string, query: string, rows: readonly unknown[]])[] = [
    [
      "selects them",
      "SELECT c.id, c.lower, c.total FROM c WHERE c.id IN ('1', '4') ORDER BY c.id",
      [{ id: "1", lower: "pear", total: 6 }, { id: "4" }],
    ],
    ["filters by them", "SELECT VALUE c.id FROM c WHERE c.lower = 'apple' AND c.total > 5", ["3"]],
    [
      "sees them instead of what is stored under their name",
      "SELECT VALUE c.lower FROM c WHERE c.id = '5'",
      ["fig"],
    ],
    ["does not find what they hide", "SELECT VALUE c.id FROM c WHERE c.lower = 'stored'", []],
    [
      "orders by them",
      "SELECT VALUE c.total FROM c WHERE IS_DEFINED(c.total) ORDER BY c.total DESC",
      [10, 6, 5, 4],
    ],
    [
      "counts by them",
      "SELECT c.lower, COUNT(1) AS items FROM c WHERE c.lower = 'apple' GROUP BY c.lower",
      [{ lower: "apple", items: 2 }],
    ],
    ["sums them up", "SELECT VALUE SUM(c.total) FROM c WHERE IS_DEFINED(c.total)", [25]],
    [
      "tells them apart",
      "SELECT DISTINCT VALUE c.lower FROM c WHERE STARTSWITH(c.lower, 'a')",
      ["apple"],
    ],
    [
      "knows where they are undefined",
      "SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.lower)",
      ["4"],
    ],
  ];

  describe.each(WAYS)("%s", (_way, options) => {
    test.each(ROWS)("%s", async (_rule, query, rows) => {
      const { resources } = await container.items.query(query, options).fetchAll();
      expect(resources).toEqual(rows);
    });

    test("leaves them out of SELECT *, where what is stored is seen", async () => {
      const query = "SELECT * FROM c WHERE c.id = '5'";
      const { resources } = await container.items.query(query, options).fetchAll();
      expect(resources).toMatchObject([{ lower: "stored" }]);
      expect(resources[0]).not.toHaveProperty("total");
    });
  });

  test("is all that sees them: an item has what it was given", async () => {
    const { resource } = await container.item("1", "a").read();
    expect(resource).not.toHaveProperty("lower");
    const patch = container.item("1", "a").patch({
      condition: "from c where is_defined(c.lower)",
      operations: [{ op: "set", path: "/n", value: 1 }],
    });
    expect((await refusalOf(patch)).substatus).toBe(1110);
  });
});

describe("the computed properties of a container", () => {
  test("are told as they were given, also with an index", async () => {
    const indexingPolicy = {
      indexingMode: "consistent",
      automatic: true,
      includedPaths: [{ path: "/*" }, { path: "/lower/?" }],
      excludedPaths: [{ path: '/"_etag"/?' }],
      compositeIndexes: [
        [
          { path: "/lower", order: "ascending" },
          { path: "/total", order: "descending" },
        ],
      ],
    };
    const container = await openComputed([LOWER, TOTAL], { indexingPolicy });
    const { resource } = await container.read();
    expect(resource?.computedProperties).toEqual([LOWER, TOTAL]);
    expect(resource?.indexingPolicy).toMatchObject(indexingPolicy);
    await Promise.all(ITEMS.map((item) => container.items.create(item)));
    const query =
      "SELECT VALUE c.id FROM c WHERE IS_DEFINED(c.total) ORDER BY c.lower ASC, c.total DESC";
    expect((await container.items.query(query).fetchAll()).resources).toEqual(["3", "2", "5", "1"]);
  });

  test("may be exchanged, and go when they are left out", async () => {
    const container = await openComputed([LOWER]);
    await Promise.all(ITEMS.map((item) => container.items.create(item)));
    const ask = async (name: string) => {
      const query = `SELECT VALUE c.${name} FROM c WHERE c.id = '1'`;
      return (await container.items.query(query).fetchAll()).resources;
    };
    const { computedProperties: _left, ...without } = (await container.read())
      .resource as ContainerDefinition;
    expect(await ask("lower")).toEqual(["pear"]);
    const upper = { name: "lower", query: "SELECT VALUE UPPER(c.name) FROM c" };
    await container.replace({ ...without, computedProperties: [upper, TOTAL] } as never);
    expect(await ask("lower")).toEqual(["PEAR"]);
    expect(await ask("total")).toEqual([6]);
    const { resource } = await container.replace(without as never);
    expect(resource).not.toHaveProperty("computedProperties");
    expect(await ask("lower")).toEqual([]);
  });

  test("do not build on each other: a definition sees what is stored", async () => {
    const doubled = { name: "doubled", query: "SELECT VALUE c.total * 2 FROM c" };
    const own = { name: "name", query: "SELECT VALUE LOWER(c.name) FROM c" };
    const container = await openComputed([TOTAL, doubled, own]);
    await container.items.create({ id: "1", pk: "a", price: 2, amount: 3, total: 50, name: "X" });
    const query = "SELECT c.total, c.doubled, c.name FROM c";
    const { resources } = await container.items.query(query).fetchAll();
    expect(resources).toEqual([{ total: 6, doubled: 100, name: "x" }]);
  });

  test("are at most twenty", async () => {
    const many = Array.from({ length: 20 }, (_, n) => ({ ...LOWER, name: `p${n}` }));
    await openComputed(many);
    const refusal = await refusalOf(openComputed([...many, LOWER]));
    expect(refusal.status).toBe(400);
    expect(refusal.message).toContain("20");
  });

  const queryOf = (query: string): Computed[] => [{ name: "p", query }];
  const MISTAKES: readonly (readonly [rule: string, computedProperties: unknown])[] = [
    ["the name of the id", [{ ...LOWER, name: "id" }]],
    ["a name of the system", [{ ...LOWER, name: "_ts" }]],
    ["an empty name", [{ ...LOWER, name: "" }]],
    ["no name", [{ query: LOWER.query }]],
    ["a name that is a number", [{ ...LOWER, name: 7 }]],
    ["a name twice", [LOWER, LOWER]],
    ["no query", [{ name: "p" }]],
    ["a query that is none", queryOf("LOWER(c.name)")],
    ["a projection", queryOf("SELECT c.name FROM c")],
    ["a star", queryOf("SELECT * FROM c")],
    ["no item", queryOf("SELECT VALUE 1")],
    ["a name that is not the item's", queryOf("SELECT VALUE d.name FROM c")],
    ["a filter", queryOf("SELECT VALUE c.n FROM c WHERE c.n > 1")],
    ["a join", queryOf("SELECT VALUE t FROM c JOIN t IN c.tags")],
    ["elements of a list", queryOf("SELECT VALUE t FROM t IN c.tags")],
    ["a part of the item", queryOf("SELECT VALUE a FROM c.address a")],
    ["TOP", queryOf("SELECT TOP 1 VALUE c.n FROM c")],
    ["DISTINCT", queryOf("SELECT DISTINCT VALUE c.n FROM c")],
    ["ORDER BY", queryOf("SELECT VALUE c.n FROM c ORDER BY c.n")],
    ["GROUP BY", queryOf("SELECT VALUE c.n FROM c GROUP BY c.n")],
    ["OFFSET", queryOf("SELECT VALUE c.n FROM c OFFSET 0 LIMIT 1")],
    ["an aggregate", queryOf("SELECT VALUE COUNT(1) FROM c")],
    ["a subquery", queryOf("SELECT VALUE (SELECT VALUE c.n) FROM c")],
    ["EXISTS", queryOf("SELECT VALUE EXISTS(SELECT VALUE t FROM t IN c.tags) FROM c")],
    ["ARRAY", queryOf("SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags) FROM c")],
    ["a parameter", queryOf("SELECT VALUE @p FROM c")],
    ["the time", queryOf("SELECT VALUE GetCurrentDateTime() FROM c")],
    ["chance", queryOf("SELECT VALUE RAND() FROM c")],
    ["a function of the user", queryOf("SELECT VALUE udf.f(c.n) FROM c")],
    ["a function that does not exist", queryOf("SELECT VALUE NOPE(c.n) FROM c")],
    ["a distance on the globe", queryOf("SELECT VALUE ST_DISTANCE(c.a, c.b) FROM c")],
    ["an object for the list", { lower: LOWER.query }],
  ];

  test.each(MISTAKES)("cannot be defined with %s", async (_rule, computedProperties) => {
    const { status, message } = await refusalOf(openComputed(computedProperties));
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(30);
    const container = await openComputed([TOTAL]);
    const definition = (await container.read()).resource!;
    const replace = container.replace({ ...definition, computedProperties } as never);
    expect((await refusalOf(replace)).status).toBe(400);
    expect((await container.read()).resource).toEqual(definition);
  });
});
