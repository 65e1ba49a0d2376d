/**
 * Which candidate is better: the order of all of them, and which are on the Pareto front.
 *
 * Standing comes first: no price makes up for a limit. Among candidates of one standing, those that
 * another beats in everything stay behind; the others go by cost, and costs that are alike (within
 * 10 %, or a hundred dollars a month) leave it to storage risk, conditions, remarks and simplicity.
 * A key that the user named gives way to one that the lab found only when that one is materially
 * better, and so does any key to a hierarchy with a level for each item, which no limit can touch
 * and no transaction can use.
 *
 * What is well within its limits is not compared: a largest key of 1 GB is no better than one of
 * 5 GB. Otherwise every hierarchy would beat the path it begins with.
 */
import type { Simulation } from "../simulate/simulation.ts";
import type { Reason } from "./advice.ts";
import { partitionCount, ratio, surchargeOf, usefulRate } from "./ground.ts";
import type { Judgement, KeyStanding } from "./judge.ts";
import { complexityOf } from "./simplicity.ts";
import {
  ALARM_SHARE,
  COST_ALIKE,
  COST_MATERIAL,
  COST_TIE,
  EVERYWHERE_NOTABLE,
  ITEMS_PER_KEY_ONE,
} from "./thresholds.ts";

const STANDINGS: readonly KeyStanding[] = ["workable", "conditional", "bad"];

/** Below these, less is not better. */
const SKEW_FLOOR = 1.5;
const SURCHARGE_FLOOR = 0.05;
const STORAGE_FLOOR = 0.5;
/** A smaller difference than this is none. */
const NOTABLE = 0.1;

/** Best first. */
export function rank(judgements: readonly Judgement[], keyBytesMax: number): readonly Judgement[] {
  return STANDINGS.flatMap((standing) => {
    const entries = judgements
      .filter((each) => each.standing === standing)
      .map((judgement) => entryOf(judgement, keyBytesMax));
    return (standing === "bad" ? leastBadFirst(entries) : preferredFirst(entries)).map(
      ({ judgement }) => judgement,
    );
  });
}

/** Those that no other beats, of all that are not bad. */
export function paretoFront(
  judgements: readonly Judgement[],
  keyBytesMax: number,
): ReadonlySet<Judgement> {
  const fit = judgements.filter(({ standing }) => standing !== "bad");
  const entries = fit.map((judgement) => entryOf(judgement, keyBytesMax));
  return new Set(frontOf(entries).map(({ judgement }) => judgement));
}

/** Of each that is beaten by others that are not bad, the one that beats it and is ranked first. */
export function beatenBy(
  ranked: readonly Judgement[],
  keyBytesMax: number,
): ReadonlyMap<Judgement, Judgement> {
  const fit = ranked.filter(({ standing }) => standing !== "bad");
  const entries = fit.map((judgement) => entryOf(judgement, keyBytesMax));
  return new Map(
    entries.flatMap((entry) => {
      const other = entries.find((each) => beats(each, entry));
      return other === undefined ? [] : [[entry.judgement, other.judgement] as const];
    }),
  );
}

/** Partitions can be cut where the load is, later; a key cannot be changed. */
export function costOf({ simulation }: Judgement): number {
  const { laidOut } = simulation.cost;
  return Number.isFinite(laidOut) ? laidOut : Number.POSITIVE_INFINITY;
}

export interface Entry {
  readonly judgement: Judgement;
  readonly cost: number;
  /** The less, the better, all of them; the first is the cost. */
  readonly aims: readonly number[];
  readonly isNearLimit: boolean;
  readonly isNamed: boolean;
  /** It escapes the limits of a logical partition by having one for each item. */
  readonly isFallback: boolean;
  readonly conditionCount: number;
  /** Remarks that are a reason to take another key where all else is alike. */
  readonly blemishCount: number;
  readonly complexity: readonly number[];
}

export function entryOf(judgement: Judgement, keyBytesMax: number): Entry {
  const { simulation, reasons } = judgement;
  const { keys, operations, candidate, brokenTransactions } = simulation;
  const cost = costOf(judgement);
  const storage = ratio(keys.largest.bytesAtEnd.value, keyBytesMax);
  const surcharge = operations.reduce((sum, one) => sum + surchargeOf(one), 0);
  return {
    judgement,
    cost,
    aims: [
      cost,
      Math.max(SKEW_FLOOR, keySkew(simulation)),
      Math.max(SURCHARGE_FLOOR, ratio(surcharge, usefulRate(operations))),
      Math.max(STORAGE_FLOOR, storage),
      brokenTransactions.length,
    ],
    isNearLimit: storage > ALARM_SHARE,
    isNamed: candidate.origin === "named",
    isFallback: candidate.levels.length > 1 && keys.itemsPerKey < ITEMS_PER_KEY_ONE,
    conditionCount: reasons.filter(({ weight }) => weight === "condition").length,
    blemishCount: reasons.filter(isBlemish).length,
    complexity: complexityOf(candidate.levels),
  };
}

