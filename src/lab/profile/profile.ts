/**
 * What was learnt from a sample of items: a value that can be saved as JSON and read again, so that
 * a large file is read once.
 *
 * Not here: how it is learnt (`profiler.ts`), and what it says about keys (`data/profileFacts.ts`).
 */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { TimeGrain } from "../../keys/expression.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Estimate } from "../estimate.ts";

export interface Profile {
  readonly formatVersion: 1;
  /** The file or container, as the user named it. */
  readonly source: string;
  readonly itemCount: number;
  /** All that was there was read, or this share of it, picked by chance. */
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
  /** A few thousand items at most, picked by chance: for combinations that nobody tracked. */
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
  /** Correlation of value and order of reading, -1 to 1; null when it has none. */
  readonly monotonicity: number | null;
  /** Share of the later versions of an item (same id) that changed it; null: no item came twice. */
  readonly mutability: number | null;
  readonly examples: readonly JsonValue[];
}

export interface KeyProfile {
  readonly paths: readonly string[];
  /** Share of the items that have a scalar at every one of them. */
  readonly presence: number;
  /** Keys; items that lack a value count as one that has none. */
  readonly distinct: Estimate;
  /** The keys with most items, in that order. At most 256. */
  readonly heaviest: readonly HeavyKey[];
  /** What is left, in classes of similar keys; with `heaviest` it adds up to all items. */
  readonly tail: readonly TailClass[];
  readonly giniItems: number;
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
}

export interface HeavyKey {
  readonly values: readonly KeyComponent[];
  readonly items: Estimate;
  readonly bytes: number;
}

export interface TailClass {
  readonly keyCount: number;
  readonly itemShare: number;
}
