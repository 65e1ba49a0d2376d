/** What names mean, and what is wrong with a query: the code and the place of every complaint. */
import { describe, expect, test } from "vitest";
import { parseQuery } from "../language/parser.ts";
import type { QueryProblem } from "../problem.ts";
import { bindProgram, countProblem } from "./bind.ts";
import type { BoundProgram } from "./bound.ts";

function bound(text: string): BoundProgram | QueryProblem {
  const query = parseQuery(text);
  if (!query.ok) return query.error;
  const computed = new Map();
  const definition = parseQuery("SELECT VALUE LOWER(c.name) FROM c");
  if (definition.ok && definition.value.select.selection.kind === "value") {
    const { expression } = definition.value.select.selection;
    computed.set("low", { alias: "c", expression });
  }
  const program = bindProgram(query.value, { computed });
  return program.ok ? program.value : program.error;
}

/** `SC2001 d`: a code and the text it points at; several are separated by commas. */
function complaint(text: string): string | undefined {
  const found = bound(text);
  if (!("kind" in found)) return undefined;
  if (found.kind === "refused") return found.message;
  return found.diagnostics
    .map(({ code, location }) => `${code} ${text.slice(location?.start, location?.end)}`)
    .join(", ");
}

describe("complaints point at their place", () => {
  test.each([
    ["SELECT VALUE d.n FROM c", "SC2001 d"],
    ["SELECT VALUE n FROM c", "SC2001 n"],
    ["SELECT Families.id FROM Families f", "SC2001 Families"],
    ["SELECT VALUE 1 FROM c JOIN t IN d.tags", "SC2001 d"],
    ["SELECT VALUE 1 FROM c WHERE C.x = 1", "SC2001 C"],
    ["SELECT VALUE 1 FROM c JOIN t IN c.l ORDER BY d.x", "SC2001 d"],
    ["SELECT VALUE (SELECT VALUE x FROM x IN d.l) FROM c", "SC2001 d"],
    ["SELECT VALUE (SELECT VALUE 1 FROM d) FROM c", "SC2001 d"],
    ["SELECT VALUE t FROM c WHERE EXISTS(SELECT 1 FROM t IN c.l)", "SC2001 t"],
    ["SELECT VALUE (LET a = 1 IN a) + a FROM c", "SC2001 a"],
    ["SELECT VALUE c.x FROM c.x", "SC2001 c"],
    ["SELECT VALUE x FROM c.l[0]", "SC2001 x"],
    ["SELECT VALUE c.n", "SC2001 c"],
    ["SELECT VALUE FOO(1)", "SC2005 FOO"],
    ["SELECT VALUE toLower(c.x) FROM c", "SC2005 toLower"],
    ["SELECT VALUE ABS() FROM c", "SC2050 ABS()"],
    ["SELECT VALUE abs(1, 2)", "SC2050 abs(1, 2)"],
    ["SELECT VALUE CONCAT('a')", "SC2050 CONCAT('a')"],
    ["SELECT VALUE COUNT() FROM c", "SC2050 COUNT()"],
    ["SELECT VALUE SUM(c.a, c.b) FROM c", "SC2050 SUM(c.a, c.b)"],
    ["SELECT TOP 1.5 * FROM c", "SC2060 1.5"],
    ["SELECT TOP 4294967296 * FROM c", "SC2060 4294967296"],
    ["SELECT * FROM c OFFSET 4294967296 LIMIT 1", "SC2062 4294967296"],
    ["SELECT * FROM c OFFSET 1 LIMIT 4294967296", "SC2061 4294967296"],
    ["SELECT VALUE MAX(MIN(c.x)) FROM c", "SC2101 MAX(MIN(c.x))"],
    ["SELECT VALUE MAX((SELECT VALUE 1)) FROM c", "SC2101 MAX((SELECT VALUE 1))"],
    ["SELECT VALUE SUM(1 + COUNT(1)) FROM c", "SC2101 SUM(1 + COUNT(1))"],
    ["SELECT c.x, COUNT(1) FROM c", "SC2102 c.x"],
    ["SELECT c.x, c.y.z, COUNT(1) FROM c", "SC2102 c.x, SC2102 c.y.z"],
    ["SELECT c.x FROM c GROUP BY c.y", "SC2102 c.x"],
    ["SELECT c FROM c GROUP BY c.y", "SC2102 c"],
    ["SELECT COUNT(1) + c.x FROM c", "SC2102 c.x"],
    ["SELECT t, COUNT(1) FROM c JOIN t IN c.l GROUP BY c.k", "SC2102 t"],
    ["SELECT c.a FROM c GROUP BY c.a.b", "SC2102 c.a"],
    ["SELECT c.a + 1 FROM c GROUP BY 1 + c.a", "SC2102 c.a"],
    ["SELECT {a: c.k} FROM c GROUP BY {b: c.k}", "SC2102 c.k"],
    ["SELECT [c.k] FROM c GROUP BY [c.k, c.k]", "SC2102 c.k"],
    ["SELECT * FROM c GROUP BY c.x", "SC2041  "],
    ["SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.l ORDER BY t) FROM c", "SC2202 ORDER BY t"],
    ["SELECT VALUE FullTextScore(c.x, 'a') FROM c", "SC2240 FullTextScore(c.x, 'a')"],
    ["SELECT 1 FROM c WHERE RRF(FullTextScore(c.x, 'a')) > 0", "SC2240 FullTextScore(c.x, 'a')"],
    ["SELECT VALUE 1 FROM c WHERE RRF(c.x) > 0", "SC2005 RRF"],
    ["SELECT 1 FROM c ORDER BY RANK ABS(c.x)", "SC2221 ORDER BY RANK ABS(c.x)"],
    ["SELECT 1 FROM c ORDER BY RANK RRF(c.x, c.y)", "SC2221 ORDER BY RANK RRF(c.x, c.y)"],
    [
      "SELECT 1 FROM c ORDER BY RANK RRF(FullTextScore(c.x, 'a'))",
      "SC2221 ORDER BY RANK RRF(FullTextScore(c.x, 'a'))",
    ],
    [
      "SELECT 1 FROM c ORDER BY RANK RRF(FullTextScore(c.x, 'a'), VectorDistance(c.y, [1]), [1])",
      "SC2229 ORDER BY RANK RRF(FullTextScore(c.x, 'a'), VectorDistance(c.y, [1]), [1])",
    ],
    [
      "SELECT 1 FROM c ORDER BY RANK RRF(FullTextScore(c.x, 'a'), VectorDistance(c.y, [1]), [1, c.w])",
      "SC2229 ORDER BY RANK RRF(FullTextScore(c.x, 'a'), VectorDistance(c.y, [1]), [1, c.w])",
    ],
    [
      "SELECT 1 FROM c JOIN t IN c.l ORDER BY RANK FullTextScore(c.x, 'a')",
      "SC2224 c JOIN t IN c.l, SC2223 t IN c.l",
    ],
    ["SELECT 1 FROM t IN c.l ORDER BY RANK FullTextScore(t.x, 'a')", "SC2223 t IN c.l"],
    [
      "SELECT 1 FROM (SELECT VALUE d FROM d) c ORDER BY RANK VectorDistance(c.x, [1])",
      "SC2225 (SELECT VALUE d FROM d)",
    ],
    [
      "SELECT 1 FROM (SELECT VALUE d FROM d ORDER BY RANK FullTextScore(d.x, 'a')) c",
      "SC2228 ORDER BY RANK FullTextScore(d.x, 'a')",
    ],
  ])("%s: %s", (text, expected) => expect(complaint(text)).toBe(expected));

  test("in the words of the service", () => {
    const messageOf = (text: string): string | undefined => {
      const found = bound(text);
      if (!("kind" in found)) return undefined;
      return found.kind === "refused" ? found.message : found.diagnostics[0]!.message;
    };
    expect(messageOf("SELECT VALUE d.n FROM c")).toBe("Identifier 'd' could not be resolved.");
    expect(messageOf("SELECT VALUE foo(1)")).toBe(
      "'foo' is not a recognized built-in function name.",
    );
    expect(messageOf("SELECT VALUE abs()")).toBe("The ABS function requires 1 argument(s).");
    expect(messageOf("SELECT VALUE LOG()")).toBe("The LOG function requires 1 to 2 argument(s).");
    expect(messageOf("SELECT VALUE FullTextScore(c.x, 'a') FROM c")).toBe(
      "The FullTextScore function is only allowed in the ORDER BY RANK clause.",
    );
    expect(messageOf("SELECT 1 FROM c ORDER BY RANK ABS(c.x)")).toContain(
      "The ORDER BY RANK clause must be followed by a VectorDistance and/or a FullTextScore " +
        "function call.",
    );
    expect(messageOf("SELECT c.x, COUNT(1) FROM c")).toBe(
      "Property reference 'c.x' is invalid in the select list because it is not contained in " +
        "either an aggregate function or the GROUP BY clause.",
    );
  });
});

