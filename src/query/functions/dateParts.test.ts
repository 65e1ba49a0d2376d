/**
 * The calendar against JavaScript's own, which keeps the same rules, and the laws that tie adding,
 * counting and binning together. Rows of single facts are in `dateTime.test.ts`.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import {
  addPart,
  binStartOf,
  type CalendarTime,
  calendarOf,
  countBoundaries,
  type DatePart,
  dayOfWeekOf,
  parseDatePart,
  TICKS_PER_MS,
  ticksOf,
  withinCalendar,
} from "./dateParts.ts";

const PARTS = [
  "year",
  "month",
  "day",
  "hour",
  "minute",
  "second",
  "millisecond",
  "microsecond",
  "nanosecond",
] as const satisfies readonly DatePart[];

const FIRST_MS = -62_135_596_800_000;
const LAST_MS = 253_402_300_799_999;

const anyMs = fc.integer({ min: FIRST_MS, max: LAST_MS });
const anyInstant = fc
  .tuple(anyMs, fc.nat(9_999))
  .map(([ms, rest]) => BigInt(ms) * TICKS_PER_MS + BigInt(rest));
const anyPart = fc.constantFrom(...PARTS);

describe("part names", () => {
  test.each([
    ["year", "year yyyy yy YYYY Year"],
    ["month", "month mm m MM"],
    ["day", "day dd d"],
    ["hour", "hour hh"],
    ["minute", "minute mi n"],
    ["second", "second ss s"],
    ["millisecond", "millisecond ms"],
    ["microsecond", "microsecond mcs"],
    ["nanosecond", "nanosecond ns"],
    [undefined, "h week wk quarter weekday years __proto__ constructor"],
  ])("%s: %s", (part, names) => {
    for (const name of names.split(" ")) expect([name, parseDatePart(name)]).toEqual([name, part]);
  });
});

describe("calendar", () => {
  test("an instant reads as JavaScript reads it", () => {
    fc.assert(
      fc.property(anyMs, fc.nat(9_999), (ms, rest) => {
        const date = new Date(ms);
        const at: CalendarTime = {
          year: date.getUTCFullYear(),
          month: date.getUTCMonth() + 1,
          day: date.getUTCDate(),
          hour: date.getUTCHours(),
          minute: date.getUTCMinutes(),
          second: date.getUTCSeconds(),
          fraction: date.getUTCMilliseconds() * 10_000 + rest,
        };
        const instant = BigInt(ms) * TICKS_PER_MS + BigInt(rest);
        expect(calendarOf(instant)).toEqual(at);
        expect(ticksOf(at)).toBe(instant);
        expect(dayOfWeekOf(at)).toBe((date.getUTCDay() + 6) % 7);
      }),
      {
        numRuns: 2_000,
        examples: [
          [FIRST_MS, 0],
          [LAST_MS, 9_999],
          [-1, 9_999],
          [0, 0],
        ],
      },
    );
  });

  test("the last day of every year is followed by the first of the next", () => {
    for (let year = 1; year < 9999; year += 1) {
      const newYear = ticksOf({ ...MIDNIGHT, year: year + 1, month: 1, day: 1 })!;
      expect(calendarOf(newYear - 1n)).toMatchObject({ year, month: 12, day: 31 });
      expect(calendarOf(newYear)).toMatchObject({ year: year + 1, month: 1, day: 1 });
    }
  });

  test("it ends with the years 1 and 9999", () => {
    const first = BigInt(FIRST_MS) * TICKS_PER_MS;
    const last = BigInt(LAST_MS) * TICKS_PER_MS + 9_999n;
    expect([first - 1n, first, last, last + 1n].map(withinCalendar)).toEqual([
      undefined,
      first,
      last,
      undefined,
    ]);
  });
});

describe("adding, counting, binning", () => {
  const anyCount = fc.integer({ min: -5_000, max: 5_000 });

  test("adding n parts crosses n boundaries", () => {
    fc.assert(
      fc.property(anyPart, anyCount, anyInstant, (part, count, instant) => {
        // A tick is the finest step there is.
        const steps = part === "nanosecond" ? count * 100 : count;
        const moved = addPart(part, steps, instant);
        if (moved !== undefined) expect(countBoundaries(part, instant, moved)).toBe(steps);
      }),
      { numRuns: 1_000 },
    );
  });

  // Nanoseconds of a few months and microseconds of some centuries are more than a double counts.
  const anyCountedPart = fc.constantFrom(...PARTS.filter((part) => part !== "nanosecond"));
  const anyNearInstant = fc
    .bigInt({ min: -1_000_000_000n, max: 3_000_000_000n })
    .chain((second) => fc.nat(9_999_999).map((rest) => second * 10_000_000n + BigInt(rest)));

  test("counting adds up and turns around", () => {
    fc.assert(
      fc.property(
        anyCountedPart,
        anyNearInstant,
        anyNearInstant,
        anyNearInstant,
        (part, a, b, c) => {
          const viaB = countBoundaries(part, a, b) + countBoundaries(part, b, c);
          expect(countBoundaries(part, a, c)).toBe(viaB);
          expect(countBoundaries(part, a, b) + countBoundaries(part, b, a)).toBe(0);
        },
      ),
    );
  });

  const anyBinCount = fc.integer({ min: 1, max: 1_000 });

  test("a bin starts at or before its instant, and the next one after it", () => {
    fc.assert(
      fc.property(anyPart, anyBinCount, anyInstant, anyInstant, (part, parts, instant, origin) => {
        // Past the 28th months clip, and then a bin's start does not tell the origin's day.
        fc.pre(calendarOf(origin).day <= 28);
        const count = part === "nanosecond" ? parts * 100 : parts;
        const start = binStartOf(instant, { part, count, origin });
        if (start === undefined) return;
        const next = addPart(part, count, start);
        expect(start <= instant).toBe(true);
        if (next !== undefined) expect(next > instant).toBe(true);
      }),
      { numRuns: 1_000 },
    );
  });

  test("a bin starts a whole number of bins away from the origin, and is the bin of its start", () => {
    fc.assert(
      fc.property(
        anyCountedPart,
        anyBinCount,
        anyNearInstant,
        anyNearInstant,
        (part, count, instant, origin) => {
          const start = binStartOf(instant, { part, count, origin })!;
          expect(binStartOf(start, { part, count, origin })).toBe(start);
          expect(Math.abs(countBoundaries(part, origin, start)) % count).toBe(0);
        },
      ),
      { numRuns: 1_000 },
    );
  });
});

const MIDNIGHT = { hour: 0, minute: 0, second: 0, fraction: 0 };
