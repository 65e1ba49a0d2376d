/**
 * The documented examples and the edges of every date and time function, one row each. The
 * calendar below them has tests of its own (`dateParts.test.ts`).
 */
import { describe, expect, test } from "vitest";

import type { CallContext, Value } from "./builtIn.ts";
import { DATE_TIME_FUNCTIONS } from "./dateTime.ts";

type Row = readonly [name: string, args: readonly Value[], answer: Value];

const none = undefined;

/** Now is 2024-10-14T14:20:30.666, and the query has run for a second. */
const WALL_NOW = 1_728_915_630_666;

const CONTEXT: CallContext = {
  wallNow: () => WALL_NOW,
  startedAt: WALL_NOW - 1000,
  random: () => 0,
  geometry: "Geography",
  memo: (_kind, _key, make) => make(),
};

const IS_DATE: readonly Row[] = [
  ["IS_DATETIME", ["2024-12-12"], true],
  ["IS_DATETIME", ["2024-12-12Z"], true],
  ["IS_DATETIME", ["2024-12-12 20:21:25"], true],
  ["IS_DATETIME", ["2024-12-12T20:21:25Z"], true],
  ["IS_DATETIME", ["2024-12-12T20:21:25.123"], true],
  ["IS_DATETIME", ["2024-12-12 20:21:25.123Z"], true],
  ["IS_DATETIME", ["2024-12-12T20Z"], false],
  ["IS_DATETIME", ["2024-12-12 20:21:25."], false],
  ["IS_DATETIME", [1_734_034_885], false],
  ["IS_DATETIME", [null], false],
  ["IS_DATETIME", [none], false],
];

const NOON = "2019-02-04T16:00:00.0000000";
const YEAR_BEFORE = "2018-03-05T05:00:00.0000000";
const JULY = "2020-07-03T00:00:00.0000000";

const ARITHMETIC: readonly Row[] = [
  ["DATETIMEADD", ["yyyy", 1, JULY], "2021-07-03T00:00:00.0000000Z"],
  ["DATETIMEADD", ["mm", 1, JULY], "2020-08-03T00:00:00.0000000Z"],
  ["DATETIMEADD", ["dd", 1, JULY], "2020-07-04T00:00:00.0000000Z"],
  ["DATETIMEADD", ["hh", 1, JULY], "2020-07-03T01:00:00.0000000Z"],
  ["DATETIMEADD", ["yyyy", -1, JULY], "2019-07-03T00:00:00.0000000Z"],
  ["DATETIMEADD", ["mm", -1, JULY], "2020-06-03T00:00:00.0000000Z"],
  ["DATETIMEADD", ["dd", -1, JULY], "2020-07-02T00:00:00.0000000Z"],
  ["DATETIMEADD", ["hh", -1, JULY], "2020-07-02T23:00:00.0000000Z"],
  ["DATETIMEADD", ["ss", -25, JULY], "2020-07-02T23:59:35.0000000Z"],
  ["DATETIMEADD", ["mi", 90, JULY], "2020-07-03T01:30:00.0000000Z"],
  ["DATETIMEADD", ["ms", 1500, JULY], "2020-07-03T00:00:01.5000000Z"],
  ["DATETIMEADD", ["mcs", 1, JULY], "2020-07-03T00:00:00.0000010Z"],
  ["DATETIMEADD", ["ns", 199, JULY], "2020-07-03T00:00:00.0000001Z"],
  ["DATETIMEADD", ["ns", 1e18, JULY], "2052-03-11T01:46:40.0000000Z"],
  // The day that the other month does not have becomes its last.
  ["DATETIMEADD", ["month", 1, "2023-01-31"], "2023-02-28T00:00:00.0000000Z"],
  ["DATETIMEADD", ["m", 1, "2024-01-31"], "2024-02-29T00:00:00.0000000Z"],
  ["DATETIMEADD", ["mm", -13, "2024-03-31"], "2023-02-28T00:00:00.0000000Z"],
  ["DATETIMEADD", ["yy", 1, "2024-02-29"], "2025-02-28T00:00:00.0000000Z"],
  ["DATETIMEADD", ["dd", 0, "9999-12-31T23:59:59.9999999Z"], "9999-12-31T23:59:59.9999999Z"],
  ["DATETIMEADD", ["ns", 100, "9999-12-31T23:59:59.9999999Z"], none],
  ["DATETIMEADD", ["yyyy", 1, "9999-12-31"], none],
  ["DATETIMEADD", ["yyyy", -1, "0001-01-01"], none],
  ["DATETIMEADD", ["dd", -1, "0001-01-01"], none],
  ["DATETIMEADD", ["mm", 1e300, JULY], none],
  ["DATETIMEADD", ["week", 1, JULY], none],
  ["DATETIMEADD", ["dd", 1.5, JULY], none],
  ["DATETIMEADD", ["dd", "1", JULY], none],
  ["DATETIMEADD", ["dd", 1, "not a date"], none],
  ["DATETIMEADD", ["dd", 1, none], none],
  ["DATETIMEDIFF", ["yyyy", NOON, YEAR_BEFORE], -1],
  ["DATETIMEDIFF", ["mm", NOON, YEAR_BEFORE], -11],
  ["DATETIMEDIFF", ["dd", NOON, YEAR_BEFORE], -336],
  ["DATETIMEDIFF", ["hh", NOON, YEAR_BEFORE], -8075],
  ["DATETIMEDIFF", ["ss", NOON, YEAR_BEFORE], -29_070_000],
  ["DATETIMEDIFF", ["yyyy", YEAR_BEFORE, NOON], 1],
  ["DATETIMEDIFF", ["mm", YEAR_BEFORE, NOON], 11],
  ["DATETIMEDIFF", ["dd", YEAR_BEFORE, NOON], 336],
  ["DATETIMEDIFF", ["hh", YEAR_BEFORE, NOON], 8075],
  ["DATETIMEDIFF", ["ss", YEAR_BEFORE, NOON], 29_070_000],
  // Boundaries are counted, not durations.
  ["DATETIMEDIFF", ["yyyy", "2020-12-31T23:59:59", "2021-01-01"], 1],
  ["DATETIMEDIFF", ["dd", "2020-01-01T23:59:00", "2020-01-02T00:01:00"], 1],
  ["DATETIMEDIFF", ["hh", "1969-12-31T23:59:00", "1970-01-01T00:01:00"], 1],
  ["DATETIMEDIFF", ["ss", "2020-01-01T00:00:00.9", "2020-01-01T00:00:01.1"], 1],
  ["DATETIMEDIFF", ["mcs", "2020-01-01", "2020-01-01T00:00:00.5"], 500_000],
  ["DATETIMEDIFF", ["ns", "2020-01-01", "2020-01-01T00:00:00.0000003"], 300],
  ["DATETIMEDIFF", ["dd", NOON, NOON], 0],
  ["DATETIMEDIFF", ["weekday", NOON, NOON], none],
  ["DATETIMEDIFF", ["dd", NOON, "soon"], none],
];

