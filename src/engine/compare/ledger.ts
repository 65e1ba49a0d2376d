/**
 * The imprints of items by number: what has to be taken out of the sums when an item has changed.
 *
 * Entries lie in numeric order in chunks of typed arrays, 30 bytes for each. Whoever reads items by
 * ascending number fills chunk after chunk to the end; later entries go where they belong, and a
 * full chunk is cut in two. The ledger takes a bounded number of entries and then no more.
 */
import type { Imprint } from "./bucketSums.ts";
import { HASH_WORDS } from "./bucketSums.ts";

const CHUNK_ENTRIES = 1024;

export class Ledger {
  readonly #entryCountMax: number;
  readonly #chunks: Chunk[] = [];
  #entryCount = 0;

  constructor(entryCountMax: number) {
    this.#entryCountMax = entryCountMax;
  }

  get entryCount(): number {
    return this.#entryCount;
  }

  get(number: number): Imprint | undefined {
    return this.#chunks[this.#chunkOf(number)]?.get(number);
  }

  /** False when the ledger is full, and has not taken the entry. */
  set(number: number, imprint: Imprint): boolean {
    const index = this.#chunkOf(number);
    const chunk = this.#chunks[index] ?? this.#insert(0, new Chunk());
    if (chunk.replace(number, imprint)) return true;
    if (this.#entryCount >= this.#entryCountMax) return false;
    this.#entryCount++;
    if (!chunk.isFull) chunk.add(number, imprint);
    else if (number > chunk.last) this.#insert(index + 1, new Chunk()).add(number, imprint);
    else {
      const upper = this.#insert(index + 1, chunk.cut());
      (number < upper.first ? chunk : upper).add(number, imprint);
    }
    return true;
  }

  /** Returns what was removed. */
  remove(number: number): Imprint | undefined {
    const index = this.#chunkOf(number);
    const chunk = this.#chunks[index];
    const imprint = chunk?.get(number);
    if (chunk === undefined || imprint === undefined) return undefined;
    chunk.remove(number);
    this.#entryCount--;
    if (chunk.isEmpty) this.#chunks.splice(index, 1);
    return imprint;
  }

  #insert(index: number, chunk: Chunk): Chunk {
    this.#chunks.splice(index, 0, chunk);
    return chunk;
  }

  /** Returns the index of the last chunk that begins at or before the number, or 0. */
  #chunkOf(number: number): number {
    let first = 0;
    let last = this.#chunks.length - 1;
    while (first < last) {
      const middle = (first + last + 1) >>> 1;
      if (this.#chunks[middle]!.first <= number) first = middle;
      else last = middle - 1;
    }
    return first;
  }
}

class Chunk {
  readonly #numbers = new Float64Array(CHUNK_ENTRIES);
  readonly #words = new Uint32Array(CHUNK_ENTRIES * HASH_WORDS);
  readonly #bytes = new Uint32Array(CHUNK_ENTRIES);
  readonly #buckets = new Uint16Array(CHUNK_ENTRIES);
  #count = 0;

  get isFull(): boolean {
    return this.#count === CHUNK_ENTRIES;
  }

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  get first(): number {
    return this.#numbers[0]!;
  }

  get last(): number {
    return this.#numbers[this.#count - 1]!;
  }

  get(number: number): Imprint | undefined {
    const at = this.#placeOf(number);
    if (at === this.#count || this.#numbers[at] !== number) return undefined;
    const words = [...this.#words.subarray(at * HASH_WORDS, (at + 1) * HASH_WORDS)];
    return { bucket: this.#buckets[at]!, bytes: this.#bytes[at]!, words };
  }

  /** False when the chunk has no entry with this number. */
  replace(number: number, imprint: Imprint): boolean {
    const at = this.#placeOf(number);
    if (at === this.#count || this.#numbers[at] !== number) return false;
    this.#write(at, number, imprint);
    return true;
  }

  add(number: number, imprint: Imprint): void {
    const at = this.#placeOf(number);
    this.#move(at, at + 1);
    this.#count++;
    this.#write(at, number, imprint);
  }

  remove(number: number): void {
    const at = this.#placeOf(number);
    this.#move(at + 1, at);
    this.#count--;
  }

  /** Moves the upper half of the entries to a chunk of their own. */
  cut(): Chunk {
    const upper = new Chunk();
    const half = CHUNK_ENTRIES >>> 1;
    upper.#numbers.set(this.#numbers.subarray(half));
    upper.#words.set(this.#words.subarray(half * HASH_WORDS));
    upper.#bytes.set(this.#bytes.subarray(half));
    upper.#buckets.set(this.#buckets.subarray(half));
    upper.#count = CHUNK_ENTRIES - half;
    this.#count = half;
    return upper;
  }

  /** Returns the place of the first entry whose number is not below this one. */
  #placeOf(number: number): number {
    let low = 0;
    let high = this.#count;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#numbers[middle]! < number) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #write(at: number, number: number, { bucket, bytes, words }: Imprint): void {
    this.#numbers[at] = number;
    this.#words.set(words, at * HASH_WORDS);
    this.#bytes[at] = bytes;
    this.#buckets[at] = bucket;
  }

  /** Moves all entries from place `from` on to place `to`. */
  #move(from: number, to: number): void {
    this.#numbers.copyWithin(to, from, this.#count);
    this.#words.copyWithin(to * HASH_WORDS, from * HASH_WORDS, this.#count * HASH_WORDS);
    this.#bytes.copyWithin(to, from, this.#count);
    this.#buckets.copyWithin(to, from, this.#count);
  }
}
