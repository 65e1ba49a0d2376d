/**
 * Indexing containers anew, in the background, after their indexing policy changed, or after an
 * older version wrote terms that are made in another way now.
 *
 * A container whose items may be indexed under other policies than its own remembers those
 * (`formerPolicies`), and as long as it does, writes and queries reckon with them. The job of such
 * a container walks its physical partitions by item number and gives every item the terms of the
 * policy that is in force, a few items at a time between two batches of writes. When it has been
 * through, the catalogue forgets the former policies.
 *
 * Nothing of it is recorded but the end: after a restart, or when the policy changes once more, the
 * walk starts again, and finds less to do. Items written meanwhile have the right terms already.
 */
import type { MaybePromise } from "../../base/result.ts";
import { millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { IndexingPolicy } from "../../index/policy.ts";
import type { ItemReterm, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { policyInForce } from "../definition/fullTextPolicy.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import { isIndexedAnew, itemTermChange } from "../item/itemTerms.ts";
import { hasOwnTtl } from "../item/ttl.ts";
import type { Container, ContainerRecord } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

/** What a writer may have to wait for: a few milliseconds of work. */
const STEP_LIMITS = { countMax: 64, bytesMax: 512 * 1024 };
/** How long a full disk is given before the next try. */
const RETRY_DELAY = millis(1_000);

export interface ReindexSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
  /** Forgets the former policies, unless they are no longer those that the walk was about. */
  finish(container: Container, formerPolicies: readonly IndexingPolicy[]): Promise<void>;
}

/** The jobs of an account, at most one for each container. */
export class Reindexing {
  readonly #setting: ReindexSetting;
  readonly #jobs = new Map<Container, Promise<void>>();
  #isStopped = false;

  constructor(setting: ReindexSetting) {
    this.#setting = setting;
  }

  /** Does nothing if there is nothing to do; a job that runs sees by itself that there is more. */
  start(container: Container): void {
    if (this.#isOver(container) || this.#jobs.has(container)) return;
    const job = this.#run(container);
    this.#jobs.set(container, job);
    // A defect ends the job and is told to whoever closes; the former policies keep queries right.
    job.catch(() => undefined);
  }

  /** Resolves when no job runs any more; what is not done is done after the next opening. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.all(this.#jobs.values());
  }

  #isOver(container: Container): boolean {
    return this.#isStopped || container.isDeleted || !isIndexedAnew(container);
  }

  async #run(container: Container): Promise<void> {
    while (!this.#isOver(container)) {
      try {
        const { formerPolicies } = container.record;
        const isThrough = await this.#walk(container, formerPolicies);
        if (isThrough) await this.#setting.finish(container, formerPolicies);
      } catch (error) {
        if (error instanceof Fenced || this.#setting.store.fault !== undefined) return;
        if (!(error instanceof StoreFault)) throw error;
        await this.#pause();
      }
    }
    // In the same turn as the last look at the container: a start from here on is a new job.
    this.#jobs.delete(container);
  }

  /** False if it was cut short. */
  async #walk(container: Container, formerPolicies: readonly IndexingPolicy[]): Promise<boolean> {
    let doneCount = 0;
    for (const partition of container.partitions.values()) {
      let after = 0;
      for (let isLast = false; !isLast; ) {
        await this.#setting.timer.soon();
        if (this.#isOver(container) || partition.isRetired) return false;
        if (container.record.formerPolicies !== formerPolicies) return false;
        container.noteReindexed(doneCount);
        await partition.commitBetween(async () => {
          const page = await this.#pageAfter(partition, after);
          after = page.items.at(-1)?.number ?? after;
          doneCount += page.items.length;
          isLast = page.isLast;
          return [page.items.flatMap((item) => retermOf(container, item) ?? [])];
        });
      }
    }
    return true;
  }

  #pageAfter(
    { entry }: PhysicalPartition,
    after: number,
  ): MaybePromise<{ readonly items: readonly StoredItem[]; readonly isLast: boolean }> {
    return this.#setting.store.scanItems(entry.part, after, STEP_LIMITS);
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      this.#setting.timer.after(RETRY_DELAY, resolve);
    });
  }
}

/** The policies items may be indexed under besides `next`, each once; the same list if it is. */
export function formerPoliciesOf(
  { definition, formerPolicies }: ContainerRecord,
  next: ContainerDefinition,
): readonly IndexingPolicy[] {
  const nextText = JSON.stringify(policyInForce(next));
  const before = policyInForce(definition);
  if (JSON.stringify(before) === nextText) return formerPolicies;
  const policies = [...formerPolicies, before];
  const byText = new Map(policies.map((policy) => [JSON.stringify(policy), policy]));
  byText.delete(nextText);
  return [...byText.values()];
}

/** The record of a container that the walk has been through. */
export function withoutFormer({ hasFormerExpiry: _, ...record }: ContainerRecord): ContainerRecord {
  return { ...record, formerPolicies: [] };
}

function retermOf(container: Container, stored: StoredItem): ItemReterm | undefined {
  // Only items with an end of their own have a term of the older form.
  if (container.formerPolicies.length === 0 && !hasOwnTtl(stored)) return undefined;
  const { key, number, body } = stored;
  const item = objectOf(body);
  const { removed, added } = itemTermChange(container, epkOfKey(key), item, { item });
  if (removed.length + added.length === 0) return undefined;
  return { kind: "reterm", key, number, termsAdded: added, termsRemoved: removed };
}
