/** The fields of a format, one by one. The documented examples are in `dateTime.test.ts`. */
import { describe, expect, test } from "vitest";

import { formatInstant } from "./dateFormat.ts";
import { parseInstant } from "./dateText.ts";

const MORNING = "2009-06-05T01:04:09.0617500Z";
const MIDNIGHT = "0007-12-30T00:00:00";
const NOON = "2024-10-14T12:34:56.7";

describe("date formats", () => {
  test.each([
    [MORNING, "y yy yyy yyyy yyyyy", "9 09 2009 2009 02009"],
    [MIDNIGHT, "y yy yyy yyyy", "7 07 007 0007"],
    [MORNING, "M MM MMM MMMM", "6 06 Jun June"],
    [MORNING, "d dd ddd dddd", "5 05 Fri Friday"],
    [NOON, "ddd", "Mon"],
    [MORNING, "H HH h hh", "1 01 1 01"],
    [MIDNIGHT, "H HH h hh t tt", "0 00 12 12 A AM"],
    [NOON, "H HH h hh t tt", "12 12 12 12 P PM"],
    [MORNING, "m mm s ss", "4 04 9 09"],
    [MORNING, "f ff fff ffff fffff ffffff fffffff", "0 06 061 0617 06175 061750 0617500"],
    [MORNING, "F|FF|FFF|FFFF|FFFFF|FFFFFF|FFFFFFF", "|06|061|0617|06175|06175|06175"],
    [MIDNIGHT, ".fff .FFF", ".000 ."],
    [MORNING, "yyyyMMddHHmmss", "20090605010409"],
    [MORNING, "\\y\\\\\\😀 / , _ [] é", "y\\😀 / , _ [] é"],
    [MORNING, "a\nb", "a\nb"],
    [MORNING, "", ""],
    [MORNING, "ffffffff", undefined],
    [MORNING, "FFFFFFFF", undefined],
    [MORNING, "yyyy\\", undefined],
  ])("%s as %j is %j", (text, format, written) => {
    expect(formatInstant(parseInstant(text)!, format)).toBe(written);
  });
});
