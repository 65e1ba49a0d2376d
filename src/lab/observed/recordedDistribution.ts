/**
 * The distribution of values, from how often they were recorded: even, by a Zipf law, or by the
 * shares of the heaviest. The simplest that the counts do not contradict is taken.
 */
import type { JsonValue } from "../../json/value.ts";
import type { HeavyValue, ValuesRecord } from "../../recording/recording.ts";
import { weightOfRanks } from "../data/valueRows.ts";
import type { Distribution } from "../workload/workload.ts";

/** Number of shares by name: more would hardly be read, and the rest are similar. */
const NAMED_MAX = 20;
/** Up to this number of values, each has its share by name. */
const FEW = 12;
const EXPONENT_MAX = 4;
/** Relative deviation of counts, beyond chance, above which they follow another law. */
const MISFIT_MAX = 0.35;

export function recordedDistribution(values: ValuesRecord): Distribution {
  const { distinct } = values;
  if (distinct <= 1 || isEven(values)) return { kind: "uniform" };
  if (distinct <= FEW) return sharesOf(values, namesOf(values));
  const trusted = trustedOf(values);
  const s = exponentOf(values, trusted);
  if (s === undefined || isMisfit(values, trusted, s)) return sharesOf(values, namesOf(values));
  return { kind: "zipf", s: rounded(s) };
}

/**
 * A distribution without names: where there are as many values as items, shares of some say little.
 */
export function rankedDistribution(values: ValuesRecord): Distribution {
  if (values.distinct <= 1 || isEven(values)) return { kind: "uniform" };
  const s = exponentOf(values, trustedOf(values));
  return s === undefined ? { kind: "uniform" } : { kind: "zipf", s: rounded(s) };
}

/**
 * Items and requests of one property are about the same values: if one of the two distributions
 * needs names, both have shares for the names of both.
 */
export function distributionsOf(
  items: ValuesRecord | undefined,
  requests: ValuesRecord | undefined,
): { readonly items: Distribution; readonly requests: Distribution | undefined } {
  const made = {
    items: items === undefined ? ({ kind: "uniform" } as const) : recordedDistribution(items),
    requests: requests && recordedDistribution(requests),
  };
  if (items === undefined || requests === undefined) return made;
  if (made.items.kind !== "shares" && made.requests?.kind !== "shares") return made;
  const names = new Set([...namesOf(items), ...namesOf(requests)]);
  return { items: sharesOf(items, names), requests: sharesOf(requests, names) };
}

/** Merges the values that several operations asked for at the same path. */
export function mergedValues(all: readonly ValuesRecord[]): ValuesRecord | undefined {
  if (all.length <= 1) return all[0];
  const byName = new Map<string, HeavyValue>();
  for (const { heaviest } of all) {
    for (const { value, count, errorCount } of heaviest) {
      const known = byName.get(JSON.stringify(value));
      byName.set(JSON.stringify(value), {
        value,
        count: count + (known?.count ?? 0),
        errorCount: errorCount + (known?.errorCount ?? 0),
      });
    }
  }
  return {
    count: all.reduce((sum, { count }) => sum + count, 0),
    distinct: Math.max(byName.size, ...all.map(({ distinct }) => distinct)),
    distinctError: Math.max(...all.map(({ distinctError }) => distinctError)),
    heaviest: [...byName.values()].sort((a, b) => b.count - a.count),
  };
}

/** The values whose counts have an error of at most a tenth. */
function trustedOf({ heaviest }: ValuesRecord): readonly HeavyValue[] {
  return heaviest.filter(({ count, errorCount }) => errorCount <= count / 10);
}

/** True when chance alone could have made these counts of equally frequent values. */
function isEven({ count, distinct, heaviest }: ValuesRecord): boolean {
  const mean = count / distinct;
  const isComplete = heaviest.length >= distinct && heaviest.every((each) => each.errorCount === 0);
  if (isComplete) {
    const square = heaviest.reduce((sum, each) => sum + (each.count - mean) ** 2 / mean, 0);
    const freedom = distinct - 1;
    return square <= freedom + 4 * Math.sqrt(2 * freedom);
  }
  // The greatest of so many Poisson counts. Values that were seen by luck make the mean too high.
  const most = mean + Math.sqrt(2 * mean * Math.log(distinct)) + Math.log(distinct);
  return heaviest.every((each) => each.count - each.errorCount <= most);
}

/** The Zipf exponent under which the trusted values together have their recorded share. */
function exponentOf(
  { count, distinct }: ValuesRecord,
  trusted: readonly HeavyValue[],
): number | undefined {
  const rankCount = Math.min(trusted.length, distinct);
  if (rankCount < 2) return undefined;
  const share = trusted.reduce((sum, each) => sum + countOf(each), 0) / count;
  // When all values are known, their sum is always 1, so the share of the first tenth is used.
  const wanted = rankCount === distinct ? Math.max(1, Math.ceil(rankCount / 10)) : rankCount;
  const part =
    wanted === rankCount
      ? share
      : trusted.slice(0, wanted).reduce((sum, each) => sum + countOf(each), 0) / count;
  let [low, high] = [0, EXPONENT_MAX];
  for (let step = 0; step < 40; step++) {
    const middle = (low + high) / 2;
    const expected = weightOfRanks(middle, 1, wanted) / weightOfRanks(middle, 1, distinct);
    if (expected < part) low = middle;
    else high = middle;
  }
  return low > EXPONENT_MAX - 0.01 ? undefined : low;
}

function isMisfit(
  { count, distinct }: ValuesRecord,
  trusted: readonly HeavyValue[],
  s: number,
): boolean {
  const whole = weightOfRanks(s, 1, distinct);
  for (let rank = 1; rank <= Math.min(trusted.length, distinct); rank *= 2) {
    const expected = (count * rank ** -s) / whole;
    const difference = Math.abs(countOf(trusted[rank - 1]!) - expected);
    const byChance = 3 * Math.sqrt(expected) + 1;
    if (difference > byChance && difference > MISFIT_MAX * expected) return true;
  }
  return false;
}

function countOf({ count, errorCount }: HeavyValue): number {
  return count - errorCount / 2;
}

function namesOf(values: ValuesRecord): ReadonlySet<string> {
  return new Set(
    trustedOf(values)
      .slice(0, NAMED_MAX)
      .map(({ value }) => nameOf(value)),
  );
}

function sharesOf(values: ValuesRecord, names: ReadonlySet<string>): Distribution {
  const shares = new Map<string, number>();
  for (const each of values.heaviest) {
    const name = nameOf(each.value);
    if (!names.has(name)) continue;
    shares.set(name, (shares.get(name) ?? 0) + countOf(each) / values.count);
  }
  const sum = [...shares.values()].reduce((total, share) => total + share, 0);
  // No other value is left for the rest: what is missing is the error of the counts.
  const scale = shares.size >= values.distinct || sum > 1 ? 1 / sum : 1;
  return {
    kind: "shares",
    shares: new Map([...shares].map(([name, share]) => [name, rounded(share * scale)])),
  };
}

function nameOf(value: JsonValue): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

export function rounded(amount: number): number {
  return Number(amount.toPrecision(4));
}
