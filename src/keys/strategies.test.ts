/** Every strategy of the guides by an example of its keys, and what its readers visit. */
import { describe, expect, test } from "vitest";
import { adaptive, adaptiveByVolume } from "./adaptive.ts";
import { printKeyLevels } from "./expressionText.ts";
import {
  calculatedSuffix,
  category,
  concatenation,
  customerAndStatus,
  entityId,
  geoAndTime,
  hashBuckets,
  hierarchical,
  randomSuffix,
  roundRobin,
  tenant,
  timeAndHash,
  timeBucket,
  typeTimeAndHash,
} from "./strategies.ts";
import { BadStrategy, clientKey, type KeyStrategy, strategyOf } from "./strategy.ts";

const item = {
  id: "42",
  tenantId: "t1",
  category: "books",
  region: "europe",
  customerId: "c42",
  status: "shipped",
  type: "click",
  deviceId: "abc-123",
  vin: "42",
  date: "2018-08-09",
  year: 2018,
  ts: "2025-10-03T08:15:00Z",
};
const monthly = { time: "/ts", grain: "month" } as const;

describe("a strategy has an expression and makes a key", () => {
  test.each<[KeyStrategy, string, unknown]>([
    [entityId(), "/id", "42"],
    [entityId("/vin"), "/vin", "42"],
    [tenant(), "/tenantId", "t1"],
    [category(), "/category", "books"],
    [timeBucket({ time: "/ts", grain: "hour" }), "hour(/ts)", "2025-10-03T08"],
    [timeBucket({ time: "/ts", grain: "week" }), "week(/ts)", "2025-W40"],
    [timeBucket({ time: "/ts", grain: "year" }), "year(/ts)", "2025"],
    [geoAndTime(monthly), "concat(/region, '_', month(/ts))", "europe_2025-10"],
    [customerAndStatus(), "concat(/customerId, '_', /status)", "c42_shipped"],
    [
      typeTimeAndHash({ ...monthly, count: 10 }),
      "concat(/type, '_', month(/ts), '_', hash(/id) % 10)",
      "click_2025-10_9",
    ],
    [
      timeAndHash({ ...monthly, count: 10 }),
      "concat(month(/ts), '_', hash(/id) % 10)",
      "2025-10_9",
    ],
    [concatenation(["/deviceId", "/year"]), "concat(/deviceId, '-', /year)", "abc-123-2018"],
    [
      concatenation(["/deviceId", "month(/ts)"], { separator: "" }),
      "concat(/deviceId, month(/ts))",
      "abc-1232025-10",
    ],
    [
      randomSuffix({ base: "/date", count: 400, random: () => 0.5 }),
      "suffix(/date, random(), 400)",
      "2018-08-09.201",
    ],
    [
      calculatedSuffix({ base: "/date", of: "/vin", count: 400 }),
      "suffix(/date, hash(/vin), 400)",
      "2018-08-09.190",
    ],
    [hashBuckets({ of: "/id", count: 100 }), "concat('bucket_', hash(/id) % 100)", "bucket_89"],
    [hashBuckets({ of: "/id", count: 100, prefix: "" }), "hash(/id) % 100", "89"],
    [
      adaptive({
        of: "/deviceId",
        time: "/ts",
        fine: "day",
        coarse: "month",
        heavy: ["abc-123"],
      }),
      "choose(/deviceId, ['abc-123'], concat(/deviceId, '_', day(/ts)), concat(/deviceId, '_', month(/ts)))",
      "abc-123_2025-10-03",
    ],
    [strategyOf("lower(/category)"), "lower(/category)", "books"],
  ])("$name", (strategy, text, key) => {
    expect(printKeyLevels(strategy.expression)).toBe(text);
    expect(strategy.keyOf(item)).toEqual([key]);
  });

  test("round robin takes the buckets in turn", () => {
    const strategy = roundRobin({ count: 3 });
    const keys = [1, 2, 3, 4].map(() => strategy.keyOf(item)[0]);
    expect(keys).toEqual(["rr_0", "rr_1", "rr_2", "rr_0"]);
    expect(roundRobin({ count: 3, turn: () => 5 }).keyOf(item)).toEqual(["rr_2"]);
  });

  test("hierarchical has one key for each level, where the container wants it", () => {
    const strategy = hierarchical(["/tenantId", "month(/ts)", "hash(/id) % 4"]);
    expect(strategy.paths).toEqual(["/tenantId", "/partitionKey1", "/partitionKey2"]);
    expect(strategy.keyOf(item)).toEqual(["t1", "2025-10", "1"]);
    expect(strategy.withKey(item)).toEqual({
      ...item,
      partitionKey1: "2025-10",
      partitionKey2: "1",
    });
    expect(strategy.visits({ values: new Map([["/tenantId", ["t1"]]]) })).toEqual({
      keys: [["t1"]],
      isPrefix: true,
    });
  });
});

