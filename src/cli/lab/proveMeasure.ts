/** Counters of a run, and what they come to. */
import { type MeasuredOperation, type Measurement, placeOf } from "../../lab/prove/measurement.ts";
import type { ProofCase } from "../../lab/prove/proofCase.ts";
import { askedVariance } from "../../lab/prove/standardError.ts";
import type { OperationModel } from "../../lab/simulate/operationModel.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import type { MeasuredSize, PartitionCount } from "./proveGround.ts";

export interface OperationCounts {
  count: number;
  ru: number;
  /** The sum of their squares, operation by operation. */
  ruSquares: number;
  answers: number;
  throttled: number;
  /** Milliseconds, of those that were served. */
  readonly latencies: number[];
}

export interface Replay {
  /** By range id. */
  readonly counts: ReadonlyMap<string, PartitionCount>;
  readonly operations: readonly OperationCounts[];
  /** Refusals that have nothing to do with the rate, by status. */
  readonly failures: ReadonlyMap<string, number>;
  readonly lateShare: number;
}

/** What was asked without a limit, operation by operation. */
export interface DemandReplay extends Replay {
  readonly asked: readonly AskedCounts[];
}

interface AskedCounts {
  /** By range id, as it was counted. */
  readonly counts: ReadonlyMap<string, PartitionCount>;
  /** So often each counts, by the rate of the operation. */
  readonly factor: number;
}

export function newTallies(count: number): readonly OperationCounts[] {
  return Array.from({ length: count }, () => ({
    count: 0,
    ru: 0,
    ruSquares: 0,
    answers: 0,
    throttled: 0,
    latencies: [],
  }));
}

type Counts = ReadonlyMap<string, PartitionCount>;

const NO_COUNT: PartitionCount = { ru: 0, requests: 0, throttled: 0 };

export function differences(before: Counts, after: Counts): Counts {
  return combined(after, before, -1);
}

/** `factor`: the second ones count so often. */
export function added(one: Counts, other: Counts, factor: number): Counts {
  const ids = new Map([...one.keys(), ...other.keys()].map((id) => [id, NO_COUNT]));
  return combined(combined(ids, one, 1), other, factor);
}

function combined(counts: Counts, others: Counts, factor: number): Counts {
  return new Map(
    [...counts].map(([id, count]) => {
      const other = others.get(id) ?? NO_COUNT;
      return [
        id,
        {
          ru: count.ru + factor * other.ru,
          requests: count.requests + factor * other.requests,
          throttled: count.throttled + factor * other.throttled,
        },
      ];
    }),
  );
}

interface MeasureInput {
  readonly models: readonly OperationModel[];
  readonly proofCase: ProofCase;
  /** Physical partitions that each operation comes to. */
  readonly visits: readonly number[];
  readonly demand: DemandReplay & { readonly seconds: number };
  readonly limited: Replay & { readonly seconds: number };
  /** When all was loaded. */
  readonly report: ContainerReport;
  /** Range ids at the end. */
  readonly endIds: readonly string[];
  readonly largestKeys: readonly MeasuredSize[];
  readonly keyBytesMax: number;
}

export function measurementOf(input: MeasureInput): Measurement {
  const { models, proofCase, demand, limited, report, keyBytesMax } = input;
  const { definition } = proofCase;
  const sum = (of: (tally: OperationCounts) => number): number =>
    limited.operations.reduce((total, tally) => total + of(tally), 0);
  const answerCount = sum(({ answers }) => answers);
  const throttledCount = sum(({ throttled }) => throttled);
  const total = report.partitions.reduce((bytes, { itemBytes }) => bytes + itemBytes, 0);
  const over = input.largestKeys.filter(({ itemBytes }) => itemBytes > keyBytesMax);
  const largest = input.largestKeys[0];
  return {
    seconds: limited.seconds,
    partitions: report.partitions.map(({ id, min, max, itemBytes }) => {
      const own = limited.counts.get(id) ?? NO_COUNT;
      return {
        id,
        from: placeOf(definition, min),
        to: placeOf(definition, max),
        bytes: itemBytes,
        rate: (demand.counts.get(id) ?? NO_COUNT).ru / demand.seconds,
        rateError: rateErrorOf(demand, id),
        servedRate: own.ru / limited.seconds,
        throttledShare: own.requests === 0 ? 0 : own.throttled / own.requests,
      };
    }),
    operations: models.map((_, at) => operationOf(input, at)),
    throttledShare: answerCount === 0 ? 0 : throttledCount / answerCount,
    answerCount,
    largestKey: {
      label: JSON.stringify(largest?.partitionKey ?? []),
      bytes: largest?.itemBytes ?? 0,
    },
    overLimitShare: total === 0 ? 0 : over.reduce((sum, key) => sum + key.itemBytes, 0) / total,
    isSplitMidway: input.endIds.join() !== report.partitions.map(({ id }) => id).join(),
    lateShare: limited.lateShare,
    failures: new Map([...demand.failures, ...limited.failures]),
  };
}

/** Operations of different kinds are off for themselves. */
function rateErrorOf({ asked, operations, seconds }: MeasureInput["demand"], id: string): number {
  const variance = asked.reduce((sum, { counts, factor }, at) => {
    const own = counts.get(id) ?? NO_COUNT;
    return sum + factor ** 2 * askedVariance(own, operations[at]!);
  }, 0);
  return Math.sqrt(variance) / seconds;
}

function operationOf(
  { models, demand, limited, visits }: MeasureInput,
  at: number,
): MeasuredOperation {
  const [asked, paced] = [demand.operations[at]!, limited.operations[at]!];
  const latencies = [...paced.latencies].sort((a, b) => a - b);
  return {
    id: models[at]!.operation.id,
    count: asked.count,
    ruEach: asked.count === 0 ? 0 : asked.ru / asked.count,
    visited: visits[at]!,
    latencyP50: quantile(latencies, 0.5),
    latencyP99: quantile(latencies, 0.99),
    throttledShare: paced.answers === 0 ? 0 : paced.throttled / paced.answers,
  };
}

function quantile(sorted: readonly number[], share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? 0;
}
