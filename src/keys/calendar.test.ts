/** The arithmetic against the language's own dates, over all years that keys have. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { calendarDay, daysOf } from "./calendar.ts";

const DAY = 86_400_000;
const FIRST = Date.parse("0001-01-01T00:00:00Z") / DAY;
const LAST = Date.parse("9999-12-31T00:00:00Z") / DAY;

test("every day of four centuries, and any day of all years", () => {
  const check = (days: number): void => {
    const date = new Date(days * DAY);
    const { year, month, day } = calendarDay(days);
    const expected = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()];
    if (`${year} ${month} ${day}` !== expected.join(" ")) {
      expect([year, month, day]).toEqual(expected);
    }
    if (daysOf(year, month, day) !== days) expect(daysOf(year, month, day)).toBe(days);
  };
  for (let days = daysOf(1800, 1, 1); days <= daysOf(2200, 1, 1); days++) check(days);
  fc.assert(fc.property(fc.integer({ min: FIRST, max: LAST }), check), { numRuns: 2000 });
  check(FIRST);
  check(LAST);
});
