/**
 * The grammar as a table: how operators bind (shown by parentheses), what is a query and what is
 * not. A refused text is told the first token that cannot go on, and its place.
 */
import { describe, expect, test } from "vitest";

import type { Query } from "./ast.ts";
import { parseExpression, parseFilter, parseQuery } from "./parser.ts";
import { printExpression, printQuery } from "./printer.ts";

/** The right side is the left with every pair of parentheses written out. */
const BINDINGS: readonly (readonly [rule: string, text: string, meaning: string])[] = [
  ["NOT is tighter than a comparison", "NOT a = b", "(NOT a = b)"],
  ["which is not the same as", "NOT (a = b)", "NOT (a = b)"],
  ["NOT is tighter than IN", "NOT a IN (1)", "(NOT a IN (1))"],
  ["NOT is tighter than BETWEEN", "NOT a BETWEEN 1 AND 2", "(NOT a BETWEEN 1 AND 2)"],
  ["NOT is tighter than LIKE", "NOT a LIKE 'b'", '(NOT a LIKE "b")'],
  ["NOT is tighter than AND", "NOT a AND b", "(NOT a AND b)"],
  ["signs repeat", "NOT NOT - ~ a", "NOT NOT -~a"],
  ["signs are looser than member access", "-a.b[0]", "-a.b[0]"],
  ["comparisons chain to the left", "a < b < c", "((a < b) < c)"],
  ["so do equalities", "a = b != c", "((a = b) != c)"],
  ["shifts stand with comparisons", "a = b << c", "((a = b) << c)"],
  ["shifts are looser than plus", "1 << 2 + 3", "(1 << (2 + 3))"],
  ["all three shifts", "a << b >> c >>> d", "(((a << b) >> c) >>> d)"],
  ["bits stand with plus", "1 | 2 + 3", "((1 | 2) + 3)"],
  ["also the other way", "1 + 2 | 3", "((1 + 2) | 3)"],
  ["among themselves from the left", "1 | 2 ^ 3 & 4", "(((1 | 2) ^ 3) & 4)"],
  ["minus goes to the left", "1 - 2 - 3", "((1 - 2) - 3)"],
  ["times is tighter than plus", "1 + 2 * 3 - 4", "((1 + (2 * 3)) - 4)"],
  ["and tighter than bits", "1 & 2 * 3", "(1 & (2 * 3))"],
  ["division goes to the left", "1 / 2 % 3 * 4", "(((1 / 2) % 3) * 4)"],
  ["|| is looser than plus", "a || b + c", "(a || (b + c))"],
  ["|| is tighter than comparisons", "a || b = c || d", "((a || b) = (c || d))"],
  ["AND is tighter than OR", "a OR b AND c OR d", "((a OR (b AND c)) OR d)"],
  ["AND chains to the left", "a AND b AND c", "((a AND b) AND c)"],
  ["?? goes to the right", "a ?? b ?? c", "(a ?? (b ?? c))"],
  ["?? is looser than plus", "1 + 2 ?? 3", "((1 + 2) ?? 3)"],
  ["?? is looser than comparisons", "1 ?? 2 = 3", "(1 ?? (2 = 3))"],
  ["?? is looser than AND", "a AND b ?? c", "((a AND b) ?? c)"],
  ["?? is looser than OR", "a ?? b OR c", "(a ?? (b OR c))"],
  ["?: is the loosest", "a ?? b ? c : d", "((a ?? b) ? c : d)"],
  ["?: goes to the right", "a ? b : c ? d : e", "(a ? b : (c ? d : e))"],
  ["?: within ?:", "a ? b ? c : d : e", "(a ? (b ? c : d) : e)"],
  ["IN beside AND", "a IN (1) AND b IN (2)", "((a IN (1)) AND (b IN (2)))"],
  ["IN takes what is left of it", "a + 1 IN (1)", "((a + 1) IN (1))"],
  ["LIKE takes a concatenation", "a LIKE b || '%'", '(a LIKE (b || "%"))'],
  ["BETWEEN takes its own AND", "a BETWEEN 1 AND 2", "(a BETWEEN 1 AND 2)"],
  [
    "BETWEEN before AND needs no parentheses",
    "a BETWEEN 1 AND 2 AND b",
    "((a BETWEEN 1 AND 2) AND b)",
  ],
  ["nor after it", "a AND b BETWEEN 1 AND 2 OR c", "((a AND (b BETWEEN 1 AND 2)) OR c)"],
  ["bounds are sums", "a BETWEEN 1 + 2 AND b * 3", "(a BETWEEN (1 + 2) AND (b * 3))"],
  ["BETWEEN is an operand of ??", "a BETWEEN 1 AND 2 ?? b", "((a BETWEEN 1 AND 2) ?? b)"],
  ["a sign after parentheses is none", "((a) - 1)", "(a - 1)"],
  ["parentheses in parentheses", "(((a)) * b - (c)) + -(d)", "(((a * b) - c) + -d)"],
  ["parentheses have members", "((a).b[0] = (c)).d", "(a.b[0] = c).d"],
  [
    "parentheses before words",
    "((a) IN ((1)) AND (b)) ? (c) : (d)",
    "(((a IN (1)) AND b) ? c : d)",
  ],
  ["a subquery behind parentheses", "(((SELECT 1)).a + 1)", "(( SELECT 1 ).a + 1)"],
  ["a LET behind parentheses", "(((LET x = 1 IN x)) + 1)", "((LET x = 1 IN x) + 1)"],
  ["any value has members", "[1, 2][0].a", "[1, 2][0].a"],
  ["an index is any expression", "c[a + 1]", "c[(a + 1)]"],
  ["an index in quotes is a member", "c[('a')]", "c.a"],
  ["LET takes comparisons", "(LET x = a > 1 IN x = b)", "(LET x = (a > 1) IN (x = b))"],
];

