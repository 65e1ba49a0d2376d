/**
 * The canonical text of a query, and that nothing is lost on the way there and back.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { seededRandom } from "../../base/world.ts";
import type { Expression } from "./ast.ts";
import { parseExpression, parseQuery } from "./parser.ts";
import { printExpression, printQuery } from "./printer.ts";
import { randomExpression, randomQuery } from "./randomTree.fake.ts";
import { walkExpressions } from "./visitor.ts";

/** Unless a row says otherwise the canonical text is the text. */
type Row = readonly [text: string, canonical?: string];

const EXPRESSIONS: readonly Row[] = [
  ["c.a.b"],
  ["c . a", "c.a"],
  [`c["a"]`, "c.a"],
  [`c['x y']`, `c["x y"]`],
  [`c["value"]`],
  ["c.value", `c["value"]`],
  [`c[""]`],
  ["c[0]"],
  ["c[@p]"],
  [`c["a" || "b"]`, `c[("a" || "b")]`],
  ["(SELECT 1).a", "( SELECT 1 ).a"],
  ["(5).a"],
  ["(-c).a"],
  ["'a'", `"a"`],
  [String.raw`'\u00e9\'"\n'`, String.raw`"é'\"\n"`],
  ["1.50", "1.5"],
  ["0x10", "16"],
  ["1e21", "1e+21"],
  ["NaN"],
  ["Infinity"],
  ["1e999", "Infinity"],
  ["TRUE", "true"],
  ["Undefined", "undefined"],
  ["[1,2 , undefined]", "[1, 2, undefined]"],
  ["{a: 1, 'b c': {}}", `{"a": 1, "b c": {}}`],
  ["a+b", "(a + b)"],
  ["a <> b", "(a != b)"],
  ["-1"],
  ["- -1"],
  ["-+~1", "- +~1"],
  ["not a", "NOT a"],
  ["NOT (a = b)"],
  ["-(a + b)"],
  ["a - -b", "(a - -b)"],
  ["a ? b : c", "(a ? b : c)"],
  ["a BETWEEN 1 AND 2", "(a BETWEEN 1 AND 2)"],
  ["a not between 1 and 2", "(a NOT BETWEEN 1 AND 2)"],
  ["a IN (1, 2)", "(a IN (1, 2))"],
  ["a NOT IN (1)", "(a NOT IN (1))"],
  ["a LIKE 'b%' ESCAPE '!'", `(a LIKE "b%" ESCAPE "!")`],
  ["Count(1)"],
  ["left('a', 1)", `left("a", 1)`],
  ["UDF.f(1)", "udf.f(1)"],
  ["exists(select 1)", "EXISTS( SELECT 1 )"],
  ["(LET x = a + 1 IN x)", "(LET x = (a + 1) IN x)"],
];

const QUERIES: readonly Row[] = [
  ["SELECT *\nFROM c"],
  ["select distinct top 5 value c.x from c", "SELECT DISTINCT TOP 5 VALUE c.x\nFROM c"],
  ["SELECT c.a x, c.b AS 'y z', 1 AS \"top\"", `SELECT c.a AS x, c.b AS "y z", 1 AS "top"`],
  ["SELECT * FROM Root r", "SELECT *\nFROM Root AS r"],
  ["SELECT * FROM c.a['b'][0].value v", `SELECT *\nFROM c.a.b[0]["value"] AS v`],
  [
    "SELECT * FROM c JOIN t in c.tags JOIN (SELECT VALUE s FROM s IN c.s) s",
    "SELECT *\nFROM c\nJOIN t IN c.tags\nJOIN ( SELECT VALUE s\nFROM s IN c.s ) AS s",
  ],
  [
    "SELECT c.a FROM c WHERE c.a=1 GROUP BY c.a, c.b",
    "SELECT c.a\nFROM c\nWHERE (c.a = 1)\nGROUP BY c.a, c.b",
  ],
  [
    "SELECT * FROM c ORDER BY c.a, c.b asc, c.d desc OFFSET 1 LIMIT @m",
    "SELECT *\nFROM c\nORDER BY c.a, c.b ASC, c.d DESC\nOFFSET 1 LIMIT @m",
  ],
  ["SELECT * FROM c ORDER BY rank RRF(1) desc", "SELECT *\nFROM c\nORDER BY RANK RRF(1) DESC"],
];

describe("canonical text", () => {
  test.each(EXPRESSIONS.map(filled))("%s", (text, canonical) => {
    const parsed = parseExpression(text);
    expect(parsed.ok && printExpression(parsed.value)).toBe(canonical);
  });

  test.each(QUERIES.map(filled))("%s", (text, canonical) => {
    const parsed = parseQuery(text);
    expect(parsed.ok && printQuery(parsed.value)).toBe(canonical);
  });

  test("numbers that only a rewriter makes", () => {
    const numbers = [-5, -0, -Infinity].map((value): Expression => {
      return { kind: "number", span: { start: 0, end: 0 }, value };
    });
    expect(numbers.map(printExpression)).toEqual(["-5", "-0", "-Infinity"]);
  });
});

describe("properties", () => {
  const anyRandom = fc.integer().map(seededRandom);

  test("the text of a query is that query", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const query = randomQuery(random);
        const parsed = parseQuery(printQuery(query));
        expect(parsed.ok ? withoutSpans(parsed.value) : parsed).toStrictEqual(withoutSpans(query));
      }),
      { numRuns: 500 },
    );
  });

  test("the text of an expression is that expression, and canonical", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const expression = randomExpression(random);
        const text = printExpression(expression);
        const parsed = parseExpression(text);
        if (!parsed.ok) return expect(parsed).toBeUndefined();
        expect(withoutSpans(parsed.value)).toStrictEqual(withoutSpans(expression));
        expect(printExpression(parsed.value)).toBe(text);
      }),
      { numRuns: 500 },
    );
  });

  test("the text within a span is what the span belongs to", () => {
    fc.assert(
      fc.property(anyRandom, (random) => {
        const text = printQuery(randomQuery(random, 3));
        const parsed = parseQuery(text);
        if (!parsed.ok) return expect(parsed).toBeUndefined();
        walkExpressions(parsed.value, (expression) => {
          const again = parseExpression(text.slice(expression.span.start, expression.span.end));
          const found = again.ok ? withoutSpans(again.value) : again;
          expect(found).toStrictEqual(withoutSpans(expression));
        });
      }),
    );
  });
});

function filled([text, canonical = text]: Row): readonly [text: string, canonical: string] {
  return [text, canonical];
}

function withoutSpans(tree: unknown): unknown {
  if (Array.isArray(tree)) return tree.map(withoutSpans);
  if (typeof tree !== "object" || tree === null) return tree;
  const parts = Object.entries(tree).filter(([key]) => key !== "span" && key !== "nameSpan");
  return Object.fromEntries(parts.map(([key, part]) => [key, withoutSpans(part)]));
}
