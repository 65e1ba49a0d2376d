/** An advice as the command prints it, with three keys: a good one, a fair one and a bad one. */
import type { LabAdvice, LabCandidate } from "./advice.ts";

const GB = 1024 ** 3;

interface SampleKey {
  readonly rank: number;
  readonly expression: string;
  readonly verdict?: LabCandidate["verdict"];
  readonly passes20GbOnDay?: number;
  readonly dollars?: number;
  readonly partitionBytes?: readonly number[];
}

export function sampleKey(key: SampleKey): LabCandidate {
  const { rank, expression, verdict = "workable", dollars = 100 } = key;
  const { partitionBytes = [3 * GB, GB] } = key;
  return {
    id: expression,
    expression,
    origin: "named",
    verdict,
    isShortOfRate: false,
    rank,
    surpassed: null,
    reasons: [],
    merits: [`Nothing that works costs less: $${dollars} a month.`],
    figures: {
      keys: {
        count: { value: 200 },
        gini: 0.16,
        effective: 180,
        lorenz: [
          [0, 0],
          [0.5, 0.4],
          [1, 1],
        ],
        measured: { label: "counted on 2,000 items", items: 2000, largestShare: { value: 0.01 } },
        largest: { key: "c122", bytes: { value: 5 * GB }, share: 0.01 },
      },
      limits: {
        passes15GbOnDay: null,
        passes20GbOnDay: key.passes20GbOnDay ?? null,
        keysOver20Gb: 0,
        missingShare: 0,
        changingShare: 0,
        partitions: partitionBytes.length,
      },
      load: {
        peakRate: 2200,
        provisionedRate: 2700,
        neededRate: 2201.2,
        hottestPartition: { id: "0", rate: { value: 1700 }, share: 0.77, overMean: 1.5 },
        hottestKey: { key: "c122", rate: { value: 20 }, writeShare: 0.04, readShare: 0.01 },
        archetype: "periodic",
      },
      throttling: { share: 0, waitP99: 0 },
      routing: { oneKeyShare: 1, everywhereShare: 0 },
      cost: {
        storage: 8,
        manual: dollars * 2,
        autoscale: dollars,
        serverless: null,
        cheapest: { value: dollars },
        cheapestMode: "autoscale",
        laidOut: dollars,
      },
      transactions: { broken: [] },
    },
    operations: [
      {
        id: "mine",
        kind: "query",
        ratePerSecond: 10,
        routing: "key",
        partitionsVisited: 1,
        ruEach: 3.1,
      },
    ],
    months: [0, 1].map((month) => ({
      month,
      totalBytes: month * 4 * GB,
      partitionCount: partitionBytes.length,
      splitCount: 0,
      largestPartitionBytes: month * 3 * GB,
      largestKeyBytes: month * GB,
      ratePerSecond: 2200,
      hottestPartitionRate: 1700,
      allotment: 1350,
    })),
    partitions: partitionBytes.map((bytes, at) => ({
      id: String(at),
      from: at / partitionBytes.length,
      to: (at + 1) / partitionBytes.length,
      bytes,
      rates: Array.from({ length: 24 }, () => 500),
      allotment: 1350,
    })),
  };
}

export function sampleAdvice(candidates: readonly LabCandidate[]): LabAdvice {
  const best = candidates.find(({ verdict }) => verdict === "best");
  return {
    workload: "orders",
    title: "Orders",
    best: best === undefined ? null : { expression: best.expression },
    summary: best === undefined ? [] : [`${best.expression} is the best key.`],
    candidates,
    sensitivities: [],
    measureNext: null,
    alternatives: [],
    remarks: [],
  };
}