describe("an item with its key", () => {
  test("has it where the container looks", () => {
    const strategy = timeBucket({ ...monthly, property: "pk" });
    expect(strategy.paths).toEqual(["/pk"]);
    expect(strategy.withKey({ id: "1", ts: "2025-10-03" })).toEqual({
      id: "1",
      ts: "2025-10-03",
      pk: "2025-10",
    });
  });

  test("is as it was when the key is one of its properties", () => {
    expect(tenant().paths).toEqual(["/tenantId"]);
    expect(tenant().withKey(item)).toEqual(item);
  });

  test("loses an earlier key when it has none", () => {
    const strategy = timeBucket(monthly);
    expect(strategy.withKey({ id: "1", partitionKey: "2020-01" })).toEqual({ id: "1" });
    expect(clientKey(strategy.keyOf({ id: "1" }))).toEqual([{}]);
    expect(clientKey(["a", null, 5])).toEqual(["a", null, 5]);
  });

  test("may be called __proto__ or anything else", () => {
    const keyed = timeBucket({ ...monthly, property: "__proto__" }).withKey({ ts: "2025-10-03" });
    expect(JSON.stringify(keyed)).toBe('{"ts":"2025-10-03","__proto__":"2025-10"}');
  });
});

describe("adaptive granularity by volume", () => {
  const DAY = 86_400_000;
  const november = Date.UTC(2025, 10, 1);

  /** Device "d" is heavy in November. */
  function fleet(): { strategy: ReturnType<typeof adaptiveByVolume>; asked: string[] } {
    const asked: string[] = [];
    const strategy = adaptiveByVolume({
      of: "/deviceId",
      time: "/ts",
      fine: "day",
      coarse: "month",
      threshold: 1000,
      volumeOf: (value, period) => {
        asked.push(`${value} ${period}`);
        // Grows with every question, as a live count would.
        return value === "d" && period === "2025-11" ? 1000 + asked.length : asked.length;
      },
    });
    return { strategy, asked };
  }

  test("decides once for each value and long period", () => {
    const { strategy, asked } = fleet();
    const keyAt = (deviceId: string, ts: string) => strategy.keyOf({ deviceId, ts })[0];
    expect(keyAt("d", "2025-10-31")).toBe("d_2025-10");
    expect(keyAt("d", "2025-11-01")).toBe("d_2025-11-01");
    expect(keyAt("d", "2025-11-30")).toBe("d_2025-11-30");
    expect(keyAt("e", "2025-11-30")).toBe("e_2025-11");
    expect(asked).toEqual(["d 2025-10", "d 2025-11", "e 2025-11"]);
    expect(strategy.keyOf({ ts: "2025-11-30" })).toEqual([undefined]);
    expect(strategy.withKey({ deviceId: "e", ts: "2025-11-30" })).toMatchObject({
      partitionKey: "e_2025-11",
    });
  });

  test("readers visit what writers used, each month in its own way", () => {
    const { strategy } = fleet();
    const range = { path: "/ts", from: november - DAY, to: november + 2 * DAY };
    const visits = strategy.visits({ values: new Map([["/deviceId", ["d", "e"]]]), range });
    expect(visits).toEqual({
      keys: [
        "d_2025-10",
        "e_2025-10",
        "d_2025-11-01",
        "d_2025-11-02",
        "d_2025-11-03",
        "e_2025-11",
      ].map((key) => [key]),
      isPrefix: false,
    });
  });

  test("readers who know the time need no range, and cannot do without the value", () => {
    const { strategy } = fleet();
    const values = new Map([
      ["/deviceId", ["d"]],
      ["/ts", ["2025-11-05T10:00:00Z"]],
    ]);
    expect(strategy.visits({ values })?.keys).toEqual([["d_2025-11-05"]]);
    expect(strategy.visits({ values: new Map([["/ts", ["2025-11-05"]]]) })).toBeUndefined();
    expect(strategy.visits({ values: new Map([["/deviceId", ["d"]]]) })).toBeUndefined();
  });

  test("has an expression for each long period", () => {
    const { strategy } = fleet();
    expect(printKeyLevels(strategy.expressionIn("2025-11", ["d", "e"]))).toContain("['d']");
    expect(printKeyLevels(strategy.expressionIn("2025-10", ["d", "e"]))).toContain("[]");
  });
});

describe("a strategy is refused", () => {
  test.each<[string, () => unknown]>([
    ["/ts is no expression", () => timeBucket({ time: "ts", grain: "day" })],
    ["A path such as /id is needed here, not hash(…)", () => entityId("hash(/id) % 3")],
    ["whole number from 1 to 1000000", () => hashBuckets({ of: "/id", count: 0 })],
    ["The number of suffixes", () => calculatedSuffix({ base: "/d", of: "/id", count: 2.5 })],
    ["1 to 3 levels, not 4", () => hierarchical(["/a", "/b", "/c", "/d"])],
    ["2 or 3 levels, not 1", () => hierarchical(["/a"])],
    ["nothing to put together", () => concatenation([])],
    ['it needs "random", such as Math.random', () => strategyOf("suffix(/a, random(), 5)")],
    [
      "A month is not shorter than a day",
      () => adaptive({ of: "/a", time: "/ts", fine: "month", coarse: "day", heavy: [] }),
    ],
  ])("%s", (message, make) => {
    expect(make).toThrow(BadStrategy);
    if (!message.startsWith("/ts")) expect(make).toThrow(message);
  });
});
