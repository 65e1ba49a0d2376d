/**
 * Rates that were accepted before there were physical partitions for them: splits partitions until
 * there are enough, then puts the rate in force. Until then the old one is, and no other change is
 * taken. If there can never be enough, the old one stays for good; the list of jobs says why.
 *
 * What is pending is in the record of its owner, so a crash forgets none of it.
 */
import { no, ok } from "../../base/result.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { finished, partitionCountNeeded, withdrawn } from "../../model/throughput.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Database } from "../catalog/database.ts";
import { usersOf } from "../catalog/database.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE } from "../jobs/job.ts";
import { JobPerSubject } from "../jobs/jobPerSubject.ts";
import type { Container } from "../partition/container.ts";
import type { Reshaping } from "./reshaping.ts";

interface ScalingSetting {
  readonly limits: Limits;
  readonly catalog: Catalog;
  readonly reshaping: Reshaping;
  readonly work: BackgroundWork;
}

type Owner = Database | Container;

export class Scaling {
  readonly #setting: ScalingSetting;
  readonly #jobs: JobPerSubject<Owner>;

  constructor(setting: ScalingSetting) {
    this.#setting = setting;
    this.#jobs = new JobPerSubject(setting.work, (owner) => this.#step(owner));
  }

  /** Does nothing if nothing is pending, or if that is being seen to already. */
  start(owner: Owner): void {
    this.#jobs.start(owner);
  }

  async #step(owner: Owner): Promise<JobStep<void>> {
    if (owner.isDeleted || owner.record.throughput?.pending === undefined) return DONE;
    const refusal = await this.#widen(owner);
    // The server closes, or the store takes no more; the rate stays pending until the next opening.
    if (refusal?.kind === "unavailable") return { kind: "refused", refusal };
    await this.#end(owner, refusal);
    return AGAIN;
  }

  /** Why there cannot be enough physical partitions; nothing if there are. */
  async #widen(owner: Owner): Promise<Refusal | undefined> {
    for (const container of usersOf(owner)) {
      const widened = await this.#setting.reshaping.widen(container, this.#countFor(owner));
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
