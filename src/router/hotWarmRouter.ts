/**
 * One query over a hot and a warm container, between which a lifecycle moves items as they age,
 * answered as one container would answer it.
 *
 * What the lifecycle does, here or on any other server of the protocol: an item whose date is older
 * than `ageSeconds` is copied into warm. When the copy is durable the item in hot is marked and
 * gets a short time to live. An item that is edited in hot after its copy is copied again.
 *
 * Why the answer is exact:
 * - Nothing is missed. An item is in hot until some time after its copy in warm is durable. So
 *   whoever finds it gone from hot finds it in warm, if warm is read after hot. The first pages are
 *   read in that order. A later page of warm may be read before the page of hot for the same dates;
 *   an item is missed then only if it was copied, marked and expired in between. The mark's time
 *   to live is longer than that: `RouteTooSlow` is thrown where it would not be.
 * - Nothing comes twice. A copy is equal to its item, so both have the same place in the order, and
 *   hot's row comes first; the row of warm is left out (`routedQuery.ts`).
 * - Nothing is out of date. An item that was edited in hot may have another place by now, or not
 *   fit the query at all, while its copy in warm still does. So for rows of warm hot is asked which
 *   of them it has, page by page (`versions.ts`). The same is asked of warm for marked rows of hot.
 * - Containers that are not needed are not asked. Dates after the threshold are in hot alone,
 *   because nothing so young is moved; a clock that is late by less than the mark's time to live
 *   does no harm. Dates before the watermark are in warm, as they are in hot, so warm suffices.
 */
import { valueAt } from "../keys/paths.ts";
import type { KeyStrategy } from "../keys/strategy.ts";
import { BadRoute } from "./badRoute.ts";
import type { ReadIndex, RouteIndex } from "./compositeOrder.ts";
import { readIndexes } from "./compositeOrder.ts";
import type { DateOptions } from "./dateFormat.ts";
import { dateFormatOf } from "./dateFormat.ts";
import { checkDefinitions, checkDifferent } from "./keyDefinitions.ts";
import { checkNames } from "./knownNames.ts";
import { openRouter } from "./openRouter.ts";
import type { TierName } from "./pieces.ts";
import { piecesOf } from "./pieces.ts";
import { pathOf, type RouteRequest } from "./routeRequest.ts";
import type { RouteClock, RouteSurvey } from "./routeSetting.ts";
import type { RangeRouter, RoutedContainer } from "./routeTypes.ts";
import type { RouteWatermark, SettledState } from "./watermark.ts";

export interface HotWarmOptions extends DateOptions {
  readonly hot: RoutedContainer;
  readonly warm: RoutedContainer;
  /** The property that has the date: its name, or a path such as "/meta/published". */
  readonly ageProperty: string;
  /** Items older than this are moved. The smallest that the lifecycle ever had. */
  readonly ageSeconds: number;
  /** `Date`, or a simulated one. */
  readonly clock: RouteClock;
  /** The partition key paths of both containers. Needed unless there is a strategy. */
  readonly paths?: readonly string[];
  /** How keys are made, if they are: a query asks only those that it needs. */
  readonly strategy?: KeyStrategy;
  /** Those of the indexing policies, for the order of rows. */
  readonly compositeIndexes?: {
    readonly hot?: readonly RouteIndex[];
    readonly warm?: readonly RouteIndex[];
  };
  /** How far everything is settled; without it every old range asks both containers. */
  readonly watermark?: RouteWatermark;
  /** The property that the lifecycle sets to true; "migrated" unless told. */
  readonly markProperty?: string;
  /** Another property of marked items; "migratedStamp", or as the mark is called, unless told. */
  readonly stampProperty?: string;
  /** How long marked items stay in hot. What the watermark says is used if it is shorter. */
  readonly markTtlSeconds?: number;
  /** Says that items are not edited once they are old enough to be moved. Saves requests. */
  readonly isImmutable?: boolean;
}

export interface HotWarmRouter extends RangeRouter {
  /** Reads the definitions of both containers, and throws a `BadRoute` if they do not fit. */
  check(): Promise<void>;
}

const OPTION_NAMES: { readonly [Name in keyof Required<HotWarmOptions>]: true } = {
  hot: true,
  warm: true,
  ageProperty: true,
  ageSeconds: true,
  clock: true,
  paths: true,
  strategy: true,
  compositeIndexes: true,
  watermark: true,
  markProperty: true,
  stampProperty: true,
  markTtlSeconds: true,
  isImmutable: true,
  dateFormat: true,
  isoDigits: true,
};

const MARK_PROPERTY_USUAL = "migrated";
/** Seconds until an item expires; the lifecycle sets it together with the mark. */
const TTL_PROPERTY = "ttl";

