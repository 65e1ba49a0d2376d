/**
 * User-defined functions in queries: where they may be called and what with, when they are called
 * and how often, and what becomes of a query whose functions fail. That a function makes no
 * difference to any query is a property over random ones in `test/query/functions.test.ts`.
 */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { clientPlanOf } from "../clientPlan/clientPlan.ts";
import { CallEnd, ListContainer, type ListOptions, Refused } from "../execute/listSource.fake.ts";
import type { Value } from "../functions/builtIn.ts";
import { parseQuery } from "../language/parser.ts";

const ITEMS: readonly JsonObject[] = [
  { id: "a", k: 1, n: 1, tags: [1, 2] },
  { id: "b", k: 2, n: 2, tags: [3] },
  { id: "c", k: 1, n: 3, tags: [] },
  { id: "d", k: 2, tags: [4, 4] },
];

const FUNCTIONS: NonNullable<ListOptions["functions"]> = {
  twice: (x) => (typeof x === "number" ? 2 * x : undefined),
  type: (x) => (x === undefined ? "undefined" : x === null ? "null" : typeof x),
  count: (...args) => args.length,
  keys: (x) => Object.keys(x as JsonObject).join(),
  list: (x) => [x as JsonValue, x as JsonValue],
  even: (x) => (x as number) % 2 === 0,
  picky: (x) => {
    if (x === 3 || x === undefined) throw new Error(`no ${x}`);
    return x;
  },
};

const container = (functions = FUNCTIONS): ListContainer =>
  new ListContainer(ITEMS, { functions: { ...FUNCTIONS, ...functions } });

async function refusalOf(text: string, list = container()): Promise<Refused> {
  const found = await list.rows(text).catch((error: unknown) => error);
  if (!(found instanceof Refused)) throw new Error(`${text} is not refused`);
  return found;
}

