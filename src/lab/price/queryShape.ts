/**
 * What a plan says about the work of its query, whatever the data: how the index is asked, whether
 * it has the whole answer, and in which of a few ways rows come about (`query/execute/page.ts` has
 * the real ones).
 */

import { countsOf } from "../../query/evaluate/counts.ts";
import type { Run } from "../../query/evaluate/run.ts";
import { askedOf } from "../../query/execute/candidates.ts";
import type { RowCalls } from "../../query/plan/callCounts.ts";
import type { IndexOnly } from "../../query/plan/indexOnly.ts";
import { pathText } from "../../query/plan/itemPaths.ts";
import type { Lookup, TermLookup } from "../../query/plan/lookup.ts";
import { partsOfLookup } from "../../query/plan/lookup.ts";
import type { OrderAccess } from "../../query/plan/orderAccess.ts";
import type { ItemPlan, Plan } from "../../query/plan/plan.ts";

export interface PricedQuery {
  readonly way: Way;
  readonly access: PricedAccess;
  readonly skip: number;
  /** Infinite without TOP or LIMIT. */
  readonly take: number;
  readonly calls: RowCalls;
  /** A query of aggregates and no groups gives one row. */
  readonly isOneRow: boolean;
  readonly isJoined: boolean;
  /** Answers of this kind can be had from the index, though perhaps not everywhere. */
  readonly isOfIndex: boolean;
  readonly triedPaths: readonly string[];
  readonly orderedPath: string | undefined;
}

/** How rows come about. */
export type Way =
  /** From nothing. */
  | { readonly kind: "constant" }
  /** From the index alone, if all of a partition is asked: the values of one path. */
  | {
      readonly kind: "values";
      readonly what: "aggregates" | "ends" | "distinct";
      /** Undefined: all values there are. */
      readonly rangeCount: number | undefined;
    }
  /** One after the other, partition by partition. */
  | { readonly kind: "stream" }
  /** Collected before the first is given: groups and distinct rows. */
  | { readonly kind: "collected" }
  /** From the rows of another query, all of which are collected. */
  | { readonly kind: "derived"; readonly inner: PricedQuery }
  /** Collected and sorted: no index has the order. */
  | { readonly kind: "sorted" }
  /** In the order of an index, or sorted if few match. */
  | {
      readonly kind: "ordered";
      /** Conditions on the path of the order narrow what is walked. */
      readonly isNarrowed: boolean;
      /** What is left of the index has no gaps: all conditions are within it. */
      readonly isGapless: boolean;
      readonly otherCount: number;
      /** Some of the others can be asked of the index. */
      readonly areOthersKnown: boolean;
    };

/** A filter as questions to the index. */
export interface PricedAccess {
  /** Ranges of terms that are asked for. */
  readonly lookupCount: number;
  /** What the index says needs no look at items. */
  readonly isAnswered: boolean;
  /** It is asked for every condition, though it may say a little too much. */
  readonly isWhole: boolean;
  /** It leads to items. */
  readonly isWayIn: boolean;
  /** To those of one value: there may be any number of them. */
  readonly isOneTerm: boolean;
  /** Conditions whose values are tried one by one, and others. */
  readonly triedCount: number;
  readonly untriedCount: number;
}

export function queryShapeOf(plan: Plan, run: Run): PricedQuery {
  if (plan.kind === "constant") return CONSTANT;
  if (plan.kind === "items") return itemShapeOf(plan, run);
  const inner = itemShapeOf(plan.inner, run);
  const { tried, passed, given } = inner.calls;
  // What it gives out is made for each row that passes, and the outer query costs nothing.
  const made = { text: passed.text + given.text, others: passed.others + given.others };
  const calls = { tried, passed: made, given: NO_CALLS };
  return {
    ...inner,
    way: { kind: "derived", inner: { ...inner, calls } },
    calls: NO_ROW_CALLS,
    isOneRow: plan.query.groupBy === undefined && plan.query.aggregates.length > 0,
    skip: 0,
    take: Number.POSITIVE_INFINITY,
  };
}

const NO_CALLS = { text: 0, others: 0 } as const;
const NO_ROW_CALLS: RowCalls = { tried: NO_CALLS, passed: NO_CALLS, given: NO_CALLS };

const CONSTANT: PricedQuery = {
  way: { kind: "constant" },
  access: {
    lookupCount: 0,
    isAnswered: true,
    isWhole: true,
    isWayIn: false,
    isOneTerm: false,
    triedCount: 0,
    untriedCount: 0,
  },
  skip: 0,
  take: Number.POSITIVE_INFINITY,
  calls: NO_ROW_CALLS,
  isOneRow: false,
  isJoined: false,
  isOfIndex: false,
  triedPaths: [],
  orderedPath: undefined,
};

function itemShapeOf(plan: ItemPlan, run: Run): PricedQuery {
  const { query, filter, calls, indexOnly } = plan;
  const { skip, take = Number.POSITIVE_INFINITY } = countsOf(query, run.parameters);
  const isGrouped = plan.makeGroups !== undefined;
  const way = wayOf(plan, run);
  const access = accessOf(filter.lookups, filter.isWhole, isGrouped, run);
  return {
    way,
    access,
    skip,
    take,
    calls,
    isOneRow: isGrouped && query.groupBy === undefined,
    isJoined: query.sources.length > 1,
    isOfIndex: indexOnly !== undefined,
    triedPaths: access.triedCount === 0 ? [] : filter.lookups.flatMap((each) => triedIn(each, run)),
    orderedPath: way.kind === "ordered" && way.isNarrowed ? orderPathOf(plan.order) : undefined,
  };
}

