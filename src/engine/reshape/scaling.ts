/**
 * Rates that were accepted before there were physical partitions for them: splits partitions until
 * there are enough, then puts the rate in force. Until then the old one is, and no other change is
 * taken. If there can never be enough, the old one stays for good; the list of jobs says why.
 *
 * What is pending is in the record of its owner, so a crash forgets none of it: opening starts
 * here.
 */
import { no, ok } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { finished, partitionCountNeeded, withdrawn } from "../../model/throughput.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import { Database } from "../catalog/database.ts";
import { Pauses } from "../jobs/pauses.ts";
import type { Container } from "../partition/container.ts";

export interface ScalingSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly catalog: Catalog;
}

type Owner = Database | Container;

export class Scaling {
  readonly #setting: ScalingSetting;
  readonly #jobs = new Map<Owner, Promise<void>>();
  readonly #pauses: Pauses;
  #isStopped = false;

  constructor(setting: ScalingSetting) {
    this.#setting = setting;
    this.#pauses = new Pauses(setting.timer);
  }

  /** Does nothing if nothing is pending, or if that is being seen to already. */
  start(owner: Owner): void {
    if (this.#isOver(owner) || this.#jobs.has(owner)) return;
    const job = this.#run(owner);
    this.#jobs.set(owner, job);
    // A defect ends the job and is told to whoever closes; the next opening tries again.
    job.catch(() => undefined);
  }

  /** Resolves when no job runs any more; what is pending goes on after the next opening. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#pauses.end();
    await Promise.all(this.#jobs.values());
  }

  async #run(owner: Owner): Promise<void> {
    for (let failureCount = 0; !this.#isOver(owner); ) {
      try {
        const refusal = await this.#widen(owner);
        if (refusal?.kind === "unavailable") return;
        await this.#end(owner, refusal);
      } catch (error) {
        if (error instanceof Fenced || this.#setting.store.fault !== undefined) return;
        if (!(error instanceof StoreFault)) throw error;
        await this.#pauses.wait(failureCount++);
      }
    }
    // In the same turn as the last look at the owner: a start from here on is a new job.
    this.#jobs.delete(owner);
  }

  #isOver(owner: Owner): boolean {
    return this.#isStopped || owner.isDeleted || owner.record.throughput?.pending === undefined;
  }

  /** Why there cannot be enough physical partitions; nothing if there are. */
  async #widen(owner: Owner): Promise<Refusal | undefined> {
    const { reshaping } = this.#setting.catalog;
    for (const container of usersOf(owner)) {
      const widened = await reshaping.widen(container, this.#countFor(owner));
      if (!widened.ok && !container.isDeleted) return widened.error;
    }
    return undefined;
  }

  /** Puts the rate in force, or takes it back. Neither if a narrow container has joined. */
  async #end(owner: Owner, refusal: Refusal | undefined): Promise<void> {
    await this.#setting.catalog.replaceThroughput(owner, (stamp) => {
      const { throughput } = owner.record;
      if (throughput?.pending === undefined) return no({ kind: "notFound" });
      if (refusal !== undefined) return ok(withdrawn(throughput, stamp));
      const isWide = usersOf(owner).every(({ map }) => map.entries.length >= this.#countFor(owner));
      return isWide ? ok(finished(throughput, stamp)) : no({ kind: "preconditionFailed" });
    });
  }

  #countFor(owner: Owner): number {
    const pending = owner.record.throughput?.pending;
    return pending === undefined ? 1 : partitionCountNeeded(pending, this.#setting.limits);
  }
}

/** The physical partitions that the rate of a container, its own or the shared one, needs. */
export function neededCount(database: Database, container: Container, limits: Limits): number {
  const throughput = container.record.throughput ?? database.record.throughput;
  if (throughput === undefined) return 1;
  const { pending = throughput } = throughput;
  return Math.max(partitionCountNeeded(throughput, limits), partitionCountNeeded(pending, limits));
}

/** Those who live on the throughput of a database or container. */
export function usersOf(owner: Owner): readonly Container[] {
  return owner instanceof Database ? owner.sharing : [owner];
}
