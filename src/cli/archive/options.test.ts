/** What the command line asks about archives: dates, ages, keys, and what makes no sense. */
import { describe, expect, it } from "vitest";
import { BadOption } from "../../server/surroundings/options.ts";
import { archiveQuestionOf, restoreQuestionOf } from "./options.ts";

const NOW = Date.UTC(2026, 2, 31, 12);
const PATH = { "age-property": "/date" };

describe("an archive", () => {
  it.each([
    ["1s", "2026-03-31T11:59:59.000Z"],
    ["90m", "2026-03-31T10:30:00.000Z"],
    ["30d", "2026-03-01T12:00:00.000Z"],
    ["2w", "2026-03-17T12:00:00.000Z"],
    ["1mo", "2026-02-28T12:00:00.000Z"],
    ["3mo", "2025-12-31T12:00:00.000Z"],
    ["25mo", "2024-02-29T12:00:00.000Z"],
    ["2y", "2024-03-31T12:00:00.000Z"],
  ])("counts %s back from now", (age, before) => {
    expect(archiveQuestionOf({ "older-than": age, ...PATH }, NOW)).toMatchObject({ before });
  });

  it("counts a year back from a day that is in a leap year only", () => {
    const leap = archiveQuestionOf({ "older-than": "1y", ...PATH }, Date.UTC(2024, 1, 29));
    expect(leap).toMatchObject({ before: "2023-02-28T00:00:00.000Z" });
  });

  it.each([
    ["2024-01-01", "2024-01-01"],
    ["2024", "2024"],
    ["2024-01-01T12:00:00+02:00", "2024-01-01T12:00:00+02:00"],
    ["1704067200", 1_704_067_200],
    ["1704067200000", 1_704_067_200_000],
  ])("takes the date %s", (before, asked) => {
    expect(archiveQuestionOf({ before, ...PATH }, NOW)).toMatchObject({ before: asked });
  });

  it("takes keys as JSON", () => {
    const key = ['"2024-01"', "7", "null", "true", '["a","b"]', "[{}]"];
    expect(archiveQuestionOf({ key }, NOW).keys).toEqual([
      ["2024-01"],
      [7],
      [null],
      [true],
      ["a", "b"],
      [{}],
    ]);
  });

  it.each([
    [{}, "Say which logical partitions"],
    [{ before: "2024-01-01" }, "--age-property"],
    [{ before: "yesterday", ...PATH }, "--before is 'yesterday'"],
    [{ before: "2024-13-01", ...PATH }, "--before"],
    [{ "older-than": "2", ...PATH }, "--older-than is '2'"],
    [{ "older-than": "0d", ...PATH }, "--older-than"],
    [{ "older-than": "3000y", ...PATH }, "before the year 1"],
    [{ before: "2024", "older-than": "2y", ...PATH }, "exclude each other"],
    [{ key: ["2024-01"] }, "--key is '2024-01'; a key is JSON"],
    [{ key: ['{"a":1}'] }, "--key"],
    [{ key: ["1"], share: "0" }, "--share"],
    [{ key: ["1"], share: "101" }, "--share"],
    [{ key: ["1"], keep: true, "dry-run": true }, "--dry-run"],
  ])("refuses %j", (values, said) => {
    expect(() => archiveQuestionOf(values, NOW)).toThrow(BadOption);
    expect(() => archiveQuestionOf(values, NOW)).toThrow(said);
  });
});

describe("a restore", () => {
  it("asks for what was said", () => {
    const values = { from: "old", key: ["1"], overwrite: true, ttl: "keep", share: "5.5" };
    expect(restoreQuestionOf(values)).toMatchObject({
      folder: "old",
      keys: [[1]],
      overwrite: true,
      ttl: "keep",
      sharePercent: 5.5,
    });
  });

  it.each([
    [{}, "--from"],
    [{ from: "old", ttl: "forget" }, "--ttl is 'forget'"],
    [{ from: "old", create: true, overwrite: true }, "--create"],
  ])("refuses %j", (values, said) => {
    expect(() => restoreQuestionOf(values)).toThrow(said);
  });
});
