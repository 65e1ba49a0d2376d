/** A database while the server runs: its record, and the containers in it. */

import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { databaseRid } from "../../model/rid.ts";
import type { RateRules, Throughput } from "../../model/throughput.ts";
import { defaultThroughput, partitionCountNeeded } from "../../model/throughput.ts";
import { partitionCountAtCreation } from "../../throughput/partitionCount.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { withSource } from "../definition/viewSource.ts";
import type { Container } from "../partition/container.ts";
import type { DatabaseRecord } from "./catalogRecords.ts";

/** What a new container is made with. */
interface Preparation {
  readonly definition: ContainerDefinition;
  /** Its own, if it has some. */
  readonly throughput: Throughput | undefined;
}

const NO_SHARED_VECTORS = badRequest(
  "Vector Indexing is not supported for shared throughput offer. Give the container throughput " +
    "of its own, or the database none.",
);

const NO_MANUAL_VIEW = badRequest(
  "A view has autoscale throughput, or shares that of its database: a manual rate is not possible.",
);

export class Database {
  /** The containers by name. The catalogue fills and empties this. */
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

  /** The containers that use the rate of the database because they have none of their own. */
  get sharing(): readonly Container[] {
    if (this.#record.throughput === undefined) return [];
    return [...this.containers.values()].filter(({ record }) => record.throughput === undefined);
  }

  /** Why a container of this definition cannot share the rate; `present` if it is there already. */
  sharingRefusal(
    { indexingPolicy }: ContainerDefinition,
    { limits }: RateRules,
    present?: Container,
  ): Refusal | undefined {
    const hasOwn = present?.record.throughput !== undefined;
    if (this.#record.throughput === undefined || hasOwn) return undefined;
    if ((indexingPolicy.vectorIndexes ?? []).length > 0) return NO_SHARED_VECTORS;
    const others = this.sharing.filter((container) => container !== present);
    const countMax = limits.sharingContainersMax;
    return others.length < countMax ? undefined : { kind: "sharingFull", countMax };
  }

  /**
   * How many physical partitions the rate of the database is divided over: as many as the
   * narrowest of the containers that share it has. They stay when the rate falls.
   */
  sharedPartitionCount({ limits }: RateRules): number {
    const counts = this.sharing.map(({ map }) => map.entries.length);
    if (counts.length > 0) return Math.min(...counts);
    const { throughput } = this.#record;
    return throughput === undefined ? 1 : partitionCountNeeded(throughput, limits);
  }

  /** What a new container is made with, or why it cannot be made. */
  prepared(
    asked: ContainerDefinition,
    askedThroughput: Throughput | undefined,
    rules: RateRules,
  ): Result<Preparation, Refusal> {
    if (this.containers.has(asked.id)) return no({ kind: "idTaken" });
    const bound = withSource(asked, this.containers, rules.limits);
    if (!bound.ok) return no(badRequest(bound.error));
    const definition = bound.value;
    const problem = throughputProblem(definition, askedThroughput?.kind);
    if (problem !== undefined) return no(problem);
    const throughput = this.throughputFor(askedThroughput, rules, definition);
    const refusal = throughput ? undefined : this.sharingRefusal(definition, rules);
    return refusal === undefined ? ok({ definition, throughput }) : no(refusal);
  }

  /** What a container has of its own; nothing if it shares, or if rates are not provisioned. */
  throughputFor(
    asked: Throughput | undefined,
    { limits, rates }: RateRules,
    { view }: ContainerDefinition,
  ): Throughput | undefined {
    const hasNone = this.#record.throughput !== undefined || rates?.isServerless === true;
    if (asked !== undefined || hasNone) return asked;
    return view === undefined
      ? defaultThroughput(limits)
      : { kind: "autoscale", rateMax: limits.autoscaleRate.rateMin };
  }

  /** How many physical partitions a new container gets, for its own rate or the shared one. */
  partitionCountFor(own: Throughput | undefined, rules: RateRules): number {
    const { limits, rates } = rules;
    if (rates?.isServerless) return 1;
    if (own === undefined) return this.#partitionCountOfSharing(rules);
    if (rates === undefined) return partitionCountNeeded(own, limits);
    return partitionCountAtCreation(own, rates, limits);
  }

  /** As many as the containers that share have, or will have once a pending rate is in force. */
  #partitionCountOfSharing(rules: RateRules): number {
    const pending = this.#record.throughput?.pending;
    const present = this.sharedPartitionCount(rules);
    return pending === undefined
      ? present
      : Math.max(present, partitionCountNeeded(pending, rules.limits));
  }

  /** Takes over a record the catalogue has made durable. */
  become(record: DatabaseRecord): void {
    this.#record = record;
  }

  markDeleted(): void {
    this.#isDeleted = true;
  }
}

/** The containers that live on the throughput of a database or container. */
export function usersOf(owner: Database | Container): readonly Container[] {
  return owner instanceof Database ? owner.sharing : [owner];
}

/** The physical partitions that the rate of a container, its own or the shared one, needs. */
export function neededCount(database: Database, container: Container, limits: Limits): number {
  const throughput = container.record.throughput ?? database.record.throughput;
  if (throughput === undefined) return 1;
  const { pending = throughput } = throughput;
  return Math.max(partitionCountNeeded(throughput, limits), partitionCountNeeded(pending, limits));
}

/** Why a container of this definition cannot have throughput of that kind. */
export function throughputProblem(
  { view }: ContainerDefinition,
  kind: Throughput["kind"] | undefined,
): Refusal | undefined {
  return view !== undefined && kind === "manual" ? NO_MANUAL_VIEW : undefined;
}

/** Why a container that has these views cannot be deleted. */
export function sourceRefusal(
  { definition }: Container,
  views: readonly Container[],
): Refusal | undefined {
  if (views.length === 0) return undefined;
  const names = views.map((view) => `'${view.definition.id}'`).join(", ");
  return badRequest(
    `The container '${definition.id}' is the source of the views ${names}. Delete them first.`,
  );
}
