/**
 * What tables, pages and JSON all take from a candidate, worked out in one place: so that they
 * cannot say different things.
 */
import type { Limits } from "../../model/limits.ts";
import type { CandidateAdvice, Verdict } from "../advise/advice.ts";
import { isShortOfRate } from "../advise/thresholds.ts";
import type { PartitionOutcome, Simulation } from "../simulate/simulation.ts";

/** From which on a logical partition deserves a warning: 15 of 20 GB. */
export const WARNING_SHARE = 0.75;

export type CostMode = "manual" | "autoscale" | "serverless";

export const COST_MODES: readonly CostMode[] = ["manual", "autoscale", "serverless"];

/** Icon and word: no colour has to be seen. */
export const VERDICT_MARK: Readonly<Record<Verdict, string>> = {
  best: "★",
  workable: "✓",
  conditional: "△",
  bad: "✕",
};

/** No star beside refusals. */
export function verdictText(candidate: CandidateAdvice): string {
  const { verdict } = candidate;
  return verdict === "best" && isShortOfRate(candidate)
    ? `${VERDICT_MARK.conditional} best at this rate`
    : `${VERDICT_MARK[verdict]} ${verdict}`;
}

export const ARCHETYPE_TEXT: Readonly<Record<Simulation["load"]["archetype"], string>> = {
  even: "even: the load lies on all partitions alike",
  periodic: "periodic: all partitions rise and fall together",
  concentrated: "concentrated: a few partitions have most of the load at all hours",
  moving: "moving: the hot place goes on with the time",
};

/** The mode that costs least, of those that are possible. */
export function cheapestMode({ cost }: Simulation): CostMode | undefined {
  const possible = COST_MODES.filter((mode) => cost[mode] !== undefined);
  return possible.reduce<CostMode | undefined>(
    (least, mode) => (least === undefined || cost[mode]! < cost[least]! ? mode : least),
    undefined,
  );
}

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

/** RU of a mean operation, by rates. */
export function ruPerOperation({ operations }: Simulation): number {
  const rate = operations.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const charge = operations.reduce((sum, one) => sum + one.ratePerSecond * one.ruEach, 0);
  return rate === 0 ? 0 : charge / rate;
}

export function splitCount({ months }: Simulation): number {
  return months.reduce((sum, month) => sum + month.splitCount, 0);
}

type KeyDanger = "over" | "near" | "none";

/** Where the largest logical partition ends up, against its limit. */
export function keyDanger({ keys }: Simulation, limits: Limits): KeyDanger {
  const { passes20GbOnDay, passes15GbOnDay, bytesAtEnd } = keys.largest;
  if (passes20GbOnDay !== undefined || bytesAtEnd.value > limits.logicalPartitionBytesMax) {
    return "over";
  }
  const isNear = bytesAtEnd.value > limits.logicalPartitionBytesMax * WARNING_SHARE;
  return passes15GbOnDay !== undefined || isNear ? "near" : "none";
}

/** The user's name for it where there is one, beside the expression. */
export function nameOf({ simulation, expression }: CandidateAdvice): string | undefined {
  const { id } = simulation.candidate;
  return id === expression ? undefined : id;
}

/**
 * The first few of a ranked list for those who asked for few, and beside them whatever else has to
 * be seen: the user's own keys, and the one in use.
 */
export function shownCandidates(
  candidates: readonly CandidateAdvice[],
  count: number,
  current: string | undefined,
): readonly CandidateAdvice[] {
  return candidates.filter(
    (candidate, at) =>
      at < count ||
      candidate.simulation.candidate.origin === "named" ||
      (current !== undefined && candidate.expression === current),
  );
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
