/**
 * What is known of the items, whether it was declared in a workload or learnt from a sample: the
 * one form in which candidates are judged.
 *
 * A population stands for any number of keys by a few thousand rows: heavy ones one by one, all
 * others in rows that each stand for many alike. Shares add up to 1.
 */
import type { JsonObject } from "../../json/value.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import type { Candidate } from "../candidate/candidate.ts";
import type { Estimate } from "../counting/estimate.ts";
import type { PopulationGrowth } from "../profile/profile.ts";
import type { MeasuredKey } from "./measuredKeys.ts";

export interface DataFacts {
  /** JSON text of an item, without system properties; the mean. */
  readonly itemBytes: number;
  readonly leafCount: number;
  readonly example: JsonObject | undefined;
  readonly properties: ReadonlyMap<string, PropertyFacts>;
  /** How many items this rests on; undefined: declared, not measured. */
  readonly sampleCount: number | undefined;
  /** What the data says of a candidate's keys as they are; undefined: there is no data. */
  readonly measuredKey?: ((candidate: Candidate) => MeasuredKey) | undefined;
  /** Those items are all there are, not some picked by chance. */
  readonly isAllRead?: boolean | undefined;
  /** The combinations of values that items have at these paths; none of them is a time. */
  populationOf(paths: readonly string[]): Population;
}

export interface PropertyFacts {
  readonly path: string;
  /** Share of the items that lack a scalar there. */
  readonly missingShare: number;
  readonly distinct: Estimate;
  /** A time of writing, as precise as its values are. */
  readonly time: TimeResolution | undefined;
  /** Arrays and objects cannot be keys. */
  readonly isScalar: boolean;
  /** Mostly numbers: measures rather than names, unless somebody asks for them. */
  readonly isNumber: boolean;
  readonly bytesMax: number;
  /** Share of updates that change it; undefined: nobody knows. */
  readonly changingShare: number | undefined;
  /** Share of the busiest value within an hour, where that was measured. */
  readonly hottestHourShare: number | undefined;
  /** Whether there will be more values, and what shows it; undefined: nobody has looked. */
  readonly growth?: PopulationGrowth | undefined;
}

export type TimeResolution =
  | "second"
  | "minute"
  | "hour"
  | "day"
  | "week"
  | "month"
  | "quarter"
  | "year";

export interface Population {
  readonly paths: readonly string[];
  readonly rows: readonly PopulationRow[];
  readonly distinct: Estimate;
  /**
   * All of its keys are met when the horizon ends; declared ones may still be waiting for items.
   */
  readonly isMet?: boolean | undefined;
}

export interface PopulationRow {
  /** In the order of the paths. */
  readonly values: readonly KeyComponent[];
  /** For each path, how many values this row stands for: 1 when it is just the one. A value that
   * belongs to another (a user to a tenant) is counted for each of those. */
  readonly counts: readonly number[];
  /** So many keys like this one, the product of `counts`; the values are those of one of them. */
  readonly keyCount: number;
  /** Of all items, and of their bytes; of all keys of this row together. */
  readonly itemShare: number;
  readonly byteShare: number;
  /** Of requests that ask for one value. */
  readonly requestShare: number;
}
