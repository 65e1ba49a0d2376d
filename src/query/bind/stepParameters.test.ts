/** Parameters that name steps of paths: the query is bound as if the names were written out. */
import { describe, expect, test } from "vitest";
import type { JsonValue } from "../../json/value.ts";
import type { Expression } from "../language/ast.ts";
import { parseQuery } from "../language/parser.ts";
import { bindProgram } from "./bind.ts";
import type { BoundProgram } from "./bound.ts";

const PARAMETERS: ReadonlyMap<string, JsonValue> = new Map<string, JsonValue>([
  ["@a", "a"],
  ["@b", "b"],
  ["@v", "v"],
  ["@low", "low"],
  ["@text", "text"],
  ["@one", 1],
  ["@null", null],
]);

function expressionOf(text: string): Expression {
  const query = parseQuery(`SELECT VALUE ${text} FROM c`);
  if (!query.ok || query.value.select.selection.kind !== "value") throw new Error(text);
  return query.value.select.selection.expression;
}

function bound(text: string): BoundProgram {
  const query = parseQuery(text);
  if (!query.ok) throw new Error(text);
  const program = bindProgram(query.value, {
    computed: new Map([["low", { alias: "c", expression: expressionOf("LOWER(c.name)") }]]),
    embeddingAt: ([first]) =>
      first === "v" ? { metric: "euclidean", elementType: "int8", dimensions: 2 } : undefined,
    languageAt: ([first]) => (first === "text" ? "fr-FR" : "en-US"),
    parameters: PARAMETERS,
  });
  if (!program.ok) throw new Error(`${text}: ${JSON.stringify(program.error)}`);
  return program.value;
}

describe("is bound alike", () => {
  test.each([
    ["SELECT VALUE c[@a] FROM c", "SELECT VALUE c.a FROM c"],
    ["SELECT VALUE c[@a][@b] FROM c", "SELECT VALUE c.a.b FROM c"],
    ["SELECT VALUE c.x[@b] FROM c", "SELECT VALUE c.x.b FROM c"],
    ["SELECT c[@a] AS x FROM c WHERE c[@b] = 1", "SELECT c.a AS x FROM c WHERE c.b = 1"],
    ["SELECT * FROM c ORDER BY c[@a], c[@b] DESC", "SELECT * FROM c ORDER BY c.a, c.b DESC"],
    [
      "SELECT c[@a] AS x, COUNT(1) AS n FROM c GROUP BY c[@a]",
      "SELECT c.a AS x, COUNT(1) AS n FROM c GROUP BY c.a",
    ],
    ["SELECT VALUE t[@a] FROM c JOIN t IN c.t", "SELECT VALUE t.a FROM c JOIN t IN c.t"],
    [
      "SELECT * FROM c WHERE EXISTS(SELECT VALUE 1 FROM t IN c.t WHERE t[@a] = c[@b])",
      "SELECT * FROM c WHERE EXISTS(SELECT VALUE 1 FROM t IN c.t WHERE t.a = c.b)",
    ],
    [
      "SELECT TOP 3 * FROM c ORDER BY VectorDistance(c[@v], [1, 2])",
      "SELECT TOP 3 * FROM c ORDER BY VectorDistance(c.v, [1, 2])",
    ],
    [
      "SELECT TOP 3 * FROM c ORDER BY RANK FullTextScore(c[@text], 'chat')",
      "SELECT TOP 3 * FROM c ORDER BY RANK FullTextScore(c.text, 'chat')",
    ],
    [
      "SELECT * FROM c WHERE FullTextContains(c[@text], 'chat')",
      "SELECT * FROM c WHERE FullTextContains(c.text, 'chat')",
    ],
    ["SELECT * FROM c ORDER BY c[@low]", "SELECT * FROM c ORDER BY c.low"],
    ["SELECT VALUE c[@low] FROM c", "SELECT VALUE c.low FROM c"],
  ])("%s", (named, written) => {
    // A metric is a function of its own each time it is bound.
    expect(JSON.stringify(bound(named).query)).toBe(JSON.stringify(bound(written).query));
    expect(bound(named).stepNames.length).toBeGreaterThan(0);
    expect(bound(written).stepNames).toEqual([]);
  });
});

describe("stays a question of the row", () => {
  test.each([
    ["a number", "SELECT VALUE c.list[@one] FROM c"],
    ["what is no name", "SELECT VALUE c[@null] FROM c"],
    ["a parameter without a value", "SELECT VALUE c[@missing] FROM c"],
  ])("%s", (_rule, text) => {
    const { query, stepNames } = bound(text);
    expect(query.selection).toMatchObject({ expression: { kind: "index" } });
    expect(stepNames).toHaveLength(1);
  });

  test("an expression of parameters", () => {
    const { query, stepNames } = bound("SELECT VALUE c[@a || @b] FROM c");
    expect(query.selection).toMatchObject({ expression: { kind: "index" } });
    expect(stepNames).toEqual([]);
  });
});

test("a member of a row is called as it is written, not as the parameter says", () => {
  expect(bound("SELECT c[@a], c[@b] AS x FROM c").query.selection).toMatchObject({
    members: [{ name: "$1" }, { name: "x" }],
  });
});
