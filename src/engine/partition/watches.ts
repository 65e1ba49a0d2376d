/**
 * Watches on logical partitions. A script runs beside the writes of others, and has to know in the
 * end whether everything that it saw is still true.
 *
 * A watch is told of every commit from the moment it is set. A script that sets its watch before it
 * first reads learns of every change to what it read, and perhaps of more.
 */
import type { Epk } from "../../partition/epkRange.ts";
import type { WriteGroup } from "../../store/partitionStore.ts";
import { epkOfKey } from "../item/itemKey.ts";

/** What a script has read: these items, or the whole logical partition. */
export interface Seen {
  readonly keys: ReadonlySet<string>;
  readonly isEverything: boolean;
}

export class Watch {
  readonly epk: Epk;
  readonly #changedKeys = new Set<string>();
  #isLost = false;

  constructor(epk: Epk) {
    this.epk = epk;
  }

  note(key: string): void {
    this.#changedKeys.add(key);
  }

  /** Makes the watch useless: no more commits are reported to it. */
  lose(): void {
    this.#isLost = true;
  }

  /**
   * True when nothing in `seen` was changed, nor is changed by `groups`, which are about to be
   * committed.
   */
  holds(seen: Seen, groups: readonly WriteGroup[]): boolean {
    if (this.#isLost) return false;
    const isTouched = (key: string): boolean => seen.isEverything || seen.keys.has(key);
    for (const key of this.#changedKeys) if (isTouched(key)) return false;
    return !groups.some((group) =>
      group.some(({ key }) => epkOfKey(key) === this.epk && isTouched(key)),
    );
  }
}

/** The watches on one physical partition. */
export class Watches {
  readonly #byEpk = new Map<Epk, Set<Watch>>();

  set(epk: Epk): Watch {
    const watch = new Watch(epk);
    const watches = this.#byEpk.get(epk) ?? new Set();
    this.#byEpk.set(epk, watches.add(watch));
    return watch;
  }

  end(watch: Watch): void {
    const watches = this.#byEpk.get(watch.epk);
    watches?.delete(watch);
    if (watches?.size === 0) this.#byEpk.delete(watch.epk);
  }

  /** Tells the watches of groups that were just committed. */
  note(groups: readonly WriteGroup[]): void {
    if (this.#byEpk.size === 0) return;
    for (const group of groups) {
      for (const { key } of group) {
        for (const watch of this.#byEpk.get(epkOfKey(key)) ?? []) watch.note(key);
      }
    }
  }

  /** Loses all watches, because the physical partition has been split or merged. */
  loseAll(): void {
    for (const watches of this.#byEpk.values()) for (const watch of watches) watch.lose();
    this.#byEpk.clear();
  }
}
