/** A container in one line, and what to make of it. */
import { describe, expect, test } from "vitest";
import type { Sample } from "../../alerts/sampleReports.fake.ts";
import { GIB, sampleReport } from "../../alerts/sampleReports.fake.ts";
import { overviewRow } from "./overview.ts";

const IDLE: Sample = { partitions: [{}, {}] };

describe("what to make of it", () => {
  test.each<[string, Sample, RegExp]>([
    ["nobody is there", IDLE, /^Nothing was asked in the last minute\.$/],
    ["all is well", { partitions: [{ usePercent: 30 }, { usePercent: 40 }] }, /^Fine\.$/],
    [
      "one is hot",
      { partitions: [{ usePercent: 95 }, { usePercent: 5 }] },
      /^One physical partition spends all it may while others have room\.$/,
    ],
    [
      "all are",
      { partitions: [{ usePercent: 95 }, { usePercent: 90 }] },
      /^The whole rate is used\.$/,
    ],
    ["the only one is", { partitions: [{ usePercent: 100 }] }, /whole rate/],
    [
      "peaks are refused",
      { partitions: [{ usePercent: 40, throttledPercent: 5 }] },
      /^5 % of the requests are throttled\.$/,
    ],
    [
      "hardly any is refused",
      { partitions: [{ usePercent: 40, throttledPercent: 1 }] },
      /^Fine\.$/,
    ],
    [
      "a logical partition is nearly full, which is worse than anything else",
      {
        partitions: [{ usePercent: 100 }],
        topBySize: [{ key: "a", itemBytes: 16 * GIB }],
      },
      /^A logical partition has 80 % of the most/,
    ],
    [
      "the rate is no limit",
      { partitions: [{ usePercent: 400 }, { usePercent: 5 }], throughput: { isLimited: false } },
      /^Fine\.$/,
    ],
  ])("when %s", (_rule, sample, expected) => {
    expect(overviewRow(sampleReport(sample)).health).toMatch(expected);
  });
});

describe("the line", () => {
  test("has the busiest and the whole", () => {
    const sample: Sample = {
      partitions: [
        { usePercent: 80, allottedRate: 1000 },
        { usePercent: 20, allottedRate: 3000 },
      ],
    };
    const row = overviewRow(sampleReport(sample));
    expect(row.busiestPercent).toBeCloseTo(80);
    expect(row.wholePercent).toBeCloseTo((80 * 1000 + 20 * 3000) / 4000);
    expect(row).toMatchObject({ partitionCount: 2, ratePerSecond: 4000, throttledShare: 0 });
  });

  test("has no share of refusals where nothing was asked", () => {
    const row = overviewRow(sampleReport(IDLE));
    expect(row).toMatchObject({ busiestPercent: 0, wholePercent: 0 });
    expect(row.throttledShare).toBeUndefined();
  });

  test("divides by nothing when nothing was measured yet", () => {
    const report = sampleReport(IDLE);
    const partitions = report.partitions.map((partition) => ({
      ...partition,
      lastMinute: { ...partition.lastMinute, seconds: 0 },
    }));
    expect(overviewRow({ ...report, partitions })).toMatchObject({
      busiestPercent: 0,
      wholePercent: 0,
    });
  });
});
