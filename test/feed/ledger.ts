/**
 * What was committed, as far as answers tell: the commits of every logical partition in their
 * order. Whoever writes a logical partition is alone with it, so that order is known.
 */
import type { Change, Commit } from "./feedCheck.ts";

interface Entry {
  readonly changes: readonly Change[];
  readonly lsn: number | undefined;
  isCertain: boolean;
}

export class Ledger {
  readonly #keys = new Map<string, Entry[]>();
  /** Those that are certain. */
  changeCount = 0;
  doubtfulCount = 0;

  commit(key: string, changes: readonly Change[], lsn?: number): void {
    this.changeCount += changes.length;
    this.#of(key).push({ changes, lsn, isCertain: true });
  }

  /** Nobody was told. Calling what it returns says that it was done, after all. */
  doubt(key: string, changes: readonly Change[]): () => void {
    const entry: Entry = { changes, lsn: undefined, isCertain: false };
    this.doubtfulCount += changes.length;
    this.#of(key).push(entry);
    return () => {
      if (entry.isCertain) return;
      entry.isCertain = true;
      this.changeCount += changes.length;
      this.doubtfulCount -= changes.length;
    };
  }

  get keys(): readonly string[] {
    return [...this.#keys.keys()];
  }

  commitsOf(key: string): readonly Commit[] {
    return this.#of(key);
  }

  #of(key: string): Entry[] {
    let entries = this.#keys.get(key);
    if (entries === undefined) {
      entries = [];
      this.#keys.set(key, entries);
    }
    return entries;
  }
}