function wayOf(plan: ItemPlan, run: Run): Way {
  const { indexOnly, query, order } = plan;
  if (indexOnly?.kind === "values") {
    const values = valuesWayOf(indexOnly, run);
    if (values !== undefined) return values;
  }
  if (plan.makeGroups !== undefined || query.isDistinct) return { kind: "collected" };
  if (order === undefined) return { kind: "stream" };
  if (order.kind === "sort") return { kind: "sorted" };
  const { lookups } = plan.filter;
  const others = lookups.filter((lookup) => !isOnPath(lookup, order));
  const isWithin =
    order.kind === "composite"
      ? plan.compositeBounds?.(run) !== undefined
      : lookups.some((lookup) => isOnPath(lookup, order) && isRange(lookup, run));
  return {
    kind: "ordered",
    isNarrowed: isWithin,
    isGapless: order.kind === "composite" && isWithin,
    otherCount: others.length,
    areOthersKnown: others.some((lookup) => factsOf(lookup, run).isKnown),
  };
}

function valuesWayOf(
  { within, aggregates }: Extract<IndexOnly, { readonly kind: "values" }>,
  run: Run,
): Way | undefined {
  const isOfEnds = aggregates?.every((name) => name === "MIN" || name === "MAX") === true;
  const what = aggregates === undefined ? "distinct" : isOfEnds ? "ends" : "aggregates";
  if (within.length === 0) return { kind: "values", what, rangeCount: undefined };
  if (within.length > 1) return undefined;
  const found = within[0]!.resolve(run);
  if (found?.isExact !== true || found.test !== undefined) return undefined;
  return { kind: "values", what, rangeCount: found.ranges.length };
}

/** Aggregates do not try values in the index (`isTryingRefused`). */
function accessOf(
  lookups: readonly Lookup[],
  isWhole: boolean,
  isTryingRefused: boolean,
  run: Run,
): PricedAccess {
  const known = lookups.filter((lookup) => factsOf(lookup, run).isKnown);
  const tried = known.filter((lookup) => factsOf(lookup, run).isTried);
  const used = isTryingRefused ? known.filter((lookup) => !tried.includes(lookup)) : known;
  const asked = askedOf(used, run);
  const isAskedWhole = isWhole && used.length === lookups.length;
  return {
    lookupCount: asked.lookupCount,
    isAnswered: isAskedWhole && asked.isAnswered,
    isWhole: isAskedWhole,
    isWayIn: used.length > 0,
    isOneTerm: used.some((lookup) => factsOf(lookup, run).isOneTerm),
    triedCount: isTryingRefused ? 0 : tried.length,
    untriedCount: known.length - tried.length,
  };
}

interface LookupFacts {
  /** The index can tell, with these parameters. */
  readonly isKnown: boolean;
  readonly isTried: boolean;
  readonly isOneTerm: boolean;
}

const UNKNOWN: LookupFacts = { isKnown: false, isTried: false, isOneTerm: false };

function factsOf(lookup: Lookup, run: Run): LookupFacts {
  if (lookup.kind === "terms") {
    const found = lookup.resolve(run);
    if (found === undefined) return UNKNOWN;
    const isTried = found.test !== undefined;
    const isTerm = found.ranges.length === 1 && found.ranges[0]!.isTerm === true;
    return { isKnown: true, isTried, isOneTerm: isTerm && !isTried && !found.mayRepeat };
  }
  if (lookup.kind === "prefer") {
    const first = factsOf(lookup.first, run);
    return first.isKnown ? first : factsOf({ kind: "and", parts: lookup.others }, run);
  }
  const parts = lookup.parts.map((part) => factsOf(part, run));
  const known = parts.filter(({ isKnown }) => isKnown);
  const isKnown = lookup.kind === "or" ? known.length === parts.length : known.length > 0;
  if (!isKnown) return UNKNOWN;
  return { isKnown, isTried: known.some(({ isTried }) => isTried), isOneTerm: false };
}

function triedIn(lookup: Lookup, run: Run): readonly string[] {
  if (lookup.kind !== "terms") return partsOfLookup(lookup).flatMap((part) => triedIn(part, run));
  return lookup.resolve(run)?.test === undefined ? [] : [pathText(lookup.path)];
}

function isRange(lookup: TermLookup, run: Run): boolean {
  const found = lookup.resolve(run);
  return found !== undefined && found.test === undefined;
}

function isOnPath(lookup: Lookup, order: OrderAccess): lookup is TermLookup {
  if (lookup.kind !== "terms" || order.kind !== "path" || lookup.isOfParts === true) return false;
  const { segments } = order.path;
  return (
    lookup.path.isOne &&
    lookup.path.segments.length === segments.length &&
    lookup.path.segments.every((segment, depth) => segment === segments[depth])
  );
}

function orderPathOf(order: OrderAccess | undefined): string | undefined {
  return order?.kind === "path" ? pathText(order.path) : undefined;
}