const SCORES: string = new Array(101).fill("FullTextScore(c.x, 'a')").join(", ");

describe("refusals that have no place", () => {
  test.each([
    ["SELECT *", "'SELECT *' is not valid if FROM clause is omitted."],
    ["SELECT * FROM c JOIN t IN c.l", "'SELECT *' is only valid with a single input set."],
    ["SELECT VALUE 1 FROM c ORDER BY RANK FullTextScore(c.x, 'a') DESC", "leave ASC and DESC out"],
    ["SELECT VALUE 1 FROM c ORDER BY RANK RRF(1), RRF(1)", "takes one function"],
    ["SELECT DISTINCT c.x FROM c ORDER BY RANK FullTextScore(c.x, 'a')", "DISTINCT"],
    ["SELECT COUNT(1) FROM c ORDER BY RANK FullTextScore(c.x, 'a')", "aggregate"],
    ["SELECT s.x FROM c.sub s ORDER BY RANK FullTextScore(s.x, 'a')", "FROM c"],
    ["SELECT c.x FROM c ORDER BY RANK FullTextScore('text', 'a')", "path of the item"],
    [`SELECT c.x FROM c ORDER BY RANK RRF(${SCORES})`, "at most 100 scores; there are 101"],
    ["SELECT DISTINCT c.x FROM c ORDER BY RANK VectorDistance(c.x, [1])", "DISTINCT"],
    ["SELECT VALUE 1 FROM c ORDER BY RANK VectorDistance(c.x, [1]) ASC", "leave ASC and DESC out"],
    ["SELECT c.k FROM c GROUP BY c.k ORDER BY c.k", "'GROUP BY'"],
    ["SELECT TOP 1 * FROM c OFFSET 1 LIMIT 1", "'TOP' and 'OFFSET LIMIT'"],
    ["SELECT VALUE 1 FROM c WHERE COUNT(1) > 1", "'COUNT'"],
    ["SELECT VALUE 1 FROM c GROUP BY COUNT(1)", "aggregate functions"],
    ["SELECT VALUE 1 FROM c GROUP BY (SELECT VALUE 1)", "subqueries"],
    ["SELECT VALUE udf.f(1) FROM c", "udf.f"],
  ])("%s: %s", (text, expected) => expect(complaint(text)).toContain(expected));
});

