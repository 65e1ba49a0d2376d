/**
 * The writes of a running script, as changes to what the store has. The preview is brought up to
 * date write by write, because a script may write thousands of items and query after each.
 *
 * Invariant: writes are added in the order in which they were made. An item or term that a write
 * removes hides the one in the store, until a later write puts it back.
 */
import { lsn } from "../../base/units.ts";
import { encodeNumber } from "../../store/bytes.ts";
import { SortedRuns } from "../../store/memory/sortedRuns.ts";
import type { ItemWrite, StoredItem } from "../../store/partitionStore.ts";

/**
 * Stands for the LSN of an uncommitted write, which no item shows; it is above every LSN to come.
 */
const NOT_YET = lsn(Number.MAX_SAFE_INTEGER);

interface Previewed {
  readonly key: string;
  /** `undefined` when the script has deleted the item. */
  readonly item: StoredItem | undefined;
}

export class Preview {
  /** Keys in the order of the store's tables of the same names. */
  readonly items: SortedRuns = new SortedRuns(false);
  readonly terms: SortedRuns = new SortedRuns(false);
  readonly #byNumber = new Map<number, Previewed>();
  readonly #byKey = new Map<string, Previewed>();

  get isEmpty(): boolean {
    return this.#byNumber.size === 0;
  }

  add(write: ItemWrite): void {
    if (write.kind === "reterm") return;
    const { key, number, tag } = write;
    const isThere = write.kind === "put";
    const item = isThere
      ? { key, number, tag, lsn: NOT_YET, body: Buffer.from(write.body) }
      : undefined;
    const previewed = { key, item };
    this.#byNumber.set(number, previewed);
    this.#byKey.set(key, previewed);
    const suffix = encodeNumber(number);
    this.items.set(suffix, isThere);
    // A term that is both removed and added stays.
    for (const term of write.termsRemoved) this.terms.set(term + suffix, false);
    if (!isThere) return;
    for (const term of write.termsAdded) this.terms.set(term + suffix, true);
  }

  /** Sorts the entries since the last call; called often, each call is short. */
  settle(): void {
    this.items.settle();
    this.terms.settle();
  }

  /**
   * Returns `undefined` if the script wrote nothing under this key, so that the store has the
   * answer.
   */
  byKey(key: string): Previewed | undefined {
    return this.#byKey.get(key);
  }

  byNumber(number: number): Previewed | undefined {
    return this.#byNumber.get(number);
  }
}