/** Each is accepted as an expression, and is canonical already. */
const ACCEPTED = [
  "c.value",
  "c.order.BY",
  "udf.select(1)",
  'LEFT("abc", 1)',
  'right("abc", 1)',
  "rank",
  "let",
  "first.last",
  "FIRST(c.x)",
  "ALL()",
  "FIRST(( SELECT 1 ))",
  "FIRST( SELECT 1 )",
  "last( SELECT 1 )",
  "ALL( SELECT 1 )",
  "ARRAY( SELECT 1 )",
  "EXISTS( SELECT 1 )",
  "( SELECT 1 )",
  "(let = 1)",
  "(LET LET = 1 IN LET)",
  "@p.a[@q]",
  "NaN",
  "[[], {}]",
  '{"a": 1, "a": 2}',
  "f(( SELECT 1 ), [1], {})",
];

const QUERIES = [
  "SELECT 1",
  "SELECT VALUE 1",
  "SELECT * FROM c",
  "SELECT TOP 1.5 * FROM c",
  "SELECT TOP @n VALUE c FROM c",
  "SELECT DISTINCT TOP 1 c.a, c.b FROM c",
  "SELECT c.a 'x y', c.b AS \"z\", c.d e, c.f AS rank FROM c",
  "SELECT rank.x FROM rank",
  "SELECT * FROM x IN c.list",
  "SELECT * FROM c.a.b['x y'][0] AS d",
  "SELECT * FROM c.value v",
  "SELECT * FROM (SELECT 1) AS x JOIN y IN (SELECT VALUE [1])",
  "SELECT * FROM c JOIN a IN c.a JOIN b IN a.b JOIN c.d e",
  "SELECT * FROM c ORDER BY rank",
  "SELECT * FROM c ORDER BY rank.x, let DESC",
  "SELECT * FROM c ORDER BY rank(c.x)",
  "SELECT * FROM c ORDER BY RANK RRF(1), FullTextScore(c.x, 'a') DESC",
  "SELECT * FROM c WHERE true GROUP BY c.a, c.b ORDER BY c.a ASC, c.b OFFSET 0x1 LIMIT @l",
  "SELECT (SELECT VALUE 1 ORDER BY c.x) FROM c",
  " /* a */ SELECT -- b\n\t1\r\n ",
];

