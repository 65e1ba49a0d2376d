/** Lines over time: gaps stay gaps, limits stay limits. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { TrendSlot } from "./trend.ts";
import { BOX, slotAt, trendMarks } from "./trend.ts";

const MINUTE = 60_000;

function slots(...uppers: readonly (number | undefined)[]): readonly TrendSlot[] {
  return uppers.map((upper, index) => ({
    at: index * MINUTE,
    upper,
    lower: upper === undefined ? undefined : upper / 2,
  }));
}

const marks = (each: readonly TrendSlot[]) => trendMarks(each, { slotMs: MINUTE, top: 1 });

describe("a line", () => {
  test("has a point in the middle of each slot", () => {
    expect(marks(slots(0, 1)).upper).toBe("M250 1000L750 0");
    expect(marks(slots(0, 1)).lower).toBe("M250 1000L750 500");
  });

  test("leads through no gap", () => {
    const { upper, gaps } = marks(slots(1, 1, undefined, 0, 0));
    expect(upper).toBe("M100 0L300 0M700 1000L900 1000");
    expect(gaps).toEqual([{ x: 400, width: 200 }]);
  });

  test("through a slot that is alone goes from its beginning to its end", () => {
    expect(marks(slots(undefined, 1, undefined, undefined)).upper).toBe("M250 0L500 0");
  });

  test("ends at the limit", () => {
    expect(marks(slots(3, 3)).upper).toBe("M250 0L750 0");
  });
});

test("the area between two lines is closed", () => {
  expect(marks(slots(1, 1)).between).toBe("M250 0L750 0L750 500L250 500Z");
});

test("refused requests are stretches of time", () => {
  const each = slots(1, 1, 1, 1).map((slot, index) => ({
    ...slot,
    refusedShare: index === 1 || index === 2 ? 0.1 : 0,
  }));
  expect(marks(each).refused).toEqual([{ x: 250, width: 500 }]);
});

test("nothing draws nothing", () => {
  expect(marks([])).toEqual({ upper: "", lower: "", between: "", refused: [], gaps: [] });
});

test("whatever was counted, marks stay in their box", () => {
  const slot = fc.record({
    upper: fc.option(fc.double({ min: -1, max: 9, noNaN: true }), { nil: undefined }),
    lower: fc.option(fc.double({ min: -1, max: 9, noNaN: true }), { nil: undefined }),
    refusedShare: fc.option(fc.double({ min: 0, max: 1, noNaN: true }), { nil: undefined }),
  });
  fc.assert(
    fc.property(fc.array(slot, { maxLength: 50 }), (each) => {
      const timed = each.map((one, index) => ({ ...one, at: index * MINUTE }));
      const { upper, lower, between, refused, gaps } = marks(timed);
      const numbers = `${upper} ${lower} ${between}`.match(/-?[\d.]+/g)?.map(Number) ?? [];
      const ends = [...refused, ...gaps].flatMap(({ x, width }) => [x, x + width]);
      for (const number of [...numbers, ...ends]) {
        expect(number).toBeGreaterThanOrEqual(0);
        expect(number).toBeLessThanOrEqual(BOX + 0.2);
      }
    }),
  );
});

test("the slot under the pointer", () => {
  const each = slots(1, 1, 1, 1);
  expect([-1, 0, 0.24, 0.26, 0.99, 1, 2].map((place) => slotAt(each, place))).toEqual([
    0, 0, 0, 1, 3, 3, 3,
  ]);
});
