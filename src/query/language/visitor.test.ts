/**
 * What is inside what. The rows list expressions in the order they are visited, as printed.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { seededRandom } from "../../base/world.ts";
import type { Expression, Query } from "./ast.ts";
import { parseExpression, parseQuery } from "./parser.ts";
import { printExpression, printQuery } from "./printer.ts";
import { randomQuery } from "./randomTree.fake.ts";
import {
  childrenOf,
  expressionsOf,
  mapExpression,
  mapQuery,
  sourcesOf,
  walkExpression,
  walkExpressions,
} from "./visitor.ts";

const CHILDREN: readonly (readonly [text: string, ...children: string[]])[] = [
  ["1"],
  ["'a'"],
  ["null"],
  ["@p"],
  ["c"],
  ["c.a", "c"],
  ["c[@i]", "c", "@i"],
  ["[1, 2]", "1", "2"],
  ["{a: 1, b: 2}", "1", "2"],
  ["NOT a", "a"],
  ["a + b", "a", "b"],
  ["a ? b : c", "a", "b", "c"],
  ["a BETWEEN b AND c", "a", "b", "c"],
  ["a IN (b, c)", "a", "b", "c"],
  ["a LIKE b ESCAPE '!'", "a", "b"],
  ["f(a, b)", "a", "b"],
  ["EXISTS(SELECT a)"],
  ["(LET x = a IN b)", "a", "b"],
];

const EVERYTHING =
  "SELECT c.a, (SELECT b) FROM c JOIN (SELECT d) x WHERE e GROUP BY f ORDER BY g(h) OFFSET 1 LIMIT 2";

describe("inside", () => {
  test.each(CHILDREN)("%s", (text, ...children) => {
    expect(childrenOf(expressionOf(text)).map(printExpression)).toEqual(children);
  });

  test("the clauses of a query", () => {
    const expressions = expressionsOf(queryOf(EVERYTHING)).map(printExpression);
    expect(expressions).toEqual(["c.a", "( SELECT b )", "e", "f", "g(h)"]);
    expect(expressionsOf(queryOf("SELECT *"))).toEqual([]);
  });

  test("the sources of a query", () => {
    const { from } = queryOf("SELECT 1 FROM a JOIN b IN a.b JOIN c");
    expect(sourcesOf(from).map(({ kind }) => kind)).toEqual([
      "collection",
      "iterate",
      "collection",
    ]);
    expect(sourcesOf(undefined)).toEqual([]);
  });
});

describe("walks", () => {
  test("an expression, but not into its subqueries", () => {
    const seen: string[] = [];
    walkExpression(expressionOf("a + f(b, (SELECT c))"), (part) =>
      seen.push(printExpression(part)),
    );
    expect(seen).toEqual([
      "(a + f(b, ( SELECT c )))",
      "a",
      "f(b, ( SELECT c ))",
      "b",
      "( SELECT c )",
    ]);
  });

  test("a query, with its sources and subqueries, in the order of the text", () => {
    const seen: string[] = [];
    walkExpressions(queryOf(EVERYTHING), (part) => seen.push(printExpression(part)));
    expect(seen).toEqual(["c.a", "c", "( SELECT b )", "b", "d", "e", "f", "g(h)", "h"]);
  });
});

describe("maps", () => {
  const renamed = (expression: Expression): Expression | undefined =>
    expression.kind === "identifier" ? { ...expression, name: `${expression.name}1` } : undefined;

  test("a query, everywhere", () => {
    expect(printQuery(mapQuery(queryOf(EVERYTHING), renamed)).replaceAll("\n", " ")).toBe(
      "SELECT c1.a, ( SELECT b1 ) FROM c JOIN ( SELECT d1 ) AS x WHERE e1 GROUP BY f1 " +
        "ORDER BY g(h1) OFFSET 1 LIMIT 2",
    );
  });

  test("what was put in is left alone", () => {
    const doubled = mapExpression(expressionOf("a.b"), (part) =>
      part.kind === "member" ? { ...part, object: part } : undefined,
    );
    expect(printExpression(doubled)).toBe("a.b.b");
  });

  test("parts that stay the same are shared", () => {
    const before = expressionOf("f(a.x, @p)");
    const after = mapExpression(before, (part) =>
      part.kind === "parameter" ? { ...part, name: "@q" } : undefined,
    );
    expect(childrenOf(after)[0]).toBe(childrenOf(before)[0]);
    expect(printExpression(after)).toBe("f(a.x, @q)");
    expect(printExpression(before)).toBe("f(a.x, @p)");
  });

  test("mapping nothing gives the very tree, and a walk sees what a map asks about", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const query = randomQuery(seededRandom(seed));
        const walked = new Set<Expression>();
        const asked = new Set<Expression>();
        walkExpressions(query, (part) => walked.add(part));
        const mapped = mapQuery(query, (part) => {
          asked.add(part);
          return undefined;
        });
        expect(mapped).toBe(query);
        expect(asked).toEqual(walked);
      }),
    );
  });

  test("a map that replaces leaves changes all over the text", () => {
    fc.assert(
      fc.property(fc.integer(), (seed) => {
        const query = randomQuery(seededRandom(seed));
        const mapped = mapQuery(query, (part) =>
          part.kind === "parameter" ? { ...part, name: "@other" } : undefined,
        );
        walkExpressions(mapped, (part) => {
          if (part.kind === "parameter") expect(part.name).toBe("@other");
        });
      }),
    );
  });
});

function expressionOf(text: string): Expression {
  const parsed = parseExpression(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}

function queryOf(text: string): Query {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  return parsed.value;
}
