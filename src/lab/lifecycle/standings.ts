/** The numbers of a simulation by the aspects of the guides' table. */
import { moneyText, numberText, plural, rateText } from "../wording/plain.ts";
import type { ApproachStanding, AspectMark } from "./agreement.ts";
import type { ApproachOutcome, PatternOutcome } from "./outcome.ts";

/** `grown` are the same approaches with twice the history. */
export function standingsOf(
  outcomes: readonly ApproachOutcome[],
  grown: readonly ApproachOutcome[],
): readonly ApproachStanding[] {
  return outcomes.map((outcome, at) => ({
    id: outcome.approach.id,
    marks: {
      ...(outcome.cost === undefined ? {} : { cost: costMark(outcome, outcome.cost) }),
      performance: performanceMark(outcome),
      maintenance: maintenanceMark(outcome),
      scalability: scalabilityMark(outcome, grown[at]!),
    },
  }));
}

function costMark({ approach, ...outcome }: ApproachOutcome, cost: number): AspectMark {
  const moving = outcome.movingRuPerDay / 86_400;
  const moved = moving === 0 ? "" : `, ${rateText(moving)} of it for moving,`;
  return {
    amount: cost,
    text: `${moneyText(cost)} a month`,
    because:
      `${sentence(approach.title)} provisions ${rateText(outcome.manualRate ?? 0)}${moved} and ` +
      `pays ${moneyText(outcome.storageCost)} for storage.`,
  };
}

function performanceMark({ approach, patterns }: ApproachOutcome): AspectMark {
  const reads = readsIn(patterns);
  const dearest = reads.toSorted((a, b) => loadOf(b) - loadOf(a))[0];
  return {
    amount: readLoad(reads),
    text: `${rateText(readLoad(reads))} for all reads`,
    because:
      dearest === undefined
        ? `${sentence(approach.title)} has no reads.`
        : `With ${approach.title}, '${dearest.id}' takes most: ` +
          `${numberText(dearest.ruEach)} RU each, over ` +
          `${plural(dearest.partitionsVisited, "physical partition")}.`,
  };
}

function maintenanceMark({ approach, upkeep }: ApproachOutcome): AspectMark {
  const { containerCount, jobs } = upkeep;
  return {
    amount: containerCount + jobs.length,
    text: `${plural(containerCount, "container")} and ${plural(jobs.length, "job")}`,
    because: `${sentence(approach.title)} needs ${jobs.length === 0 ? "no job" : jobs.join(", ")}.`,
  };
}

/** By how much reads become dearer when the history is twice as long. */
function scalabilityMark(
  { approach, patterns }: ApproachOutcome,
  later: ApproachOutcome,
): AspectMark {
  const now = readLoad(readsIn(patterns));
  const then = readLoad(readsIn(later.patterns));
  const factor = now === 0 ? 1 : then / now;
  return {
    amount: factor,
    text: `${numberText(factor)} times the RU for reads at twice the history`,
    because: `With ${approach.title} reads go from ${rateText(now)} to ${rateText(then)}.`,
  };
}

function readsIn(patterns: readonly PatternOutcome[]): readonly PatternOutcome[] {
  return patterns.filter(({ kind }) => kind === "query" || kind === "pointRead");
}

function loadOf({ ratePerSecond, ruEach }: PatternOutcome): number {
  return ratePerSecond * ruEach;
}

/** RU/s at the mean. */
function readLoad(reads: readonly PatternOutcome[]): number {
  return reads.reduce((sum, read) => sum + loadOf(read), 0);
}

function sentence(title: string): string {
  return title.charAt(0).toUpperCase() + title.slice(1);
}
