/**
 * Counts by key in bounded memory. Exact up to `KEYS_MAX` keys; after that the small ones are
 * forgotten from time to time, and the counts of those that remain say "at least".
 */
import type { KeyComponent } from "../component.ts";

export interface KeyCount {
  readonly key: readonly KeyComponent[];
  readonly count: number;
  readonly ru: number;
}

const KEYS_MAX = 10_000;

export class KeyLoadTally {
  readonly #counts = new Map<string, { key: readonly KeyComponent[]; count: number; ru: number }>();
  #isExact = true;

  get isExact(): boolean {
    return this.#isExact;
  }

  add(name: string, key: readonly KeyComponent[], ru: number): void {
    const entry = this.#counts.get(name);
    if (entry !== undefined) {
      entry.count++;
      entry.ru += ru;
      return;
    }
    if (this.#counts.size >= 2 * KEYS_MAX) this.#forgetSmall();
    this.#counts.set(name, { key, count: 1, ru });
  }

  /** The largest, by count. */
  top(count: number): readonly KeyCount[] {
    return this.#sorted()
      .slice(0, count)
      .map(([, entry]) => ({ ...entry }));
  }

  #forgetSmall(): void {
    this.#isExact = false;
    for (const [name] of this.#sorted().slice(KEYS_MAX)) this.#counts.delete(name);
  }

  #sorted(): [string, KeyCount][] {
    return [...this.#counts].sort(([, a], [, b]) => b.count - a.count);
  }
}
