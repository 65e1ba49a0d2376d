/**
 * What a container has to hold and to answer: a value, read from a file (`workloadText.ts`), taken
 * from a recording, or made from a template. docs/lab/workload.md describes the file.
 *
 * Rates are means over a day unless they say otherwise; peaks are factors over that mean.
 */
import type { IndexingPolicy } from "../../index/policy.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";

export interface Workload {
  readonly name: string;
  readonly title: string;
  readonly item: ItemShape;
  /** By path, such as "/tenantId". What is not declared is taken from a profile, if any. */
  readonly properties: ReadonlyMap<string, PropertyShape>;
  readonly growth: Growth;
  /** Undefined: as much as the lab finds to be needed. */
  readonly throughput: Throughput | undefined;
  readonly consistency: "strong" | "boundedStaleness" | "session" | "consistentPrefix" | "eventual";
  /** Undefined: every property is indexed, as containers have it unless told otherwise. */
  readonly indexing?: IndexingPolicy | undefined;
  readonly operations: readonly Operation[];
  /** The user's own, beside those that the lab finds. */
  readonly candidates: readonly NamedCandidate[];
  /** How far to look. */
  readonly horizonMonths: number;
  /** What was not understood or assumed, in sentences, for the report. */
  readonly remarks: readonly string[];
}

export interface ItemShape {
  /** JSON text of an item, without system properties. Undefined: of the profile, or the example. */
  readonly bytes: number | undefined;
  readonly example: JsonObject | undefined;
}

export interface PropertyShape {
  readonly path: string;
  /** How many values there are. Undefined: as many as there are items, when `isUnique`. */
  readonly distinct: number | undefined;
  readonly isUnique: boolean;
  /** How items are divided among the values. */
  readonly items: Distribution;
  /** How requests are, where that differs. */
  readonly requests: Distribution | undefined;
  /** A property each of whose values belongs to one value of that one: a user has one tenant. */
  readonly within: string | undefined;
  /** For `within`: how many values each of its values has; the rest share what is left evenly. */
  readonly distinctWithin: ReadonlyMap<string, number> | undefined;
  /** The time at which an item is written, with this resolution. */
  readonly time:
    | "second"
    | "minute"
    | "hour"
    | "day"
    | "week"
    | "month"
    | "quarter"
    | "year"
    | undefined;
  /** Updates change it. */
  readonly changes: boolean;
  /** Share of the items that lack it. */
  readonly missingShare: number;
  /** Whether there will be more values; undefined: as the data shows it, or as many as declared. */
  readonly grows?: PropertyGrowth | undefined;
}

export type PropertyGrowth =
  | { readonly kind: "fixed" }
  /** As many more as there are items more. */
  | { readonly kind: "withItems" }
  | { readonly kind: "perDay"; readonly count: number };

export type Distribution =
  | { readonly kind: "uniform" }
  /** The value of rank r has a share in proportion to 1 / r^s. */
  | { readonly kind: "zipf"; readonly s: number }
  /** Some values by name; what is left is divided evenly among the others. */
  | { readonly kind: "shares"; readonly shares: ReadonlyMap<string, number> }
  /** Kinds of values: that share of them, each with that weight. */
  | {
      readonly kind: "classes";
      readonly classes: readonly { readonly values: number; readonly weight: number }[];
    };

export interface Growth {
  readonly itemsPerDay: number;
  /** Items there are at the beginning. */
  readonly initialItems: number;
  /** Days after which an item is gone; undefined: never. */
  readonly retentionDays: number | undefined;
  /** By which share items per day grow, month by month. */
  readonly perMonth: number;
  /** The busiest time over the mean, for whatever has no shape of its own. */
  readonly peakFactor: number;
  /** 24 weights, hour by hour, UTC; undefined: one hour in eight is at the peak, others below. */
  readonly hours: readonly number[] | undefined;
}

export interface Throughput {
  readonly mode: "manual" | "autoscale" | "serverless";
  readonly ratePerSecond: number;
}

export type OperationKind =
  | "create"
  | "upsert"
  | "replace"
  | "patch"
  | "delete"
  | "pointRead"
  | "query";

export interface Operation {
  readonly id: string;
  readonly kind: OperationKind;
  /** Mean over the day, in operations per second. */
  readonly ratePerSecond: number;
  /** Undefined: that of `growth`. */
  readonly peakFactor: number | undefined;
  readonly hours: readonly number[] | undefined;
  /** Of a query. */
  readonly sql: string | undefined;
  /** By name, with its "@". What is not there has the distribution of what it is compared with. */
  readonly parameters: ReadonlyMap<string, ParameterShape>;
  /** Paths whose values the caller has, beside those that the filter names. Undefined: for point
   * operations all that the key needs. */
  readonly knows: readonly string[] | undefined;
  /** Rows of a query. Undefined: worked out from the filter. */
  readonly resultItems: number | undefined;
  readonly pageSize: number;
  /** What one costs where the key is known, if the user has measured it. */
  readonly ru: number | undefined;
  /** Of a query whose key was not known when it was measured: how many partitions `ru` is of. */
  readonly ruPartitions?: number | undefined;
  /** Paths that an update changes. */
  readonly changes: readonly string[];
  /** Paths whose values make the group of items that one transaction changes together. */
  readonly transactionScope: readonly string[] | undefined;
  /** Point operations and queries without a range: how old what is asked for is, in days. */
  readonly ageDays: number | undefined;
}

export interface ParameterShape {
  /** As a path's values are distributed over items or over requests. */
  readonly like: string | undefined;
  readonly distribution: Distribution | undefined;
  /** For times: "now" minus so many days. */
  readonly agoDays: number | undefined;
  readonly values: readonly JsonValue[] | undefined;
}

export interface NamedCandidate {
  readonly id: string;
  /** Key expressions as text, one for each level. */
  readonly levels: readonly string[];
  /** What the user states of it; taken for true, over what was worked out. */
  readonly facts: StatedFacts | undefined;
  /** Where in the file it stands, for messages. */
  readonly place: string;
}

export interface StatedFacts {
  readonly distinctKeys: number | undefined;
  readonly largestKeyStorageShare: number | undefined;
  readonly hottestKeyWriteShare: number | undefined;
  readonly hottestKeyReadShare: number | undefined;
  /** Operations that name one key. */
  readonly pins: readonly string[] | undefined;
  /** Operation to the number of keys it visits. */
  readonly boundedFanout: ReadonlyMap<string, number> | undefined;
  readonly isMutable: boolean | undefined;
  readonly breaksTransactions: readonly string[] | undefined;
}
