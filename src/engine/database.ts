/** A database while the server runs: its record, and the containers in it. */
import type { Limits } from "../model/limits.ts";
import { databaseRid } from "../model/rid.ts";
import type { Throughput } from "../model/throughput.ts";
import { defaultThroughput, rateMaxOf } from "../model/throughput.ts";
import type { DatabaseRecord } from "./catalogRecords.ts";
import type { Container } from "./container.ts";

export class Database {
  /** By name. Filled and emptied by the catalogue. */
  readonly containers: Map<string, Container> = new Map<string, Container>();
  readonly rid: string;
  #record: DatabaseRecord;
  #isDeleted = false;

  constructor(record: DatabaseRecord) {
    this.rid = databaseRid(record.databaseNumber);
    this.#record = record;
  }

  get record(): DatabaseRecord {
    return this.#record;
  }

  get isDeleted(): boolean {
    return this.#isDeleted;
  }

  /** Those that use the rate of the database because they have none of their own. */
  get sharing(): readonly Container[] {
    if (this.#record.throughput === undefined) return [];
    return [...this.containers.values()].filter(({ record }) => record.throughput === undefined);
  }

  /** What a container in it has of its own; nothing if it shares. */
  throughputFor(asked: Throughput | undefined, limits: Limits): Throughput | undefined {
    const isShared = this.#record.throughput !== undefined;
    return asked ?? (isShared ? undefined : defaultThroughput(limits));
  }

  /** The physical partitions that a container in it needs for its rate, its own or the shared. */
  partitionCountFor(own: Throughput | undefined, limits: Limits): number {
    const throughput = own ?? this.#record.throughput;
    const rateMax = throughput === undefined ? 0 : rateMaxOf(throughput);
    return Math.max(1, Math.ceil(rateMax / limits.partitionRateMax));
  }

  /** Takes over a record the catalogue has made durable. */
  become(record: DatabaseRecord): void {
    this.#record = record;
  }

  markDeleted(): void {
    this.#isDeleted = true;
  }
}
