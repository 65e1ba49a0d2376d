/** How much values differ that are asked for, and what that does to the price of the first few. */
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { keyShapeOf } from "../candidate/keyShape.ts";
import { sampleProperty, sampleQuery, sampleWorkload } from "../data/sampleWorkload.fake.ts";
import { factsOf, settingOf } from "../lab.ts";
import type { Workload } from "../workload/workload.ts";
import { type AskedValue, sizesAsked, toldPaths } from "./askedSizes.ts";
import { simulate } from "./simulate.ts";

function workloadWith(s: number, sql: string): Workload {
  return sampleWorkload({
    properties: [
      sampleProperty("/brand", { distinct: 200, items: { kind: "zipf", s } }),
      sampleProperty("/shelf", { distinct: 10 }),
    ],
    item: { bytes: 500, example: { id: "a", brand: "b", shelf: "s" } },
    operations: [sampleQuery("browse", sql, { ratePerSecond: 10 })],
    growth: { initialItems: 20_000 },
    horizonMonths: 0,
  });
}

const TOP = "SELECT TOP 100 * FROM c WHERE c.brand = @b";
const ALL = "SELECT * FROM c WHERE c.brand = @b";

function candidate(key: string): Candidate {
  const levels = parseKeyLevels(key);
  if (!levels.ok) throw new Error(levels.error.message);
  return { id: key, levels: levels.value, origin: "named", stated: undefined };
}

function settingFor(workload: Workload): ReturnType<typeof settingOf> {
  const facts = factsOf({ workload, profile: undefined });
  return settingOf({ limits: SERVICE_LIMITS, startMillis: 0, seed: 1 }, workload, facts);
}

function smallPartitions(workload: Workload): ReturnType<typeof settingOf> {
  const bytes = 2_500_000;
  const facts = factsOf({ workload, profile: undefined });
  const limits = {
    ...SERVICE_LIMITS,
    logicalPartitionBytesMax: bytes,
    physicalPartitionBytesMax: bytes,
  };
  return settingOf({ limits, startMillis: 0, seed: 1 }, workload, facts);
}

function sizesUnder(key: string, workload: Workload): readonly AskedValue[] {
  const { facts, models } = settingFor(workload);
  const told = toldPaths(keyShapeOf(candidate(key), facts), models[0]!.access);
  return sizesAsked(models[0]!, { facts }, told);
}

function ruUnder(key: string, workload: Workload): number {
  return simulate(settingFor(workload), candidate(key)).operations[0]!.ruEach;
}

describe("sizes of what is asked for", () => {
  test.each([ALL, TOP])("are all alike where values are: %s", (sql) => {
    const [even, ...others] = sizesUnder("/shelf", workloadWith(0, sql));
    expect(others).toEqual([]);
    expect(even!.factor).toBeCloseTo(1, 9);
  });

  test.each([ALL, TOP])("differ where values do, and are the mean on average: %s", (sql) => {
    const sizes = sizesUnder("/shelf", workloadWith(1, sql));
    expect(sizes.length).toBeGreaterThan(5);
    const sum = (of: (size: AskedValue) => number): number =>
      sizes.reduce((total, size) => total + of(size), 0);
    expect(sum(({ weight }) => weight)).toBeCloseTo(1, 9);
    expect(sum(({ weight, factor }) => weight * factor)).toBeCloseTo(1, 9);
  });

  test("are told by the key where it is made of what is asked for", () => {
    expect(sizesUnder("/brand", workloadWith(1, TOP))).toEqual([
      { weight: 1, factor: 1, bytes: 1 },
    ]);
  });

  test("are told by the first part of a key that falls back to another where it is missing", () => {
    const fallingBack = "coalesce(/brand, concat('none-', /id))";
    expect(sizesUnder(fallingBack, workloadWith(1, ALL))).toEqual([
      { weight: 1, factor: 1, bytes: 1 },
    ]);
    const [own, other] = ["/brand", fallingBack].map((key) =>
      simulate(settingFor(workloadWith(1, ALL)), candidate(key)),
    );
    // The largest brand costs more than the mean one: it is found to be as hot under both.
    expect(other!.load.hottestKey.rate.value / own!.load.hottestKey.rate.value).toBeCloseTo(1, 2);
    expect(other!.operations[0]!.ruEach / own!.operations[0]!.ruEach).toBeCloseTo(1, 2);
  });

  test("count where a key begins with what is asked for", () => {
    const workload = workloadWith(1, ALL);
    const [own, below] = ["/brand", "[/brand, /id]"].map(
      (key) => simulate(smallPartitions(workload), candidate(key)).partitions,
    );
    const hottest = (list: typeof own): number => Math.max(...list!.map(({ rates }) => rates[0]!));
    expect(own!.length).toBeGreaterThan(3);
    expect(hottest(below) / hottest(own)).toBeGreaterThan(0.95);
  });

  test("are asked for with the bytes that their items have", () => {
    const { facts, models } = settingFor(workloadWith(1, ALL));
    const shelf = facts.populationOf(["/brand"]);
    // Items of the heaviest brand are twice as long as others.
    const rows = shelf.rows.map((row, at) => ({
      ...row,
      byteShare: at === 0 ? 2 * row.itemShare : row.itemShare,
    }));
    const uneven = { ...facts, populationOf: () => ({ ...shelf, rows }) };
    const sizes = sizesAsked(models[0]!, { facts: uneven }, new Set());
    const largest = sizes.reduce((most, each) => (each.factor > most.factor ? each : most));
    expect(largest.bytes).toBeCloseTo(2, 9);
    expect(sizes.filter(({ bytes }) => bytes !== 1)).toHaveLength(1);
  });

  test("make further pages of large values dearer than the mean value would be", () => {
    // A key of what is asked for tells the sizes; where it is not, they are the same.
    const told = ruUnder("/brand", workloadWith(1, ALL));
    expect(ruUnder("/shelf", workloadWith(1, ALL)) / told).toBeCloseTo(1, 2);
  });

  test("make the first few rows cheaper than those of the mean value", () => {
    const uneven = ruUnder("/shelf", workloadWith(1, TOP));
    // A hundred rows are there for every value that is asked for often; light ones have fewer.
    const full = ruUnder("/shelf", workloadWith(0, TOP));
    expect(uneven).toBeLessThan(0.97 * full);
    expect(uneven).toBeGreaterThan(0.3 * full);
  });
});
