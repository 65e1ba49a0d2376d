/**
 * What tables, pages and JSON all take from a candidate, worked out in one place: so that they
 * cannot say different things. What drawings need as well is in `lab/drawing/drawnKey.ts`.
 */
import type { CandidateAdvice, Verdict } from "../advise/advice.ts";
import { isShortOfRate } from "../advise/thresholds.ts";
import type { Simulation } from "../simulate/simulation.ts";

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

/** The mode that costs least, of those that are possible. */
export function cheapestMode({ cost }: Simulation): CostMode | undefined {
  const possible = COST_MODES.filter((mode) => cost[mode] !== undefined);
  return possible.reduce<CostMode | undefined>(
    (least, mode) => (least === undefined || cost[mode]! < cost[least]! ? mode : least),
    undefined,
  );
}

/** RU of a mean operation, by rates. */
export function ruPerOperation({ operations }: Simulation): number {
  const rate = operations.reduce((sum, { ratePerSecond }) => sum + ratePerSecond, 0);
  const charge = operations.reduce((sum, one) => sum + one.ratePerSecond * one.ruEach, 0);
  return rate === 0 ? 0 : charge / rate;
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
