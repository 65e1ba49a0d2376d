/**
 * Advice as the lab gives it, for the tests of its reports: any number of candidates and physical
 * partitions, the same for the same arguments. Nothing here claims to be right, only to be shaped
 * like the real thing: keys that are best, hot, too large, few, or all over the place.
 */
import { seededRandom } from "../../base/world.ts";
import type { Advice, CandidateAdvice, Reason, Verdict } from "../advise/advice.ts";
import { exactly, within } from "../counting/estimate.ts";
import type {
  MonthOutcome,
  OperationOutcome,
  PartitionOutcome,
  Simulation,
} from "../simulate/simulation.ts";

const GB: number = 1024 ** 3;

interface SampleShape {
  readonly candidateCount?: number;
  readonly partitionCount?: number;
  readonly monthCount?: number;
  /** The label of the heaviest key of every candidate, as data may have it. */
  readonly label?: string;
}

const NAMES = [
  "/customerId",
  "/orderId",
  "/tenantId, /userId",
  "suffix(/date, hash(/vin), 400)",
  "concat(/deviceId, '-', month(/ts))",
  "/status",
  "month(/ts)",
  "/country",
  "hash(/id) % 200",
  "/tenantId",
];

/** Verdicts go from good to bad with the rank, as they do in the real thing. */
function verdictOf(at: number, count: number): Verdict {
  if (at === 0) return "best";
  const place = at / count;
  return place < 0.35 ? "workable" : place < 0.6 ? "conditional" : "bad";
}

export function sampleAdvice(shape: SampleShape = {}): Advice {
  const { candidateCount = 5, partitionCount = 12, monthCount = 24 } = shape;
  const label = shape.label ?? '"tenant-17"';
  const candidates = Array.from({ length: candidateCount }, (_, at) =>
    candidateOf(at, candidateCount, partitionCount, monthCount, label),
  );
  const [best] = candidates;
  return {
    workload: "orders",
    title: "Orders of a web shop",
    candidates,
    best,
    summary: [
      `The best key is ${best!.expression}: 2.4 million logical partitions, the largest 1.2 MB.`,
      "95 % of reads are answered by one key; the hottest physical partition takes 9.1 % of the load.",
      `It costs $1,752 a month with 20,000 RU/s, 38 % less than the key in use.`,
    ],
    sensitivities: [
      {
        change: "items are kept for 365 days instead of 30",
        best: "/orderId",
        sentence: "If items were kept for 365 days instead of 30, /orderId would be best.",
      },
    ],
    measureNext: "Measure the share of the largest customer: it decides whether 20 GB are passed.",
    alternatives: [
      {
        kind: "second-container",
        sentence:
          "A second container by /productId would answer the one query that goes everywhere.",
      },
    ],
    remarks: ["The consistency was not stated and taken to be session."],
  };
}

function candidateOf(
  at: number,
  count: number,
  partitionCount: number,
  monthCount: number,
  label: string,
): CandidateAdvice {
  const name = NAMES[at % NAMES.length]!;
  const expression = at < NAMES.length ? name : `concat(${name.split(",")[0]}, '-', '${at}')`;
  const verdict = verdictOf(at, count);
  return {
    simulation: simulationOf(at, expression, verdict, partitionCount, monthCount, label),
    expression,
    verdict,
    rank: at + 1,
    reasons: reasonsOf(verdict, label),
    merits: verdict === "bad" ? [] : ["95 % of reads are answered by one key."],
    isOnFront: at < 4,
    surpassed: undefined,
    behind: undefined,
  };
}

function reasonsOf(verdict: Verdict, label: string): readonly Reason[] {
  const reason = (
    code: Reason["code"],
    weight: Reason["weight"],
    sentence: string,
    figures: Reason["figures"],
  ): Reason => ({ code, weight, sentence, counterExample: label, figures });
  switch (verdict) {
    case "best":
      return [];
    case "workable":
      return [
        reason("fan-out", "remark", "12 % of reads ask all 12 partitions, +31 RU each.", {
          share: 0.12,
        }),
      ];
    case "conditional":
      return [
        reason("outlier-over-20GB", "condition", "3 of 2.4 million keys pass 20 GB.", { keys: 3 }),
      ];
    case "bad":
      return [
        reason("storage-hot", "against", "The largest key passes 20 GB on day 61.", { day: 61 }),
        reason("throughput-hot", "against", "One key has 61 % of the writes.", { share: 0.61 }),
      ];
  }
}