describe("where they may be called", () => {
  test.each<[string, readonly JsonValue[]]>([
    ["SELECT VALUE udf.twice(c.n) FROM c", [2, 4, 6]],
    ["SELECT c.id, udf.twice(c.n) AS m FROM c WHERE c.k = 2", [{ id: "b", m: 4 }, { id: "d" }]],
    ["SELECT udf.twice(c.n), udf.twice(c.k) FROM c WHERE c.n = 2", [{ $1: 4, $2: 4 }]],
    ["SELECT VALUE c.id FROM c WHERE udf.even(c.n)", ["b"]],
    ["SELECT VALUE c.id FROM c WHERE NOT udf.even(c.n)", ["a", "c", "d"]],
    ["SELECT VALUE c.id FROM c WHERE udf.twice(c.n) IN (2, 6) AND c.k = 1", ["a", "c"]],
    ["SELECT VALUE c.id FROM c WHERE c.n = udf.twice(1)", ["b"]],
    ["SELECT VALUE c.id FROM c WHERE c.n BETWEEN udf.twice(0.5) AND udf.twice(1)", ["a", "b"]],
    ["SELECT VALUE t FROM c JOIN t IN c.tags WHERE udf.even(t)", [2, 4, 4]],
    ["SELECT VALUE x FROM c JOIN x IN (SELECT VALUE udf.list(c.n))", [1, 1, 2, 2, 3, 3]],
    ["SELECT VALUE t FROM c JOIN (SELECT VALUE udf.twice(e) FROM e IN c.tags) t", [2, 4, 6, 8, 8]],
    ["SELECT VALUE udf.twice(t) FROM t IN c.tags", [2, 4, 6, 8, 8]],
    ["SELECT udf.even(c.k) AS e, COUNT(1) AS n FROM c GROUP BY udf.even(c.k)", EVENS],
    ["SELECT c.k, udf.twice(SUM(c.n)) AS s FROM c GROUP BY c.k", SUMS],
    ["SELECT VALUE SUM(udf.twice(c.n)) FROM c", [12]],
    ["SELECT VALUE udf.twice(COUNT(1)) FROM c", [8]],
    ["SELECT VALUE udf.twice(MAX(c.n)) FROM c", [6]],
    ["SELECT DISTINCT VALUE udf.even(c.k) FROM c", [false, true]],
    ["SELECT VALUE udf.twice(c.n) FROM c ORDER BY c.n DESC", [6, 4, 2]],
    ["SELECT TOP 1 VALUE udf.twice(c.n) FROM c WHERE udf.twice(c.n) > 2 ORDER BY c.id", [4]],
    ["SELECT VALUE udf.twice(c.n) FROM c OFFSET 1 LIMIT 1", [4]],
    ["SELECT VALUE ARRAY(SELECT VALUE udf.twice(t) FROM t IN c.tags) FROM c", TWICE],
    [
      "SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE udf.even(t))",
      AD,
    ],
    ["SELECT VALUE udf.twice(udf.twice(c.n)) FROM c", [4, 8, 12]],
    ["SELECT VALUE udf.twice(1)", [2]],
    ["SELECT VALUE SUM(udf.twice(e)) FROM e IN (SELECT VALUE [1, 2])", [6]],
    ["SELECT VALUE udf.twice(r) FROM (SELECT DISTINCT VALUE c.k FROM c) r", [2, 4]],
    ["SELECT VALUE (LET x = udf.twice(c.n) IN x + 1) FROM c WHERE c.n = 1", [3]],
    ["SELECT VALUE udf.twice(@n) FROM c WHERE c.id = 'a'", [14]],
  ])("%s", async (text, rows) => {
    expect(await container().rows(text, { parameters: { "@n": 7 } })).toEqual(rows);
  });

  test.each<[string, string]>([
    ["SELECT VALUE udf.nothing(1) FROM c", "'udf.nothing' is not registered on the container"],
    ["SELECT VALUE udf.Twice(1) FROM c", "'udf.Twice' is not registered"],
    ["SELECT VALUE c.id FROM c ORDER BY udf.twice(c.n)", "'ORDER BY' cannot call user-defined"],
    ["SELECT VALUE udf.picky(c.n) FROM c", "udf.picky: no 3"],
  ])("refused: %s", async (text, message) => {
    expect((await refusalOf(text)).message).toContain(message);
  });

  test("what a client is told to send to each range", async () => {
    const query = parseQuery("SELECT c.k, SUM(udf.twice(c.n)) AS s FROM c GROUP BY c.k");
    if (!query.ok) throw new Error("that is a query");
    const plan = clientPlanOf(query.value, {
      partitionKey: { paths: ["/id"], kind: "Hash", version: 2 },
      parameters: new Map(),
      computedNames: new Set(),
      supportedFeatures: new Set(["GroupBy", "Aggregate", "NonValueAggregate"]),
    });
    if (!plan.ok) throw new Error("there is a plan");
    const { rewrittenQuery } = plan.value["queryInfo"] as { readonly rewrittenQuery: string };
    const rows = (await container().rows(rewrittenQuery)) as readonly JsonObject[];
    expect(rows.map(({ payload }) => payload)).toEqual([
      { k: 1, s: { item: 8 } },
      { k: 2, s: { item: 4 } },
    ]);
  });
});

const EVENS = [
  { e: false, n: 2 },
  { e: true, n: 2 },
];
const SUMS = [
  { k: 1, s: 8 },
  { k: 2, s: 4 },
];
const TWICE = [[2, 4], [6], [], [8, 8]];
const AD = ["a", "d"];

describe("what they are given and give", () => {
  test.each<[string, JsonValue]>([
    ["udf.type(c.none)", "undefined"],
    ["udf.type(null)", "null"],
    ["udf.type()", "undefined"],
    ["udf.count(c.none, 1, c.none)", 3],
    ["udf.keys(c)", "id,k,n,tags"],
    ["udf.keys({x: c.n, y: {z: c.k}})", "x,y"],
    ["[udf.twice('none'), udf.twice(1)]", [2]],
    ["IS_DEFINED(udf.twice('none'))", false],
    ["[udf.type(1), udf.type('1'), udf.type([1]), udf.type(true)]", KINDS],
  ])("%s", async (text, value) => {
    expect(await container().rows(`SELECT VALUE ${text} FROM c WHERE c.id = 'a'`)).toEqual([value]);
  });
});

const KINDS = ["number", "string", "object", "boolean"];

