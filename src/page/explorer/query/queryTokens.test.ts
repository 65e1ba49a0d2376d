/** A query in colours: which piece is what, and that nothing overlaps. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parameterNames, queryTokens } from "./queryTokens.ts";

test.each<[string, readonly string[]]>([
  ["SELECT * FROM c", ["keyword SELECT", "keyword FROM", "text c"]],
  ["c.order = 'it''s'", ["text c", "text order", "string 'it'", "string 's'"]],
  ["COUNT(1) -- all", ["function COUNT", "number 1", "comment -- all"]],
  ["c.n > @n AND /* x", ["text c", "text n", "parameter @n", "keyword AND", "comment /* x"]],
  ['"open', ['string "open']],
])("%s", (text, wanted) => {
  const found = queryTokens(text).map(({ kind, from, to }) => `${kind} ${text.slice(from, to)}`);
  expect(found).toEqual(wanted);
});

test("parameters are named once, and not those in strings", () => {
  expect(parameterNames("c.a = @a OR c.b = @b OR c.c = @a OR c.d = '@d'")).toEqual(["@a", "@b"]);
});

test("tokens follow each other inside of any text", () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      let end = 0;
      for (const { from, to } of queryTokens(text)) {
        expect(from).toBeGreaterThanOrEqual(end);
        expect(to).toBeGreaterThan(from);
        end = to;
      }
      expect(end).toBeLessThanOrEqual(text.length);
    }),
  );
});
