/**
 * Items of hot that cannot be moved, each with the reason: they have no date, or warm does not take
 * them. They stay in hot. An item leaves the book when it is mended, deleted or moved.
 *
 * The book lists the first thousand in full, and of further ones only the numbers, so that the
 * count is exact and memory bounded; beyond a hundred thousand it says that there are more.
 */
import type { JsonValue } from "../../json/value.ts";
import type { UnmovedCode } from "../../model/lifecycle.ts";

interface UnmovedEntry {
  /** Of the item in hot. */
  readonly number: number;
  readonly id: string;
  readonly key: JsonValue;
  readonly code: UnmovedCode;
  readonly reason: string;
  /** Milliseconds since 1970; absent without a date. */
  readonly date?: number | undefined;
  /** True if the item is due, and warm lacks it. */
  readonly isDue: boolean;
  readonly at: number;
  readonly attempts: number;
}

export interface StoredBook {
  readonly listed: readonly UnmovedEntry[];
  /** Numbers in order, each as the difference to the one before, in base 36. */
  readonly others: string;
  /** At most the lowest date of those among the others that are due. */
  readonly othersFrom?: number | undefined;
  readonly isExact: boolean;
}

export const EMPTY_BOOK: StoredBook = { listed: [], others: "", isExact: true };

const LISTED_MAX = 1000;
const OTHERS_MAX = 100_000;

export class UnmovedBook {
  readonly #listed: Map<number, UnmovedEntry>;
  readonly #others: Set<number>;
  #othersFrom: number;
  #isExact: boolean;
  /** Set when a due item did not fit: everything has to be looked at again. */
  hasLostDue = false;
  /** Grows with every change. */
  version = 0;
  /** After which number the next look at the book begins. */
  #lookedAt = -1;

  constructor({ listed, others, othersFrom, isExact }: StoredBook) {
    this.#listed = new Map(listed.map((entry) => [entry.number, entry]));
    this.#others = new Set(numbersIn(others));
    this.#othersFrom = othersFrom ?? Number.POSITIVE_INFINITY;
    this.#isExact = isExact;
  }

  get stored(): StoredBook {
    return {
      listed: this.entries,
      others: numbersText(this.#others),
      ...(Number.isFinite(this.#othersFrom) && { othersFrom: this.#othersFrom }),
      isExact: this.#isExact,
    };
  }

  get entries(): readonly UnmovedEntry[] {
    return [...this.#listed.values()];
  }

  get count(): number {
    return this.#listed.size + this.#others.size;
  }

  get isExact(): boolean {
    return this.#isExact;
  }

  has(number: number): boolean {
    return this.#listed.has(number) || this.#others.has(number);
  }

  /** The lowest date of an item that is due and not in warm. */
  get lowestDue(): number {
    let lowest = this.#othersFrom;
    for (const { date, isDue } of this.#listed.values()) {
      if (isDue && date !== undefined) lowest = Math.min(lowest, date);
    }
    return lowest;
  }

  /** Whether `dueCount` is all of them: what is not listed may be due as well. */
  get isDueCountExact(): boolean {
    return !Number.isFinite(this.#othersFrom);
  }

  /** How many of those that are listed are due. */
  get dueCount(): number {
    let count = 0;
    for (const { isDue } of this.#listed.values()) if (isDue) count++;
    return count;
  }

  add(entry: Omit<UnmovedEntry, "attempts">): void {
    const { number, isDue, date } = entry;
    const listed = this.#listed.get(number);
    if (listed !== undefined || this.#listed.size < LISTED_MAX) {
      this.#others.delete(number);
      this.#listed.set(number, { ...entry, attempts: (listed?.attempts ?? 0) + 1 });
      this.version++;
      return;
    }
    if (isDue && date !== undefined) this.#othersFrom = Math.min(this.#othersFrom, date);
    if (this.#others.has(number)) return;
    this.version++;
    if (this.#others.size < OTHERS_MAX) {
      this.#others.add(number);
      return;
    }
    this.#isExact = false;
    if (isDue) this.hasLostDue = true;
  }

  close(number: number): void {
    if (!this.#listed.delete(number) && !this.#others.delete(number)) return;
    this.version++;
    if (this.#others.size === 0) this.#othersFrom = Number.POSITIVE_INFINITY;
    if (this.count === 0) this.#isExact = true;
  }

  /** Says that everything is going to be looked at from the beginning. */
  clear(): void {
    if (this.count === 0 && this.#isExact) return;
    this.#listed.clear();
    this.#others.clear();
    this.#othersFrom = Number.POSITIVE_INFINITY;
    this.#isExact = true;
    this.hasLostDue = false;
    this.version++;
  }

  /** The next numbers of the book, by turns. */
  nextNumbers(countMax: number): readonly number[] {
    const all = [...this.#listed.keys(), ...this.#others].toSorted((one, other) => one - other);
    const later = all.filter((number) => number > this.#lookedAt);
    const next = [...later, ...all.filter((number) => number <= this.#lookedAt)].slice(0, countMax);
    this.#lookedAt = next.at(-1) ?? -1;
    return next;
  }
}

function numbersText(numbers: ReadonlySet<number>): string {
  const sorted = [...numbers].toSorted((one, other) => one - other);
  return sorted.map((number, at) => (number - (sorted[at - 1] ?? 0)).toString(36)).join(" ");
}

function numbersIn(text: string): readonly number[] {
  let number = 0;
  if (text === "") return [];
  return text.split(" ").map((difference) => (number += Number.parseInt(difference, 36)));
}