/** The load of the hottest key over that of a mean partition: what no cut can make less. */
function keySkew(simulation: Simulation): number {
  const { hottestKey, peakRate } = simulation.load;
  return ratio(hottestKey.rate.value * partitionCount(simulation), peakRate);
}

/** Few keys, scattered reads and the like, in a container so small that they do no harm yet. */
function isBlemish({ weight, code, figures }: Reason): boolean {
  const isOfLoad = code === "throughput-hot" || code === "current-period-hot";
  if (weight !== "remark" || isOfLoad) return false;
  return code !== "fan-out" || (figures["avoidableShare"] ?? 0) >= EVERYWHERE_NOTABLE;
}

function frontOf(entries: readonly Entry[]): readonly Entry[] {
  return entries.filter((entry) => !entries.some((other) => beats(other, entry)));
}

/** By how much an aim has to be less to be notably so: see `NOTABLE`. */
export function isNotablyLess(aim: number, other: number): boolean {
  return aim < other * (1 - NOTABLE);
}

/** As good in everything, and notably better in something. */
export function beats(left: Entry, right: Entry): boolean {
  let isBetter = false;
  for (const [at, aim] of left.aims.entries()) {
    const other = right.aims[at]!;
    // The first is the cost, in dollars.
    if (at === 0 && Math.abs(aim - other) < COST_ALIKE) continue;
    if (aim > other) return false;
    if (isNotablyLess(aim, other)) isBetter = true;
  }
  return isBetter;
}

function preferredFirst(entries: readonly Entry[]): readonly Entry[] {
  const ordered: Entry[] = [];
  const rest = new Set(entries);
  while (rest.size > 0) {
    const next = preferredOf([...rest]);
    ordered.push(next);
    rest.delete(next);
  }
  return ordered;
}

/** What the user named comes first, and what has a key for each item comes last. */
function preferredOf(entries: readonly Entry[]): Entry {
  const groups = [
    entries.filter(({ isNamed }) => isNamed),
    entries.filter(({ isNamed, isFallback }) => !isNamed && !isFallback),
    entries.filter(({ isNamed, isFallback }) => !isNamed && isFallback),
  ];
  return groups
    .filter((group) => group.length > 0)
    .map(leaderOf)
    .reduce((best, other) => (isMateriallyBetter(other, best) ? other : best));
}

function isMateriallyBetter(other: Entry, own: Entry): boolean {
  const saved = own.cost - other.cost;
  if (saved >= COST_ALIKE && other.cost <= own.cost * (1 - COST_MATERIAL)) return true;
  if (other.cost > own.cost * (1 + COST_TIE)) return false;
  return other.conditionCount < own.conditionCount || (own.isNearLimit && !other.isNearLimit);
}

/** Of those on the front the cheapest, or a simpler one that costs about the same. */
function leaderOf(entries: readonly Entry[]): Entry {
  const front = frontOf(entries);
  const least = front.reduce((cost, entry) => Math.min(cost, entry.cost), Number.POSITIVE_INFINITY);
  const alike = front.filter(
    ({ cost }) => cost <= Math.max(least * (1 + COST_TIE), least + COST_ALIKE),
  );
  return alike.reduce((best, entry) => (isBefore(entry, best) ? entry : best));
}

function isBefore(left: Entry, right: Entry): boolean {
  const difference = [
    Number(left.isNearLimit) - Number(right.isNearLimit),
    left.conditionCount - right.conditionCount,
    left.blemishCount - right.blemishCount,
    ...left.complexity.map((each, at) => each - (right.complexity[at] ?? 0)),
    compare(left.cost, right.cost),
  ].find((each) => each !== 0);
  if (difference !== undefined) return difference < 0;
  return left.judgement.simulation.candidate.id < right.judgement.simulation.candidate.id;
}

function leastBadFirst(entries: readonly Entry[]): readonly Entry[] {
  const against = ({ judgement }: Entry): number =>
    judgement.reasons.filter(({ weight }) => weight === "against").length;
  return [...entries].sort(
    (left, right) => against(left) - against(right) || compare(left.cost, right.cost),
  );
}

/** Two that cost infinitely much cost the same. */
function compare(left: number, right: number): number {
  return left === right ? 0 : left < right ? -1 : 1;
}
