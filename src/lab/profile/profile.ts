/**
 * What was learnt from a sample of items: a value that can be saved as JSON and read again, so that
 * a large file is read once.
 *
 * Not here: how it is learnt (`profiler.ts`), and what it says about keys (`data/profileFacts.ts`).
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
  /** All that was there was read, or this share of it, picked by content. */
  readonly coverage: "all" | { readonly sampledShare: number };
  readonly problems: ReadingProblems;
  /** As JSON text, without system properties. */
  readonly itemBytes: Spread;
  /** Scalars under default indexing, `id` and system properties not counted. */
  readonly leafCountMean: number;
  /** The property that says when an item came to be, if one does. */
  readonly time: TimeSpan | null;
  /** Every property that holds scalars in some item, in order of path. */
  readonly properties: readonly PropertyProfile[];
  /** One path each, or combinations of two or three: what partition keys can be made of. */
  readonly keys: readonly KeyProfile[];
  /** Keys that an expression makes, counted because somebody asked for them. */
  readonly expressions: readonly KeyProfile[];
  /** A few thousand items at most, picked by content: for combinations that nobody tracked. */
  readonly sample: readonly JsonObject[];
  /** What else there is to know of it, in sentences. */
  readonly remarks?: readonly string[];
}

export interface ReadingProblems {
  readonly count: number;
  /** The first few. `place` is a line, a row or an id. */
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
  /** ISO 8601, UTC. */
  readonly first: string;
  readonly last: string;
  readonly itemsPerDay: number;
  /** Items of each hour of the day (UTC), as shares that add up to 1. */
  readonly hourShares: readonly number[];
  /** The busiest minute over the mean minute. */
  readonly minutePeakFactor: number;
  /** By which the items of a month grew over those of the month before; null: too short to tell. */
  readonly growthPerMonth: number | null;
}

export interface PropertyProfile {
  readonly path: string;
  /** Share of the items that have it, null included. */
  readonly presence: number;
  /** Shares of the items that have it. */
  readonly types: Readonly<
    Partial<Record<"string" | "number" | "boolean" | "null" | "array" | "object", number>>
  >;
  readonly distinct: Estimate;
  readonly bytesMean: number;
  readonly bytesMax: number;
  /** For times: as precise as its values are. Times are ISO 8601 texts, or numbers since 1970. */
  readonly time: {
    readonly form: "text" | "seconds" | "millis";
    readonly resolution: TimeGrain | "minute" | "second";
  } | null;
  /** Correlation of value and time of the item, -1 to 1; null when it has none, or no time. */
  readonly monotonicity: number | null;
  /** Share of the later versions of an item (same id) that changed it; null: no item came twice. */
  readonly mutability: number | null;
  readonly examples: readonly JsonValue[];
}

export interface KeyProfile {
  readonly paths: readonly string[];
  /** What makes the key of an item; without one the values at the paths are it. */
  readonly expression?: string | undefined;
  /** Share of the items that have a scalar at every one of them. */
  readonly presence: number;
  /** Share of the items that have null or nothing at one of them. */
  readonly nullShare: number;
  /** Keys; items that lack a value count as one that has none. */
  readonly distinct: Estimate;
  /** So many keys were counted, picked by hash, because there are too many; else all were. */
  readonly sampledKeys?: number | undefined;
  /** The keys with most items, in that order. At most 256. */
  readonly heaviest: readonly HeavyKey[];
  /** What is left, in classes of similar keys; with `heaviest` it adds up to all items. */
  readonly tail: readonly TailClass[];
  /** Of all items, the share of the key that has most. */
  readonly largestShare: Estimate;
  readonly giniItems: number;
  /** By which it may be off, two standard errors; 0 where all keys were counted. */
  readonly giniError: number;
  /** Shannon, in bits. */
  readonly entropy: number;
  /** 1 / Σ share²: so many equal keys would be as concentrated. */
  readonly effectiveKeys: number;
  /** Mean share of the busiest key within a minute, an hour, a day; null without a time. */
  readonly hottestShare: {
    readonly minute: number;
    readonly hour: number;
    readonly day: number;
  } | null;
  /** Whether there will be more of them. */
  readonly growth: PopulationGrowth;
}

/**
 * How a population of values goes on, and what shows it.
 *
 * - `fixed`: the same values come again; there may be some that were not met yet.
 * - `items`: new ones keep coming with the items.
 * - `time`: new ones keep coming with time, whatever the number of items.
 * - `unique`: every item has its own.
 */
export interface PopulationGrowth {
  readonly model: GrowthModel;
  /** A sentence. */
  readonly evidence: string;
  /** New values for each item, lately; 0 for a fixed set. */
  readonly newPerItem: number;
  /** New values a day, lately; 0 for a fixed set, null without a time. */
  readonly newPerDay: number | null;
  /** Values that exist and were not met, as far as a fixed set shows it. */
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
  /** For each component; undefined: all of them have values. */
  readonly absent?: readonly ("value" | "null" | "missing")[] | undefined;
}
