/** What makes a score larger, and what the formula says for a case worked out by hand. */
import { describe, expect, test } from "vitest";
import { bm25Of } from "./bm25.ts";

const ALL = { documentCount: 100, totalWordCount: 1_000, hitCounts: [5] };

describe("scores", () => {
  const rules: readonly (readonly [rule: string, more: number, less: number])[] = [
    ["a rare term counts more", bm25Of([1], 10, ALL), bm25Of([1], 10, { ...ALL, hitCounts: [50] })],
    ["twice is more than once", bm25Of([2], 10, ALL), bm25Of([1], 10, ALL)],
    ["but less than twice as much", 2 * bm25Of([1], 10, ALL), bm25Of([2], 10, ALL)],
    ["a short text counts more", bm25Of([1], 5, ALL), bm25Of([1], 10, ALL)],
    ["a term everybody has is worth something", bm25Of([1], 10, { ...ALL, hitCounts: [100] }), 0],
    ["statistics that are too old do no harm", bm25Of([1], 10, { ...ALL, hitCounts: [200] }), 0],
  ];
  test.each(rules)("%s", (_, more, less) => expect(more).toBeGreaterThan(less));

  test("a text without the term scores nothing", () => expect(bm25Of([0], 10, ALL)).toBe(0));

  test("terms add up", () => {
    const both = bm25Of([1, 2], 10, { ...ALL, hitCounts: [5, 7] });
    const each = bm25Of([1], 10, ALL) + bm25Of([2], 10, { ...ALL, hitCounts: [7] });
    expect(both).toBeCloseTo(each, 12);
  });

  test("worked out by hand", () => {
    // idf = ln(1 + 95.5 / 5.5); the text is as long as the average, so the rest is 2.2 / 2.2.
    expect(bm25Of([1], 10, ALL)).toBeCloseTo(Math.log(1 + 95.5 / 5.5), 12);
    expect(bm25Of([1], 0, { documentCount: 0, totalWordCount: 0, hitCounts: [0] })).toBeCloseTo(
      Math.log(2),
      12,
    );
  });
});
