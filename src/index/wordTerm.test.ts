/** Which words of an item are in a full-text index, and where. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../json/value.ts";
import { compilePolicy } from "./compiledPolicy.ts";
import { PATH_HASH_BYTES } from "./hash.ts";
import { DEFAULT_INDEXING_POLICY } from "./policy.ts";
import { decodeValue, type Term } from "./term.ts";
import { termsOf } from "./terms.ts";
import { wordCountsRange, wordLayoutOf, wordPlaceOf, wordsRange, wordTermsOf } from "./wordTerm.ts";

const TEXT = wordLayoutOf(["text"], "en-US");
const DEEP = wordLayoutOf(["a", "b"], "de-DE");

function valuesOf(terms: readonly Term[]): readonly unknown[] {
  return terms.map((term) => decodeValue(term.slice(PATH_HASH_BYTES)));
}

describe("terms of words", () => {
  const rows: readonly (readonly [rule: string, item: JsonObject, terms: readonly unknown[]])[] = [
    [
      "the count, and each word once",
      { text: "Red, red wheels of a bike" },
      [4, "red", "wheel", "bike"],
    ],
    ["a text without words has a count", { text: "the" }, [0]],
    ["what is no text has none", { text: ["red"] }, []],
    ["below other properties", { a: { b: "die Häuser" } }, [1, "haus"]],
    ["own properties only", { a: {} }, []],
  ];
  test.each(rows)("%s", (_, item, terms) => {
    expect(valuesOf(wordTermsOf([TEXT, DEEP], item))).toEqual(terms);
  });

  test("words and counts have a range each", () => {
    const [count, ...words] = wordTermsOf([TEXT], { text: "red wheels zz\uffff" });
    const isIn = ({ min, max }: { min: string; max: string }, term: string): boolean =>
      term >= min && term < max;
    expect(words.every((term) => isIn(wordsRange(TEXT), term))).toBe(true);
    expect([isIn(wordCountsRange(TEXT), count!), isIn(wordsRange(TEXT), count!)]).toEqual([
      true,
      false,
    ]);
  });

  test("another language, or another path, has other terms", () => {
    const hashes = [TEXT, wordLayoutOf(["text"], "de-DE"), wordLayoutOf(["texts"], "en-US")];
    expect(new Set(hashes.map(({ hash }) => hash)).size).toBe(3);
    expect(wordPlaceOf([TEXT, DEEP], ["a", "b"])).toBe(DEEP);
    expect(wordPlaceOf([TEXT, DEEP], ["a"])).toBeUndefined();
  });
});

describe("items", () => {
  const item = { id: "1", text: "red wheels" };
  const indexed = { ...DEFAULT_INDEXING_POLICY, fullTextIndexes: [{ path: "/text" }] };

  test("get their words besides their values, and are not larger to the price list", () => {
    const plain = termsOf(compilePolicy(DEFAULT_INDEXING_POLICY), item);
    const worded = termsOf(compilePolicy(indexed), item);
    expect(worded.terms).toHaveLength(plain.terms.length + 3);
    expect(worded.valueTermCount).toBe(plain.valueTermCount);
    expect(worded.leafCount).toBe(plain.leafCount);
  });

  test("have none under a policy that indexes nothing", () => {
    const none = { ...indexed, indexingMode: "none" as const, automatic: false };
    expect(termsOf(compilePolicy(none), item).terms).toEqual([]);
  });

  test("an index that is listed twice is one", () => {
    const twice = { ...indexed, fullTextIndexes: [{ path: "/text" }, { path: '/"text"' }] };
    expect(compilePolicy(twice).words).toHaveLength(1);
  });
});
