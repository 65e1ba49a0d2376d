/**
 * The terms of one part in a segment: by term, the items that got and lost it, in that order. A
 * segment names half a million terms, so none of them becomes a string here: a term is known by
 * the place where it lies in the segment, found again through a hash table over the bytes, and put
 * in order by comparing bytes.
 */
import { TERM_BYTES } from "../journal/record.ts";

/** What a segment does to a term. A number occurs in one of the lists only. */
export interface TermChange {
  /** Items that did not have the term before, in the order in which they got it. */
  readonly gained: readonly number[];
  /** Items that lost it and have it again in the end. */
  readonly regained: readonly number[];
  /** Items that had it before and do not have it in the end. */
  readonly lost: readonly number[];
}

const NOBODY: readonly number[] = [];
const FIRST_COUNT = 1024;

export class SegmentTerms {
  readonly #bytes: Buffer;
  /** One more than the index of a term, at the place that its hash leads to; 0 is free. */
  #slots = new Int32Array(2 * FIRST_COUNT);
  #termCount = 0;
  /** By term: where its entry lies, its hash, its first and its last change. */
  #places = new Float64Array(FIRST_COUNT);
  #hashes = new Int32Array(FIRST_COUNT);
  #first = new Int32Array(FIRST_COUNT);
  #last = new Int32Array(FIRST_COUNT);
  #hasLosses = new Uint8Array(FIRST_COUNT);
  #changeCount = 0;
  /** By change: the item, whether it got the term, and the next change of the same term. */
  #numbers = new Float64Array(FIRST_COUNT);
  #isGain = new Uint8Array(FIRST_COUNT);
  #next = new Int32Array(FIRST_COUNT);

  /** `bytes` holds everything that is noted, and must not change. */
  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  /** Takes note of the terms of one write, which lie between two offsets as a record has them. */
  note(number: number, start: number, end: number): void {
    const bytes = this.#bytes;
    for (let place = start; place < end; ) {
      const length = bytes[place + 1]! + (bytes[place + 2]! << 8);
      this.#change(this.#indexOf(place, length), number, bytes[place]!);
      place += TERM_BYTES + length;
    }
  }

