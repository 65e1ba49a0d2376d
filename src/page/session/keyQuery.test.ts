/** The query for the items of one key: every kind of value, and every spelling of a path. */
import { expect, test } from "vitest";
import { itemsOfKey, keyQuery } from "./keyQuery.ts";
import { hrefOf } from "./place.ts";

test.each<[string, readonly string[], readonly unknown[], string]>([
  ["a text", ["/k"], ["a"], 'c.k = "a"'],
  ["a text with signs", ["/k"], ['a"b\\'], String.raw`c.k = "a\"b\\"`],
  ["a number", ["/k"], [0], "c.k = 0"],
  ["true", ["/k"], [true], "c.k = true"],
  ["null", ["/k"], [null], "c.k = null"],
  ["nothing", ["/k"], [{}], "NOT IS_DEFINED(c.k)"],
  ["a nested path", ["/a/b"], [1], "c.a.b = 1"],
  ["odd names", ["/order/a b"], [1], 'c["order"]["a b"] = 1'],
  ["the first of two levels", ["/t", "/u"], ["x"], 'c.t = "x"'],
  ["both levels", ["/t", "/u"], ["x", 1], 'c.t = "x" AND c.u = 1'],
])("%s", (_, paths, values, wanted) => {
  expect(keyQuery(paths, values)).toBe(`SELECT * FROM c WHERE ${wanted}`);
});

test("the place of a key's items is the Explorer with their query", () => {
  const about = { database: "shop", container: "orders", partitionKeyPaths: ["/k"] };
  expect(hrefOf(itemsOfKey(about, ["a"]))).toBe(
    "/_explorer/explorer/shop/orders?q=SELECT+*+FROM+c+WHERE+c.k+%3D+%22a%22",
  );
});
