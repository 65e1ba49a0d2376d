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
  /**
   * By path, such as "/tenantId". A property that is not declared is taken from a profile, if any.
   */
  readonly properties: ReadonlyMap<string, PropertyShape>;
  readonly growth: Growth;
  /** Undefined means as much as the lab finds to be needed. */
  readonly throughput: DeclaredThroughput | undefined;
  readonly consistency: "strong" | "boundedStaleness" | "session" | "consistentPrefix" | "eventual";
  /** Undefined means that every property is indexed, which is the default of containers. */
  readonly indexing?: IndexingPolicy | undefined;
  readonly operations: readonly Operation[];
  /** The candidates of the user, beside those that the lab finds. */
  readonly candidates: readonly NamedCandidate[];
  /** How many months ahead the simulation looks. */
  readonly horizonMonths: number;
  /** Assumptions, and what was not understood, in sentences for the report. */
  readonly remarks: readonly string[];
}

export interface ItemShape {
  /**
   * Bytes of an item as JSON text, without system properties. Undefined means those of the profile,
   * or of the example.
   */
  readonly bytes: number | undefined;
  readonly example: JsonObject | undefined;
}

export interface PropertyShape {
  readonly path: string;
  /** Number of values. Undefined means as many as there are items, when `isUnique`. */
  readonly distinct: number | undefined;
  readonly isUnique: boolean;
  /** How items are divided among the values. */
  readonly items: Distribution;
  /** How requests are divided among the values, where that differs from `items`. */
  readonly requests: Distribution | undefined;
  /**
   * A property to which this one belongs: each value of this property has one value there, as a
   * user has one tenant.
   */
  readonly within: string | undefined;
  /**
   * For `within`: by value of that property, the number of values here; the rest are divided
   * evenly.
   */
  readonly distinctWithin: ReadonlyMap<string, number> | undefined;
  /** The resolution, if the property is the time at which an item is written. */
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
  /** True when updates change the property. */
  readonly changes: boolean;
  /** Share of the items that lack the property. */
  readonly missingShare: number;
  /**
   * Whether there will be more values; undefined means what the data shows, or as many as declared.
   */
  readonly grows?: PropertyGrowth | undefined;
}

export type PropertyGrowth =
  | { readonly kind: "fixed" }
  /** The number of values grows in proportion to the items. */
  | { readonly kind: "withItems" }
  | { readonly kind: "perDay"; readonly count: number };

export type Distribution =
  | { readonly kind: "uniform" }
  /** The value of rank r has a share in proportion to 1 / r^s. */
  | { readonly kind: "zipf"; readonly s: number }
  /** Some values by name; the rest is divided evenly among the others. */
  | { readonly kind: "shares"; readonly shares: ReadonlyMap<string, number> }
  /** Classes of values: each has a share of the values, and a weight for each of its values. */
  | {
      readonly kind: "classes";
      readonly classes: readonly { readonly values: number; readonly weight: number }[];
    };

export interface Growth {
  readonly itemsPerDay: number;
  /** Number of items at the beginning. */
  readonly initialItems: number;
  /** Days after which an item is removed; undefined means never. */
  readonly retentionDays: number | undefined;
  /** The share by which items per day grow each month. */
  readonly perMonth: number;
  /** The busiest time over the mean, for operations without a shape of their own. */
  readonly peakFactor: number;
  /**
   * 24 weights, hour by hour, UTC; undefined means that one hour in eight is at the peak and the
   * others below.
   */
  readonly hours: readonly number[] | undefined;
}

export interface DeclaredThroughput {
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
  /** Undefined means that of `growth`. */
  readonly peakFactor: number | undefined;
  readonly hours: readonly number[] | undefined;
  /** The text of a query. */
  readonly sql: string | undefined;
  /**
   * By name, with its "@". A parameter that is missing has the distribution of the path it is
   * compared with.
   */
  readonly parameters: ReadonlyMap<string, ParameterShape>;
  /**
   * Paths whose values the caller has, beside those that the filter names. Undefined means, for
   * point operations, all that the key needs.
   */
  readonly knows: readonly string[] | undefined;
  /** Rows of a query. Undefined means that they are computed from the filter. */
  readonly resultItems: number | undefined;
  readonly pageSize: number;
  /** The most items that an aggregate adds up; undefined means as many as the lab assumes. */
  readonly matchesMax?: number | undefined;
  /** The charge of one operation when the key is known, if the user has measured it. */
  readonly ru: number | undefined;
  /**
   * For a query that was measured without a known key: the number of physical partitions that `ru`
   * covers.
   */
  readonly ruPartitions?: number | undefined;
  /** Paths that an update changes. */
  readonly changes: readonly string[];
  /** Paths whose values identify the group of items that one transaction changes together. */
  readonly transactionScope: readonly string[] | undefined;
  /**
   * For point operations and queries without a range: the age in days of the items that are asked
   * for.
   */
  readonly ageDays: number | undefined;
}

export interface ParameterShape {
  /** A path whose distribution over items or requests the parameter has. */
  readonly like: string | undefined;
  readonly distribution: Distribution | undefined;
  /** For times: the number of days before now. */
  readonly agoDays: number | undefined;
  readonly values: readonly JsonValue[] | undefined;
}

export interface NamedCandidate {
  readonly id: string;
  /** Key expressions as text, one for each level. */
  readonly levels: readonly string[];
  /** What the user states about the candidate; it overrides what was computed. */
  readonly facts: StatedFacts | undefined;
  /** The place in the file, for messages. */
  readonly place: string;
}

export interface StatedFacts {
  readonly distinctKeys: number | undefined;
  readonly largestKeyStorageShare: number | undefined;
  readonly hottestKeyWriteShare: number | undefined;
  readonly hottestKeyReadShare: number | undefined;
  /** Operations that name one key. */
  readonly pins: readonly string[] | undefined;
  /** By operation: the number of keys that it visits. */
  readonly boundedFanout: ReadonlyMap<string, number> | undefined;
  readonly isMutable: boolean | undefined;
  readonly breaksTransactions: readonly string[] | undefined;
}
