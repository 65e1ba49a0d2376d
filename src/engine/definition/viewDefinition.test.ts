/** Which queries can define a view, and what the others are told. */
import { expect, test } from "vitest";
import { selectionOf, unselectedPath } from "./viewDefinition.ts";

test.each([
  ["SELECT * FROM c", "all"],
  ["select * from anything", "all"],
  ["SELECT c.a, c.b FROM c", ["a", "b"]],
  ['SELECT x["first name"], x.b FROM x', ["first name", "b"]],
  ["SELECT i.a FROM c i", ["a"]],
  ["SELECT c.a, c._ts FROM c", ["a", "_ts"]],
])("%s", (query, names) => {
  const selected = names === "all" ? "all" : new Set(names);
  expect(selectionOf(query)).toEqual({ ok: true, value: selected });
});

test.each([
  ["", "is not a query"],
  ["SELECT", "is not a query"],
  ["SELECT c.a AS b FROM c", "AS"],
  ["SELECT c.a b FROM c", "AS"],
  ["SELECT * FROM c WHERE c.a = 1", "WHERE"],
  ["SELECT c.a FROM c JOIN t IN c.tags", "JOIN"],
  ["SELECT DISTINCT c.a FROM c", "DISTINCT"],
  ["SELECT c.a FROM c GROUP BY c.a", "GROUP BY"],
  ["SELECT * FROM c ORDER BY c.a", "ORDER BY"],
  ["SELECT TOP 5 * FROM c", "TOP"],
  ["SELECT * FROM c OFFSET 1 LIMIT 2", "OFFSET"],
  ["SELECT EXISTS(SELECT VALUE 1) FROM c", "EXISTS"],
  ["SELECT (SELECT VALUE 1) FROM c", "subqueries"],
  ["SELECT LOWER(c.a) FROM c", "functions"],
  ["SELECT udf.f(c.a) FROM c", "functions"],
  ["SELECT COUNT(1) FROM c", "functions"],
  ["SELECT VALUE c.a FROM c", "VALUE"],
  ["SELECT VALUE c FROM c", "VALUE"],
  ["SELECT c.a.b FROM c", "inside"],
  ["SELECT c.a[0] FROM c", "nothing but properties"],
  ["SELECT c FROM c", "nothing but properties"],
  ["SELECT 1 FROM c", "nothing but properties"],
  ["SELECT c.a + 1 FROM c", "nothing but properties"],
  ["SELECT d.a FROM c", "which FROM does not"],
  ["SELECT c.a, c.a FROM c", "twice"],
  ["SELECT c._rid FROM c", "of their own"],
  ["SELECT * FROM c IN c.list", "over the items alone"],
  ["SELECT * FROM c.part", "over the items alone"],
  ["SELECT * FROM (SELECT * FROM c) x", "over the items alone"],
  ["SELECT 1", "over the items alone"],
])("%s cannot define a view", (query, fragment) => {
  expect(selectionOf(query)).toEqual({ ok: false, error: expect.stringContaining(fragment) });
});

test("a path is selected with the property that it begins with", () => {
  const selection = new Set(["a"]);
  expect(unselectedPath(selection, ["/a", "/a/b", "/id"])).toBeUndefined();
  expect(unselectedPath(selection, ["/a", "/b/a"])).toBe("/b/a");
  expect(unselectedPath("all", ["/b"])).toBeUndefined();
});
