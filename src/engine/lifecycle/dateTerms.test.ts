/** The ranges of an index in which a span of dates is, against dates in every form. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { HOUR_MS } from "../../base/units.ts";
import { pathHashOf } from "../../index/hash.ts";
import { termOf } from "../../index/term.ts";
import { timeOf } from "../../keys/time.ts";
import { dateOfTerm, termRangesOf } from "./dateTerms.ts";
import { isIn } from "./dueScan.ts";

const PATH = ["meta", "date"];
const YEAR_1990 = Date.UTC(1990, 0, 1);
const YEAR_2050 = Date.UTC(2050, 0, 1);

const anyTime = fc.integer({ min: YEAR_1990, max: YEAR_2050 });

/** A time as somebody might write it. */
const anyForm = fc.constantFrom<(at: number) => string | number>(
  (at) => at,
  (at) => at / 1000,
  (at) => Math.floor(at / 1000),
  (at) => new Date(at).toISOString(),
  (at) => new Date(at).toISOString().slice(0, 19),
  (at) => new Date(at).toISOString().slice(0, 16).replace("T", " "),
  (at) => new Date(at).toISOString().slice(0, 10),
  (at) => new Date(at).toISOString().slice(0, 7),
  (at) => new Date(at).toISOString().slice(0, 4),
  (at) => new Date(at + 14 * HOUR_MS).toISOString().replace("Z", "+14:00"),
  (at) => new Date(at - 12 * HOUR_MS).toISOString().replace("Z", "-12:00").replace("T", "t"),
);

it("has every date of the span in a range, and tells which dates of a range are in the span", () => {
  fc.assert(
    fc.property(anyTime, anyForm, anyTime, fc.nat(90 * 24), (at, form, from, hours) => {
      const value = form(at);
      const span = { from, to: from + hours * HOUR_MS };
      const date = timeOf(value)!;
      const isInside = span.from <= date && date < span.to;
      const term = termOf(pathHashOf(PATH), value);
      const ranges = termRangesOf(PATH, span);
      const isFound = ranges.some(({ min, max }) => min <= term && term < max);
      expect(dateOfTerm(term)).toBe(date);
      expect(isIn(term, span)).toBe(isInside);
      if (isInside) expect(isFound).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

it("has numbers of before 1973 and before 1970", () => {
  const values = [0, -5, 9e10, -6e10, 1e11, -1e11, -5e13];
  const all = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };
  for (const value of values) {
    const term = termOf(pathHashOf(PATH), value);
    const isFound = termRangesOf(PATH, all).some(({ min, max }) => min <= term && term < max);
    expect([value, isFound]).toEqual([value, true]);
  }
});

it("has nothing for a span that is empty", () => {
  expect(termRangesOf(PATH, { from: 5, to: 5 })).toEqual([]);
  expect(termRangesOf(PATH, { from: 6, to: 5 })).toEqual([]);
});

it("takes text for a date only if it is one", () => {
  const start = pathHashOf(PATH);
  expect(dateOfTerm(termOf(start, "soon"))).toBeUndefined();
  expect(dateOfTerm(termOf(start, true))).toBeUndefined();
  expect(dateOfTerm(termOf(start, "2024-02-31"))).toBeUndefined();
  expect(dateOfTerm(termOf(start, `2024-02-01T00:00:00.${"0".repeat(300)}`))).toBe("unknown");
});
