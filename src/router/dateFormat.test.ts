/** Bounds of query texts find every date of a span, and `isWithin` none that is outside. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeOf } from "../keys/time.ts";
import { ALL_TIME, dateFormatOf, type RouteSpan } from "./dateFormat.ts";

const span = (from: string, to: string): RouteSpan => ({
  from: Date.parse(from),
  before: Date.parse(to) + 1,
});
const MAY = span("2026-05-01T00:00:00Z", "2026-05-31T23:59:59.999Z");

test.each([
  [{ isoDigits: 3 }, MAY, "2026-05-01T00:00:00.000Z", "2026-06-01T00:00:00.000Z"],
  [{ isoDigits: 7 }, MAY, "2026-05-01T00:00:00.0000000Z", "2026-06-01T00:00:00.0000000Z"],
  [{ isoDigits: 0 }, MAY, "2026-05-01T00:00:00Z", "2026-06-01T00:00:00Z"],
  [
    { isoDigits: 0 },
    span("2026-05-01T00:00:00.001Z", "2026-05-01T00:00:05.500Z"),
    "2026-05-01T00:00:01Z",
    "2026-05-01T00:00:06Z",
  ],
  [{}, MAY, "2026-04-30", "2026-06-02"],
  [{ dateFormat: "epochSeconds" }, MAY, 1777593600, 1780272000],
  [{ dateFormat: "epochMillis" }, MAY, 1777593600000, 1780272000000],
  [{ isoDigits: 3 }, ALL_TIME, "0001-01-01T00:00:00.000Z", ":"],
  [{}, ALL_TIME, "", ":"],
] as const)("%j: %j is from %s, before %s", (options, dates, from, before) => {
  expect(dateFormatOf(options).boundsOf(dates)).toEqual({ from, before });
});

test.each([
  ["2026-05-01T00:00:00Z", true],
  ["2026-05-01", true],
  ["2026-05", true],
  ["2026", false],
  ["2026-06-01T13:59:00+14:00", true],
  ["2026-06-01T14:00:00+14:00", false],
  ["2026-04-30T12:00:00-12:00", true],
  ["2026-05-31T23:59:59.9999999Z", true],
  ["2026-05-31 23:59:59Z", true],
  ["2026-06-01T00:00:00Z", false],
  ["soon", false],
  [1777593600000, false],
  [undefined, false],
] as const)("any ISO text: %s is in May: %s", (date, isWithin) => {
  expect(dateFormatOf({}).isWithin(date, MAY)).toBe(isWithin);
});

describe("for random dates and spans", () => {
  const millis = fc.integer({ min: ALL_TIME.from, max: ALL_TIME.before - 1 });
  const near = fc.integer({ min: -200_000_000, max: 200_000_000 });

  test("any spelling of a date in the span is between the bounds", () => {
    const format = dateFormatOf({});
    const property = fc.property(
      millis,
      near,
      near,
      fc.integer({ min: -23, max: 23 }),
      (at, a, b, hours) => {
        const dates = { from: at + Math.min(a, b), before: at + Math.max(a, b) + 1 };
        const sign = hours < 0 ? "-" : "+";
        const local = at + hours * 3_600_000;
        if (local < ALL_TIME.from || local >= ALL_TIME.before) return;
        const offset = `${sign}${String(Math.abs(hours)).padStart(2, "0")}:00`;
        const text = new Date(local).toISOString().replace("Z", offset);
        expect(timeOf(text)).toBe(at);
        const isInside = at >= dates.from && at < dates.before;
        expect(format.isWithin(text, dates)).toBe(isInside);
        const { from, before } = format.boundsOf(dates);
        if (isInside) expect(text >= from && text < before).toBe(true);
      },
    );
    fc.assert(property);
  });

  test.each([0, 1, 2, 3, 7])("with %i digits the order of texts is the order of time", (digits) => {
    const format = dateFormatOf({ isoDigits: digits });
    const unit = 10 ** Math.max(0, 3 - digits);
    const property = fc.property(millis, near, near, (anywhere, a, b) => {
      const at = Math.floor(anywhere / unit) * unit;
      if (at < ALL_TIME.from) return;
      const dates = { from: at + Math.min(a, b), before: at + Math.max(a, b) + 1 };
      const whole = new Date(at).toISOString().slice(0, -1);
      const text =
        digits === 0 ? whole.slice(0, 19) : whole.slice(0, 20 + digits).padEnd(20 + digits, "0");
      const isInside = at >= dates.from && at < dates.before;
      expect(format.isWithin(`${text}Z`, dates)).toBe(isInside);
    });
    fc.assert(property);
  });
});
