/** Weights against items: every item is made, hashed and put down, and the sums are compared. */

import { describe, expect, test } from "vitest";
import { DAY_MS, DAYS_PER_MONTH } from "../../base/units.ts";
import { keyOf } from "../../keys/component.ts";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { type Limits, SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { type Epk, type EpkRange, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { positionOf } from "../../partition/keySpace.ts";
import { medianCut } from "../../partition/splitPlan.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { keyShapeOf } from "../candidate/keyShape.ts";
import { sampleOperation, sampleProperty, sampleWorkload } from "../data/sampleWorkload.fake.ts";
import { valueName } from "../data/valueRows.ts";
import { factsOf, settingOf } from "../lab.ts";
import { storedBytesOf } from "../price/itemPrice.ts";
import type { Workload } from "../workload/workload.ts";
import { simulate } from "./simulate.ts";
import type { Simulation } from "./simulation.ts";

const START = Date.UTC(2026, 0, 1);
const MONTHS = 6;
const ITEMS = 20_000;
const TENANTS = 120;
const KINDS = 9;
const ITEM_BYTES = 500;
const GOLDEN = 0.618_033_988_749_894_9;

const WORKLOAD: Workload = sampleWorkload({
  properties: [
    sampleProperty("/tenant", { distinct: TENANTS, items: { kind: "zipf", s: 0.9 } }),
    sampleProperty("/kind", { distinct: KINDS }),
    sampleProperty("/ts", { time: "second" }),
  ],
  item: { bytes: ITEM_BYTES, example: undefined },
  operations: [sampleOperation("add", "create", { ratePerSecond: 100 })],
  growth: { itemsPerDay: ITEMS / (MONTHS * DAYS_PER_MONTH) },
  horizonMonths: MONTHS,
  throughput: { mode: "manual", ratePerSecond: 400 },
});

const LIMITS: Limits = {
  ...SERVICE_LIMITS,
  physicalPartitionBytesMax: (ITEMS * storedBytesOf(ITEM_BYTES)) / 5.5,
};

function candidate(key: string): Candidate {
  const levels = parseKeyLevels(key);
  if (!levels.ok) throw new Error(levels.error.message);
  return { id: key, levels: levels.value, origin: "named", stated: undefined };
}

/** Tenants by a Zipf law of our own, kinds in turn, times in order. */
function items(): readonly { readonly day: number; readonly item: object }[] {
  const weights = Array.from({ length: TENANTS }, (_, at) => (at + 1) ** -0.9);
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const tenantAt = (place: number): number => {
    let left = place * total;
    return weights.findIndex((weight) => {
      left -= weight;
      return left <= 0;
    });
  };
  return Array.from({ length: ITEMS }, (_, at) => {
    const day = (at * MONTHS * DAYS_PER_MONTH) / ITEMS;
    return {
      day,
      item: {
        id: `id-${at}`,
        tenant: valueName("/tenant", tenantAt((at * GOLDEN) % 1) + 1),
        kind: valueName("/kind", 1 + Math.floor((at * Math.SQRT2 * KINDS) % KINDS)),
        ts: new Date(START + day * DAY_MS).toISOString(),
      },
    };
  });
}

const MADE = items();

interface Placed {
  readonly epk: Epk;
  readonly day: number;
}

function placed(key: string): readonly Placed[] {
  const { definition } = keyShapeOf(
    candidate(key),
    factsOf({ workload: WORKLOAD, profile: undefined }),
  );
  let turn = 0;
  const draw = { random: () => (turn++ * GOLDEN) % 1, turn: () => turn++ };
  return MADE.map(({ day, item }) => ({
    day,
    epk: epkOf(definition, keyOf(candidate(key).levels, item, draw)),
  }));
}

/** As the engine does it: month by month, whatever is too large is cut in two between keys. */
function grown(all: readonly Placed[], bytesMax: number): readonly EpkRange[] {
  let ranges: readonly EpkRange[] = [WHOLE_RANGE];
  for (let month = 0; month <= MONTHS; month++) {
    const there = all.filter(({ day }) => day < month * DAYS_PER_MONTH);
    ranges = ranges.flatMap((range) => cut(range, there, bytesMax));
  }
  return ranges;
}

function cut(range: EpkRange, there: readonly Placed[], bytesMax: number): readonly EpkRange[] {
  const own = there.filter(({ epk }) => range.min <= epk && epk < range.max);
  const each = storedBytesOf(ITEM_BYTES);
  if (own.length * each <= bytesMax) return [range];
  const sizes = new Map<Epk, number>();
  for (const { epk } of own) sizes.set(epk, (sizes.get(epk) ?? 0) + each);
  const ordered = [...sizes]
    .map(([epk, bytes]) => ({ epk, bytes }))
    .sort((a, b) => (a.epk < b.epk ? -1 : 1));
  const at = medianCut(ordered, own.length * each);
  if (at === undefined) return [range];
  return [
    ...cut({ min: range.min, max: at }, own, bytesMax),
    ...cut({ min: at, max: range.max }, own, bytesMax),
  ];
}

function simulated(key: string): Simulation {
  const facts = factsOf({ workload: WORKLOAD, profile: undefined });
  const setting = settingOf({ limits: LIMITS, startMillis: START, seed: 1 }, WORKLOAD, facts);
  return simulate(setting, candidate(key));
}

const KEYS = [
  "/tenant",
  "/id",
  "/kind",
  "concat(/tenant, '-', /kind)",
  "concat(/tenant, '-', month(/ts))",
  "month(/ts)",
  "[/tenant, /kind]",
  "[/tenant, /id]",
  "hash(/id) % 12",
  "hash(/tenant) % 5",
  "suffix(/tenant, hash(/id), 4)",
  "suffix(/kind, random(), 3)",
  "choose(/tenant, ['tenant-000001'], concat(/tenant, '-', /kind), /tenant)",
  "hash(concat(/tenant, /kind)) % 6",
];

describe("a simulation of weights and a count of 20,000 items agree", () => {
  test.each(KEYS)("%s", (key) => {
    const { partitions, keys, months } = simulated(key);
    const all = placed(key);
    const each = storedBytesOf(ITEM_BYTES);
    const definition = keyShapeOf(
      candidate(key),
      factsOf({ workload: WORKLOAD, profile: undefined }),
    ).definition;
    // Where they are.
    const bytes = partitions.map(({ from, to }) => {
      const isIn = ({ epk }: Placed): boolean => {
        const place = positionOf(definition, epk);
        return from <= place && (place < to || (from === to && place === from));
      };
      return all.filter(isIn).length * each;
    });
    const tolerance = 0.02 * ITEMS * each;
    if (new Set(partitions.map(({ from }) => from)).size === partitions.length) {
      partitions.forEach((partition, at) => {
        expect(Math.abs(partition.bytes - bytes[at]!)).toBeLessThan(tolerance);
      });
    }
    // How they were cut.
    const ranges = grown(all, LIMITS.physicalPartitionBytesMax);
    expect(Math.abs(ranges.length - partitions.length)).toBeLessThanOrEqual(1);
    expect(months.at(-1)!.partitionCount).toBe(partitions.length);
    // How large the largest of them is, and how many there are.
    const sizes = new Map<Epk, number>();
    for (const { epk } of all) sizes.set(epk, (sizes.get(epk) ?? 0) + 1);
    const largest = Math.max(...sizes.values()) * each;
    const predicted = keys.largest.bytesAtEnd.value;
    expect(Math.abs(predicted - largest)).toBeLessThan(Math.max(0.08 * largest, 3 * each));
    expect(Math.abs(keys.count.value - sizes.size)).toBeLessThan(Math.max(0.12 * sizes.size, 2));
  });

  test("writes cost where their keys are", () => {
    const { partitions, load } = simulated("/tenant");
    const all = placed("/tenant");
    const { definition } = keyShapeOf(
      candidate("/tenant"),
      factsOf({ workload: WORKLOAD, profile: undefined }),
    );
    for (const { from, to, rates } of partitions) {
      const isIn = ({ epk }: Placed): boolean =>
        from <= positionOf(definition, epk) && positionOf(definition, epk) < to;
      const share = all.filter(isIn).length / ITEMS;
      expect(Math.abs(rates[0]! / load.meanRate - share)).toBeLessThan(0.02);
    }
  });
});
