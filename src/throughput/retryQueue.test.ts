/** When those who are refused are told to come back. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { RetryQueue } from "./retryQueue.ts";

describe("who is refused", () => {
  test.each([
    { rule: "alone, is told the first instant", asked: [[0, 30]], told: [30] },
    {
      rule: "after others, is told a later one each time",
      asked: [
        [0, 30],
        [0, 30],
        [5, 25],
      ],
      told: [30, 40, 45],
    },
    {
      rule: "is never told less than it needs",
      asked: [
        [0, 30],
        [0, 500],
        [0, 500],
      ],
      told: [30, 500, 510],
    },
    {
      rule: "when the promised instants have passed, is alone again",
      asked: [
        [0, 30],
        [0, 30],
        [40, 3],
      ],
      told: [30, 40, 3],
    },
  ] as const)("$rule", ({ asked, told }) => {
    const queue = new RetryQueue();
    expect(asked.map(([now, wait]) => queue.promise(now, wait, 10))).toEqual(told);
  });

  test("is one of many in the same millisecond when charges are small", () => {
    const queue = new RetryQueue();
    const told = Array.from({ length: 9 }, () => queue.promise(0, 1, 0.25));
    expect(told).toEqual([1, 2, 2, 2, 2, 3, 3, 3, 3]);
  });
});

test("everybody is told a whole number, no less than needed, at most ten seconds more", () => {
  const anyRefusal = fc.record({
    gap: fc.double({ min: 0, max: 5000, noNaN: true }),
    wait: fc.integer({ min: 1, max: 60_000 }),
    spacing: fc.double({ min: 0, max: 20_000, noNaN: true }),
  });
  fc.assert(
    fc.property(fc.array(anyRefusal), (refusals) => {
      const queue = new RetryQueue();
      let now = 0;
      for (const { gap, wait, spacing } of refusals) {
        now += gap;
        const told = queue.promise(now, wait, spacing);
        expect(Number.isInteger(told)).toBe(true);
        expect(told).toBeGreaterThanOrEqual(wait);
        expect(told).toBeLessThanOrEqual(wait + 10_000);
      }
    }),
  );
});
