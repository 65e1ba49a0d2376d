/** A query in colours: which piece is what, and that no piece is lost. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { parameterNames, piecesOf, queryTokens } from "./queryTokens.ts";

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

test("what is wrong is marked, also at the end, and where the text has become shorter", () => {
  const marked = (text: string, start: number, end: number): readonly string[] =>
    piecesOf(text, [{ start, end }])
      .filter(({ isWrong }) => isWrong)
      .map((piece) => piece.text);
  expect(marked("SELECT * FRM c", 9, 12)).toEqual(["FRM"]);
  expect(marked("SELECT", 2, 4)).toEqual(["LE"]);
  expect(marked("SELECT", 6, 6)).toEqual([]);
  expect(marked("SEL", 9, 12)).toEqual([]);
});

test("parameters are named once, and not those in strings", () => {
  expect(parameterNames("c.a = @a OR c.b = @b OR c.c = @a OR c.d = '@d'")).toEqual(["@a", "@b"]);
});

test("pieces are the whole text", () => {
  fc.assert(
    fc.property(fc.string(), fc.nat(20), fc.nat(20), (text, start, end) => {
      const pieces = piecesOf(text, [{ start, end }]);
      expect(pieces.map((piece) => piece.text).join("")).toBe(text);
    }),
  );
});
