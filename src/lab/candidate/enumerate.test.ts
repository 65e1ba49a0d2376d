/** Which keys are found for a workload, and that their periods and numbers just fit. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import {
  sampleOperation,
  sampleProperty,
  sampleQuery,
  sampleWorkload,
} from "../data/sampleWorkload.fake.ts";
import { factsOf, settingOf } from "../lab.ts";
import { simulate } from "../simulate/simulate.ts";
import { workloadTemplates } from "../workload/templates.ts";
import type { Workload } from "../workload/workload.ts";
import { readWorkload } from "../workload/workloadText.ts";
import type { Candidate } from "./candidate.ts";
import { enumerate } from "./enumerate.ts";

function found(workload: Workload): readonly Candidate[] {
  return enumerate(setting(workload));
}

function setting(workload: Workload): ReturnType<typeof settingOf> {
  const start = { limits: SERVICE_LIMITS, startMillis: Date.UTC(2026, 0, 1), seed: 1 };
  return settingOf(start, workload, factsOf({ workload, profile: undefined }));
}

function ids(workload: Workload): readonly string[] {
  return found(workload).map(({ id }) => id);
}

const DEVICES = sampleWorkload({
  properties: [
    sampleProperty("/device", { distinct: 2000 }),
    sampleProperty("/site", { distinct: 20 }),
    sampleProperty("/ts", { time: "second" }),
  ],
  growth: { itemsPerDay: 40_000_000, retentionDays: 365 },
  operations: [
    sampleOperation("add", "create", { ratePerSecond: 460 }),
    sampleQuery("last", "SELECT TOP 9 * FROM c WHERE c.device = @d ORDER BY c.ts DESC", {
      ratePerSecond: 100,
    }),
    sampleQuery("site", "SELECT * FROM c WHERE c.site = @s AND c.device = @d", {
      ratePerSecond: 20,
      resultItems: 20,
    }),
  ],
});

describe("keys are found", () => {
  test("paths, hierarchies, concatenations, periods and numbers of what is asked for", () => {
    const all = ids(DEVICES);
    for (const expected of [
      "/device",
      "/site",
      "/id",
      "[/site, /device]",
      "[/device, /id]",
      "concat(/site, '-', /device)",
    ]) {
      expect(all).toContain(expected);
    }
    const dated = all.find((id) => id.startsWith("concat(/device, '-', "))!;
    // The same values as two levels, so that one prefix finds all periods.
    const period = /(\w+\(\/ts\))/.exec(dated)![1]!;
    expect(all).toContain(`[/device, ${period}]`);
    expect(all.some((id) => /^suffix\(\/site, hash\(\/id\), \d+\)$/.test(id))).toBe(true);
    expect(all.some((id) => /^suffix\(day\(\/ts\), hash\(\/id\), \d+\)$/.test(id))).toBe(true);
  });

  test.each(workloadTemplates.map(({ name, text }) => [name, text]))(
    "of the template %s: a few dozen, no two alike",
    (name, text) => {
      const workload = readWorkload(text, "yaml", name);
      expect(workload.ok).toBe(true);
      if (!workload.ok) return;
      const all = found(workload.value);
      expect(all.length).toBeGreaterThan(4);
      expect(all.length).toBeLessThanOrEqual(36);
      expect(new Set(all.map(({ id }) => id)).size).toBe(all.length);
      for (const { levels } of all) {
        expect(levels.length).toBeLessThanOrEqual(3);
        expect(new Set(levels.map((level) => JSON.stringify(level))).size).toBe(levels.length);
      }
    },
  );

  test("nothing to go by leaves the id", () => {
    expect(ids(sampleWorkload())).toEqual(["/id"]);
  });
});

describe("periods and numbers are as few as the limits allow", () => {
  const half = SERVICE_LIMITS.logicalPartitionBytesMax / 2;

  test("the coarsest period whose largest key stays below half of the limit", () => {
    const inPeriod = found(DEVICES).find(({ id }) => id.startsWith("concat(/device, '-', "))!;
    const grain = /(\w+)\(\/ts\)/.exec(inPeriod.id)![1]!;
    const order = ["year", "quarter", "month", "week", "day", "hour"];
    const coarser = order[order.indexOf(grain) - 1];
    const largest = (candidate: Candidate): number =>
      simulate(setting(DEVICES), candidate).keys.largest.bytesAtEnd.value;
    expect(largest(inPeriod)).toBeLessThanOrEqual(half);
    if (coarser === "month" || coarser === "week" || coarser === "day") {
      const text = JSON.stringify(inPeriod).replaceAll(`"${grain}"`, `"${coarser}"`);
      expect(largest(JSON.parse(text) as Candidate)).toBeGreaterThan(half);
    }
  });

  test("the fewest numbers with which no key is too large or too hot", () => {
    const numbered = found(DEVICES).find(({ id }) => id.startsWith("suffix(/site"))!;
    const [level] = numbered.levels;
    if (level?.kind !== "suffix") throw new Error("no suffix");
    const outcome = (count: number): { readonly bytes: number; readonly rate: number } => {
      const candidate = { ...numbered, levels: [{ ...level, count }] };
      const { keys, load } = simulate(setting(DEVICES), candidate);
      return { bytes: keys.largest.bytesAtEnd.value, rate: load.hottestKey.rate.value };
    };
    const own = outcome(level.count);
    expect(own.bytes).toBeLessThanOrEqual(half);
    const fewer = outcome(Math.floor(level.count / 2));
    expect(fewer.bytes > half || fewer.rate > SERVICE_LIMITS.partitionRateMax / 10).toBe(true);
  });
});