/** Text; the token that cannot go on; how many characters stand before it (default: the first). */
type Refused = readonly [text: string, near: string, start?: number];
const REFUSED: readonly Refused[] = [
  ["", ""],
  ["  ", "", 2],
  ["SELECT", "", 6],
  ["SELECT FROM c", "FROM"],
  ["FROM c SELECT *", "FROM"],
  ["SELCT * FROM c", "SELCT"],
  ["SELECT VALUE * FROM c", "*"],
  ["SELECT *, c.x FROM c", ","],
  ["SELECT c.x, FROM c", "FROM"],
  ["SELECT COUNT(*) FROM c", "*"],
  ["SELECT c.x AS order FROM c", "order"],
  ["SELECT c.x AS FROM c", "FROM"],
  ["SELECT c. FROM c", "FROM"],
  ["SELECT udf. value(1)", "value"],
  ["SELECT TOP -1 * FROM c", "-"],
  ["SELECT TOP * FROM c", "*"],
  ["SELECT TOP 'a' * FROM c", "'a'"],
  ["SELECT TOP 1 DISTINCT c.x FROM c", "DISTINCT"],
  ["SELECT * FROM", "", 13],
  ["SELECT * FROM value", "value"],
  ["SELECT * FROM c, d", ","],
  ["SELECT * FROM c AS", "", 18],
  ["SELECT * FROM c d e", "e"],
  ["SELECT * FROM c[@p]", "@p"],
  ["SELECT * FROM c[1.0]", "1.0"],
  ["SELECT * FROM c[-1]", "-"],
  ["SELECT * FROM f(c.x) y", "("],
  ["SELECT * FROM (c)", "c"],
  ["SELECT * FROM c INNER JOIN d IN c.d", "INNER"],
  ["SELECT * FROM c JOIN d IN c.d ON d.x", "ON"],
  ["SELECT * FROM c WHERE", "", 21],
  ["SELECT * FROM c WHERE c.x = 1 WHERE c.y", "WHERE", 30],
  ["SELECT * FROM c WHERE c.x == 1", "=", 27],
  ["SELECT * FROM c WHERE c.x IS NULL", "IS"],
  ["SELECT * FROM c WHERE c.x IN ()", ")"],
  ["SELECT * FROM c WHERE c.x IN (1,)", ")"],
  ["SELECT * FROM c WHERE c.x IN 1", "1"],
  ["SELECT * FROM c WHERE c.x IN (1) = true", "="],
  ["SELECT * FROM c WHERE c.x NOT c.y", "c", 30],
  ["SELECT * FROM c WHERE c.x BETWEEN 1", "", 35],
  ["SELECT * FROM c WHERE c.x BETWEEN 1 OR 2", "OR"],
  ["SELECT * FROM c WHERE c.x LIKE 'a' ESCAPE", "", 41],
  ["SELECT * FROM c WHERE c.x LIKE 'a' ESCAPE c", "c", 42],
  ["SELECT * FROM c WHERE c.x LIKE 'a' ESCAPE '!!'", "'!!'"],
  ["SELECT * FROM c WHERE (c.x = 1", "", 30],
  ["SELECT * FROM c WHERE c.x = 1)", ")"],
  ["SELECT * FROM c WHERE ((a) b)", "b"],
  ["SELECT * FROM c WHERE ((a) NOT)", ")", 30],
  ["SELECT * FROM c WHERE ()", ")"],
  ["SELECT * FROM c WHERE ((a) (b))", "(", 27],
  ["SELECT * FROM c WHERE EXISTS(c.x)", "c", 29],
  ["SELECT * FROM c WHERE ({documentdb-formattableorderbyquery-filter})", "-"],
  ["SELECT * FROM c HAVING c.x", "HAVING"],
  ["SELECT * FROM c GROUP c.x", "c", 22],
  ["SELECT * FROM c GROUP BY", "", 24],
  ["SELECT * FROM c ORDER BY c.x GROUP BY c.x", "GROUP"],
  ["SELECT * FROM c ORDER BY", "", 24],
  ["SELECT * FROM c ORDER BY c.x ASC DESC", "DESC"],
  ["SELECT * FROM c ORDER BY c.x AS y", "AS"],
  ["SELECT * FROM c ORDER BY RANK c.x", ".", 31],
  ["SELECT * FROM c ORDER BY RANK f(1), c.x", ".", 37],
  ["SELECT * FROM c ORDER BY RANK f(1).x", ".", 34],
  ["SELECT * FROM c OFFSET 1", "", 24],
  ["SELECT * FROM c LIMIT 1", "LIMIT"],
  ["SELECT * FROM c LIMIT 1 OFFSET 1", "LIMIT"],
  ["SELECT * FROM c OFFSET -1 LIMIT 1", "-"],
  ["SELECT * FROM c OFFSET 1.5 LIMIT 1", "1.5"],
  ["SELECT * FROM c OFFSET 1 LIMIT 1e1", "1e1"],
  ["SELECT * FROM c OFFSET c.x LIMIT 1", "c", 23],
  ["SELECT * FROM c UNION SELECT * FROM d", "SELECT", 22],
  ["SELECT CASE WHEN true THEN 1 END", "CASE"],
  ["SELECT udf.f FROM c", "FROM"],
  ["SELECT udf FROM c", "FROM"],
  ["SELECT LEFT FROM c", "LEFT"],
  ["SELECT f(1,) FROM c", ")"],
  ["SELECT [1,] FROM c", "]"],
  ["SELECT [,1] FROM c", ","],
  ["SELECT {a: 1,} FROM c", "}"],
  ["SELECT {a} FROM c", "}"],
  ["SELECT {value: 1} FROM c", "value"],
  ["SELECT {1: 1} FROM c", "1"],
  ["SELECT c[] FROM c", "]"],
  ["SELECT a ? b FROM c", "FROM"],
  ["SELECT (LET x = 1) FROM c", ")"],
  ["SELECT (LET x = 1, y = 2 IN x) FROM c", ","],
  ["SELECT 1 SELECT 2", "SELECT", 9],
];

