/** Queries and their rows, rule by rule. Orders, DISTINCT and pages are in `page.test.ts`. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { ListContainer, type ListOptions, type RunOptions } from "./listSource.fake.ts";

const FAMILY: readonly JsonObject[] = [
  { id: "1", k: "a", n: 1, tags: ["x", "y"], o: { p: 3 }, m: [{ v: 1 }, { v: 2 }] },
  { id: "2", k: "b", n: 2, tags: [], o: { p: 1 } },
  { id: "3", k: "a", n: 3, tags: ["y"], o: { p: 2 }, m: [{ v: 3 }] },
  { id: "4", k: "c", n: null, o: {} },
];

function rows(
  text: string,
  items: readonly JsonObject[] = FAMILY,
  options: ListOptions & RunOptions = {},
): Promise<readonly JsonValue[]> {
  return new ListContainer(items, options).rows(text, options);
}

describe("FROM", () => {
  test.each<readonly [string, readonly unknown[]]>([
    ["SELECT VALUE c.id FROM c", ["1", "2", "3", "4"]],
    ["SELECT VALUE f.id FROM anything AS f", ["1", "2", "3", "4"]],
    ["SELECT VALUE p FROM c.o.p", [3, 1, 2]],
    ["SELECT VALUE q FROM c.o.p q", [3, 1, 2]],
    ["SELECT VALUE o.p FROM c.o", [3, 1, 2]],
    ["SELECT * FROM c.o.p", [3, 1, 2]],
    ["SELECT * FROM c['o']", [{ p: 3 }, { p: 1 }, { p: 2 }, {}]],
    ["SELECT VALUE k FROM c.tags[0] k", ["x", "y"]],
    ["SELECT VALUE t FROM t IN c.tags", ["x", "y", "y"]],
    ["SELECT VALUE tags FROM c.tags", [["x", "y"], [], ["y"]]],
    ["SELECT VALUE x FROM x IN c.k", []],
    [
      "SELECT VALUE [c.id, t] FROM c JOIN t IN c.tags",
      [
        ["1", "x"],
        ["1", "y"],
        ["3", "y"],
      ],
    ],
    [
      "SELECT VALUE [c.id, p] FROM c JOIN c.o.p",
      [
        ["1", 3],
        ["2", 1],
        ["3", 2],
      ],
    ],
    [
      "SELECT VALUE [t, m.v] FROM c JOIN t IN c.tags JOIN m IN c.m WHERE c.id = '1'",
      [
        ["x", 1],
        ["x", 2],
        ["y", 1],
        ["y", 2],
      ],
    ],
    ["SELECT VALUE s FROM c JOIN s IN (SELECT VALUE c.tags)", ["x", "y", "y"]],
    ["SELECT VALUE s.n FROM c JOIN (SELECT COUNT(1) AS n FROM t IN c.tags) s", [2, 0, 1, 0]],
    ["SELECT VALUE s FROM c JOIN (SELECT VALUE MAX(m.v) FROM m IN c.m) s", [2, 3]],
    ["SELECT VALUE s FROM c JOIN (SELECT VALUE m.v FROM m IN c.m WHERE m.v > 1) s", [2, 3]],
    ["SELECT VALUE s FROM c JOIN (SELECT TOP 1 VALUE m.v FROM m IN c.m) s", [1, 3]],
    ["SELECT VALUE x.id FROM (SELECT * FROM c WHERE c.n > 1) x", ["2", "3"]],
    ["SELECT * FROM (SELECT c.id FROM c WHERE c.k = 'a') x", [{ id: "1" }, { id: "3" }]],
    ["SELECT VALUE x FROM (SELECT VALUE t FROM c JOIN t IN c.tags) x WHERE x = 'y'", ["y", "y"]],
    ["SELECT VALUE x FROM (SELECT TOP 2 VALUE c.id FROM c) x", ["1", "2"]],
    ["SELECT VALUE COUNT(1) FROM (SELECT TOP 0 c.id FROM c) x", [0]],
    ["SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.k FROM c)", [3]],
    ["SELECT VALUE x FROM (SELECT DISTINCT VALUE c.k FROM c) x WHERE x > 'a'", ["b", "c"]],
    ["SELECT VALUE x.n FROM (SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k) x", [2, 1, 1]],
    [
      "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE x FROM (SELECT DISTINCT VALUE c.k FROM c) x) y",
      [3],
    ],
    ["SELECT VALUE x FROM (SELECT VALUE SUM(c.n) FROM c WHERE c.n > 0) x", [6]],
    ["SELECT VALUE 1", [1]],
    ["SELECT 1 AS a, undefined AS b", [{ a: 1 }]],
    ["SELECT VALUE 1 WHERE false", []],
    ["SELECT VALUE undefined", []],
    ["SELECT undefined", [{}]],
  ])("%s", async (text, expected) => expect(await rows(text)).toEqual(expected));
});

describe("SELECT", () => {
  test.each<readonly [string, unknown]>([
    ["SELECT c.id, c.o.p", { id: "1", p: 3 }],
    ["SELECT c['id'], c.o['p']", { id: "1", p: 3 }],
    ["SELECT c.tags[0]", { $1: "x" }],
    ["SELECT 1, c.id, 'b', c.n + 1", { $1: 1, id: "1", $2: "b", $3: 2 }],
    ["SELECT 1 a, 2 AS b, 3 AS 'c d'", { a: 1, b: 2, "c d": 3 }],
    ["SELECT c.o", { o: { p: 3 } }],
    ["SELECT c.none", {}],
    ["SELECT c.n AS x, c.k AS x", { x: "a" }],
    ["SELECT ABS(-1), {a: 1}, [c.n], (SELECT VALUE 1)", { $1: 1, $2: { a: 1 }, $3: [1], $4: 1 }],
    ["SELECT VALUE {id: c.id, none: c.none}", { id: "1" }],
  ])("%s: %j", async (text, expected) => {
    expect(await rows(`${text} FROM c WHERE c.id = '1'`)).toEqual([expected]);
  });

  test("a bare alias keeps its name, and * is the item as stored", async () => {
    const item = { id: "1", n: 2 };
    expect(await rows("SELECT c FROM c", [item])).toEqual([{ c: item }]);
    expect(await rows("SELECT * FROM c", [item])).toEqual([item]);
    expect(await rows("SELECT VALUE c FROM c", [item])).toEqual([item]);
  });

  test("keys are just keys", async () => {
    const item = JSON.parse('{"id":"1","__proto__":{"a":1},"constructor":2}') as JsonObject;
    expect(await rows("SELECT VALUE c['__proto__'].a FROM c", [item])).toEqual([1]);
    expect(await rows("SELECT VALUE c.constructor FROM c WHERE c.constructor = 2", [item])).toEqual(
      [2],
    );
    expect(await rows("SELECT VALUE c.a FROM c", [item])).toEqual([]);
    expect(await rows("SELECT VALUE c.toString FROM c", [item])).toEqual([]);
    expect(JSON.stringify(await rows("SELECT c['__proto__'], c.constructor FROM c", [item]))).toBe(
      '[{"__proto__":{"a":1},"constructor":2}]',
    );
    const grouped = "SELECT c['__proto__'], COUNT(1) AS n FROM c GROUP BY c['__proto__']";
    expect(JSON.stringify(await rows(grouped, [item]))).toBe('[{"__proto__":{"a":1},"n":1}]');
  });

  test("a parameter names a member", async () => {
    const parameters = { "@p": "n" };
    expect(await rows("SELECT VALUE c[@p] FROM c", FAMILY, { parameters })).toEqual([
      1,
      2,
      3,
      null,
    ]);
    const filtered = "SELECT VALUE c.id FROM c WHERE c[@p] = 2";
    expect(await rows(filtered, FAMILY, { parameters })).toEqual(["2"]);
    expect(await rows(filtered, FAMILY)).toEqual([]);
  });
});

describe("subqueries", () => {
  test.each<readonly [string, unknown]>([
    ["ARRAY(SELECT VALUE t FROM t IN c.tags)", ["x", "y"]],
    ["ARRAY(SELECT t FROM t IN c.tags)", [{ t: "x" }, { t: "y" }]],
    ["ARRAY(SELECT * FROM t IN c.tags)", ["x", "y"]],
    ["ARRAY(SELECT VALUE t FROM t IN c.none)", []],
    ["EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'x')", true],
    ["EXISTS(SELECT * FROM t IN c.tags)", true],
    ["EXISTS(SELECT VALUE c.none)", false],
    ["EXISTS(SELECT c.none)", true],
    ["(SELECT VALUE COUNT(1) FROM t IN c.tags)", 2],
    ["(SELECT COUNT(1) AS n FROM t IN c.tags).n", 2],
    ["(SELECT VALUE t FROM t IN c.none) ?? 'none'", "none"],
    ["(SELECT VALUE c.n)", 1],
    ["(SELECT VALUE c.n FROM c)", 1],
    ["(SELECT VALUE d.n FROM c d)", 1],
    ["(SELECT VALUE MAX(m.v) - MIN(m.v) FROM m IN c.m)", 1],
    ["FIRST(SELECT VALUE t FROM t IN c.tags)", "x"],
    ["LAST(SELECT VALUE t FROM t IN c.tags)", "y"],
    ["ALL(SELECT VALUE t != 'z' FROM t IN c.tags)", true],
    ["ALL(SELECT VALUE t = 'x' FROM t IN c.tags)", false],
    ["ARRAY(SELECT TOP 1 VALUE t FROM t IN c.tags)", ["x"]],
    ["ARRAY(SELECT VALUE t FROM t IN c.tags OFFSET 1 LIMIT 5)", ["y"]],
    ["ARRAY(SELECT DISTINCT VALUE m.v > 0 FROM m IN c.m)", [true]],
    [
      "ARRAY(SELECT m.v > 1 AS big, COUNT(1) AS n FROM m IN c.m GROUP BY m.v > 1)",
      [
        { big: false, n: 1 },
        { big: true, n: 1 },
      ],
    ],
    ["ARRAY(SELECT VALUE [t, u] FROM t IN c.tags JOIN u IN c.tags WHERE t < u)", [["x", "y"]]],
    [
      "ARRAY(SELECT VALUE ARRAY(SELECT VALUE t || u FROM u IN c.tags) FROM t IN c.tags)",
      [
        ["xx", "xy"],
        ["yx", "yy"],
      ],
    ],
    ["(LET t = c.tags IN ARRAY(SELECT VALUE u FROM u IN t))", ["x", "y"]],
  ])("%s is %j", async (expression, expected) => {
    expect(await rows(`SELECT VALUE ${expression} FROM c WHERE c.id = '1'`)).toEqual([expected]);
  });

  test("of more than one row is not a scalar", async () => {
    const text = "SELECT VALUE (SELECT VALUE t FROM t IN c.tags) FROM c";
    await expect(rows(text)).rejects.toThrow("cardinality of a scalar subquery");
  });

  test("steps on one item are bounded", async () => {
    const item = { l: Array.from({ length: 101 }, (_, n) => n) };
    const text = "SELECT VALUE COUNT(1) FROM c JOIN a IN c.l JOIN b IN c.l JOIN d IN c.l";
    await expect(rows(text, [item])).rejects.toThrow("steps on a single item");
  });
});

describe("aggregates and groups", () => {
  test.each<readonly [string, readonly unknown[]]>([
    ["SELECT VALUE COUNT(1) FROM c", [4]],
    ["SELECT VALUE COUNT(c.n) FROM c", [4]],
    ["SELECT VALUE COUNT(c.m) FROM c", [2]],
    ["SELECT VALUE SUM(c.n) FROM c", []],
    ["SELECT SUM(c.n) FROM c", [{}]],
    ["SELECT VALUE SUM(c.o.p) FROM c", [6]],
    ["SELECT VALUE AVG(c.o.p) FROM c", [2]],
    ["SELECT VALUE SUM(c.none) FROM c", [0]],
    ["SELECT VALUE AVG(c.none) FROM c", []],
    ["SELECT AVG(c.none) FROM c", [{}]],
    ["SELECT VALUE MIN(c.n) FROM c", [null]],
    ["SELECT VALUE MAX(c.n) FROM c", [3]],
    ["SELECT VALUE MAX(c.o) FROM c", []],
    ["SELECT VALUE MIN(c.tags) FROM c", []],
    ["SELECT VALUE COUNTIF(c.n > 1) FROM c", [2]],
    ["SELECT VALUE MAKELIST(c.k) FROM c", [["a", "b", "a", "c"]]],
    ["SELECT VALUE MAKESET(c.k) FROM c", [["a", "b", "c"]]],
    ["SELECT COUNT(1) AS n, MAX(c.o.p) FROM c", [{ n: 4, $1: 3 }]],
    ["SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags", [3]],
    ["SELECT VALUE COUNT(1) FROM c WHERE c.k = 'z'", [0]],
    ["SELECT VALUE MAX(c.o.p) - MIN(c.o.p) FROM c", [2]],
    ["SELECT VALUE COUNT(1) FROM c ORDER BY c.n", [4]],
    ["SELECT TOP 0 VALUE COUNT(1) FROM c", []],
    ["SELECT VALUE COUNT(1) FROM c OFFSET 1 LIMIT 5", []],
    [
      "SELECT c.k, COUNT(1) AS n FROM c GROUP BY c.k",
      [
        { k: "a", n: 2 },
        { k: "b", n: 1 },
        { k: "c", n: 1 },
      ],
    ],
    ["SELECT c.m AS m FROM c GROUP BY c.m", [{}, { m: [{ v: 1 }, { v: 2 }] }, { m: [{ v: 3 }] }]],
    ["SELECT VALUE c.k FROM c GROUP BY c.k", ["a", "b", "c"]],
    ["SELECT VALUE c.o.p FROM c GROUP BY c.o.p", [1, 2, 3]],
    ["SELECT VALUE COUNT(1) FROM c GROUP BY c.k", [2, 1, 1]],
    ["SELECT VALUE UPPER(c.k) FROM c GROUP BY c.k", ["A", "B", "C"]],
    ["SELECT UPPER(c.k) AS u FROM c GROUP BY UPPER(c.k)", [{ u: "A" }, { u: "B" }, { u: "C" }]],
    ["SELECT VALUE c.o.p FROM c GROUP BY c.o", [1, 2, 3]],
    [
      "SELECT c.k, 'x' AS l FROM c GROUP BY c.k",
      [
        { k: "a", l: "x" },
        { k: "b", l: "x" },
        { k: "c", l: "x" },
      ],
    ],
    ["SELECT DISTINCT VALUE COUNT(1) FROM c GROUP BY c.k", [2, 1]],
    ["SELECT TOP 1 VALUE c.k FROM c GROUP BY c.k", ["a"]],
    ["SELECT VALUE c.k FROM c GROUP BY c.k OFFSET 1 LIMIT 1", ["b"]],
    ["SELECT VALUE t FROM c JOIN t IN c.tags GROUP BY t", ["x", "y"]],
  ])("%s", async (text, expected) => expect(await rows(text)).toEqual(expected));

  test("groups with a number that is not finite end", async () => {
    const text = "SELECT VALUE COUNT(1) FROM c GROUP BY c.n / 0";
    const items = [{ n: 1 }, { n: -1 }, { n: 0 }, { n: 2 }, {}];
    expect(await rows(text, items, { countMax: 1 })).toHaveLength(4);
  });
});

describe("names from around a subquery, and computed ones", () => {
  test("a group key is seen by a subquery beside it", async () => {
    const text = "SELECT VALUE (SELECT VALUE c.k) FROM c GROUP BY c.k";
    expect(await rows(text)).toEqual(["a", "b", "c"]);
  });

  test("what is not grouped is not seen by a subquery beside an aggregate", async () => {
    await expect(rows("SELECT COUNT(1), (SELECT VALUE c.n) FROM c")).rejects.toThrow("c.n");
  });

  test("a source is made of a computed property", async () => {
    const computed = { copy: "c.tags" };
    const text = "SELECT VALUE t FROM c JOIN t IN c.copy";
    expect(await rows(text, FAMILY, { computed })).toEqual(["x", "y", "y"]);
  });
});
