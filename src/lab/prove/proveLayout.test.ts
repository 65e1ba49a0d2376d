/**
 * What a query meets that goes from partition to partition: the prediction beside a naive walk over
 * the stored items.
 */
import { describe, expect, it } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { epkOf } from "../../partition/epk.ts";
import { positionOf } from "../../partition/keySpace.ts";
import { candidateOf } from "../lab.ts";
import { readWorkload } from "../workload/workloadText.ts";
import { type ProofPlan, planOf } from "./plan.ts";
import type { ProofCase } from "./proofCase.ts";

const TEXT = `
item: {example: {id: a, maker: m, group: g}}
properties:
  /maker:
    distinct: 4
    items: {kind: shares, shares: {big: 60 %, mid: 34 %, small: 5 %, tiny: 1 %}}
    requests: {kind: shares, shares: {big: 10 %, mid: 50 %, small: 20 %, tiny: 20 %}}
  /plant: {distinct: 5, within: /maker}
growth: {itemsPerDay: 10, retentionDays: 100}
operations:
  - {id: first, kind: query, rate: 10, sql: "SELECT TOP 20 * FROM c WHERE c.maker = @m"}
  - {id: all, kind: query, rate: 10, sql: "SELECT * FROM c WHERE c.maker = @m"}
horizonMonths: 4
`;

function planned(text = TEXT): ProofPlan {
  const read = readWorkload(text, "yaml", "test");
  if (!read.ok) throw new Error(JSON.stringify(read.error));
  return planOf({
    workload: read.value,
    simulations: [],
    limits: { ...SERVICE_LIMITS, partitionRateMax: 100 },
    serverLimits: undefined,
    factor: undefined,
    items: 300,
    rate: 100,
    seconds: 4,
    operationCount: 200,
    seed: 1,
  });
}

/** A plant belongs to one maker, so a maker's items lie in some partitions only. */
const byPlant = caseOf(planned(), "/plant");

function caseOf(plan: ProofPlan, key: string): ProofCase {
  const candidate = candidateOf({ id: key, levels: [key], facts: undefined, place: "test" });
  if (!candidate.ok) throw new Error(candidate.error);
  return plan.caseOf(candidate.value);
}

/** How many items of a maker lie in each partition. */
function countsOf(maker: string, { items, definition, prediction }: ProofCase): readonly number[] {
  const counts = prediction.partitions.map(() => 0);
  for (const { item, key } of items) {
    if (item["maker"] !== maker) continue;
    const place = positionOf(definition, epkOf(definition, key));
    counts[prediction.partitions.findIndex(({ to }) => place < to)]!++;
  }
  return counts;
}

const MAKERS = ["big", "mid", "small", "tiny"];
/** How often each is asked for. */
const WEIGHTS = [0.1, 0.5, 0.2, 0.2];

describe("a query that goes from partition to partition", () => {
  it("is stored so that makers differ in how far it has to go", () => {
    expect(byPlant.prediction.partitions.length).toBeGreaterThan(3);
    const [big, tiny] = [countsOf("big", byPlant), countsOf("tiny", byPlant)];
    expect(Math.max(...big)).toBeGreaterThan(1.3 * (sumOf(big) / big.length));
    expect(sumOf(tiny)).toBeLessThan(20);
  });

  it("visits no further partition when those before it had as many rows as it wants", () => {
    const visits = MAKERS.map((maker) => {
      let rows = 0;
      const counts = countsOf(maker, byPlant);
      const enough = counts.findIndex((count) => {
        rows += count;
        return rows >= 20;
      });
      return enough < 0 ? counts.length : enough + 1;
    });
    const mean = meanOf(visits);
    const said = byPlant.prediction.operations.find(({ id }) => id === "first")!;
    expect(mean).toBeLessThan(byPlant.prediction.partitions.length - 0.2);
    expect(said.partitionsVisited).toBeCloseTo(mean, 6);
  });

  it("is charged for a further page in the partition where the one before ended", () => {
    const onlyAll = TEXT.replace(/^.*id: first.*\n/m, "");
    const { prediction } = caseOf(planned(onlyAll), "/plant");
    const counts = MAKERS.map((maker) => countsOf(maker, byPlant));
    const endsIn = (own: readonly number[], at: number): number => {
      const before = own.slice(0, at).reduce((sum, count) => sum + count, 0);
      return Math.floor((before + own[at]!) / PAGE) - Math.floor(before / PAGE);
    };
    const [opened, found] = [
      prediction.partitions.map((_, at) => 1 + meanOf(counts.map((own) => endsIn(own, at)))),
      prediction.partitions.map((_, at) => meanOf(counts.map((own) => own[at]!))),
    ];
    expect(new Set(opened).size).toBeGreaterThan(1);
    const { ratePerSecond, ruEach } = prediction.operations[0]!;
    const itemRu = (ruEach - OPEN_RU * sumOf(opened)) / sumOf(found);
    prediction.partitions.forEach(({ rates }, at) => {
      const ru = OPEN_RU * opened[at]! + itemRu * found[at]!;
      expect(Math.abs(rates[0]! / (ratePerSecond * ru) - 1)).toBeLessThan(0.01);
    });
  });
});

/** Rows of a page, and what it costs to open a partition and look something up. */
const [PAGE, OPEN_RU] = [100, 2.79];

function sumOf(list: readonly number[]): number {
  return list.reduce((sum, each) => sum + each, 0);
}

/** By how often each maker is asked for. */
function meanOf(list: readonly number[]): number {
  return sumOf(list.map((each, at) => WEIGHTS[at]! * each));
}