  /** The terms in ascending order of their bytes, as indices for `termAt` and `changeAt`. */
  inOrder(): Uint32Array {
    const order = Uint32Array.from({ length: this.#termCount }, (_, index) => index);
    this.#sort(order, 0);
    return order;
  }

  termAt(index: number): string {
    const place = this.#places[index]! + TERM_BYTES;
    return this.#bytes.toString("latin1", place, place + this.#lengthAt(index));
  }

  changeAt(index: number): TermChange {
    if (this.#hasLosses[index] === 1) return this.#netChangeAt(index);
    const gained: number[] = [];
    for (let at = this.#first[index]!; at !== -1; at = this.#next[at]!) {
      gained.push(this.#numbers[at]!);
    }
    return { gained, regained: NOBODY, lost: NOBODY };
  }

  /** An item that gets a term and loses it again comes to nothing. */
  #netChangeAt(index: number): TermChange {
    const firstAndLast = new Map<number, { first: boolean; last: boolean }>();
    for (let at = this.#first[index]!; at !== -1; at = this.#next[at]!) {
      const [number, isGain] = [this.#numbers[at]!, this.#isGain[at] === 1];
      const known = firstAndLast.get(number);
      if (known === undefined) firstAndLast.set(number, { first: isGain, last: isGain });
      else known.last = isGain;
    }
    const change = { gained: [] as number[], regained: [] as number[], lost: [] as number[] };
    for (const [number, { first, last }] of firstAndLast) {
      if (first && last) change.gained.push(number);
      else if (last) change.regained.push(number);
      else if (!first) change.lost.push(number);
    }
    return change;
  }

  #change(index: number, number: number, isGain: number): void {
    const change = this.#changeCount++;
    if (change === this.#numbers.length) this.#growChanges();
    this.#numbers[change] = number;
    this.#isGain[change] = isGain;
    this.#next[change] = -1;
    if (isGain === 0) this.#hasLosses[index] = 1;
    if (this.#first[index] === -1) this.#first[index] = change;
    else this.#next[this.#last[index]!] = change;
    this.#last[index] = change;
  }

  /** The index of a term, a new one if the segment has not named it so far. */
  #indexOf(place: number, length: number): number {
    const hash = this.#hashOf(place + TERM_BYTES, length);
    const mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (; this.#slots[slot] !== 0; slot = (slot + 1) & mask) {
      const index = this.#slots[slot]! - 1;
      if (this.#hashes[index] === hash && this.#isSame(index, place, length)) return index;
    }
    const index = this.#termCount++;
    this.#slots[slot] = index + 1;
    if (index === this.#places.length) this.#growTerms();
    this.#places[index] = place;
    this.#hashes[index] = hash;
    this.#first[index] = -1;
    if (2 * this.#termCount > this.#slots.length) this.#rehash();
    return index;
  }

  #hashOf(start: number, length: number): number {
    const bytes = this.#bytes;
    let hash = 0x811c9dc5;
    for (let at = start; at < start + length; at++) {
      hash = Math.imul(hash ^ bytes[at]!, 0x01000193);
    }
    // The last bytes differ most, and so far they have reached the lowest bits only.
    hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
    return hash ^ (hash >>> 13);
  }

  #isSame(index: number, place: number, length: number): boolean {
    if (this.#lengthAt(index) !== length) return false;
    const bytes = this.#bytes;
    const other = this.#places[index]!;
    for (let at = TERM_BYTES; at < TERM_BYTES + length; at++) {
      if (bytes[other + at] !== bytes[place + at]) return false;
    }
    return true;
  }

  #lengthAt(index: number): number {
    const place = this.#places[index]!;
    return this.#bytes[place + 1]! + (this.#bytes[place + 2]! << 8);
  }

  /**
   * Sorts terms that are alike up to `depth`: a few bytes of each become a number, together with
   * its place in `terms`, and numbers are sorted without a call for each comparison.
   */
  #sort(terms: Uint32Array, depth: number): void {
    if (terms.length < FEW) {
      terms.sort((a, b) => this.#compare(a, b));
      return;
    }
    const sorted = new Float64Array(terms.length);
    let isEnd = true;
    for (let at = 0; at < terms.length; at++) {
      isEnd &&= depth >= this.#lengthAt(terms[at]!);
      sorted[at] = this.#bytesAt(terms[at]!, depth) * PLACES + at;
    }
    // Only terms that begin with each other and go on with zeros get here.
    if (isEnd) {
      terms.sort((a, b) => this.#compare(a, b));
      return;
    }
    sorted.sort();
    const before = Uint32Array.from(terms);
    for (let at = 0; at < terms.length; at++) terms[at] = before[sorted[at]! % PLACES]!;
    for (let from = 0; from < terms.length; ) {
      const alike = Math.floor(sorted[from]! / PLACES);
      let to = from + 1;
      while (to < terms.length && Math.floor(sorted[to]! / PLACES) === alike) to++;
      if (to - from > 1) this.#sort(terms.subarray(from, to), depth + SORTED_BYTES);
      from = to;
    }
  }

  /** Some bytes of a term as a number; one that is not there counts as the smallest. */
  #bytesAt(index: number, depth: number): number {
    const length = this.#lengthAt(index);
    const start = this.#places[index]! + TERM_BYTES;
    let value = 0;
    for (let at = depth; at < depth + SORTED_BYTES; at++) {
      value = value * 256 + (at < length ? this.#bytes[start + at]! : 0);
    }
    return value;
  }

  #compare(a: number, b: number): number {
    const [placeA, placeB] = [this.#places[a]! + TERM_BYTES, this.#places[b]! + TERM_BYTES];
    const [lengthA, lengthB] = [this.#lengthAt(a), this.#lengthAt(b)];
    const shorter = Math.min(lengthA, lengthB);
    for (let at = 0; at < shorter; at++) {
      const difference = this.#bytes[placeA + at]! - this.#bytes[placeB + at]!;
      if (difference !== 0) return difference;
    }
    return lengthA - lengthB;
  }

  #rehash(): void {
    const slots = new Int32Array(2 * this.#slots.length);
    const mask = slots.length - 1;
    for (let index = 0; index < this.#termCount; index++) {
      let slot = this.#hashes[index]! & mask;
      while (slots[slot] !== 0) slot = (slot + 1) & mask;
      slots[slot] = index + 1;
    }
    this.#slots = slots;
  }

  #growTerms(): void {
    this.#places = longer(this.#places, Float64Array);
    this.#hashes = longer(this.#hashes, Int32Array);
    this.#first = longer(this.#first, Int32Array);
    this.#last = longer(this.#last, Int32Array);
    this.#hasLosses = longer(this.#hasLosses, Uint8Array);
  }

  #growChanges(): void {
    this.#numbers = longer(this.#numbers, Float64Array);
    this.#isGain = longer(this.#isGain, Uint8Array);
    this.#next = longer(this.#next, Int32Array);
  }
}

/** Bytes that are sorted by at once: beside the place of a term, a double holds no more. */
const SORTED_BYTES = 3;
const PLACES: number = 2 ** 29;
/** So few terms are compared one by one. */
const FEW = 12;

function longer<T extends { readonly length: number; set(from: T): void }>(
  former: T,
  Kind: new (length: number) => T,
): T {
  const grown = new Kind(2 * former.length);
  grown.set(former);
  return grown;
}
