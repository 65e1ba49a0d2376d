/**
 * What became of one candidate under one workload: where its data and its load would lie on the
 * engine, month by month and hour by hour, what is refused, and what it costs.
 *
 * Days count from the beginning of the horizon. Bytes are stored bytes, system properties included.
 */
import type { Candidate } from "../candidate/candidate.ts";
import type { Estimate } from "../counting/estimate.ts";
import type { MeasuredKey } from "../data/measuredKeys.ts";

export interface Simulation {
  readonly candidate: Candidate;
  readonly keys: KeyOutcome;
  /** What the data says of its keys as they are now; undefined: there is none. */
  readonly measured?: MeasuredKey | undefined;
  /** From the beginning (month 0) to the end of the horizon. */
  readonly months: readonly MonthOutcome[];
  /** At the busiest hour of the last month, in the order of the key space. */
  readonly partitions: readonly PartitionOutcome[];
  readonly load: LoadOutcome;
  readonly throttling: ThrottlingOutcome;
  readonly operations: readonly OperationOutcome[];
  readonly fanOut: FanOutOutcome;
  readonly cost: CostOutcome;
  /** Operations whose transactions would span several logical partitions. */
  readonly brokenTransactions: readonly string[];
  /** Share of the updates of items that would change their key, which the service refuses. */
  readonly changingShare: number;
  /** Share of items that lack a value of the key, or have null for one. */
  readonly missingShare: number;
  /** The largest logical partition of such items, and the busiest; undefined: there are none. */
  readonly missingKey?: MissingKey | undefined;
}

export interface KeyOutcome {
  /** Logical partitions at the end. */
  readonly count: Estimate;
  /** A new set of keys with each period; undefined: the same keys go on. */
  readonly period: string | undefined;
  readonly itemsPerKey: number;
  readonly largest: LargestKey;
  /** Share of storage by rank of keys, for a Lorenz curve: [share of keys, share of bytes]. */
  readonly lorenz: readonly (readonly [number, number])[];
  readonly giniBytes: number;
  readonly effectiveKeys: number;
}

export interface LargestKey {
  readonly label: string;
  readonly bytesAtEnd: Estimate;
  readonly share: number;
  /** Days; undefined: not within the horizon. */
  readonly passes15GbOnDay: number | undefined;
  readonly passes20GbOnDay: number | undefined;
  /** Keys beyond the limit at the end, and their share of all bytes. */
  readonly overLimitCount: number;
  readonly overLimitShare: number;
}

/** Where items without a value lie together. */
export interface MissingKey {
  readonly label: string;
  readonly bytesAtEnd: number;
  /** Of all bytes. */
  readonly share: number;
  /** RU/s at the peak. */
  readonly rate: number;
}

export interface MonthOutcome {
  readonly month: number;
  readonly totalBytes: number;
  readonly partitionCount: number;
  /** In this month. */
  readonly splitCount: number;
  readonly largestPartitionBytes: number;
  readonly largestKeyBytes: number;
  /** At the peak. */
  readonly ratePerSecond: number;
  readonly hottestPartitionRate: number;
  readonly allotment: number;
}

export interface PartitionOutcome {
  readonly id: string;
  /** Share of the hashes before it, and with it. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** RU/s hour by hour (24, UTC). */
  readonly rates: readonly number[];
  readonly allotment: number;
}

export interface LoadOutcome {
  /** RU/s of the whole container at the peak, fan-out included. */
  readonly peakRate: number;
  readonly meanRate: number;
  /** What is provisioned in the simulation: what the user says, or as much as the key needs. */
  readonly provisioned: number;
  /**
   * Where each key has what it needs: what the workload would take of any if its load were spread
   * evenly. Undefined: a rate is declared.
   */
  readonly reference?: number | undefined;
  /** What it takes for the hottest partition to have enough; undefined: no rate does. */
  readonly neededRate: number | undefined;
  /** At the peak: the hottest partition, its share of all load, and that over an even share. */
  readonly hottestPartition: {
    readonly id: string;
    readonly rate: Estimate;
    readonly share: number;
    readonly overMean: number;
  };
  /** At the peak: the key with most load. */
  readonly hottestKey: {
    readonly label: string;
    readonly rate: Estimate;
    readonly writeShare: number;
    readonly readShare: number;
  };
  readonly giniRates: number;
  /** How load lies over the key space and the day: even, periodic, concentrated, moving. */
  readonly archetype: "even" | "periodic" | "concentrated" | "moving";
}

export interface ThrottlingOutcome {
  /** 429s among all answers, at the peak hour, with the retries of the SDK. */
  readonly share: number;
  /**
   * How far that share is off its mean in a run as short as was asked for (one standard deviation);
   * undefined: nobody has asked for a short one.
   */
  readonly shareDeviation?: number | undefined;
  /** Requests that were given up after nine retries or thirty seconds. */
  readonly failedShare: number;
  readonly waitP50: number;
  readonly waitP99: number;
  /** Of what is provisioned, how much can be used with this skew. */
  readonly usableRate: number;
}

export interface OperationOutcome {
  readonly id: string;
  readonly kind: string;
  readonly ratePerSecond: number;
  readonly routing: Routing;
  /** Physical partitions that one such operation visits, at the end. */
  readonly partitionsVisited: number;
  readonly ruEach: number;
  /** If one visit were enough. */
  readonly usefulRuEach: number;
}

/** How many keys have to be asked. */
export type Routing =
  | { readonly kind: "key" }
  /** Several, known: periods of a range, suffixes. */
  | { readonly kind: "keys"; readonly count: number }
  /** All keys below the first levels of a hierarchical key. */
  | { readonly kind: "prefix"; readonly levelCount: number; readonly count: number }
  | { readonly kind: "everywhere" };

export interface FanOutOutcome {
  /** Of reads by rate: those that one key answers, a few, a prefix, and those that ask all. */
  readonly keyShare: number;
  readonly keysShare: number;
  readonly prefixShare: number;
  readonly everywhereShare: number;
  /** RU/s at the mean: beyond one visit each, and all of it. */
  readonly surchargeRate: number;
  readonly usefulRate: number;
}

/** US dollars a month, at the end of the horizon. */
export interface CostOutcome {
  readonly ruPerMonth: number;
  readonly storage: number;
  readonly manual: number | undefined;
  readonly autoscale: number | undefined;
  /** Undefined: not possible, and why. */
  readonly serverless: number | undefined;
  readonly serverlessProblem: string | undefined;
  readonly cheapest: Estimate;
  /** The cheapest, had its physical partitions been cut where the load is. */
  readonly laidOut: number;
}
