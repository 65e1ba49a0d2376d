/**
 * Checks that every item has the terms that it should have, and that there are no other terms.
 *
 * Terms are stored in the order of terms and items in the order of numbers, and neither fits into
 * memory. So each item gets a fingerprint: the number of terms that it should have and the sums of
 * their hashes, from which the terms that are found are subtracted. A fingerprint ends at zero
 * exactly if both sets of terms are the same, except with a chance of one in 2^64. Only for items
 * whose fingerprint is not zero are the terms compared one by one.
 */
import type { Hash } from "../../index/hash.ts";
import { hashOf } from "../../index/hash.ts";
import type { ReadOnlyStore } from "../../store/backup/backupView.ts";
import { isUniqueTerm } from "../item/itemTerms.ts";

/** The terms that an item may have: all of `due`, and others only from `possible`. */
export interface TermRule {
  readonly due: ReadonlySet<string>;
  readonly possible: ReadonlySet<string>;
}

/** The items of a part by their numbers, in ascending order. */
interface PartItems {
  readonly numbers: readonly number[];
  /** False for an item that is too broken to tell its terms. */
  isKnown(index: number): boolean;
  ruleOf(index: number): Promise<TermRule>;
}

interface TermComplaints {
  /** Reports a term that points to an item that is not there. */
  stray(number: number, term: string): void;
  /** Reports a unique value that several items have. */
  shared(index: number, otherIndex: number): void;
  /** Reports an entry that occurs a second time. */
  twice(index: number, term: string): void;
  missing(index: number, term: string): void;
  excess(index: number, term: string): void;
}

const SEED: Hash = { high: 0x6a09e667, low: 0xf3bcc908 };
const PAGE = { countMax: 4_096, bytesMax: Number.POSITIVE_INFINITY, withItems: false };
const ALL_TERMS = { min: "", max: "\xff".repeat(32) };
/** Number of items whose terms are held at a time while they are compared one by one. */
const COMPARED_COUNT = 10_000;

/** The fingerprints of all items, filled in the order of their numbers. */
export class Fingerprints {
  readonly #counts: number[] = [];
  readonly #highs: number[] = [];
  readonly #lows: number[] = [];

  /** Adds the next item, which should have `terms`, each of them once. */
  push(terms: Iterable<string>): void {
    const index = this.#counts.push(0) - 1;
    this.#highs.push(0);
    this.#lows.push(0);
    for (const term of terms) this.#move(index, term, 1);
  }

  take(index: number, term: string): void {
    this.#move(index, term, -1);
  }

  /** Returns the indexes of the items whose fingerprint is not zero. */
  left(): readonly number[] {
    const left: number[] = [];
    this.#counts.forEach((count, index) => {
      if (count !== 0 || this.#highs[index] !== 0 || this.#lows[index] !== 0) left.push(index);
    });
    return left;
  }

  #move(index: number, term: string, sign: 1 | -1): void {
    const { high, low } = hashOf(term, SEED);
    this.#counts[index]! += sign;
    this.#highs[index] = (this.#highs[index]! + sign * high) | 0;
    this.#lows[index] = (this.#lows[index]! + sign * low) | 0;
  }
}

/** Checks all terms of a part; resolves with their number. */
export async function checkTerms(
  store: ReadOnlyStore,
  part: number,
  items: PartItems,
  fingerprints: Fingerprints,
  complaints: TermComplaints,
): Promise<number> {
  let termCount = 0;
  let last: { readonly term: string; readonly number: number; readonly index: number } | undefined;
  for await (const { term, number } of termsOfPart(store, part)) {
    termCount++;
    const index = indexOf(items.numbers, number);
    if (index < 0) {
      complaints.stray(number, term);
      continue;
    }
    if (last?.term === term) {
      if (last.number === number) complaints.twice(index, term);
      else if (isUniqueTerm(term)) complaints.shared(last.index, index);
    }
    fingerprints.take(index, term);
    last = { term, number, index };
  }
  const left = fingerprints.left().filter((index) => items.isKnown(index));
  for (let from = 0; from < left.length; from += COMPARED_COUNT) {
    await compare(store, part, items, left.slice(from, from + COMPARED_COUNT), complaints);
  }
  return termCount;
}

async function compare(
  store: ReadOnlyStore,
  part: number,
  items: PartItems,
  indexes: readonly number[],
  complaints: TermComplaints,
): Promise<void> {
  const held = new Map(indexes.map((index) => [items.numbers[index]!, new Set<string>()]));
  for await (const { term, number } of termsOfPart(store, part)) held.get(number)?.add(term);
  for (const index of indexes) {
    const found = held.get(items.numbers[index]!)!;
    const { due, possible } = await items.ruleOf(index);
    for (const term of due) if (!found.has(term)) complaints.missing(index, term);
    for (const term of found) if (!possible.has(term)) complaints.excess(index, term);
  }
}

async function* termsOfPart(
  store: ReadOnlyStore,
  part: number,
): AsyncGenerator<{ readonly term: string; readonly number: number }, void, undefined> {
  for (let after: { term: string; number: number } | undefined, isLast = false; !isLast; ) {
    const page = await store.scanTerms(part, { ...PAGE, range: ALL_TERMS, after });
    yield* page.entries;
    after = page.entries.at(-1);
    isLast = page.isLast;
  }
}

/** Returns the index of a number in an ascending list, or -1. */
export function indexOf(numbers: readonly number[], number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === number ? low : -1;
}