export function hotWarmRouter(options: HotWarmOptions): HotWarmRouter {
  checkNames("hotWarmRouter", options, OPTION_NAMES);
  const { hot, warm, strategy, clock, markProperty = MARK_PROPERTY_USUAL } = options;
  checkDifferent(hot, warm);
  if (typeof clock?.now !== "function") {
    throw new BadRoute("clock: something with now() is needed; `clock: Date` will do.");
  }
  positive("ageSeconds", options.ageSeconds);
  if (options.markTtlSeconds !== undefined) positive("markTtlSeconds", options.markTtlSeconds);
  const paths = keyPathsOf(options);
  const datePath = pathOf("ageProperty", options.ageProperty);
  const containers = new Map<TierName, RoutedContainer>([
    ["hot", hot],
    ["warm", warm],
  ]);
  const router = openRouter({
    containers,
    datePath,
    format: dateFormatOf(options),
    paths,
    strategy,
    compositeIndexes: new Map<TierName, readonly ReadIndex[]>([
      ["hot", readIndexes(options.compositeIndexes?.hot)],
      ["warm", readIndexes(options.compositeIndexes?.warm)],
    ]),
    markProperty,
    unmarked: unmarking([markProperty, options.stampProperty ?? `${markProperty}Stamp`]),
    isChecked: options.isImmutable !== true,
    clock,
    survey: (request) => surveyOf(options, { datePath, markProperty }, request),
  });
  return { ...router, check: () => checkDefinitions({ hot, warm }, paths) };
}

/** Asks for the watermark only where it can make a difference: for ranges that are not young. */
async function surveyOf(
  options: HotWarmOptions,
  known: { readonly datePath: string; readonly markProperty: string },
  { span, signal }: RouteRequest,
): Promise<RouteSurvey> {
  const { ageSeconds, clock, watermark } = options;
  const threshold = clock.now() - ageSeconds * 1000;
  const isYoung = span.from > threshold;
  const told =
    isYoung || watermark === undefined ? {} : await toldBy(watermark, options, known, signal);
  const { settledBefore, movedBefore, problem } = told;
  // A lifecycle that once had a smaller age has moved younger items than it would now.
  const moved = Math.max(threshold, (movedBefore ?? Number.NEGATIVE_INFINITY) - 1);
  const markTtl = shorterOf(options.markTtlSeconds, told.markTtlSeconds);
  return {
    pieces: piecesOf(span, { threshold: moved, settledBefore }),
    threshold: moved,
    ...(settledBefore !== undefined && { settledBefore }),
    ...(problem !== undefined && { watermarkProblem: problem }),
    ...(markTtl !== undefined && { markTtlMs: markTtl * 1000 }),
  };
}

/** A watermark that fails is unknown; one that is about something else is a mistake. */
async function toldBy(
  watermark: RouteWatermark,
  { ageSeconds }: HotWarmOptions,
  { datePath, markProperty }: { readonly datePath: string; readonly markProperty: string },
  signal: RouteRequest["signal"],
): Promise<SettledState & { readonly problem?: string }> {
  let state: SettledState;
  try {
    state = (await watermark(signal)) ?? {};
  } catch (error) {
    if (signal?.aborted === true) throw error;
    return { problem: error instanceof Error ? error.message : String(error) };
  }
  if (state.ageSeconds !== undefined && state.ageSeconds < ageSeconds) {
    throw new BadRoute(
      `ageSeconds: the lifecycle moves items after ${state.ageSeconds} s, the router was told ` +
        `${ageSeconds} s, so it would look in hot for what is in warm. Tell it the smaller.`,
    );
  }
  if (state.ageProperty !== undefined && pathOf("ageProperty", state.ageProperty) !== datePath) {
    throw new BadRoute(
      `ageProperty: the lifecycle goes by ${state.ageProperty}, the router by ${datePath}.`,
    );
  }
  if (state.markProperty !== undefined && state.markProperty !== markProperty) {
    throw new BadRoute(
      `markProperty: the lifecycle marks by ${state.markProperty}, the router was told ` +
        `${markProperty}.`,
    );
  }
  return state;
}

/** A copy of a whole item without these properties and without its time to live. */
function unmarking(names: readonly string[]): (item: unknown) => unknown {
  const isLifecycles = new Set([...names, TTL_PROPERTY]);
  return (item) => {
    if (valueAt(item, ["id"]) === undefined) return item;
    const own = Object.entries(item as object).filter(([name]) => !isLifecycles.has(name));
    return Object.fromEntries(own);
  };
}

function keyPathsOf({ paths, strategy }: HotWarmOptions): readonly string[] {
  const known = paths ?? strategy?.paths;
  if (known === undefined || known.length === 0) {
    throw new BadRoute(
      'paths: the partition key paths of both containers are needed, such as ["/feedId"], or a ' +
        "strategy: an item is known by its key and its id.",
    );
  }
  const own = known.map((path) => pathOf("paths", path));
  const made = strategy?.paths.map((path) => pathOf("paths", path)) ?? own;
  if (own.join(" ") === made.join(" ")) return own;
  throw new BadRoute(
    `paths: they are ${own.join(", ")}, and the strategy keeps its keys at ${made.join(", ")}. ` +
      "Leave paths out.",
  );
}

function positive(name: string, seconds: number): void {
  if (Number.isFinite(seconds) && seconds > 0) return;
  throw new BadRoute(`${name}: ${seconds} is no number of seconds above 0.`);
}

function shorterOf(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : b === undefined ? a : Math.min(a, b);
}
