/** Which texts are dates, and that writing and reading undo each other. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { instantText, parseInstant } from "./dateText.ts";

describe("date texts", () => {
  test.each([
    ["2023-03-06", "2023-03-06T00:00:00.0000000Z"],
    ["2023-03-06Z", "2023-03-06T00:00:00.0000000Z"],
    ["2023-03-06 15:29:00Z", "2023-03-06T15:29:00.0000000Z"],
    ["2023-03-06T15:29:59", "2023-03-06T15:29:59.0000000Z"],
    ["2023-03-06T15:29:59.9", "2023-03-06T15:29:59.9000000Z"],
    ["2023-03-06T15:29:59.1234567Z", "2023-03-06T15:29:59.1234567Z"],
    ["2024-02-29", "2024-02-29T00:00:00.0000000Z"],
    ["2000-02-29", "2000-02-29T00:00:00.0000000Z"],
    ["0001-01-01", "0001-01-01T00:00:00.0000000Z"],
    ["9999-12-31T23:59:59.9999999", "9999-12-31T23:59:59.9999999Z"],
  ])("%s is a date", (text, written) => {
    expect(instantText(parseInstant(text)!)).toBe(written);
  });

  test.each([
    "",
    "2023",
    "2023-03",
    "2023-3-6",
    "23-03-06",
    "2023/03/06",
    "2023-03-06T",
    "2023-03-06TZ",
    "2023-03-06T15",
    "2023-03-06T15:29",
    "2023-03-06T15:29Z",
    "2023-03-06_15:29:00",
    "2023-03-06t15:29:00",
    "2023-03-06T15:29:00z",
    "2023-03-06T15:29:00ZZ",
    "2023-03-06T15:29:00.",
    "2023-03-06T15:29:00.12345678",
    "2023-03-06T15:29:00+00:00",
    " 2023-03-06",
    "2023-03-06\n",
    "2020 - 01 - 03T01: 02:03.1234567Z",
    "2023-00-06",
    "2023-13-06",
    "2023-03-00",
    "2023-03-32",
    "2023-04-31",
    "2023-02-29",
    "1900-02-29",
    "0000-01-01",
    "2023-03-06T24:00:00",
    "2023-03-06T15:60:00",
    "2023-03-06T15:29:60",
    "٢٠٢٣-٠٣-٠٦",
  ])("%j is no date", (text) => {
    expect(parseInstant(text)).toBeUndefined();
  });

  const anyInstant = fc.bigInt({
    min: -621_355_968_000_000_000n,
    max: 2_534_023_007_999_999_999n,
  });

  test("what is written is read as the same instant, and sorts like it", () => {
    fc.assert(
      fc.property(anyInstant, anyInstant, (a, b) => {
        expect(parseInstant(instantText(a))).toBe(a);
        expect(instantText(a) < instantText(b)).toBe(a < b);
      }),
    );
  });
});
