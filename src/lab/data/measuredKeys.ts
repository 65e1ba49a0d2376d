/**
 * What the data itself says of a candidate's keys, before anything is predicted: how many there are
 * in it, the share of the largest, of items without a value, how unequal they are.
 *
 * Counted on all items where somebody has had them counted; otherwise from the items that the
 * profile kept, each figure with the error that so few of them leave.
 */
import { keyOf } from "../../keys/component.ts";
import { printKeyLevels } from "../../keys/expressionText.ts";
import { pathText } from "../../keys/paths.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Candidate } from "../candidate/candidate.ts";
import { type Estimate, exactly } from "../counting/estimate.ts";
import type { KeyProfile, PopulationGrowth, Profile } from "../profile/profile.ts";
import type { SampledKey } from "./sampledKeys.ts";
import { sampledCount } from "./sampledPopulation.ts";

export interface MeasuredKey {
  /** All items of the data were counted, or this many of them looked at. */
  readonly basis: { readonly kind: "counted" | "sample"; readonly items: number };
  readonly distinct: Estimate;
  readonly largest: {
    readonly share: Estimate;
    /** Undefined where it is one of many alike. */
    readonly values: readonly KeyComponent[] | undefined;
  };
  /** Of items that have null or nothing in some part of the key. */
  readonly nullShare: Estimate;
  readonly gini: Estimate;
  /** Whether there will be more of them; undefined: it is not shown by what was counted. */
  readonly growth: PopulationGrowth | undefined;
}

export function measuredKeyIn(profile: Profile, { levels }: Candidate): MeasuredKey {
  const counted = countedIn(profile, levels);
  if (counted !== undefined) return fromCounts(counted, profile.itemCount);
  return fromSample(profile, levels);
}

function countedIn(
  { keys, expressions }: Profile,
  levels: Candidate["levels"],
): KeyProfile | undefined {
  const text = printKeyLevels(levels);
  const made = expressions.find(({ expression }) => expression === text);
  if (made !== undefined || levels.some(({ kind }) => kind !== "path")) return made;
  const paths = levels.map((level) => (level.kind === "path" ? pathText(level) : ""));
  const wanted = [...new Set(paths)].sort().join("\n");
  return keys.find((key) => [...key.paths].sort().join("\n") === wanted);
}

function fromCounts(key: KeyProfile, itemCount: number): MeasuredKey {
  const { distinct, largestShare, nullShare, giniItems, giniError, heaviest } = key;
  const [first] = heaviest;
  const isLargest =
    first !== undefined && first.items.value >= largestShare.value * itemCount - 0.5;
  return {
    basis: { kind: "counted", items: itemCount },
    distinct,
    largest: { share: largestShare, values: isLargest ? first.values : undefined },
    nullShare: exactly(nullShare),
    gini: near(giniItems, giniError),
    // Whether a period's keys go on is in the calendar, not in the data.
    growth: key.expression === undefined ? key.growth : undefined,
  };
}

function fromSample({ sample, itemCount }: Profile, levels: Candidate["levels"]): MeasuredKey {
  const n = sample.length;
  const isAll = n >= itemCount;
  const counts = new Map<string, { values: readonly KeyComponent[]; count: number }>();
  let nulls = 0;
  for (const item of sample) {
    const values = keyOf(levels, item, { random: () => 0, turn: () => 0 });
    if (values.some((value) => value === undefined || value === null)) nulls++;
    const name = JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { values, count: 1 });
    else known.count++;
  }
  const keys: SampledKey[] = [...counts.values()].sort((a, b) => b.count - a.count);
  const [largest] = keys;
  const shareOf = (count: number): Estimate => sampledShare(count, n, isAll);
  const gini = giniOf(keys.map(({ count }) => count));
  return {
    basis: { kind: isAll ? "counted" : "sample", items: n },
    distinct: sampledCount(keys, n, itemCount, 0),
    largest: { share: shareOf(largest?.count ?? 0), values: largest?.values },
    nullShare: shareOf(nulls),
    gini: isAll ? exactly(gini) : near(gini, giniError(keys, n)),
    growth: undefined,
  };
}

/** Three standard errors, and what so few items may have missed altogether. */
function sampledShare(count: number, n: number, isAll: boolean): Estimate {
  const value = n === 0 ? 0 : count / n;
  if (isAll || n === 0) return exactly(value);
  const error = 3 * Math.sqrt((value * (1 - value)) / n) + 5 / n;
  return { value, low: Math.max(0, value - error), high: Math.min(1, value + error) };
}

/** Keys of which few items came look more unequal than they are; those that did not come, less. */
function giniError(keys: readonly SampledKey[], n: number): number {
  const once = keys.filter(({ count }) => count === 1).length;
  if (once > 0 || keys.length === 0) return 1;
  return Math.min(1, Math.sqrt(keys.length / n) + 2 / Math.sqrt(n));
}

function giniOf(counts: readonly number[]): number {
  const ordered = [...counts].sort((a, b) => a - b);
  const total = ordered.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  const ranked = ordered.reduce((sum, count, at) => sum + count * (2 * at + 1 - ordered.length), 0);
  return Math.max(0, ranked / (ordered.length * total));
}

function near(value: number, error: number): Estimate {
  return { value, low: Math.max(0, value - error), high: Math.min(1, value + error) };
}
