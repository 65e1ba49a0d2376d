/** What speaks for a key, in sentences with their numbers. A key that breaks a limit has few. */

import { bytesText } from "../../base/wording.ts";
import { moneyText, numberText, percentText, plural } from "../wording/plain.ts";
import { costText } from "./costText.ts";
import { type Ground, hottestAllotment, rateOf, ratio, readsOf } from "./ground.ts";
import type { Judgement } from "./judge.ts";
import { costOf } from "./preference.ts";
import { ALARM_SHARE, ALIGNMENT_MIN, CARDINALITY_MIN, COST_TIE } from "./thresholds.ts";

export function meritsOf(
  judgement: Judgement,
  ground: Ground,
  leastCost: LeastCost,
): readonly string[] {
  return [
    ...costMerit(judgement, leastCost),
    ...readMerit(judgement),
    ...storageMerit(judgement, ground),
    ...loadMerit(judgement),
    ...transactionMerit(judgement, ground),
    ...cardinalityMerit(judgement),
  ];
}

/** The least of those that are not bad: with partitions cut where the load is, and as they are. */
interface LeastCost {
  readonly laidOut: number;
  readonly cheapest: number;
}

export function leastCostOf(ranked: readonly Judgement[]): LeastCost {
  const fit = ranked.filter(({ standing }) => standing !== "bad");
  const least = (of: (judgement: Judgement) => number): number =>
    fit.reduce((cost, judgement) => Math.min(cost, of(judgement)), Number.POSITIVE_INFINITY);
  return {
    laidOut: least(costOf),
    cheapest: least(({ simulation }) => simulation.cost.cheapest.value),
  };
}

/** By the figures as they are printed: what reads alike is alike. */
function costMerit(judgement: Judgement, least: LeastCost): readonly string[] {
  const cost = costOf(judgement);
  if (judgement.standing === "bad" || cost > least.laidOut * (1 + COST_TIE)) return [];
  const { simulation } = judgement;
  const text = costText(simulation);
  if (moneyText(cost) !== moneyText(least.laidOut)) {
    return [`It costs ${text}, within ${percentText(COST_TIE)} of the least.`];
  }
  const isLeastNow = moneyText(simulation.cost.cheapest.value) === moneyText(least.cheapest);
  return [
    isLeastNow
      ? `Nothing that works costs less: ${text}.`
      : `Nothing that works costs less once physical partitions are cut where the load is: ` +
        `${text}; until then the least is ${moneyText(least.cheapest)}.`,
  ];
}

function readMerit({ simulation }: Judgement): readonly string[] {
  const reads = readsOf(simulation);
  const aimed = reads.filter(({ routing }) => routing.kind !== "everywhere");
  const share = ratio(rateOf(aimed), rateOf(reads));
  if (share < ALIGNMENT_MIN) return [];
  const one = Math.min(share, simulation.fanOut.keyShare);
  return [
    one === share || one === 0
      ? `${percentText(share)} of the reads name ${one === 0 ? "their keys" : "one key"}.`
      : `${percentText(share)} of the reads name their keys, ${percentText(one)} just one.`,
  ];
}

function storageMerit({ simulation }: Judgement, { limits }: Ground): readonly string[] {
  const { largest } = simulation.keys;
  const bytesMax = limits.logicalPartitionBytesMax;
  const bytes = largest.bytesAtEnd.value;
  if (bytes > ALARM_SHARE * bytesMax) return [];
  return [`The largest logical partition ends at ${bytesText(bytes)} of ${bytesText(bytesMax)}.`];
}

function loadMerit({ simulation }: Judgement): readonly string[] {
  const { load, throttling } = simulation;
  const used = ratio(load.hottestPartition.rate.value, hottestAllotment(simulation));
  if (used > 1 || throttling.share > 0.01) return [];
  return [
    `The hottest physical partition uses ${percentText(used)} of what it is allotted, ` +
      `${numberText(load.hottestPartition.overMean)} times the mean.`,
  ];
}

function transactionMerit({ simulation }: Judgement, { workload }: Ground): readonly string[] {
  const kept = workload.operations
    .filter(({ transactionScope }) => transactionScope !== undefined)
    .map(({ id }) => id)
    .filter((id) => !simulation.brokenTransactions.includes(id));
  if (kept.length === 0) return [];
  return [`What ${kept.join(", ")} changes together lies in one logical partition.`];
}

function cardinalityMerit({ simulation, standing }: Judgement): readonly string[] {
  const { count, period } = simulation.keys;
  if (standing === "bad" || period !== undefined || count.value < CARDINALITY_MIN) return [];
  return [`There are ${plural(count.value, "key")}, so it can grow.`];
}
