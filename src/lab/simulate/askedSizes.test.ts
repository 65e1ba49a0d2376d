/** How much values differ that are asked for, and what that does to the price of the first few. */
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { keyShapeOf } from "../candidate/keyShape.ts";
import { sampleProperty, sampleQuery, sampleWorkload } from "../data/sampleWorkload.fake.ts";
import { factsOf, settingOf } from "../lab.ts";
import type { Workload } from "../workload/workload.ts";
import { type AskedSize, sizesAsked } from "./askedSizes.ts";
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

function sizesUnder(key: string, workload: Workload): readonly AskedSize[] {
  const { facts, models } = settingFor(workload);
  return sizesAsked(models[0]!, { facts, shape: keyShapeOf(candidate(key), facts) });
}

function ruUnder(key: string, workload: Workload): number {
  return simulate(settingFor(workload), candidate(key)).operations[0]!.ruEach;
}

describe("sizes of what is asked for", () => {
  test("are all alike where values are, and where everything is wanted", () => {
    expect(sizesUnder("/shelf", workloadWith(1, ALL))).toEqual([{ weight: 1, factor: 1 }]);
    const [even, ...others] = sizesUnder("/shelf", workloadWith(0, TOP));
    expect(others).toEqual([]);
    expect(even!.factor).toBeCloseTo(1, 9);
  });

  test("differ where values do, and are the mean one on average", () => {
    const sizes = sizesUnder("/shelf", workloadWith(1, TOP));
    expect(sizes.length).toBeGreaterThan(5);
    const sum = (of: (size: AskedSize) => number): number =>
      sizes.reduce((total, size) => total + of(size), 0);
    expect(sum(({ weight }) => weight)).toBeCloseTo(1, 9);
    expect(sum(({ weight, factor }) => weight * factor)).toBeCloseTo(1, 9);
  });

  test("are told by the key where it is made of what is asked for", () => {
    expect(sizesUnder("/brand", workloadWith(1, TOP))).toEqual([{ weight: 1, factor: 1 }]);
  });

  test("make the first few rows cheaper than those of the mean value", () => {
    const uneven = ruUnder("/shelf", workloadWith(1, TOP));
    // A hundred rows are there for every value that is asked for often; light ones have fewer.
    const full = ruUnder("/shelf", workloadWith(0, TOP));
    expect(uneven).toBeLessThan(0.97 * full);
    expect(uneven).toBeGreaterThan(0.3 * full);
  });
});
