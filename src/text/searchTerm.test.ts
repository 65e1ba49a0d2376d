/** Where a word, a phrase or a misspelled word is found in a text, and how often. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isWithinDistance } from "./editDistance.ts";
import { proseOf } from "./prose.ts";
import { countInProse, isInProse, searchTermOf, wordsOfTerm } from "./searchTerm.ts";

const TEXT = "The red bicycle leans on a fence. Red bicycles, red wheels and a bicycle of Spain.";

const FOUND: readonly (readonly [rule: string, term: string, distance: number, count: number])[] = [
  ["a word, in any form", "Bicycle", 0, 3],
  ["a phrase, in order", "red bicycles", 0, 2],
  ["not in another order", "bicycle red", 0, 1],
  ["and side by side", "red fence", 0, 0],
  ["a stop word in it stands for any word", "bicycle of Spain", 0, 1],
  ["at its place", "bicycle Spain", 0, 0],
  ["stop words around it say nothing", "the red wheels and", 0, 1],
  ["a stop word is not found", "the", 0, 0],
  ["nothing is not found", "", 0, 0],
  ["a letter may be wrong", "bicyle", 1, 3],
  ["not two", "bycicle", 1, 0],
  ["but if two may be", "bycicle", 2, 3],
];

describe("terms in a text", () => {
  test.each(FOUND)("%s: %s (%i)", (_, text, distance, count) => {
    const term = searchTermOf(text, distance, "en-US");
    const prose = proseOf(TEXT, "en-US");
    expect(countInProse(prose, term)).toBe(count);
    expect(isInProse(prose, term)).toBe(count > 0);
  });

  test("whoever has a term has its words", () => {
    const words = fc.constantFrom("red", "wheel", "the", "fence", "of");
    fc.assert(
      fc.property(fc.array(words, { maxLength: 12 }), fc.array(words, { maxLength: 4 }), (a, b) => {
        const prose = proseOf(a.join(" "), "en-US");
        const term = searchTermOf(b.join(" "), 0, "en-US");
        if (!isInProse(prose, term)) return;
        expect(wordsOfTerm(term).every((word) => prose.words.includes(word))).toBe(true);
      }),
      { numRuns: 60 },
    );
  });
});

describe("letters that differ", () => {
  const naive = (a: string, b: string): number => {
    if (a === "" || b === "") return a.length + b.length;
    const [restA, restB] = [a.slice(1), b.slice(1)];
    if (a[0] === b[0]) return naive(restA, restB);
    return 1 + Math.min(naive(restA, restB), naive(restA, b), naive(a, restB));
  };

  test("as many as the naive count", () => {
    const word = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 6 });
    fc.assert(
      fc.property(word, word, fc.integer({ min: 0, max: 2 }), (a, b, max) => {
        expect(isWithinDistance(a, b, max)).toBe(naive(a, b) <= max);
      }),
      { numRuns: 100 },
    );
  });
});
