/** Which indexes are said to have been used, and which to be missing. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../json/value.ts";
import type { ListOptions, RunOptions } from "../execute/listSource.fake.ts";
import { ListContainer } from "../execute/listSource.fake.ts";
import type { IndexUtilization } from "./utilization.ts";
import { utilizationOf } from "./utilization.ts";

const ITEMS: readonly JsonObject[] = Array.from({ length: 300 }, (_, n) => ({
  id: `i${n}`,
  n,
  k: n % 3,
  name: `name${n % 100}`,
  tags: [`a${n % 4}`],
}));

async function utilization(
  query: string,
  policy: ListOptions["policy"] = {},
  options: RunOptions = {},
): Promise<IndexUtilization> {
  const list = new ListContainer(ITEMS, { policy });
  const plan = list.plan(query);
  const { work } = await list.page(plan, undefined, { countMax: 10, ...options });
  return utilizationOf(plan, list.index, work);
}

const NOTHING: IndexUtilization = {
  utilizedSingle: [],
  potentialSingle: [],
  utilizedComposite: [],
  potentialComposite: [],
};

const WITHOUT_N = { excludedPaths: [{ path: "/n/?" }] };
const COMPOSITE = {
  compositeIndexes: [
    [
      { path: "/k", order: "ascending" },
      { path: "/n", order: "descending" },
    ],
  ] as const,
};

describe("used is what had a say", () => {
  test.each<[string, string, readonly string[]]>([
    ["an equality", "SELECT * FROM c WHERE c.n = 3", ["/n/?"]],
    ["a range", "SELECT * FROM c WHERE c.n < 3", ["/n/?"]],
    ["both sides of OR", "SELECT * FROM c WHERE c.n = 3 OR c.name = 'x'", ["/n/?", "/name/?"]],
    [
      "two conditions with many items each",
      "SELECT * FROM c WHERE c.k = 1 AND c.n >= 150",
      ["/k/?", "/n/?"],
    ],
    ["the first alone when it leaves few", "SELECT * FROM c WHERE c.n = 1 AND c.k > 0", ["/n/?"]],
    ["elements of an array", "SELECT * FROM c WHERE ARRAY_CONTAINS(c.tags, 'a1')", ["/tags/[]/?"]],
    ["every value of a path", "SELECT * FROM c WHERE CONTAINS(c.name, '7')", ["/name/?"]],
    ["the path of an order", "SELECT * FROM c ORDER BY c.n", ["/n/?"]],
    ["the path of an aggregate", "SELECT VALUE MAX(c.n) FROM c", ["/n/?"]],
    ["the filter of a count", "SELECT VALUE COUNT(1) FROM c WHERE c.n < 9", ["/n/?"]],
    ["an inner query", "SELECT COUNT(1) AS c FROM (SELECT * FROM c WHERE c.n = 3)", ["/n/?"]],
    ["nothing", "SELECT * FROM c", []],
    ["nothing for two paths that are compared", "SELECT * FROM c WHERE c.n = c.k", []],
    ["nothing without items", "SELECT VALUE 1", []],
  ])("%s", async (_rule, query, utilizedSingle) => {
    const found = await utilization(query);
    expect(found.utilizedSingle).toEqual(utilizedSingle);
    expect([found.potentialSingle, found.utilizedComposite]).toEqual([[], []]);
  });

  test("the scope of one logical partition is an index, too", async () => {
    const found = await utilization("SELECT * FROM c", {}, { isScoped: true });
    expect(found.utilizedSingle).toEqual(["/_epk/?"]);
  });

  test("not what was only asked for how many there are", async () => {
    const found = await utilization("SELECT * FROM c WHERE c.k = 1 ORDER BY c.n");
    expect(found.utilizedSingle).toEqual(["/n/?"]);
  });

  test("a composite index by which rows are ordered, or found", async () => {
    const utilizedComposite = [["/k ASC", "/n DESC"]];
    const ordered = await utilization("SELECT * FROM c ORDER BY c.k DESC, c.n", COMPOSITE);
    expect(ordered).toEqual({ ...NOTHING, utilizedComposite });
    const filtered = await utilization("SELECT * FROM c WHERE c.k = 1 AND c.n > 9", COMPOSITE);
    expect(filtered).toEqual({ ...NOTHING, utilizedComposite });
  });
});

describe("missing is what would have been asked", () => {
  test.each<[string, string, readonly string[]]>([
    ["a path that is not indexed", "SELECT * FROM c WHERE c.n = 3", ["/n/?"]],
    ["each once", "SELECT * FROM c WHERE c.n > 3 AND c.n < 9", ["/n/?"]],
    ["not where no index could help", "SELECT * FROM c WHERE c.n = c.k", []],
    ["not because it is selected", "SELECT c.n FROM c", []],
    [
      "not beside a branch that no index can answer",
      "SELECT * FROM c WHERE c.n = 1 OR c.k = c.n",
      [],
    ],
  ])("%s", async (_rule, query, potentialSingle) => {
    expect(await utilization(query, WITHOUT_N)).toEqual({ ...NOTHING, potentialSingle });
  });

  test.each<[string, string, readonly (readonly string[])[]]>([
    ["an equality and a range", "c.k = 1 AND c.n > 2", [["/k ASC", "/n ASC"]]],
    [
      "equalities first, in the order of the text",
      "c.n > 2 AND c.k = 1 AND c.a.b = 1",
      [["/k ASC", "/a/b ASC", "/n ASC"]],
    ],
    [
      "one for each range",
      "c.k = 1 AND c.n > 2 AND c.m < 3",
      [
        ["/k ASC", "/n ASC"],
        ["/k ASC", "/m ASC"],
      ],
    ],
    ["one for both ends of a range", "c.k = 1 AND c.n > 2 AND c.n < 9", [["/k ASC", "/n ASC"]]],
    ["none for equalities alone", "c.k = 1 AND c.n = 2", []],
    ["none for ranges alone", "c.k > 1 AND c.n > 2", []],
    ["none for elements of an array", "c.tags[0] = 'a1' AND c.n > 2", []],
    ["none across OR", "c.k = 1 OR c.n > 2", []],
  ])("a composite index: %s", async (_rule, where, potentialComposite) => {
    const found = await utilization(`SELECT * FROM c WHERE ${where}`);
    expect(found.potentialComposite).toEqual(potentialComposite);
  });

  test("names that are no words are quoted as in a policy", async () => {
    const found = await utilization('SELECT * FROM c WHERE c["a b"] = 1 AND c["ı"] = 1', {
      includedPaths: [],
      excludedPaths: [{ path: "/*" }],
    });
    expect(found.potentialSingle).toEqual(['/"a b"/?', "/ı/?"]);
  });
});
