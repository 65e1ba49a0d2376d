/**
 * Whether items have the terms they should have, and no other item or nobody has them.
 *
 * Terms lie in the order of terms, items in that of numbers, and neither fits into memory. So each
 * item gets a fingerprint: how many terms it should have and the sums of their hashes, from which
 * those that are found are taken away. Nothing is left of it exactly if both are the same, but for
 * one chance in 2^64. Only where something is left are terms compared by themselves.
 */
import type { Hash } from "../../index/hash.ts";
import { hashOf } from "../../index/hash.ts";
import type { ReadOnlyStore } from "../../store/backup/backupView.ts";
import { isUniqueTerm } from "../item/itemTerms.ts";

/** What an item may have: all of `due`, and others only among `possible`. */
export interface TermRule {
  readonly due: ReadonlySet<string>;
  readonly possible: ReadonlySet<string>;
}

/** The items of a part, by their numbers, which grow. */
export interface PartItems {
  readonly numbers: readonly number[];
  /** False of an item that is too broken to have terms. */
  isKnown(index: number): boolean;
  ruleOf(index: number): Promise<TermRule>;
}

export interface TermComplaints {
  /** A term that points to an item that is not there. */
  stray(number: number, term: string): void;
  /** A unique value that several items have. */
  shared(index: number, otherIndex: number): void;
  /** The same entry again. */
  twice(index: number, term: string): void;
  missing(index: number, term: string): void;
  excess(index: number, term: string): void;
}

const SEED: Hash = { high: 0x6a09e667, low: 0xf3bcc908 };
const PAGE = { countMax: 4_096, bytesMax: Number.POSITIVE_INFINITY, withItems: false };
const ALL_TERMS = { min: "", max: "\xff".repeat(32) };
/** Items whose terms are held at a time when they are compared one by one. */
const COMPARED_COUNT = 10_000;

/** Sums for each item; filled item by item in the order of their numbers. */
export class Fingerprints {
  readonly #counts: number[] = [];
  readonly #highs: number[] = [];
  readonly #lows: number[] = [];

  /** The next item should have these, each named once. */
  push(terms: Iterable<string>): void {
    const index = this.#counts.push(0) - 1;
    this.#highs.push(0);
    this.#lows.push(0);
    for (const term of terms) this.#move(index, term, 1);
  }

  take(index: number, term: string): void {
    this.#move(index, term, -1);
  }

  /** The items of which something is left. */
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

/** Returns how many terms there are. */
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

/** Where a number is among growing ones, or -1. */
export function indexOf(numbers: readonly number[], number: number): number {
  let [low, high] = [0, numbers.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (numbers[middle]! < number) low = middle + 1;
    else high = middle;
  }
  return numbers[low] === number ? low : -1;
}
