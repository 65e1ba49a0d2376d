/** What counts, bytes and durations look like to readers, by the form that each reader is given. */
import { describe, expect, test } from "vitest";
import {
  bytesText,
  counted,
  countText,
  daysText,
  durationText,
  grouped,
  limitBytesText,
  millisText,
  shortBytesText,
  shortDurationText,
  strictBytesText,
  threeDigits,
} from "./wording.ts";

const GB = 1024 ** 3;

describe("counts", () => {
  test.each([
    [0, "0"],
    [999.4, "999"],
    [1234567, "1,234,567"],
    [-1234, "-1,234"],
    [-0.4, "0"],
    [Number.POSITIVE_INFINITY, "∞"],
    [Number.NEGATIVE_INFINITY, "-∞"],
  ])("%d is %s", (count, text) => {
    expect(countText(count)).toBe(text);
  });

  test("commas are put into the whole part only", () => {
    expect(grouped(12345.6789)).toBe("12,345.6789");
  });

  test("one is said in the singular, none and many in the plural", () => {
    expect([0, 1, 2000].map((count) => counted(count, "item"))).toEqual([
      "0 items",
      "1 item",
      "2,000 items",
    ]);
    expect(counted(2, "query", "queries")).toBe("2 queries");
  });

  test.each([
    [0, "0"],
    [0.001, "<0.01"],
    [2.834, "2.83"],
    [12.345, "12.3"],
    [99.96, "100"],
    [1234.5, "1,235"],
  ])("of %d three digits count: %s", (amount, text) => {
    expect(threeDigits(amount)).toBe(text);
  });
});

describe("bytes", () => {
  test.each([
    [0, "0 bytes", "0 B", "0 B", "0 bytes"],
    [1023, "1,023 bytes", "1023 B", "1,023 B", "1,023 bytes"],
    [1024, "1 KB", "1 KB", "1 KiB", "1 KB"],
    [1536, "1.5 KB", "1.5 KB", "1.5 KiB", "1.5 KB"],
    [1234567, "1.18 MB", "1.2 MB", "1.18 MiB", "1.18 MB"],
    [200 * 1024 ** 2, "200 MB", "200 MB", "200 MiB", "200 MB"],
    [20 * GB, "20 GB", "20 GB", "20 GiB", "20 GB"],
    [1.5 * 1024 * GB, "1.5 TB", "1.5 TB", "1.5 TiB", "1.5 TB"],
    [5000 * 1024 * GB, "4.88 PB", "5000 TB", "5,000 TiB", "4.88 PB"],
  ])("%d are %s in a sentence, %s in a table, %s in an alert, %s as a limit", (bytes, ...texts) => {
    const forms = [bytesText, shortBytesText, strictBytesText, limitBytesText];
    expect(forms.map((form) => form(bytes))).toEqual(texts);
  });

  test("what shrinks is said in the same unit as what grows", () => {
    expect(strictBytesText(-3 * GB)).toBe("-3 GiB");
  });
});

describe("durations", () => {
  test.each([
    [0, "0 seconds"],
    [1, "1 second"],
    [119, "119 seconds"],
    [120, "2 minutes"],
    [7199, "120 minutes"],
    [7200, "2 hours"],
    [172_799, "48 hours"],
    [172_800, "2 days"],
    [86_400 * 1234, "1,234 days"],
  ])("%d seconds are %s", (seconds, text) => {
    expect(durationText(seconds)).toBe(text);
  });

  test.each([
    [1 / 25, "less than an hour"],
    [1.2 / 24, "1 hour"],
    [1.9, "46 hours"],
    [40.4, "40 days"],
  ])("in %d days means %s", (days, text) => {
    expect(daysText(days)).toBe(text);
  });

  test.each([
    [0.1, "1 s"],
    [99.5, "100 s"],
    [100, "2 min"],
    [5_000, "83 min"],
    [6_000, "1.7 h"],
  ])("%d seconds to go are %s", (seconds, text) => {
    expect(shortDurationText(seconds)).toBe(text);
  });

  test("a wait is in milliseconds below a second", () => {
    expect([12.34, 999, 1500].map(millisText)).toEqual(["12.3 ms", "999 ms", "1.5 s"]);
  });
});