const FINE = "2016-05-29T08:30:00.1301617";

const PARTS: readonly Row[] = [
  ["DATETIMEPART", ["yyyy", FINE], 2016],
  ["DATETIMEPART", ["mm", FINE], 5],
  ["DATETIMEPART", ["dd", FINE], 29],
  ["DATETIMEPART", ["hh", FINE], 8],
  ["DATETIMEPART", ["mi", FINE], 30],
  ["DATETIMEPART", ["ss", FINE], 0],
  ["DATETIMEPART", ["ms", FINE], 130],
  ["DATETIMEPART", ["mcs", FINE], 130_161],
  ["DATETIMEPART", ["ns", FINE], 130_161_700],
  ["DATETIMEPART", ["YEAR", FINE], 2016],
  ["DATETIMEPART", ["", FINE], none],
  ["DATETIMEPART", [5, FINE], none],
  ["DATETIMEPART", ["yyyy", "2016-05"], none],
  ["YEAR", ["2000-10-10"], 2000],
  ["YEAR", ["2024-01-10T14:15:20"], 2024],
  ["YEAR", ["1989-03-03T12:12:12.1234567Z"], 1989],
  ["MONTH", ["2024-01-10"], 1],
  ["MONTH", ["2000-12-12T10:00:00"], 12],
  ["MONTH", ["1989-03-03T12:12:12.1234567Z"], 3],
  ["DAY", ["2024-01-10"], 10],
  ["DAY", ["2000-12-12T10:00:00"], 12],
  ["DAY", ["1989-03-03T12:12:12.1234567Z"], 3],
  ["DAY", [3], none],
  ["DATETIMEFROMPARTS", [2017, 4, 20], "2017-04-20T00:00:00.0000000Z"],
  ["DATETIMEFROMPARTS", [2017, 4, 20, 0, 0, 0, 0], "2017-04-20T00:00:00.0000000Z"],
  ["DATETIMEFROMPARTS", [2017, 4, 20, 13, 15, 20, 3_456_789], "2017-04-20T13:15:20.3456789Z"],
  ["DATETIMEFROMPARTS", [2017, 4, 20, 13, 15], "2017-04-20T13:15:00.0000000Z"],
  ["DATETIMEFROMPARTS", [-2000, -1, -1], none],
  ["DATETIMEFROMPARTS", [2023, 2, 29], none],
  ["DATETIMEFROMPARTS", [2020, 1, 1, 0, 0, 0, 10_000_000], none],
  ["DATETIMEFROMPARTS", [2020, 1, 1.5], none],
  ["DATETIMEFROMPARTS", [2020, 1, 1, none], none],
];