describe("what is well-formed", () => {
  test.each([
    "SELECT * FROM c",
    "SELECT * FROM root",
    "SELECT * FROM (SELECT * FROM c)",
    "SELECT c.x AS y FROM c ORDER BY c.x",
    "SELECT VALUE t FROM c JOIN t IN c.l JOIN u IN t.l",
    "SELECT VALUE (SELECT VALUE c.x FROM c) FROM c",
    "SELECT VALUE ARRAY(SELECT * FROM t IN c.l) FROM c",
    "SELECT VALUE COUNT(1) FROM c ORDER BY c.x",
    "SELECT UPPER(c.k), c.k || 'x', COUNT(1) FROM c GROUP BY c.k",
    "SELECT c.a.b, c.a FROM c GROUP BY c.a",
    "SELECT UPPER(c.k) FROM c GROUP BY UPPER(c.k)",
    "SELECT c['a'] FROM c GROUP BY c.a",
    "SELECT Upper(c.k) FROM c GROUP BY upper(c.k)",
    "SELECT (c.a + 1) * 2 FROM c GROUP BY c.a+1",
    "SELECT {a: [c.k, null]} FROM c GROUP BY {a: [c.k, null]}",
    "SELECT c.low FROM c GROUP BY c.low",
    "SELECT (SELECT VALUE COUNT(1) FROM t IN c.l) FROM c",
    "SELECT VALUE x FROM c JOIN x IN (SELECT VALUE c.l)",
    "SELECT VALUE 1 FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.l WHERE t = c.x)",
    "SELECT VALUE c FROM c c",
    "SELECT TOP @n * FROM c WHERE c.x = @n",
    "SELECT TOP 4294967295 * FROM c",
    "SELECT 1, 'x', @p, COUNT(1) FROM c",
  ])("%s", (text) => expect(complaint(text)).toBe(undefined));
});

