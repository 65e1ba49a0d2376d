/** Scales and their round numbers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { linear, ticksUpTo, timeTicks } from "./scale.ts";

test("a scale has its ends at 0 and 1, and what lies beyond lies beyond", () => {
  const scale = linear(100, 200);
  expect([50, 100, 150, 200, 300].map((value) => scale.place(value))).toEqual([-0.5, 0, 0.5, 1, 2]);
  expect(linear(5, 5).place(5)).toBe(0);
});

describe("round numbers", () => {
  test.each<[number, number, readonly number[]]>([
    [100, 2, [0, 50, 100]],
    [1000, 4, [0, 500, 1000]],
    [7, 4, [0, 2, 4, 6, 8]],
    [0.3, 3, [0, 0.1, 0.2, 0.3]],
    [0, 4, [0]],
    [-1, 4, [0]],
  ])("up to %d, about %i of them", (max, count, ticks) => {
    expect(ticksUpTo(max, count)).toEqual(ticks);
  });

  test("reach the largest, and are not many", () => {
    const max = fc.double({ min: 1e-6, max: 1e12, noNaN: true });
    fc.assert(
      fc.property(max, fc.integer({ min: 1, max: 10 }), (most, count) => {
        const ticks = ticksUpTo(most, count);
        expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-6));
        expect(ticks.length).toBeLessThanOrEqual(count + 2);
      }),
    );
  });
});

test("round times lie between the ends, and are not many", () => {
  const at = fc.integer({ min: 0, max: 4e12 });
  fc.assert(
    fc.property(at, fc.integer({ min: 1, max: 4e10 }), (from, extent) => {
      const ticks = timeTicks(from, from + extent, 6);
      expect(ticks.every((tick) => tick >= from && tick <= from + extent)).toBe(true);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect(ticks.every((tick) => tick % 60_000 === 0)).toBe(true);
    }),
  );
});
