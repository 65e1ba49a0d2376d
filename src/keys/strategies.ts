/**
 * The strategies of the guides, each as a function that makes one for the properties of a
 * container. docs/use/keys.md says when each is the right one.
 *
 * They are nothing but expressions with good names: `strategyOf` makes any other.
 */
import type { KeyExpression, PathPart, TimeGrain } from "./expression.ts";
import {
  BadStrategy,
  countOf,
  expressionOf,
  type KeyInput,
  type KeyStrategy,
  type StrategyOptions,
  strategyOf,
} from "./strategy.ts";

/** For each strategy besides what it is made of: where the key is kept. */
type Kept = Pick<StrategyOptions, "property">;

/** Every entity by itself: even, and read by id; everything else asks all physical partitions. */
export function entityId(path: KeyInput = "/id"): KeyStrategy {
  return strategyOf([pathOf(path)], { name: "entity id" });
}

/** All that belongs to a tenant together. */
export function tenant(path: KeyInput = "/tenantId"): KeyStrategy {
  return strategyOf([pathOf(path)], { name: "tenant" });
}

/** All of a category or type together. */
export function category(path: KeyInput = "/category"): KeyStrategy {
  return strategyOf([pathOf(path)], { name: "category" });
}

/** All of an hour, a day, a week, a month, a quarter or a year together. */
export function timeBucket({ time, grain, ...kept }: Periodic & Kept): KeyStrategy {
  return strategyOf([period(grain, time)], { name: `${grain} bucket`, ...kept });
}

interface Periodic {
  /** The path of the time. */
  readonly time: KeyInput;
  readonly grain: TimeGrain;
}

/** Values one after the other: `abc-123-2018`. */
export function concatenation(
  parts: readonly KeyInput[],
  { separator = "-", ...kept }: Kept & { readonly separator?: string } = {},
): KeyStrategy {
  return strategyOf([separated(parts, separator)], { name: "concatenation", ...kept });
}

/** Geography and time: `europe_2025-10`. */
export function geoAndTime({
  region = "/region",
  time,
  grain,
  ...kept
}: Periodic & Kept & { readonly region?: KeyInput }): KeyStrategy {
  const parts = [region, period(grain, time)];
  return strategyOf([separated(parts, "_")], { name: "geography and time", ...kept });
}

/** Customer and status: `c42_shipped`. A new status moves the item: see docs/use/keys.md. */
export function customerAndStatus({
  customer = "/customerId",
  status = "/status",
  ...kept
}: Kept & { readonly customer?: KeyInput; readonly status?: KeyInput } = {}): KeyStrategy {
  const parts = [customer, status];
  return strategyOf([separated(parts, "_")], { name: "customer and status", ...kept });
}

/** Type, time and a hash: `click_2025-10_7`. */
export function typeTimeAndHash({
  type = "/type",
  time,
  grain,
  of = "/id",
  count,
  ...kept
}: Periodic & Kept & { readonly type?: KeyInput } & Hashed): KeyStrategy {
  const parts = [type, period(grain, time), hashed(of, count)];
  return strategyOf([separated(parts, "_")], { name: "type, time and hash", ...kept });
}

/** Time and a hash: `2025-10_7`. */
export function timeAndHash({
  time,
  grain,
  of = "/id",
  count,
  ...kept
}: Periodic & Kept & Hashed): KeyStrategy {
  const parts = [period(grain, time), hashed(of, count)];
  return strategyOf([separated(parts, "_")], { name: "time and hash", ...kept });
}

interface Hashed {
  /** What is hashed: something that readers know. */
  readonly of?: KeyInput;
  readonly count: number;
}

/** A value with a number from 1 to `count` by chance: `2018-08-09.217`. */
export function randomSuffix({
  base,
  count,
  random,
  ...kept
}: Kept & {
  readonly base: KeyInput;
  readonly count: number;
  /** In [0, 1), such as `Math.random`. */
  readonly random: () => number;
}): KeyStrategy {
  const suffixed: KeyExpression = {
    kind: "suffix",
    base: expressionOf(base),
    by: "random",
    count: countOf(count, "suffixes"),
  };
  return strategyOf([suffixed], { name: "random suffix", random, ...kept });
}

/** A value with a number from 1 to `count` that is calculated from what readers know. */
export function calculatedSuffix({
  base,
  of,
  count,
  ...kept
}: Kept & {
  readonly base: KeyInput;
  readonly of: KeyInput;
  readonly count: number;
}): KeyStrategy {
  const suffixed: KeyExpression = {
    kind: "suffix",
    base: expressionOf(base),
    by: { hashOf: expressionOf(of) },
    count: countOf(count, "suffixes"),
  };
  return strategyOf([suffixed], { name: "calculated suffix", ...kept });
}

/** A fixed number of buckets: `bucket_7`. */
export function hashBuckets({
  of,
  count,
  prefix = "bucket_",
  ...kept
}: Kept & {
  readonly of: KeyInput;
  readonly count: number;
  readonly prefix?: string;
}): KeyStrategy {
  return strategyOf([prefixed(prefix, hashed(of, count))], { name: "hash buckets", ...kept });
}

/** A fixed number of buckets, each in its turn: `rr_7`. Nothing about an item tells where it is. */
export function roundRobin({
  count,
  prefix = "rr_",
  turn,
  ...kept
}: Kept & {
  readonly count: number;
  readonly prefix?: string;
  /** The next whole number; otherwise the strategy counts from 0. */
  readonly turn?: () => number;
}): KeyStrategy {
  const spread: KeyExpression = { kind: "turn", count: countOf(count, "buckets") };
  return strategyOf([prefixed(prefix, spread)], { name: "round robin", turn, ...kept });
}

/** Two or three levels: whoever knows the first has not to ask everybody. */
export function hierarchical(
  levels: readonly KeyInput[],
  options: Omit<StrategyOptions, "name"> = {},
): KeyStrategy {
  if (levels.length < 2) {
    throw new BadStrategy(`A hierarchical key has 2 or 3 levels, not ${levels.length}.`);
  }
  return strategyOf(levels.map(expressionOf), { name: "hierarchical", ...options });
}

/** A path, and nothing made of one. */
export function pathOf(input: KeyInput): PathPart {
  const expression = expressionOf(input);
  if (expression.kind === "path") return expression;
  throw new BadStrategy(`A path such as /id is needed here, not ${expression.kind}(…).`);
}

export function period(grain: TimeGrain, time: KeyInput): KeyExpression {
  return { kind: "period", grain, of: pathOf(time) };
}

export function separated(parts: readonly KeyInput[], separator: string): KeyExpression {
  if (parts.length === 0) throw new BadStrategy("There is nothing to put together.");
  const between: KeyExpression = { kind: "text", text: separator };
  const expressions = parts.map(expressionOf);
  return {
    kind: "concat",
    parts: expressions.flatMap((part, index) =>
      index === 0 || separator === "" ? [part] : [between, part],
    ),
  };
}

function hashed(of: KeyInput, count: number): KeyExpression {
  return { kind: "hash", of: expressionOf(of), count: countOf(count, "buckets") };
}

function prefixed(prefix: string, part: KeyExpression): KeyExpression {
  if (prefix === "") return part;
  return { kind: "concat", parts: [{ kind: "text", text: prefix }, part] };
}
