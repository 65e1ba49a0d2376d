/**
 * Which measurement would narrow the verdict most: one sentence, with what to run.
 *
 * A bound that lies between two verdicts comes first, then what nobody knows and everybody relies
 * on, then what was only declared.
 */
import { bytesText } from "../../base/wording.ts";
import { pathsOf, pathText } from "../../keys/paths.ts";
import type { Estimate } from "../counting/estimate.ts";
import { moneyText, numberText, percentText, rateText } from "../wording/plain.ts";
import type { Workload } from "../workload/workload.ts";
import { type Ground, hottestAllotment, isRead, rateOf, ratio } from "./ground.ts";
import type { Judgement } from "./judge.ts";

/** Who has read everything can read no more: only what comes is not known yet. */
function moreItems({ sampleCount, isAllRead }: Ground["facts"]): string {
  if (sampleCount === undefined) return "run `orrery lab profile` over real items";
  return isAllRead === true
    ? `all ${numberText(sampleCount)} items were read, so look again when there are more`
    : "run `orrery lab profile` over more items, best over all of them";
}

const RECORD = "run `orrery record` against the application for a day";

/** `ranked` is best first. */
export function measureNextOf(ranked: readonly Judgement[], ground: Ground): string | undefined {
  const [best, next] = ranked.filter(({ standing }) => standing !== "bad");
  if (best === undefined) return undefined;
  return (
    undecidedLimit([best, ...(next === undefined ? [] : [next])], ground) ??
    unknownMutability(best, ground) ??
    undecidedCost(best, next, ground) ??
    unknownParameters(ground.workload) ??
    unknownHours(best, ground.workload) ??
    onlyDeclared(best, ground)
  );
}

function isAround({ low, high }: Estimate, limit: number): boolean {
  return low <= limit && high > limit;
}

function undecidedLimit(
  judgements: readonly Judgement[],
  { limits, facts }: Ground,
): string | undefined {
  for (const { simulation } of judgements) {
    const { id } = simulation.candidate;
    const bytes = simulation.keys.largest.bytesAtEnd;
    if (isAround(bytes, limits.logicalPartitionBytesMax)) {
      return (
        `The largest key of ${id} ends between ${bytesText(Math.max(0, bytes.low))} and ` +
        `${bytesText(bytes.high)}, and the limit of ` +
        `${bytesText(limits.logicalPartitionBytesMax)} lies between: ${moreItems(facts)}.`
      );
    }
    const { rate } = simulation.load.hottestKey;
    const allotment = Math.min(limits.partitionRateMax, hottestAllotment(simulation));
    if (isAround(rate, allotment)) {
      return (
        `The hottest key of ${id} gets between ${rateText(Math.max(0, rate.low))} and ` +
        `${rateText(rate.high)}, and its physical partition is allotted ${rateText(allotment)}: ` +
        `${RECORD} to know how often each key is asked for.`
      );
    }
  }
  return undefined;
}

/** Undefined: nobody knows. That an update leaves the key alone is what all else rests on. */
function unknownMutability(best: Judgement, { workload, facts }: Ground): string | undefined {
  const updates = workload.operations.filter(
    ({ kind, changes }) =>
      (kind === "replace" || kind === "patch" || kind === "upsert") && changes.length === 0,
  );
  if (updates.length === 0) return undefined;
  const paths = best.simulation.candidate.levels.flatMap((level) => pathsOf(level).map(pathText));
  const unknown = paths.filter(
    (path) =>
      path !== "/id" &&
      facts.properties.get(path)?.changingShare === undefined &&
      workload.properties.get(path)?.changes !== true,
  );
  if (unknown.length === 0) return undefined;
  return (
    `Nobody has said whether ${updates.map(({ id }) => id).join(", ")} changes ` +
    `${unknown.join(", ")}; if it does, ${best.simulation.candidate.id} is impossible. State it ` +
    `under "changes", or ${RECORD}.`
  );
}

function undecidedCost(
  best: Judgement,
  next: Judgement | undefined,
  { facts }: Ground,
): string | undefined {
  if (next === undefined) return undefined;
  const [cost, other] = [best.simulation.cost.cheapest, next.simulation.cost.cheapest];
  if (moneyText(cost.high) === moneyText(cost.low) || cost.high < other.low) return undefined;
  return (
    `${best.simulation.candidate.id} costs between ${moneyText(Math.max(0, cost.low))} and ` +
    `${moneyText(cost.high)} a month, ${next.simulation.candidate.id} from ` +
    `${moneyText(Math.max(0, other.low))} on, so they cannot be told apart yet: ` +
    `${moreItems(facts)}.`
  );
}

/** From this share of the reads on, it matters for which values they ask. */
const READS_NOTABLE = 0.2;

function unknownParameters({ operations, properties }: Workload): string | undefined {
  const reads = operations.filter(isRead);
  const open = reads.filter(
    (one) =>
      one.kind === "query" &&
      one.sql?.includes("@") === true &&
      [...one.parameters.values()].every(
        ({ like, distribution, agoDays, values }) =>
          like === undefined &&
          distribution === undefined &&
          agoDays === undefined &&
          values === undefined,
      ) &&
      [...properties.values()].every(({ requests }) => requests === undefined),
  );
  const share = ratio(rateOf(open), rateOf(reads));
  if (share < READS_NOTABLE) return undefined;
  return (
    `For ${percentText(share)} of the reads (${open.map(({ id }) => id).join(", ")}) it is not ` +
    "known which values they ask for; they are taken to ask for each as often as items have it. " +
    `To know better, ${RECORD}.`
  );
}

function unknownHours(best: Judgement, { growth, operations }: Workload): string | undefined {
  if (growth.hours !== undefined || operations.some(({ hours }) => hours !== undefined)) {
    return undefined;
  }
  const { load } = best.simulation;
  const used = ratio(load.hottestPartition.rate.value, hottestAllotment(best.simulation));
  if (used < 0.5) return undefined;
  return (
    `The peak of ${numberText(growth.peakFactor)} times the mean is declared, not measured, and ` +
    `at the peak the hottest physical partition uses ${percentText(used)} of what it is ` +
    `allotted: ${RECORD} that has the busiest hour in it.`
  );
}

function onlyDeclared(best: Judgement, { facts }: Ground): string | undefined {
  if (facts.sampleCount !== undefined) return undefined;
  const { label, share } = best.simulation.keys.largest;
  return (
    `How items are distributed over the keys is declared, not measured (${label} has ` +
    `${percentText(share)} of the bytes): run \`orrery lab profile\` over a sample of real items.`
  );
}
