/** Ranks and what is made of several of them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { fusedOrder, type ScoredComponent } from "./fusion.ts";

function component(
  scores: readonly (number | undefined)[],
  weight = 1,
  isLargerBetter = true,
): ScoredComponent {
  return { scores, weight, isLargerBetter };
}

const _ = undefined;
const ORDERS: readonly (readonly [rule: string, parts: ScoredComponent[], order: number[]])[] = [
  ["one score is an order", [component([1, 3, 2])], [1, 2, 0]],
  ["of distances the smallest is first", [component([1, 3, 2], 1, false)], [0, 2, 1]],
  ["those alike stay as they are", [component([0, 1, 0, 1])], [1, 3, 0, 2]],
  ["without a score comes last", [component([_, 0, 1])], [2, 1, 0]],
  ["also of distances", [component([_, 0, 1], 1, false)], [1, 2, 0]],
  ["two good ranks beat one", [component([9, 8, 1]), component([1, 8, 9])], [0, 2, 1]],
  ["a weight makes one count more", [component([9, 1], 1), component([1, 9], 2)], [1, 0]],
  ["a negative weight turns it round", [component([9, 1], -1), component([5, 5])], [1, 0]],
  ["but what has none stays last", [component([9, _, 1], -1), component([5, 5, 5])], [2, 0, 1]],
  ["nothing of nothing", [component([]), component([])], []],
];

const never = (): undefined => undefined;

describe("fused orders", () => {
  test.each(ORDERS)("%s", async (_rule, parts, order) => {
    expect(await fusedOrder(parts, never)).toEqual(order);
  });

  test("as clients do the sums", async () => {
    const score = fc.option(fc.integer({ min: 0, max: 4 }), { nil: undefined });
    const weight = fc.constantFrom(1, 0.5, -1, 3);
    const row = fc.tuple(score, score, score);
    const weights = fc.tuple(weight, weight, weight);
    await fc.assert(
      fc.asyncProperty(fc.array(row, { maxLength: 12 }), weights, async (rows, w) => {
        const parts = w.map((each, at) =>
          component(
            rows.map((scores) => scores[at]),
            each,
          ),
        );
        const sums = rows.map((scores) =>
          scores.reduce<number>((sum, own, at) => {
            const goodness = (value: number | undefined): number =>
              value === undefined ? -100 : value * Math.sign(w[at]!);
            const better = new Set(
              rows.map((other) => goodness(other[at])).filter((value) => value > goodness(own)),
            );
            return sum + Math.abs(w[at]!) / (61 + better.size);
          }, 0),
        );
        const order = await fusedOrder(parts, never);
        expect([...order].sort((a, b) => a - b)).toEqual(rows.map((_row, at) => at));
        for (const [at, place] of order.entries()) {
          if (at > 0) expect(sums[order[at - 1]!]).toBeGreaterThanOrEqual(sums[place]! - 1e-12);
        }
      }),
      { numRuns: 100 },
    );
  });
});