const EVENING = "2021-01-08T18:35:00.0000000";

const BINS: readonly Row[] = [
  ["DATETIMEBIN", [EVENING, "dd"], "2021-01-08T00:00:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "hh"], "2021-01-08T18:00:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "ss"], "2021-01-08T18:35:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "hh", 5], "2021-01-08T15:00:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "dd", 7], "2021-01-07T00:00:00.0000000Z"],
  [
    "DATETIMEBIN",
    [EVENING, "dd", 7, "1601-01-01T00:00:00.0000000"],
    "2021-01-04T00:00:00.0000000Z",
  ],
  ["DATETIMEBIN", [EVENING, "yyyy"], "2021-01-01T00:00:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "yyyy", 2], "2020-01-01T00:00:00.0000000Z"],
  ["DATETIMEBIN", ["2021-06-28", "mm", 3], "2021-04-01T00:00:00.0000000Z"],
  // Bins of months begin on the day their origin does.
  ["DATETIMEBIN", ["2021-06-14", "mm", 1, "2000-01-15"], "2021-05-15T00:00:00.0000000Z"],
  ["DATETIMEBIN", ["2021-06-15", "mm", 1, "2000-01-15"], "2021-06-15T00:00:00.0000000Z"],
  ["DATETIMEBIN", ["2021-06-15", "mm", 4, "2022-01-01"], "2021-05-01T00:00:00.0000000Z"],
  ["DATETIMEBIN", ["1969-12-31T23:59:00", "hh", 1], "1969-12-31T23:00:00.0000000Z"],
  ["DATETIMEBIN", [FINE, "mcs", 100], "2016-05-29T08:30:00.1301000Z"],
  ["DATETIMEBIN", [FINE, "ns", 1000], "2016-05-29T08:30:00.1301610Z"],
  ["DATETIMEBIN", [FINE, "ns", 50], "2016-05-29T08:30:00.1301617Z"],
  ["DATETIMEBIN", ["0001-06-01", "yyyy", 9], none],
  ["DATETIMEBIN", [EVENING, "yyyy", 9e18], "1970-01-01T00:00:00.0000000Z"],
  ["DATETIMEBIN", [EVENING, "hh", 0], none],
  ["DATETIMEBIN", [EVENING, "hh", -1], none],
  ["DATETIMEBIN", [EVENING, "hh", 1.5], none],
  ["DATETIMEBIN", [EVENING, "hh", none], none],
  ["DATETIMEBIN", [EVENING, "hh", 1, "1600-12-31"], none],
  ["DATETIMEBIN", [EVENING, "hh", 1, none], none],
  ["DATETIMEBIN", [EVENING, "fortnight"], none],
];

const COUNTS: readonly Row[] = [
  ["DATETIMETOTICKS", ["2015-05-19T12:00:00.0000000"], 14_320_368_000_000_000],
  ["DATETIMETOTICKS", ["1970-01-01T00:00:00.0000001"], 1],
  ["DATETIMETOTICKS", ["1601-01-01"], -116_444_736_000_000_000],
  ["DATETIMETOTICKS", ["1601"], none],
  ["TICKSTODATETIME", [15_973_607_943_002_652], "2020-08-13T23:19:54.3002652Z"],
  ["TICKSTODATETIME", [0], "1970-01-01T00:00:00.0000000Z"],
  ["TICKSTODATETIME", [-116_444_736_000_000_000], "1601-01-01T00:00:00.0000000Z"],
  ["TICKSTODATETIME", [1e300], none],
  ["TICKSTODATETIME", [0.5], none],
  ["TICKSTODATETIME", [Number.NaN], none],
  ["TICKSTODATETIME", ["0"], none],
  ["DATETIMETOTIMESTAMP", ["2015-05-19T12:00:00.0000000"], 1_432_036_800_000],
  ["DATETIMETOTIMESTAMP", ["1970-01-01T00:00:00.0019999"], 1],
  ["DATETIMETOTIMESTAMP", ["1969-12-31T23:59:59.9999999"], -1],
  ["TIMESTAMPTODATETIME", [1_597_360_794_300], "2020-08-13T23:19:54.3000000Z"],
  ["TIMESTAMPTODATETIME", [0], "1970-01-01T00:00:00.0000000Z"],
  ["TIMESTAMPTODATETIME", [-11_644_473_600_000], "1601-01-01T00:00:00.0000000Z"],
  ["TIMESTAMPTODATETIME", [253_402_300_800_000], none],
  ["TIMESTAMPTODATETIME", [true], none],
];

