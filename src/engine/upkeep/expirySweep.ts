/**
 * Removes what has expired from one physical partition, a little at a time. Nobody could see it any
 * more; this gives its room back and tells those who read all versions and deletes.
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

/** What is removed in one commit. */
const STEP_COUNT = 64;
const STEP_BYTES = 1024 * 1024;

export class ExpirySweep {
  readonly #store: PartitionStore;
  readonly #partition: PhysicalPartition;
  /** Nothing up to here expires by the default of the container. */
  #passed: Lsn = lsn(0);
  #defaultTtl: number | undefined;
  /** The last term of this round that was looked at. */
  #after: TermEntry | undefined;

  constructor(store: PartitionStore, partition: PhysicalPartition) {
    this.#store = store;
    this.#partition = partition;
  }

  /** From here on, terms that were passed by are looked at again. */
  beginRound(): void {
    this.#after = undefined;
  }

  /** Looks at some, and removes what has expired. False when the round has come to its end. */
  async step(time: number): Promise<boolean> {
    const { defaultTtl } = this.#partition.container.definition;
    if (defaultTtl !== this.#defaultTtl) this.#passed = lsn(0);
    this.#defaultTtl = defaultTtl;
    if (defaultTtl === undefined) return false;
    const byTerm = await this.#byTerm(time);
    if (byTerm.length > 0) {
      const items = byTerm.flatMap(({ item }) => item ?? []);
      const { term, number } = byTerm.at(-1)!;
      // What the budget did not suffice for has to be found again.
      if (await this.#remove(items)) this.#after = { term, number };
      return true;
    }
    if (defaultTtl < 0) return false;
    const { expired, passed, isMore } = await this.#byLog();
    // What was not removed now has to be found again.
    if (expired.length === 0 || (await this.#remove(expired))) this.#passed = passed;
    return isMore;
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

  /** `passed`: how far that was. */
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
        // Those behind it were written later, and have longer to live. Others of its LSN are
        // passed over once more, with it.
        const before = lsn(entry.lsn - 1);
        if (this.#partition.isLive(item)) return { expired, passed: before, isMore: false };
        expired.push(item);
      }
      passed = entry.lsn;
    }
    return { expired, passed, isMore: !isLast };
  }

  /**
   * Looked at again when nothing else writes: an item may have been given another life. Each is
   * paid for at once, so that callers find what they should. False if that was too little for all.
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
