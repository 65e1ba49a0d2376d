/**
 * What was learnt from a sample of items: a value that can be saved as JSON and read again, so that
 * a large file is read once.
 *
 * Not here: how a profile is made (`profiler.ts`), and what it says about keys
 * (`data/profileFacts.ts`).
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { TimeGrain } from "../../keys/expression.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "../counting/estimate.ts";

export interface Profile {
  readonly formatVersion: 1;
  /** The file or container, as the user named it. */
  readonly source: string;
  readonly itemCount: number;
  /** "all" when all items were read, else the share that was read, picked by content. */
  readonly coverage: "all" | { readonly sampledShare: number };
  readonly problems: ReadingProblems;
  /** Bytes of items as JSON text, without system properties. */
  readonly itemBytes: Spread;
  /** Mean number of scalars under default indexing, without `id` and system properties. */
  readonly leafCountMean: number;
  /** The property that says when an item was created, if there is one. */
  readonly time: TimeSpan | null;
  /** Every property that has scalars in some item, in order of path. */
  readonly properties: readonly PropertyProfile[];
  /** Single paths and combinations of two or three, of which partition keys can be made. */
  readonly keys: readonly KeyProfile[];
  /** Keys made by an expression, counted because the user asked for them. */
  readonly expressions: readonly KeyProfile[];
  /** At most a few thousand items, picked by content, for combinations that were not counted. */
  readonly sample: readonly JsonObject[];
  /** Further things to know about the profile, in sentences. */
  readonly remarks?: readonly string[];
}

interface ReadingProblems {
  readonly count: number;
  /** The first few problems. `place` is a line, a row or an id. */
  readonly first: readonly { readonly place: string; readonly problem: string }[];
}

export interface Spread {
  readonly mean: number;
  readonly p50: number;
  readonly p99: number;
  readonly max: number;
}

export interface TimeSpan {
  readonly path: string;
  /** Times are ISO 8601 texts in UTC. */
  readonly first: string;
  readonly last: string;
  readonly itemsPerDay: number;
  /** Items of each hour of the day (UTC), as shares that add up to 1. */
  readonly hourShares: readonly number[];
  /** The busiest minute over the mean minute. */
  readonly minutePeakFactor: number;
  /**
   * Growth of the items of a month over those of the month before; null when the time is too short.
   */
  readonly growthPerMonth: number | null;
}

export interface PropertyProfile {
  readonly path: string;
  /** Share of the items that have the property, null included. */
  readonly presence: number;
  /** Share of each type among the items that have the property. */
  readonly types: Readonly<
    Partial<Record<"string" | "number" | "boolean" | "null" | "array" | "object", number>>
  >;
  readonly distinct: Estimate;
  readonly bytesMean: number;
  readonly bytesMax: number;
  /**
   * For times: the form and precision of the values. Times are ISO 8601 texts, or numbers since
   * 1970.
   */
  readonly time: {
    readonly form: "text" | "seconds" | "millis";
    readonly resolution: TimeGrain | "minute" | "second";
  } | null;
  /**
   * Correlation of the value with the time of the item, -1 to 1; null without a time or an order.
   */
  readonly monotonicity: number | null;
  /**
   * Share of later versions of an item (same id) that changed the property; null if no item came
   * twice.
   */
  readonly mutability: number | null;
  readonly examples: readonly JsonValue[];
}

export interface KeyProfile {
  readonly paths: readonly string[];
  /**
   * The expression that makes the key of an item; absent when the key is the values at the paths.
   */
  readonly expression?: string | undefined;
  /** Share of the items that have a scalar at every path. */
  readonly presence: number;
  /** Share of the items that have null or nothing at one of the paths. */
  readonly nullShare: number;
  /** Number of keys; all items that lack a value count as one key. */
  readonly distinct: Estimate;
  /**
   * Number of keys that were counted, picked by hash because there are too many; absent if all
   * were.
   */
  readonly sampledKeys?: number | undefined;
  /** The keys with most items, in that order; at most 256. */
  readonly heaviest: readonly HeavyKey[];
  /** All other keys, in classes of similar ones; with `heaviest` they add up to all items. */
  readonly tail: readonly TailClass[];
  /** The share of all items that the heaviest key has. */
  readonly largestShare: Estimate;
  readonly giniItems: number;
  /** Two standard errors of `giniItems`; 0 where all keys were counted. */
  readonly giniError: number;
  /** Shannon entropy in bits. */
  readonly entropy: number;
  /** 1 / Σ share²: the number of equal keys that would be as concentrated. */
  readonly effectiveKeys: number;
  /** Mean share of the busiest key within a minute, an hour, a day; null without a time. */
  readonly hottestShare: {
    readonly minute: number;
    readonly hour: number;
    readonly day: number;
  } | null;
  /** Whether there will be more keys. */
  readonly growth: PopulationGrowth;
}

/**
 * How a population of values will grow, and the evidence for it.
 *
 * - `fixed`: the same values come again; some may not have been met yet.
 * - `items`: new values keep coming with the items.
 * - `time`: new values keep coming with time, whatever the number of items.
 * - `unique`: every item has a value of its own.
 */
export interface PopulationGrowth {
  readonly model: GrowthModel;
  /** The evidence as a sentence. */
  readonly evidence: string;
  /** Recent number of new values for each item; 0 for a fixed set. */
  readonly newPerItem: number;
  /** Recent number of new values per day; 0 for a fixed set, null without a time. */
  readonly newPerDay: number | null;
  /** Estimated number of values of a fixed set that were not met yet. */
  readonly unmet: number;
  /** Share of the items whose value came once. */
  readonly onceShare: number;
}

export type GrowthModel = "fixed" | "items" | "time" | "unique";

export interface HeavyKey {
  readonly values: readonly KeyComponent[];
  readonly items: Estimate;
  readonly bytes: number;
}

export interface TailClass {
  readonly keyCount: number;
  readonly itemShare: number;
  readonly bytes: number;
  /** What each component is; absent when all components have values. */
  readonly absent?: readonly ("value" | "null" | "missing")[] | undefined;
}
