/**
 * What drawings and tables take from a candidate, worked out in one place: so that they cannot say
 * different things. It is a part of a `Simulation`, and also what the JSON of an advice has.
 */
import type { Limits } from "../../model/limits.ts";
import type {
  LargestKey,
  LoadOutcome,
  MonthOutcome,
  PartitionOutcome,
} from "../simulate/simulation.ts";

export interface DrawnKey {
  readonly keys: {
    readonly count: { readonly value: number };
    readonly largest: Omit<LargestKey, "bytesAtEnd" | "share" | "overLimitShare"> & {
      readonly bytesAtEnd: { readonly value: number };
    };
    readonly lorenz: readonly (readonly [number, number])[];
    readonly giniBytes: number;
    readonly effectiveKeys: number;
  };
  readonly months: readonly MonthOutcome[];
  readonly partitions: readonly PartitionOutcome[];
  readonly load: {
    readonly archetype: LoadOutcome["archetype"];
    readonly hottestPartition: { readonly share: number; readonly overMean: number };
  };
}

/** From which on a logical partition deserves a warning: 15 of 20 GB. */
export const WARNING_SHARE = 0.75;

export const ARCHETYPE_TEXT: Readonly<Record<LoadOutcome["archetype"], string>> = {
  even: "even: the load lies on all partitions alike",
  periodic: "periodic: all partitions rise and fall together",
  concentrated: "concentrated: a few partitions have most of the load at all hours",
  moving: "moving: the hot place goes on with the time",
};

/** The hour (UTC) at which the container as a whole has most to do. */
export function peakHour(partitions: readonly PartitionOutcome[]): number {
  let peak = 0;
  let most = -1;
  for (let hour = 0; hour < 24; hour++) {
    const rate = partitions.reduce((sum, { rates }) => sum + (rates[hour] ?? 0), 0);
    if (rate > most) [peak, most] = [hour, rate];
  }
  return peak;
}

export function usedShare(rate: number, allotment: number): number {
  return allotment > 0 ? rate / allotment : rate > 0 ? Number.POSITIVE_INFINITY : 0;
}

export function splitCount({ months }: Pick<DrawnKey, "months">): number {
  return months.reduce((sum, month) => sum + month.splitCount, 0);
}

type KeyDanger = "over" | "near" | "none";

/** Where the largest logical partition ends up, against its limit. */
export function keyDanger({ keys }: Pick<DrawnKey, "keys">, limits: Limits): KeyDanger {
  const { passes20GbOnDay, passes15GbOnDay, bytesAtEnd } = keys.largest;
  if (passes20GbOnDay !== undefined || bytesAtEnd.value > limits.logicalPartitionBytesMax) {
    return "over";
  }
  const isNear = bytesAtEnd.value > limits.logicalPartitionBytesMax * WARNING_SHARE;
  return passes15GbOnDay !== undefined || isNear ? "near" : "none";
}

/** Neighbours put together, so that at most `count` groups are left. */
export function grouped<T>(values: readonly T[], count: number): readonly (readonly T[])[] {
  const groupCount = Math.min(values.length, count);
  return Array.from({ length: groupCount }, (_, at) =>
    values.slice(
      Math.floor((at * values.length) / groupCount),
      Math.floor(((at + 1) * values.length) / groupCount),
    ),
  );
}