function simulationOf(
  at: number,
  expression: string,
  verdict: Verdict,
  partitionCount: number,
  monthCount: number,
  label: string,
): Simulation {
  const random = seededRandom(at + 1);
  const skew = { best: 1, workable: 1.3, conditional: 2.5, bad: 7 }[verdict];
  const allotment = Math.round(60_000 / partitionCount);
  const partitions = partitionsOf(partitionCount, skew, allotment, at, random.next);
  const months = monthsOf(monthCount, partitionCount, verdict);
  const peaks = partitions.map(({ rates }) => Math.max(...rates));
  const hottest = peaks.indexOf(Math.max(...peaks));
  const total = peaks.reduce((sum, rate) => sum + rate, 0);
  const isHot = verdict === "bad";
  const keyBytes = months.at(-1)!.largestKeyBytes;
  const cost = 900 + 420 * at * skew;
  return {
    candidate: {
      id: at === 3 ? "fleet" : expression,
      levels: [{ kind: "path", steps: ["customerId"] }],
      origin: at === 3 ? "named" : "path",
      stated: undefined,
    },
    keys: {
      count: within(isHot ? 12 : 2_400_000 / (at + 1), 0.02),
      period: expression.includes("month") ? "month" : undefined,
      itemsPerKey: isHot ? 4_000_000 : 12,
      largest: {
        label,
        bytesAtEnd: within(keyBytes, 0.1),
        share: isHot ? 0.4 : 0.00001,
        passes15GbOnDay: keyBytes > 15 * GB ? 45 : undefined,
        passes20GbOnDay: keyBytes > 20 * GB ? 61 : undefined,
        overLimitCount: keyBytes > 20 * GB ? 3 : 0,
        overLimitShare: keyBytes > 20 * GB ? 0.7 : 0,
      },
      lorenz: Array.from({ length: 21 }, (_, step) => [step / 20, (step / 20) ** (1 + skew / 2)]),
      giniBytes: skew / (skew + 4),
      effectiveKeys: isHot ? 3.1 : 1_900_000,
    },
    months,
    partitions,
    load: {
      peakRate: total,
      meanRate: total / 3,
      provisioned: 60_000,
      neededRate: isHot ? undefined : 60_000,
      hottestPartition: {
        id: partitions[hottest]!.id,
        rate: within(peaks[hottest]!, 0.05),
        share: peaks[hottest]! / total,
        overMean: (peaks[hottest]! / total) * partitionCount,
      },
      hottestKey: { label, rate: exactly(900), writeShare: 0.1 * skew, readShare: 0.05 },
      giniRates: skew / (skew + 6),
      archetype: (["periodic", "even", "moving", "concentrated"] as const)[at % 4]!,
    },
    throttling: {
      share: isHot ? 0.41 : 0.0004 * at,
      failedShare: isHot ? 0.08 : 0,
      waitP50: isHot ? 140 : 0,
      waitP99: isHot ? 9_100 : 3,
      usableRate: isHot ? 11_000 : 58_000,
    },
    operations: operationsOf(at, partitionCount),
    fanOut: {
      keyShare: isHot ? 0.2 : 0.95 - at / 100,
      keysShare: 0.02,
      prefixShare: 0,
      everywhereShare: isHot ? 0.78 : 0.03 + at / 100,
      surchargeRate: 310 * (at + 1),
      usefulRate: 9_000,
    },
    cost: {
      ruPerMonth: 2.4e10,
      storage: 62,
      manual: isHot ? undefined : cost * 1.4,
      autoscale: cost,
      serverless: undefined,
      serverlessProblem: "serverless serves 5,000 RU/s a partition; the hottest needs more",
      cheapest: within(cost, 0.08),
      laidOut: cost * 0.9,
    },
    brokenTransactions: at % 3 === 2 ? ["place order"] : [],
    changingShare: 0,
    missingShare: 0,
  };
}

function partitionsOf(
  count: number,
  skew: number,
  allotment: number,
  at: number,
  next: () => number,
): readonly PartitionOutcome[] {
  return Array.from({ length: count }, (_, index) => {
    const isHot = skew > 2 && index === Math.floor(count / 3);
    const size = 0.45 + 0.15 * next();
    const base = allotment * 0.6 * (0.85 + 0.3 * next()) * (isHot ? skew : 1);
    const rates = Array.from({ length: 24 }, (_, hour) => {
      const day = 0.55 + 0.45 * Math.sin(((hour - 8) / 24) * 2 * Math.PI);
      const moving = Math.floor((hour / 24) * count) === index ? 2.4 : 1;
      return base * [day, 1, moving, 1][at % 4]!;
    });
    const bytes = size * 50 * GB * (isHot ? 1.9 : 1);
    return {
      id: String(index),
      from: index / count,
      to: (index + 1) / count,
      bytes,
      rates,
      allotment,
    };
  });
}

function monthsOf(
  count: number,
  partitionCount: number,
  verdict: Verdict,
): readonly MonthOutcome[] {
  return Array.from({ length: count + 1 }, (_, month) => {
    const share = month / Math.max(1, count);
    const partitions = Math.max(1, Math.ceil(partitionCount * share));
    const before = Math.max(1, Math.ceil((partitionCount * (month - 1)) / Math.max(1, count)));
    return {
      month,
      totalBytes: share * partitionCount * 27 * GB,
      partitionCount: partitions,
      splitCount: month === 0 ? 0 : partitions - before,
      largestPartitionBytes: Math.min(50, 8 + ((month * 13) % 42)) * GB,
      largestKeyBytes:
        { best: 1.2e6, workable: 4e7, conditional: 17 * GB, bad: 130 * GB }[verdict] * share,
      ratePerSecond: 20_000 * (0.5 + share / 2),
      hottestPartitionRate: 3_000 * (0.5 + share / 2),
      allotment: 60_000 / partitions,
    };
  });
}

function operationsOf(at: number, partitionCount: number): readonly OperationOutcome[] {
  const everywhere: OperationOutcome["routing"] = { kind: "everywhere" };
  return [
    {
      id: "place order",
      kind: "create",
      ratePerSecond: 450,
      routing: { kind: "key" },
      partitionsVisited: 1,
      ruEach: 9.9,
      usefulRuEach: 9.9,
    },
    {
      id: "orders of a customer",
      kind: "query",
      ratePerSecond: 1_200,
      routing: at % 2 === 0 ? { kind: "key" } : everywhere,
      partitionsVisited: at % 2 === 0 ? 1 : partitionCount,
      ruEach: at % 2 === 0 ? 2.83 : 2.83 + 2.79 * (partitionCount - 1),
      usefulRuEach: 2.83,
    },
    {
      id: "orders of a month",
      kind: "query",
      ratePerSecond: 0.2,
      routing:
        at % 3 === 2
          ? { kind: "prefix", levelCount: 1, count: 40 }
          : at % 3 === 1
            ? { kind: "keys", count: 31 }
            : everywhere,
      partitionsVisited: Math.min(partitionCount, 8),
      ruEach: 61.4,
      usefulRuEach: 41.9,
    },
  ];
}
