/**
 * Removes items that have expired from one physical partition, a few at a time. Nobody could see
 * them any more; removing them gives their room back and tells those who read all versions and
 * deletes.
 *
 * Items that live as long as their container says are found at the beginning of the log: it is in
 * the order of their last writes, so those that come first expire first. Items with a ttl of their
 * own are found by the term of their end.
 *
 * A round goes through the terms once, from the first on, and never back: whatever a term says, an
 * item that cannot be removed is passed by, and neither holds up those behind it nor is asked for
 * again before the next round.
 */
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { PartitionStore, StoredItem, TermEntry } from "../../store/partitionStore.ts";
import { expiredRange } from "../item/itemTerms.ts";
import type { Deletion } from "../item/prepare.ts";
import { hasOwnTtl } from "../item/ttl.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

/** How much is removed in one commit. */
const STEP_COUNT = 64;
const STEP_BYTES = 1024 * 1024;

export class ExpirySweep {
  readonly #store: PartitionStore;
  readonly #partition: PhysicalPartition;
  /** No item of the log up to here is left that expires by the default of the container. */
  #passed: Lsn = lsn(0);
  #defaultTtl: number | undefined;
  /** The last term of this round that was looked at. */
  #after: TermEntry | undefined;
  /** Up to there, everything that is left is held; as of these terms of the guard. */
  #held: { readonly after: TermEntry; readonly terms: object } | undefined;

  constructor(store: PartitionStore, partition: PhysicalPartition) {
    this.#store = store;
    this.#partition = partition;
  }

  /**
   * Lets the next step begin with the first term, also with those that were passed by. What is held
   * stays so until it is written anew, and is not asked for again.
   */
  beginRound(): void {
    const terms = this.#partition.container.guard?.terms;
    const isStillHeld = terms !== undefined && this.#held?.terms === terms;
    if (!isStillHeld) this.#held = undefined;
    this.#after = this.#held?.after;
  }

  /** Looks at some items, and removes the expired ones. False when the round is at its end. */
  async step(time: number): Promise<boolean> {
    const { defaultTtl } = this.#partition.container.definition;
    if (defaultTtl !== this.#defaultTtl) this.#passed = lsn(0);
    this.#defaultTtl = defaultTtl;
    if (defaultTtl === undefined) return false;
    const byTerm = await this.#byTerm(time);
    if (byTerm.length > 0) {
      const items = byTerm.flatMap(({ item }) => item ?? []);
      const { term, number } = byTerm.at(-1)!;
      // Items that the budget did not suffice for have to be found again.
      if (await this.#remove(items)) this.#pass({ term, number });
      return true;
    }
    // Without a ttl of its own nothing ever leaves a container that is guarded.
    if (defaultTtl < 0 || this.#partition.container.guard !== undefined) return false;
    const { expired, passed, isMore } = await this.#byLog();
    // Items that were not removed now have to be found again.
    if (expired.length === 0 || (await this.#remove(expired))) this.#passed = passed;
    return isMore;
  }

  #pass(after: TermEntry): void {
    this.#after = after;
    const terms = this.#partition.container.guard?.terms;
    if (terms !== undefined) this.#held = { after, terms };
  }

  async #byTerm(time: number): Promise<readonly TermEntry[]> {
    const { entries } = await this.#store.scanTerms(this.#partition.entry.part, {
      range: expiredRange(time / 1000),
      after: this.#after,
      countMax: STEP_COUNT,
      bytesMax: STEP_BYTES,
      withItems: true,
    });
    return entries;
  }

  /** The expired items of the next page of the log, and up to which LSN (`passed`) it went. */
  async #byLog(): Promise<{
    readonly expired: readonly StoredItem[];
    readonly passed: Lsn;
    readonly isMore: boolean;
  }> {
    const { part } = this.#partition.entry;
    const expired: StoredItem[] = [];
    let passed = this.#passed;
    const { entries, isLast } = await this.#store.readLog(part, passed, STEP_COUNT);
    const keys = entries.map(({ key }) => key);
    const items = await this.#store.getMany(part, keys);
    for (const [index, entry] of entries.entries()) {
      const item = items[index];
      const isLatest = item?.lsn === entry.lsn && item.number === entry.number;
      if (isLatest && !hasOwnTtl(item)) {
        // Items behind it were written later, and have longer to live. Other items of its LSN are
        // looked at again together with it.
        const before = lsn(entry.lsn - 1);
        if (this.#partition.isLive(item)) return { expired, passed: before, isMore: false };
        expired.push(item);
      }
      passed = entry.lsn;
    }
    return { expired, passed, isMore: !isLast };
  }

  /**
   * Looks at the items again when nothing else writes, because a write may have given one a longer
   * life. Each removal is paid for at once, so that the next caller finds the budget as it is.
   * False if the budget did not suffice for all of them.
   */
  async #remove(found: readonly StoredItem[]): Promise<boolean> {
    const partition = this.#partition;
    const { spending } = partition;
    const keys = new Set(found.map(({ key }) => key));
    let isAll = true;
    await partition.commitBetween(async () => {
      const items = await this.#store.getMany(partition.entry.part, [...keys]);
      const ends: Deletion[] = [];
      for (const item of items) {
        isAll = spending.hasLeftOver();
        if (!isAll) break;
        const end = partition.expiry(item);
        if (end === undefined) continue;
        spending.settleLeftOver(end.charge);
        ends.push(end);
      }
      return ends.map(({ write }) => [write]);
    });
    return isAll;
  }
}
