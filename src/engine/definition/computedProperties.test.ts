/** Which computed properties are taken. */
import { describe, expect, test } from "vitest";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { type ComputedProperty, readComputedProperties } from "./computedProperties.ts";

const LOWER = { name: "lower", query: "SELECT VALUE LOWER(c.name) FROM c" };
const many = (count: number): JsonObject[] =>
  Array.from({ length: count }, (_, index) => ({ ...LOWER, name: `n${index}` }));

const INVALID_INPUT = "One of the specified inputs is invalid";
const REFUSED: readonly (readonly [rule: string, properties: JsonValue, told: string])[] = [
  ["they are a list", LOWER, "must be an array"],
  ["each is an object", ["lower"], "must be an object"],
  ["there are at most 20", many(21), "at most 20"],
  ["names differ", [LOWER, { ...LOWER, query: "SELECT VALUE c.a FROM c" }], "defined twice"],
  ["they have names", [{ query: LOWER.query }], "must be a string"],
  ["names are not empty", [{ ...LOWER, name: "" }], "must not be empty"],
  ["they have queries", [{ name: "n" }], "the query of the computed property 'n'"],
  ["id is taken", [{ ...LOWER, name: "id" }], "system property"],
  ["so is what the system writes", [{ ...LOWER, name: "_ts" }], "system property"],
  ["they select one value", [{ ...LOWER, query: "SELECT c.n FROM c" }], "SELECT VALUE"],
  ["one is no list", LOWER, INVALID_INPUT],
  ["a string is none", ["lower"], INVALID_INPUT],
  ["a name is a string", [{ ...LOWER, name: 1 }], INVALID_INPUT],
  ["a query is a string", [{ ...LOWER, query: null }], INVALID_INPUT],
  ["they are queries", [{ ...LOWER, query: "SELECT VALUE c. FROM c" }], "is not a query"],
  ["over the item", [{ ...LOWER, query: "SELECT VALUE 1" }], "FROM and a name"],
  ["and it alone", [{ ...LOWER, query: "SELECT VALUE t FROM c JOIN t IN c.t" }], "FROM and a name"],
  ["of all items", [{ ...LOWER, query: "SELECT VALUE c.n FROM c WHERE c.n" }], "no other clauses"],
  ["without subqueries", [{ ...LOWER, query: "SELECT VALUE (SELECT 1) FROM c" }], "subqueries"],
  ["without aggregates", [{ ...LOWER, query: "SELECT VALUE SUM(c.n) FROM c" }], "aggregates"],
  ["without chance", [{ ...LOWER, query: "SELECT VALUE RAND() FROM c" }], "another each time"],
  [
    "without geometry",
    [{ ...LOWER, query: "SELECT VALUE st_area(c.place) FROM c" }],
    "spatial functions",
  ],
  ["of known functions", [{ ...LOWER, query: "SELECT VALUE F(c) FROM c" }], "is refused"],
  ["VALUE is a word", [{ ...LOWER, query: "SELECT VALUES FROM c" }], "SELECT VALUE"],
];

describe("computed properties", () => {
  test("there may be none, or 20", () => {
    expect(read(undefined)).toBeUndefined();
    expect(read([])).toEqual([]);
    expect(read(many(20))).toEqual(many(20));
  });

  test("a query may be written in any case", () => {
    const property = { name: "n", query: "\n select  value c.n from c" };
    expect(read([property])).toEqual([property]);
  });

  test("what is unknown in them is dropped", () => {
    expect(read([{ ...LOWER, comment: "x" }])).toEqual([LOWER]);
  });

  test.each(REFUSED)("refused: %s", (_, properties, told) => {
    expect(() => read(properties)).toThrow(told);
  });
});

function read(properties: JsonValue | undefined): readonly ComputedProperty[] | undefined {
  return readComputedProperties(properties, SERVICE_LIMITS);
}