describe("expressions", () => {
  test.each(BINDINGS)("%s: %s", (_rule, text, meaning) => {
    const parsed = parseExpression(text);
    expect(parsed.ok ? printExpression(parsed.value) : parsed).toBe(meaning);
  });

  test.each(ACCEPTED)("%s", (text) => {
    const parsed = parseExpression(text);
    expect(parsed.ok ? printExpression(parsed.value) : parsed).toBe(
      text
        .replace("c.value", 'c["value"]')
        .replace("c.order.BY", 'c["order"]["BY"]')
        .replace("last(", "LAST("),
    );
  });

  test("a call knows the place of its name", () => {
    const text = "1 + udf.f(c.x)";
    const parsed = parseExpression(text);
    expect(parsed).toMatchObject({
      value: {
        right: {
          name: "f",
          isUdf: true,
          nameSpan: { start: 8, end: 9 },
          span: { start: 4, end: 14 },
        },
      },
    });
  });

  test("parentheses are no part of a span but where the operator around them begins", () => {
    const parsed = parseExpression("(a + b) * c");
    expect(parsed).toMatchObject({
      value: { span: { start: 0, end: 11 }, left: { span: { start: 1, end: 6 } } },
    });
  });
});

describe("queries", () => {
  test.each(QUERIES)("%j", (text) => {
    expect(parseQuery(text)).toMatchObject({ ok: true });
  });

  test("absent clauses are absent", () => {
    expect(Object.keys(treeOf("SELECT 1"))).toEqual(["span", "select"]);
    expect(Object.keys(treeOf("SELECT 1").select)).toEqual(["span", "isDistinct", "selection"]);
  });

  test("joins go to the left, and their right side is single", () => {
    expect(treeOf("SELECT 1 FROM a JOIN b IN a.b JOIN c IN b.c").from).toMatchObject({
      kind: "join",
      left: { kind: "join", left: { kind: "collection" }, right: { alias: "b" } },
      right: { alias: "c" },
    });
  });

  test("a function may be iterated, as if in a subquery", () => {
    const text = "SELECT k FROM c JOIN k IN OBJECTTOARRAY(c.x)";
    expect(printQuery(treeOf(text))).toBe(
      "SELECT k\nFROM c\nJOIN k IN ( SELECT VALUE OBJECTTOARRAY(c.x) )",
    );
  });

  test("the star has a place", () => {
    expect(treeOf("SELECT * FROM c").select.selection).toEqual({
      kind: "star",
      span: { start: 7, end: 8 },
    });
  });
});

describe("refusals", () => {
  const rows = REFUSED.map(([text, near, start = text.indexOf(near)]) => ({ text, near, start }));
  test.each(rows)("$text", ({ text, near, start }) => {
    const location = { start, end: start + near.length };
    const message = `Syntax error, incorrect syntax near '${near}'.`;
    expect(parseQuery(text)).toEqual({
      ok: false,
      error: { kind: "diagnostics", diagnostics: [{ code: "SC1001", message, location }] },
    });
  });

  test.each([
    ["SELECT * FROM c;", "SC1010", "Syntax error, invalid token ';'."],
    ["SELECT 'a FROM c", "SC1012", "Syntax error, invalid string literal token ''a FROM c'."],
    ["SELECT FROM c;", "SC1001", "Syntax error, incorrect syntax near 'FROM'."],
  ])("%s: the first mistake is told", (text, code, message) => {
    expect(parseQuery(text)).toMatchObject({ error: { diagnostics: [{ code, message }] } });
  });
});

describe("filters", () => {
  test.each([
    ["from c where c.x = 1", "c", "(c.x = 1)"],
    ["FROM root AS r WHERE true", "r", "true"],
    ["FROM root r WHERE EXISTS(SELECT 1)", "r", "EXISTS( SELECT 1 )"],
  ])("%s", (text, alias, where) => {
    const parsed = parseFilter(text);
    expect(parsed).toMatchObject({ ok: true, value: { alias } });
    expect(parsed.ok && printExpression(parsed.value.where)).toBe(where);
  });

  test.each(["", "c.x = 1", "FROM c", "FROM c.x WHERE true", "FROM c WHERE 1 ORDER BY c.x"])(
    "refused: %s",
    (text) => {
      expect(parseFilter(text)).toMatchObject({ error: { diagnostics: [{ code: "SC1001" }] } });
    },
  );
});

function treeOf(text: string): Query {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}
