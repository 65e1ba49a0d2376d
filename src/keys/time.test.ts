/** What is a time and what is not, by a table; then against the language's own reader. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { timeOf } from "./time.ts";

const anyText = fc
  .array(fc.nat(0xffff))
  .map((units) => units.map((unit) => String.fromCharCode(unit)).join(""));

describe("a time", () => {
  test.each<[unknown, string]>([
    ["2025-10-03T08:15:30Z", "2025-10-03T08:15:30.000Z"],
    ["2025-10-03T08:15:30", "2025-10-03T08:15:30.000Z"], // Not where the machine stands: UTC.
    ["2025-10-03 08:15", "2025-10-03T08:15:00.000Z"],
    ["2025-10-03t08:15:30z", "2025-10-03T08:15:30.000Z"],
    ["2025-10-03T08:15:30+02:00", "2025-10-03T06:15:30.000Z"],
    ["2025-10-03T23:15:30-0530", "2025-10-04T04:45:30.000Z"],
    ["2025-10-03T08:15:30+02", "2025-10-03T06:15:30.000Z"],
    ["2025-10-03T08:15:30.1234567Z", "2025-10-03T08:15:30.123Z"],
    ["2025-10-03T08:15:30,5Z", "2025-10-03T08:15:30.500Z"],
    ["2020-05-03", "2020-05-03T00:00:00.000Z"],
    ["2020-05", "2020-05-01T00:00:00.000Z"],
    ["2020", "2020-01-01T00:00:00.000Z"],
    ["0004-02-29", "0004-02-29T00:00:00.000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.000Z"],
    ["0099-12-31", "0099-12-31T00:00:00.000Z"],
    [1_600_000_000, "2020-09-13T12:26:40.000Z"],
    [1_600_000_000.5, "2020-09-13T12:26:40.500Z"],
    [1_600_000_000_000, "2020-09-13T12:26:40.000Z"],
    [99_999_999_999, "5138-11-16T09:46:39.000Z"],
    [100_000_000_000, "1973-03-03T09:46:40.000Z"],
    [-1, "1969-12-31T23:59:59.000Z"],
    [0, "1970-01-01T00:00:00.000Z"],
    [new Date(1_600_000_000_000), "2020-09-13T12:26:40.000Z"],
  ])("%j is %s", (value, expected) => {
    const at = timeOf(value);
    expect(at === undefined ? undefined : new Date(at).toISOString()).toBe(expected);
  });

  test.each<[unknown]>([
    [""],
    ["yesterday"],
    ["2020-13"],
    ["2020-00-01"],
    ["2021-02-29"],
    ["2020-05-03T"],
    ["2020-05-03T08"],
    ["2020-05-03T24:00"],
    ["2020-05-03T08:60"],
    ["2020-05-03T08:15:61Z"],
    ["2020-05-03T08:15:30+24:00"],
    ["2020-05-03T08:15:30.Z"],
    [" 2020-05-03"],
    ["2020-5-3"],
    ["20200503"],
    ["05/03/2020"],
    ["0000-12-31"],
    ["0001-01-01T00:00:00+01:00"], // In the year before the first.
    [Number.NaN],
    [Number.POSITIVE_INFINITY],
    [1e18],
    [true],
    [null],
    [undefined],
    [["2020"]],
    [new Date(Number.NaN)],
  ])("%j is none", (value) => expect(timeOf(value)).toBeUndefined());

  test("any moment is read as it was written", () => {
    fc.assert(
      fc.property(fc.date({ min: new Date("0001-01-01"), noInvalidDate: true }), (date) => {
        if (date.getUTCFullYear() > 9999) return;
        expect(timeOf(date.toISOString())).toBe(date.getTime());
      }),
    );
  });

  test("no text is too strange", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const at = timeOf(text);
        expect(at === undefined || Number.isInteger(at)).toBe(true);
      }),
    );
  });
});
