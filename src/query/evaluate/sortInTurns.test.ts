/** Sorting with turns for others between. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { sortInTurns } from "./sortInTurns.ts";

interface One {
  readonly value: number;
  readonly place: number;
}

const byValue = (left: One, right: One): number => left.value - right.value;
const never = (): undefined => undefined;

describe("sorting in turns", () => {
  test("gives what a sort of the array gives, equal ones in their order", async () => {
    const values = fc.array(fc.integer({ min: 0, max: 50 }), { maxLength: 3_000, size: "max" });
    await fc.assert(
      fc.asyncProperty(values, async (list) => {
        const ones = list.map((value, place) => ({ value, place }));
        expect(await sortInTurns(ones, byValue, never)).toEqual([...ones].sort(byValue));
      }),
      { numRuns: 30 },
    );
  });

  test.each([0, 1, 511, 512, 513, 1_024, 1_025, 5_000])("%d of them", async (count) => {
    const ones = Array.from({ length: count }, (_, place) => ({
      value: (place * 7919) % 97,
      place,
    }));
    expect(await sortInTurns(ones, byValue, never)).toEqual([...ones].sort(byValue));
  });

  test("between two looks whether to pause there are few comparisons", async () => {
    let comparisons = 0;
    let most = 0;
    const ones = Array.from({ length: 50_000 }, (_, place) => ({
      value: (place * 7919) % 997,
      place,
    }));
    const counted = (left: One, right: One): number => {
      comparisons++;
      return byValue(left, right);
    };
    await sortInTurns(ones, counted, () => {
      most = Math.max(most, comparisons);
      comparisons = 0;
      return undefined;
    });
    expect(most).toBeLessThan(10_000);
    expect(most).toBeGreaterThan(0);
  });

  test("waits when it is told to, and leaves the list alone", async () => {
    const ones = Array.from({ length: 2_000 }, (_, place) => ({ value: -place, place }));
    const before = [...ones];
    let turnCount = 0;
    await sortInTurns(ones, byValue, async () => {
      turnCount++;
    });
    expect(ones).toEqual(before);
    expect(turnCount).toBeGreaterThan(4);
  });
});
