/** The verdict in a few sentences: what is best, why, what comes next, and what was ruled out. */

import { moneyText, percentText, plural, rateText } from "../wording/plain.ts";
import type { CandidateAdvice, Reason } from "./advice.ts";
import { clauseOf } from "./clause.ts";
import { costText } from "./costText.ts";
import { partitionCountMax } from "./ground.ts";
import { isShortOfRate, SMALL_PARTITION_COUNT } from "./thresholds.ts";

/** Of the rejected; the table has them all. */
const REJECTED_SHOWN = 4;

/** Best first. */
export function summaryOf(candidates: readonly CandidateAdvice[]): readonly string[] {
  const best = candidates.find(({ verdict }) => verdict === "best");
  if (candidates.length === 0) return ["There is no candidate to judge."];
  return best === undefined
    ? [noneLeft(candidates), ...rejected(candidates)]
    : [
        ...bestSentences(best),
        ...runnerUp(best, candidates),
        ...rejected(candidates),
        ...smallContainer(candidates),
      ];
}

/** Its name, and what it stands for where that is something else. */
function nameOf({ simulation, expression }: CandidateAdvice): string {
  const { id } = simulation.candidate;
  return id === expression ? id : `${id} (${expression})`;
}

function bestSentences(best: CandidateAdvice): readonly string[] {
  const conditions = best.reasons.filter(({ weight }) => weight === "condition");
  const opening = openingOf(best);
  if (conditions.length === 0) {
    return [...opening, ...best.merits.filter(isNoCost).slice(0, 2), ...byLayout(best)];
  }
  return [
    ...opening,
    "It works under conditions, and no other key works without any.",
    ...conditions.map(({ sentence }) => sentence),
  ];
}

/** What is best at a rate, and what rate that would need, are two things. */
function openingOf(best: CandidateAdvice): readonly string[] {
  const { load, throttling } = best.simulation;
  if (!isShortOfRate(best)) {
    return [`${nameOf(best)} is the best key, for ${costText(best.simulation)}.`];
  }
  const need =
    load.neededRate === undefined
      ? "No rate would be enough for it as its physical partitions lie."
      : `To be refused nothing it would need ${rateText(load.neededRate)}, for ` +
        `${costText(best.simulation)}.`;
  return [
    `At the ${rateText(load.provisioned)} that are provisioned ${nameOf(best)} does best of ` +
      `these keys, and ${percentText(throttling.share)} of the answers at the peak are 429.`,
    need,
  ];
}

/** What makes it need more than an even spread would. */
function byLayout(best: CandidateAdvice): readonly string[] {
  const { reasons, simulation } = best;
  if (simulation.load.reference === undefined && !isShortOfRate(best)) return [];
  return reasons
    .filter(({ code }) => code === "throughput-hot" || code === "current-period-hot")
    .map(({ sentence }) => sentence);
}

/** The opening has the cost already. */
function isNoCost(merit: string): boolean {
  return !merit.includes("a month");
}

/** With what it lacks that the best has not, or why it comes second though it costs less. */
function runnerUp(
  best: CandidateAdvice,
  candidates: readonly CandidateAdvice[],
): readonly string[] {
  const next = candidates.find((each) => each !== best && each.verdict !== "bad");
  if (next === undefined) return [];
  const difference = differenceText(next, best);
  const but = next.behind === undefined ? "" : `, but ${next.behind}`;
  return [`Next is ${nameOf(next)}: ${costText(next.simulation)}, ${difference}${but}.`];
}

function differenceText(next: CandidateAdvice, best: CandidateAdvice): string {
  const [cost, than] = [next, best].map(({ simulation }) => simulation.cost.laidOut) as [
    number,
    number,
  ];
  if (!(than > 0) || !Number.isFinite(cost)) return "not to be compared";
  // What is printed alike is the same.
  if (moneyText(cost) === moneyText(than)) return "the same";
  const share = cost / than - 1;
  return share > 0 ? `${percentText(share)} more` : `${percentText(-share)} less`;
}

/** The user's own first: they ask why. */
function rejected(candidates: readonly CandidateAdvice[]): readonly string[] {
  const bad = candidates.filter(({ verdict }) => verdict === "bad");
  const isNamed = ({ simulation }: CandidateAdvice): boolean =>
    simulation.candidate.origin === "named";
  const ordered = [...bad.filter(isNamed), ...bad.filter((each) => !isNamed(each))];
  const shown = ordered.slice(0, REJECTED_SHOWN).map((each) => {
    const clauses = each.reasons.filter(isAgainst).map(clauseOf).slice(0, 2);
    return `${each.simulation.candidate.id} (${clauses.join("; ")})`;
  });
  if (shown.length === 0) return [];
  const rest = bad.length - shown.length;
  return [`Ruled out: ${shown.join(", ")}${rest > 0 ? `, and ${rest} more` : ""}.`];
}

function isAgainst({ weight }: Reason): boolean {
  return weight === "against";
}

function noneLeft(candidates: readonly CandidateAdvice[]): string {
  const count = plural(candidates.length, "key");
  return `None of the ${count} that were looked at can carry this workload.`;
}

function smallContainer(candidates: readonly CandidateAdvice[]): readonly string[] {
  const fit = candidates.filter(({ verdict }) => verdict !== "bad");
  const most = fit.reduce((count, { simulation }) => {
    return Math.max(count, partitionCountMax(simulation));
  }, 1);
  if (most > SMALL_PARTITION_COUNT) return [];
  return [
    `The container stays small (${plural(most, "physical partition")} at most): asking all of ` +
      "them is cheap, and the choice of the key matters little for reads.",
  ];
}