const FORMATS: readonly Row[] = [
  ["DATETIMEFORMAT", ["2024-10-10 14:40:20", "yyyyMMdd"], "20241010"],
  ["DATETIMEFORMAT", ["2024-10-10 14:40:20", "yyyy-MM-dd [HH:mm:ss]"], "2024-10-10 [14:40:20]"],
  [
    "DATETIMEFORMAT",
    ["2024-10-10 14:40:20", "To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.fff"],
    "Today is: 2024-10-10T14:40:20.000",
  ],
  [
    "DATETIMEFORMAT",
    ["2024-10-10 14:40:20", "To\\da\\y i\\s: yyyy-MM-ddTHH:mm:ss.FFF"],
    "Today is: 2024-10-10T14:40:20.",
  ],
  ["DATETIMEFORMAT", ["soon", "yyyy"], none],
  ["DATETIMEFORMAT", ["2024-10-10", 4], none],
];

const CURRENT: readonly Row[] = [
  ["GETCURRENTDATETIME", [], "2024-10-14T14:20:30.6660000Z"],
  ["GETCURRENTTICKS", [], 17_289_156_306_660_000],
  ["GETCURRENTTIMESTAMP", [], 1_728_915_630_666],
  ["GETCURRENTDATETIMESTATIC", [], "2024-10-14T14:20:29.6660000Z"],
  ["GETCURRENTTICKSSTATIC", [], 17_289_156_296_660_000],
  ["GETCURRENTTIMESTAMPSTATIC", [], 1_728_915_629_666],
  ["NOW", [], "2024-10-14T14:20:30.6660000Z"],
  ["NOW", ["yyyy", 1], "2025-10-14T14:20:30.6660000Z"],
  ["NOW", ["yyyy", -1], "2023-10-14T14:20:30.6660000Z"],
  ["NOW", ["ss", 30], "2024-10-14T14:21:00.6660000Z"],
  ["NOW", ["ms", 4], "2024-10-14T14:20:30.6700000Z"],
  ["NOW", ["yyyy"], none],
  ["NOW", ["eon", 1], none],
  ["AGO", ["yyyy", 1], "2023-10-14T14:20:30.6660000Z"],
  ["AGO", ["yyyy", -1], "2025-10-14T14:20:30.6660000Z"],
  ["AGO", ["ss", 30], "2024-10-14T14:20:00.6660000Z"],
  ["AGO", ["ms", 4], "2024-10-14T14:20:30.6620000Z"],
  ["AGO", ["dd", 0.5], none],
  ["AGO", ["dd", "1"], none],
];

describe("date and time functions", () => {
  const rows = [IS_DATE, ARITHMETIC, PARTS, BINS, COUNTS, FORMATS, CURRENT].flat();

  test.each(rows)("%s(%j) is %j", (name, args, answer) => {
    expect(callOf(name, args)).toBe(answer);
  });

  test("every function is in the table, and takes as many arguments as its rows have", () => {
    for (const { name, argMin, argMax } of DATE_TIME_FUNCTIONS) {
      const counts = rows.filter((row) => row[0] === name).map((row) => row[1].length);
      expect([name, Math.min(...counts), Math.max(...counts)]).toEqual([name, argMin, argMax]);
    }
  });

  test("only what reads the clock of the moment is impure", () => {
    const impure = DATE_TIME_FUNCTIONS.filter(({ isPure }) => !isPure).map(({ name }) => name);
    expect(impure.sort()).toEqual([
      "AGO",
      "GETCURRENTDATETIME",
      "GETCURRENTTICKS",
      "GETCURRENTTIMESTAMP",
      "NOW",
    ]);
  });
});

function callOf(name: string, args: readonly Value[]): Value {
  return DATE_TIME_FUNCTIONS.find((builtIn) => builtIn.name === name)?.call(args, CONTEXT);
}