describe("a program knows", () => {
  const program = (text: string): BoundProgram => bound(text) as BoundProgram;

  test("its parameters, each once, wherever they are", () => {
    const text =
      "SELECT TOP @t c[@i], (SELECT VALUE @s) FROM c JOIN x IN (SELECT VALUE @j) " +
      "WHERE c.a = @w AND c.b = @w";
    expect(new Set(program(text).parameterNames)).toEqual(new Set(["@t", "@i", "@s", "@j", "@w"]));
    const offset = "SELECT * FROM c OFFSET @o LIMIT @l";
    expect(program(offset).parameterNames).toEqual(["@o", "@l"]);
  });

  test.each([
    ["SELECT VALUE COUNT(1) FROM c", false],
    ["SELECT COUNT(1), MAX(c.x) AS m FROM c", false],
    ["SELECT VALUE MAX(c.x) - MIN(c.x) FROM c", true],
    ["SELECT VALUE [COUNT(1)] FROM c", true],
    ["SELECT {a: COUNT(1)} AS o FROM c", true],
    ["SELECT (SELECT VALUE MAX(t) - MIN(t) FROM t IN c.l) FROM c", false],
  ])("whether aggregates are composed: %s", (text, expected) => {
    expect(program(text).hasComposition).toBe(expected);
  });

  test.each([
    ["SELECT c.a, c.b.c, c['d e'], c", "a c d e c"],
    ["SELECT 1, c.a, 2 AS x, 3", "$1 a x $2"],
    ["SELECT c.a[0], c[@p], ABS(1), [1], {}, (SELECT VALUE 1)", "$1 $2 $3 $4 $5 $6"],
    ["SELECT c.low, -1", "low $1"],
  ])("the names of members: %s", (text, expected) => {
    const { selection } = program(`${text} FROM c`).query;
    if (selection.kind !== "list") throw new Error("not a list");
    expect(selection.members.map(({ name }) => name).join(" ")).toBe(expected);
  });

  test("how many slots its names take, each its own", () => {
    const { query, slotCount } = program(
      "SELECT COUNT(1) FROM c JOIN t IN c.l WHERE (LET a = 1 IN a) = 1 GROUP BY c.k",
    );
    const [aggregate] = query.aggregates;
    const slots = [...query.sources, ...query.groupBy!, aggregate!].map(({ slot }) => slot);
    expect(new Set(slots).size).toBe(4);
    expect(slotCount).toBe(5);
  });

  test("a plain subquery in FROM is merged, and its filter with it", () => {
    const { query } = program("SELECT x.a FROM (SELECT * FROM c WHERE c.k = 1) x WHERE x.b = 2");
    expect(query.sources.map(({ kind }) => kind)).toEqual(["items", "value"]);
    expect(query.where).toMatchObject({ kind: "binary", operator: "AND" });
    const distinct = program("SELECT x.a FROM (SELECT DISTINCT c.a FROM c) x").query;
    expect(distinct.sources.map(({ kind }) => kind)).toEqual(["rows"]);
  });
});

test.each([
  [0, undefined],
  [2 ** 32 - 1, undefined],
  [2 ** 32, "exceeds"],
  [-1, "whole number"],
  [1.5, "whole number"],
  ["1", "whole number"],
  [undefined, "whole number"],
])("a LIMIT of %s: %s", (value, expected) => {
  const message = countProblem(value, "LIMIT")?.message;
  if (expected === undefined) expect(message).toBe(undefined);
  else expect(message).toContain(expected);
});

describe("chains and nests", () => {
  const chain = (operator: string, count = 2_000): string =>
    Array.from({ length: count }, (_, n) => `c.x = ${n}`).join(` ${operator} `);
  test.each([
    ["AND", `SELECT * FROM c WHERE ${chain("AND")}`],
    ["OR", `SELECT * FROM c WHERE ${chain("OR")}`],
    ["+", `SELECT VALUE ${Array(2_500).fill("c.x").join(" + ")} FROM c`],
    ["||", `SELECT VALUE ${Array(2_500).fill("'a'").join(" || ")} FROM c`],
    ["in a group key", `SELECT COUNT(1) FROM c GROUP BY ${Array(2_500).fill("c.x").join(" + ")}`],
    [
      "of a group key",
      `SELECT c.x + c.x, ${Array(2_500).fill("c.x").join(" + ")} FROM c GROUP BY c.x`,
    ],
    ["of ANDs and ORs", `SELECT * FROM c WHERE ${chain("AND c.y = 1 OR", 1_200)}`],
    ["parentheses", `SELECT VALUE ${"(".repeat(100)}c.x${")".repeat(100)} FROM c`],
    ["members", `SELECT VALUE c${".a".repeat(200)} FROM c`],
  ])("%s", (_name, text) => expect(complaint(text)).toBe(undefined));
});
