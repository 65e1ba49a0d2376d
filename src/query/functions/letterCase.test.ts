/** Letters that JavaScript's own conversions treat otherwise; then all letters there are. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldCase, lowerCase, upperCase } from "./letterCase.ts";

describe("the case of letters", () => {
  const CASES: readonly (readonly [rule: string, text: string, upper: string, lower: string])[] = [
    ["plain letters", "Hello 1", "HELLO 1", "hello 1"],
    ["letters with marks", "Éàÿ", "ÉÀŸ", "éàÿ"],
    ["the length stays: no SS for ß", "Straße", "STRAßE", "straße"],
    ["nor two units for İ", "İ", "İ", "İ"],
    ["the micro sign is no letter", "5 µm", "5 µM", "5 µm"],
    ["a sigma does not look at its place", "ΟΔΟΣ", "ΟΔΟΣ", "οδοσ"],
    ["a final sigma has a capital", "ς", "Σ", "ς"],
    ["dotless i and long s do not turn into ASCII", "ıſ", "ıſ", "ıſ"],
    ["nor does the Kelvin sign", "\u212a", "\u212a", "\u212a"],
    ["letters of two units", "𐐀𐐨", "𐐀𐐀", "𐐨𐐨"],
  ];
  test.each(CASES)("%s", (_rule, text, upper, lower) => {
    expect(upperCase(text)).toBe(upper);
    expect(lowerCase(text)).toBe(lower);
  });
});

describe("folding", () => {
  const SAME: readonly (readonly [a: string, b: string])[] = [
    ["AdventureWorks", "adventureWORKS"],
    ["ΟΔΟΣ", "οδος"],
    ["ÉCOLE", "école"],
    ["ẞ", "ß"],
    ["µ", "μ"],
    ["\u212a", "k"],
    ["𐐀", "𐐨"],
  ];
  test.each(SAME)("%s and %s differ in case only", (a, b) => {
    expect(foldCase(a)).toBe(foldCase(b));
  });

  const DIFFERENT: readonly (readonly [a: string, b: string])[] = [
    ["ı", "i"],
    ["İ", "i"],
    ["ß", "ss"],
    ["é", "e"],
  ];
  test.each(DIFFERENT)("%s and %s differ in more", (a, b) => {
    expect(foldCase(a)).not.toBe(foldCase(b));
  });

  test("every letter folds to one that a case-insensitive pattern takes for the same", () => {
    for (let code = 0x80; code < 0x1_f000; code++) {
      const letter = String.fromCodePoint(code);
      const folded = foldCase(letter);
      if (folded === letter) continue;
      expect(folded).toHaveLength(letter.length);
      expect(foldCase(folded)).toBe(folded);
      expect(new RegExp(`^${letter}$`, "iu").test(folded)).toBe(true);
    }
  });

  test("two short texts fold alike exactly when such a pattern says so", () => {
    const letter = fc.constantFrom(..."aAsSkKiI\u212aßẞςσΣ\u00b5μΜ\u0131\u0130\u017féÉ");
    fc.assert(
      fc.property(letter, letter, (a, b) => {
        expect(foldCase(a) === foldCase(b)).toBe(new RegExp(`^${a}$`, "iu").test(b));
      }),
      { numRuns: 1_000 },
    );
  });
});
