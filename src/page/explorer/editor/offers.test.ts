/** What the editor offers at a place of a query: keywords, functions, paths. */
import { expect, test } from "vitest";
import { aliasIn, offersAt } from "./offers.ts";

const WORDS = {
  functions: ["ABS", "COUNT"],
  paths: [
    { path: "id", itemCount: 4, types: ["string"] },
    { path: "address", itemCount: 3, types: ["object"] },
    { path: "address.city", itemCount: 3, types: ["null", "string"] },
    { path: 'address["no name"]', itemCount: 1, types: ["string"] },
  ],
  sampledCount: 4,
};

function labels(text: string, isAsked = false): readonly string[] | undefined {
  const at = text.indexOf("|");
  return offersAt(text.replace("|", ""), at, WORDS, isAsked)?.offers.map(({ label }) => label);
}

test("after the alias and a dot there are members of items, level by level", () => {
  expect(labels("SELECT c.| FROM c")).toEqual(["id", "address"]);
  expect(labels("SELECT o.address.ci| FROM orders o")).toEqual(["city"]);
  expect(labels("SELECT x.| FROM c")).toBeUndefined();
  const found = offersAt("SELECT c.address.", 17, WORDS, false)!;
  expect(found.offers[0]!.detail).toBe("null, string, in 3 of 4");
});

test("elsewhere there are keywords, functions and the alias, once a letter is there", () => {
  expect(labels("SELECT CO|")).toEqual(expect.arrayContaining(["c", "SELECT", "COUNT"]));
  expect(labels("SELECT |")).toBeUndefined();
  expect(labels("SELECT |", true)).toContain("TOP");
});

test("parameters are those of the text; texts and comments are left alone", () => {
  expect(labels("SELECT @min, @|")).toEqual(["@min"]);
  expect(labels("SELECT 'c.|'")).toBeUndefined();
  expect(labels("SELECT 1 -- c.|")).toBeUndefined();
});

test("the alias is the last name of FROM that is no keyword", () => {
  expect(aliasIn("SELECT * FROM c WHERE true")).toBe("c");
  expect(aliasIn("select * from orders AS o")).toBe("o");
  expect(aliasIn("SELECT 1")).toBe("c");
});
