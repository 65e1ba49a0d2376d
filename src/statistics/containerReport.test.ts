/** The report of a container. */
import { describe, expect, test } from "vitest";

import { millis } from "../base/units.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "../partition/epk.ts";
import { contains, type Epk } from "../partition/epkRange.ts";
import { initialRanges } from "../partition/initialRanges.ts";
import { ContainerMeter } from "./containerMeter.ts";
import {
  containerReport,
  heaviestKeys,
  type LogicalFacts,
  type ReportFacts,
} from "./containerReport.ts";

const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const WALL = 1_700_000_000_000;
const RANGES = initialRanges(V2, 2);
/** Keys of the left and of the right physical partition. */
const KEYS = Array.from({ length: 20 }, (_, key) => epkOf(V2, [key]));
const LEFT = KEYS.filter((epk) => contains(RANGES[0]!, epk));
const RIGHT = KEYS.filter((epk) => contains(RANGES[1]!, epk));

function logical(epk: Epk, partitionId: string, itemBytes: number): LogicalFacts {
  return { epk, partitionKey: ["k"], partitionId, itemCount: 1, itemBytes };
}

function factsOf(meter: ContainerMeter, now: number, more: Partial<ReportFacts> = {}): ReportFacts {
  return {
    database: "db",
    container: "c",
    rid: "rid",
    at: WALL + now,
    now: millis(now),
    partitionKeyPaths: ["/pk"],
    throughput: { kind: "manual", isShared: false, ratePerSecond: 2000, isLimited: true },
    limits: { logicalPartitionBytesMax: 20, physicalPartitionBytesMax: 50, partitionRateMax: 10 },
    jobs: [],
    meter,
    partitions: RANGES.map((range, index) => ({
      entry: { id: String(index), range, parents: [] },
      lsn: 7,
      itemCount: 10 + index,
      itemBytes: 1000 * (index + 1),
      logicalPartitionCount: 2,
      allottedRate: 1000,
      meter: meter.meters.get(String(index))!,
    })),
    topBySize: [],
    topByLoad: [],
    giniOfBytes: undefined,
    ...more,
  };
}

function newMeter(): ContainerMeter {
  const meter = new ContainerMeter(V2, { now: () => millis(0), wallNow: () => WALL });
  RANGES.forEach((range, id) => {
    meter.open({ id: String(id), range, allottedRate: 1000 }, millis(0));
  });
  return meter;
}

describe("a report", () => {
  test("of an idle container has sizes, zeros, and no shares", () => {
    const report = containerReport(factsOf(newMeter(), 10_000));
    const idle = { ru: 0, requestCount: 0, throttledCount: 0, normalizedPercent: 0 };
    expect(report.figures).toEqual({
      ...idle,
      hourlyPeakPercents: [],
      itemCount: 21,
      itemBytes: 3000,
      logicalPartitionCount: 4,
      largestLogicalBytes: 0,
      averageLogicalBytes: 750,
      largestPhysicalBytes: 2000,
      averagePhysicalBytes: 1500,
      bytesPerDay: undefined,
      busiestShare: undefined,
      throttledShare: undefined,
      queryCount: 0,
      crossPartitionQueryCount: 0,
      crossPartitionShare: undefined,
      giniOfBytes: undefined,
      giniOfLoad: undefined,
    });
    expect(report.partitions[1]).toEqual({
      id: "1",
      min: RANGES[1]!.min,
      max: "FF",
      parents: [],
      lsn: 7,
      itemCount: 11,
      itemBytes: 2000,
      logicalPartitionCount: 2,
      allottedRate: 1000,
      lastSecond: { seconds: 1, ...idle },
      lastMinute: { seconds: 10, ...idle },
      lastFiveMinutes: { seconds: 10, ...idle },
    });
  });

  test("of a container without physical partitions has nothing to divide by", () => {
    const { figures } = containerReport(factsOf(newMeter(), 0, { partitions: [] }));
    expect(figures.averageLogicalBytes).toBe(0);
    expect(figures.averagePhysicalBytes).toBe(0);
    expect(figures.largestPhysicalBytes).toBe(0);
  });

  test("says how the load is shared", () => {
    const meter = newMeter();
    meter.meters.get("0")!.note("read", LEFT[0], 900, millis(1000));
    meter.meters.get("1")!.note("read", RIGHT[0], 100, millis(1000));
    for (let count = 0; count < 2; count++) {
      meter.meters.get("0")!.noteThrottled("read", LEFT[0], millis(1100));
    }
    for (const visited of [1, 2, 2, 2]) meter.noteQuery(visited, millis(1200));
    const { figures, partitions } = containerReport(factsOf(meter, 2000, { giniOfBytes: 0.4 }));
    expect(figures).toMatchObject({
      ru: 1000,
      requestCount: 4,
      throttledCount: 2,
      normalizedPercent: 90,
      busiestShare: 0.9,
      throttledShare: 0.5,
      queryCount: 4,
      crossPartitionQueryCount: 3,
      crossPartitionShare: 0.75,
      giniOfBytes: 0.4,
      giniOfLoad: 0.4,
    });
    expect(partitions.map(({ lastSecond }) => lastSecond.ru)).toEqual([900, 100]);
  });

  test("names the heaviest logical partitions of all physical ones, with their load", () => {
    const meter = newMeter();
    meter.meters.get("0")!.note("write", LEFT[0], 5, millis(1000));
    meter.meters.get("0")!.note("write", LEFT[1], 1, millis(1000));
    meter.meters.get("1")!.note("write", RIGHT[0], 3, millis(1000));
    const heaviest = heaviestKeys(meter, 2, millis(2000));
    expect(heaviest.map(({ epk, partitionId, ru }) => [epk, partitionId, ru])).toEqual([
      [LEFT[0], "0", 5],
      [RIGHT[0], "1", 3],
    ]);
    const topByLoad = heaviest.map(({ epk, partitionId }) => logical(epk, partitionId, 10));
    const topBySize = [logical(LEFT[2]!, "0", 800), logical(LEFT[1]!, "0", 600)];
    const report = containerReport(factsOf(meter, 2000, { topByLoad, topBySize }));
    expect(report.topByLoad).toEqual([
      { ...topByLoad[0]!, ru: 5, errorRu: 0, throttledCount: 0 },
      { ...topByLoad[1]!, ru: 3, errorRu: 0, throttledCount: 0 },
    ]);
    expect(report.topBySize).toEqual([
      topBySize[0],
      { ...topBySize[1]!, ru: 1, errorRu: 0, throttledCount: 0 },
    ]);
    expect(report.figures.largestLogicalBytes).toBe(800);
  });
});