describe("when they are called", () => {
  const many = (functions: ListOptions["functions"], count = 300): ListContainer =>
    new ListContainer(
      Array.from({ length: count }, (_, n) => ({ id: `${n}`, n, text: "x".repeat(10_000) })),
      { functions: functions! },
    );

  test.each<[string, readonly number[]]>([
    ["a step of items at once, a larger one each time", [32, 64, 128, 76]],
    ["those of two expressions at once, too", [64, 128, 256, 152]],
    ["one in the other, one after the other", [32, 32, 64, 64, 128, 128, 76, 76]],
    ["arguments of a megabyte at a time", [32, 64, 104, 24, 76]],
    ["only for what passes the conditions before", [8]],
    ["only for what the index leaves", [3]],
    ["once for the same arguments, of one item", [32, 64, 128, 76]],
  ])("%s", async (what, batches) => {
    const texts: Readonly<Record<string, string>> = {
      "a step of items at once, a larger one each time": "SELECT VALUE udf.f(c.n) FROM c",
      "those of two expressions at once, too": "SELECT udf.f(c.n), udf.f(c.id) FROM c",
      "one in the other, one after the other": "SELECT VALUE udf.f([udf.f(c.n)]) FROM c",
      "arguments of a megabyte at a time": "SELECT VALUE udf.f(c.text) FROM c",
      "only for what passes the conditions before":
        "SELECT VALUE c.n FROM c WHERE c.n * 2 < 15 AND udf.f(c.n)",
      "only for what the index leaves": "SELECT VALUE c.n FROM c WHERE udf.f(c.n) AND c.n < 3",
      "once for the same arguments, of one item":
        "SELECT udf.f(c.n) AS a, udf.f(c.n) AS b FROM c WHERE udf.f(c.n) = c.n",
    };
    const list = many({ f: (x) => x });
    await list.rows(texts[what]!);
    expect(list.batches).toEqual(batches);
  });

  test("elements of a list are not called one after the other", async () => {
    const list = many({ f: (x) => x }, 2);
    const elements = `[${Array.from({ length: 50 }, (_, n) => n).join()}]`;
    const inList = `e IN (SELECT VALUE ${elements})`;
    await list.rows(`SELECT VALUE ARRAY(SELECT VALUE udf.f(e) FROM ${inList}) FROM c`);
    await list.rows(`SELECT VALUE 1 FROM c JOIN ${inList} JOIN (SELECT VALUE udf.f(e)) f
      WHERE udf.f(-f) = 1 AND udf.f("never") = 1`);
    expect(list.batches).toEqual([100, 100, 100]);
  });

  test("fewer at a time if they take long", async () => {
    const list = many({ f: (x) => x });
    await list.rows("SELECT VALUE udf.f(c.n) FROM c", { functionMs: 60 });
    expect(list.batches.slice(0, 8)).toEqual([32, 16, 8, 4, 2, 1, 1, 1]);
  });

  test("again for every item, though it is given the same", async () => {
    let count = 0;
    const list = container({ next: () => ++count });
    expect(await list.rows("SELECT VALUE udf.next() FROM c")).toEqual([1, 2, 3, 4]);
  });

  test("with what chance has drawn for the item", async () => {
    const text = "SELECT VALUE udf.same(RAND()) = RAND() FROM c WHERE udf.same(RAND()) < 2";
    expect(await container({ same: (x) => x }).rows(text)).toEqual([false, false, false, false]);
  });
});

describe("when they fail", () => {
  test("rows of items before are given", async () => {
    const list = container();
    expect(await list.rows("SELECT TOP 2 VALUE udf.picky(c.n) FROM c")).toEqual([1, 2]);
    const plan = list.plan("SELECT VALUE udf.picky(c.n) FROM c");
    expect((await list.page(plan, undefined, { countMax: 1 })).rows).toEqual([1]);
  });

  test.each<[Exclude<CallEnd["outcome"]["kind"], "done">, string | undefined]>([
    ["notCompiled", undefined],
    ["outOfMemory", undefined],
    ["outOfTime", "outOfTime"],
    ["stopped", "stopped"],
  ])("%s", async (kind, cause) => {
    const end = (): Value => {
      throw new CallEnd({ kind, message: "'end' has ended" });
    };
    const { problem } = await refusalOf("SELECT VALUE udf.end(c.n) FROM c", container({ end }));
    expect(problem).toEqual({ kind: "refused", message: "'end' has ended", cause });
  });

  test("what they return is held for one item and within bounds", async () => {
    const text = "SELECT VALUE LENGTH(udf.long(t)) FROM c JOIN t IN c.tags";
    const long = (): Value => "x".repeat(40 * 1024 * 1024);
    expect((await refusalOf(text, container({ long }))).message).toContain("more than 64 MB");
  });
});
