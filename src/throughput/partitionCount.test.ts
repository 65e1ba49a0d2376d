/** The counts and rates that the documentation gives as examples. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { Throughput } from "../model/throughput.ts";
import { evenGrowthRate, instantRateMax, partitionCountAtCreation } from "./partitionCount.ts";

const manual = (ratePerSecond: number): Throughput => ({ kind: "manual", ratePerSecond });
const autoscale = (rateMax: number): Throughput => ({ kind: "autoscale", rateMax });
const setting = (manualRatePerPartition: number) => ({
  isLimited: true,
  isServerless: false,
  hasBurst: false,
  manualRatePerPartition,
});

describe("physical partitions at creation", () => {
  test.each([
    [manual(400), 10_000, 1],
    [manual(10_000), 10_000, 1],
    [manual(10_100), 10_000, 2],
    [manual(30_000), 10_000, 3],
    [manual(10_000), 6000, 2],
    [manual(18_000), 6000, 3],
    [manual(25_100), 6000, 5],
    [manual(150_000), 6000, 25],
    [autoscale(20_000), 6000, 2],
    // More than one can serve is no setting.
    [manual(20_000), 50_000, 2],
  ])("%j, one for each %i RU/s: %i", (throughput, ratePerPartition, count) => {
    const found = partitionCountAtCreation(throughput, setting(ratePerPartition), SERVICE_LIMITS);
    expect(found).toBe(count);
  });
});

test.each([
  [2, 30_000, 40_000],
  [5, 150_000, 200_000],
  [3, 30_000, 30_000],
  [1, 10_001, 20_000],
])("%i partitions grow evenly to %i RU/s by way of %i", (count, wanted, rate) => {
  expect(evenGrowthRate(wanted, count, SERVICE_LIMITS)).toBe(rate);
  expect(instantRateMax(count, SERVICE_LIMITS)).toBe(count * 10_000);
});
