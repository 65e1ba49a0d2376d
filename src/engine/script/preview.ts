/**
 * What the writes of a script that is under way have made of the store so far, kept up to date
 * write by write: a script may write thousands of items and query after each.
 *
 * Always: writes are added in the order in which they were made. What a write takes away hides what
 * the store has, until a later write puts it back.
 */
import { lsn } from "../../base/units.ts";
import { encodeNumber } from "../../store/bytes.ts";
import { SortedRuns } from "../../store/memory/sortedRuns.ts";
import type { ItemWrite, StoredItem } from "../../store/partitionStore.ts";

/** No item shows the LSN of what is not committed; none is lower than those to come. */
const NOT_YET = lsn(Number.MAX_SAFE_INTEGER);

interface Previewed {
  readonly key: string;
  /** `undefined`: gone. */
  readonly item: StoredItem | undefined;
}

export class Preview {
  /** Ordered like the store's tables of the same names. */
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
    // A term that is removed and added stays.
    for (const term of write.termsRemoved) this.terms.set(term + suffix, false);
    if (!isThere) return;
    for (const term of write.termsAdded) this.terms.set(term + suffix, true);
  }

  /** Puts in order what has come since the last time: some at a time, it takes nobody long. */
  settle(): void {
    this.items.settle();
    this.terms.settle();
  }

  /** `undefined` if nothing was written there: then the store knows. */
  byKey(key: string): Previewed | undefined {
    return this.#byKey.get(key);
  }

  byNumber(number: number): Previewed | undefined {
    return this.#byNumber.get(number);
  }
}
