/** The verdict in a few sentences: what is best, why, what comes next, and what was ruled out. */
import { percentText, plural } from "../report/plain.ts";
import type { CandidateAdvice, Reason } from "./advice.ts";
import { clauseOf } from "./clause.ts";
import { costText } from "./costText.ts";
import { partitionCountMax } from "./ground.ts";
import { SMALL_PARTITION_COUNT, THROTTLED_HEALTHY } from "./thresholds.ts";

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
export function nameOf({ simulation, expression }: CandidateAdvice): string {
  const { id } = simulation.candidate;
  return id === expression ? id : `${id} (${expression})`;
}

function bestSentences(best: CandidateAdvice): readonly string[] {
  const conditions = best.reasons.filter(({ weight }) => weight === "condition");
  const opening = `${nameOf(best)} is the best key, for ${costText(best.simulation)}.`;
  if (conditions.length === 0) {
    return [opening, ...best.merits.slice(0, 3).filter(isNoCost), ...throttled(best)];
  }
  return [
    opening,
    "It works under conditions, and no other key works without any.",
    ...conditions.map(({ sentence }) => sentence),
  ];
}

/** What is refused at the rate that is provisioned: the cost has the rate that it takes. */
function throttled({ reasons, simulation }: CandidateAdvice): readonly string[] {
  if (simulation.throttling.share <= THROTTLED_HEALTHY) return [];
  return reasons
    .filter(({ code }) => code === "throughput-hot" || code === "current-period-hot")
    .map(({ sentence }) => sentence);
}

/** The opening has the cost already. */
function isNoCost(merit: string): boolean {
  return !merit.includes("a month");
}

function runnerUp(
  best: CandidateAdvice,
  candidates: readonly CandidateAdvice[],
): readonly string[] {
  const next = candidates.find((each) => each !== best && each.verdict !== "bad");
  if (next === undefined) return [];
  const condition = next.reasons.find(({ weight }) => weight === "condition");
  const but = condition === undefined ? "" : `, but ${clauseOf(condition)}`;
  const [cost, than] = [next, best].map(({ simulation }) => simulation.cost.laidOut);
  return [
    `Next is ${nameOf(next)}: ${costText(next.simulation)}, ${differenceText(cost!, than!)}${but}.`,
  ];
}

function differenceText(cost: number, than: number): string {
  if (!(than > 0) || !Number.isFinite(cost)) return "not to be compared";
  const share = cost / than - 1;
  if (Math.abs(share) < 0.005) return "the same";
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
