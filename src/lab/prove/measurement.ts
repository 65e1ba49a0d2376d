/** What was measured of one candidate: values only, whoever has measured them. */
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { positionOf } from "../../partition/keySpace.ts";

export interface Measurement {
  readonly seconds: number;
  /** In the order of the key space. */
  readonly partitions: readonly MeasuredPartition[];
  readonly operations: readonly MeasuredOperation[];
  /** 429s among all answers, with the rate that was provisioned. */
  readonly throttledShare: number;
  readonly answerCount: number;
  readonly largestKey: { readonly label: string; readonly bytes: number };
  /** Share of all bytes in keys beyond the limit of the scale. */
  readonly overLimitShare: number;
  /** Whether a partition was split while operations were sent: its counters end there. */
  readonly isSplitMidway: boolean;
  /** Of all requests, how many left later than they should have. */
  readonly lateShare: number;
  /** Answers that were neither a success nor a 429, by status and substatus. */
  readonly failures: ReadonlyMap<string, number>;
}

export interface MeasuredPartition {
  readonly id: string;
  /** Share of the hashes before it, and with it. */
  readonly from: number;
  readonly to: number;
  readonly bytes: number;
  /** RU/s while nobody was refused. */
  readonly rate: number;
  /** One standard error of it: only so many operations were sent. */
  readonly rateError: number;
  /** RU/s that were served, and 429s among answers, with the rate that was provisioned. */
  readonly servedRate: number;
  readonly throttledShare: number;
}

export interface MeasuredOperation {
  readonly id: string;
  readonly count: number;
  /** RU of one, while nobody was refused. */
  readonly ruEach: number;
  /** Physical partitions that one comes to. */
  readonly visited: number;
  /** Milliseconds, while nobody was refused. */
  readonly latencyP50: number;
  readonly latencyP99: number;
  readonly throttledShare: number;
}

/** Which share of all hashes lies before a bound, as a server tells it. */
export function placeOf(definition: PartitionKeyDefinition, bound: string): number {
  return positionOf(definition, bound as Epk);
}
