/**
 * The hashes that come most often, in bounded memory: Space-Saving (Metwally, Agrawal, El Abbadi
 * 2005), in many small groups of counters. A hash belongs to one group; when it has no counter
 * there it takes over the lightest one, with its count, which is then the error of the new one.
 *
 * What always holds: a hash that has a counter came at most as often as the counter says, and at
 * least that less its error; one that has none came at most as often as the lightest counter of its
 * group says. A group is one line of a processor's cache: whatever comes, one addition costs the
 * same.
 *
 * Not here: what the hashes stand for. Whoever adds one is told when to hand in its value.
 */
import type { KeyComponent } from "../../model/partitionKey.ts";
import { type Added, type HeavyCount, MEASURED_ONE_IN } from "./heavyCount.ts";

/** Counters of a group. */
const GROUP = 4;
const GROUP_BITS = 9;
const COUNTER_COUNT: number = GROUP << GROUP_BITS;
/** From the hash of a counter to its count, its error, and the hash for which its details are. */
const COUNT: number = GROUP;
const ERROR: number = GROUP * 2;
const KNOWN: number = GROUP * 3;
const LINE: number = GROUP * 4;
/** A hash is measured, and its value asked for, when it is certain to have come so often. */
const KNOWN_AT_COUNT = 8;

export class SpaceSaving {
  /**
   * Group by group: hashes, 0 where there is none, then counts, errors, and the hashes for which
   * the details of the counters are: another one may have taken over since.
   */
  readonly #table = new Int32Array(COUNTER_COUNT * 4);
  readonly #bytes = new Float64Array(COUNTER_COUNT);
  readonly #measured = new Int32Array(COUNTER_COUNT);
  readonly #values: (readonly KeyComponent[] | undefined)[] = new Array(COUNTER_COUNT).fill(
    undefined,
  );

  /** `exact`: what is known of all hashes that came before. */
  constructor(exact: readonly HeavyCount[]) {
    for (const each of [...exact].sort((a, b) => b.count - a.count)) this.#takeOver(each);
  }

  /**
   * Adds each of them once. Puts the places of those for which `keepValues` is to be called now
   * into `wanted`, and returns how many.
   */
  addAll(added: Added, wanted: Int32Array): number {
    const { hashes, bytes, length } = added;
    const table = this.#table;
    let wantedCount = 0;
    for (let at = 0; at < length; at++) {
      const hash = hashes[at]!;
      const from = groupOf(hash);
      let place = from;
      if (table[from] !== hash) {
        if (table[from + 1] === hash) place = from + 1;
        else if (table[from + 2] === hash) place = from + 2;
        else if (table[from + 3] === hash) place = from + 3;
        else {
          this.#replaceLightest(from, hash, 1);
          continue;
        }
      }
      table[place + COUNT]!++;
      if (at % MEASURED_ONE_IN !== 0) continue;
      if (this.#measure(place, bytes[at]!)) wanted[wantedCount++] = at;
    }
    return wantedCount;
  }

  add(hash: number, count: number): void {
    const place = this.#placeOf(hash);
    if (place === -1) this.#replaceLightest(groupOf(hash), hash, count);
    else this.#table[place + COUNT]! += count;
  }

  /**
   * Begins anew after a time in which nothing was added, though any hash may have come so often.
   */
  restart(countMax: number): void {
    const table = this.#table;
    table.fill(0);
    for (let counter = 0; counter < COUNTER_COUNT; counter++) {
      table[placeAt(counter) + COUNT] = countMax;
    }
    this.#values.fill(undefined);
  }

  /** What a hash stands for, if it still has a counter. */
  keepValues(hash: number, values: readonly KeyComponent[]): void {
    const place = this.#placeOf(hash);
    if (place !== -1) this.#values[counterAt(place)] = values;
  }

  /** Of those with no larger error than this share of their count, in no particular order. */
  counts(errorShareMax: number = Number.POSITIVE_INFINITY): readonly HeavyCount[] {
    const found: HeavyCount[] = [];
    const table = this.#table;
    for (let counter = 0; counter < COUNTER_COUNT; counter++) {
      const place = placeAt(counter);
      const hash = table[place]!;
      const error = table[place + ERROR]!;
      const count = table[place + COUNT]! - error;
      if (hash === 0 || error > count * errorShareMax) continue;
      const isKnown = table[place + KNOWN] === hash;
      found.push({
        hash,
        count,
        error,
        bytesMean: isKnown ? this.#bytes[counter]! / this.#measured[counter]! : Number.NaN,
        values: isKnown ? this.#values[counter] : undefined,
      });
    }
    return found;
  }

  /** A hash cannot have come more often, whether it has a counter or not. */
  countMaxOf(hash: number): number {
    const place = this.#placeOf(hash);
    const from = groupOf(hash) + COUNT;
    return place === -1
      ? Math.min(...this.#table.subarray(from, from + GROUP))
      : this.#table[place + COUNT]!;
  }

  #placeOf(hash: number): number {
    const from = groupOf(hash);
    for (let place = from; place < from + GROUP; place++) {
      if (this.#table[place] === hash) return place;
    }
    return -1;
  }

  #replaceLightest(from: number, hash: number, count: number): void {
    const table = this.#table;
    let place = from;
    if (table[from + 1 + COUNT]! < table[place + COUNT]!) place = from + 1;
    if (table[from + 2 + COUNT]! < table[place + COUNT]!) place = from + 2;
    if (table[from + 3 + COUNT]! < table[place + COUNT]!) place = from + 3;
    const least = table[place + COUNT]!;
    table[place] = hash;
    table[place + COUNT] = least + count;
    table[place + ERROR] = least;
  }

  /** Whether the value of the hash is to be handed in. */
  #measure(place: number, bytes: number): boolean {
    const table = this.#table;
    if (table[place + COUNT]! - table[place + ERROR]! < KNOWN_AT_COUNT) return false;
    const counter = counterAt(place);
    if (table[place + KNOWN] === table[place]) {
      this.#bytes[counter]! += bytes;
      this.#measured[counter]!++;
      return false;
    }
    table[place + KNOWN] = table[place]!;
    this.#bytes[counter] = bytes;
    this.#measured[counter] = 1;
    this.#values[counter] = undefined;
    return true;
  }

  /** Where its group is full, those that are heavier are there already. */
  #takeOver({ hash, count, bytesMean, values }: HeavyCount): void {
    const from = groupOf(hash);
    for (let place = from; place < from + GROUP; place++) {
      if (this.#table[place] !== 0) continue;
      this.#table[place] = hash;
      this.#table[place + COUNT] = count;
      this.#table[place + KNOWN] = hash;
      const counter = counterAt(place);
      this.#bytes[counter] = bytesMean;
      this.#measured[counter] = 1;
      this.#values[counter] = values;
      return;
    }
  }
}

/** Where the hashes of a group begin. */
function groupOf(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> (32 - GROUP_BITS)) * LINE;
}

/** The number of the counter whose hash is at a place, and the reverse. */
function counterAt(place: number): number {
  return Math.floor(place / LINE) * GROUP + (place % LINE);
}

function placeAt(counter: number): number {
  return Math.floor(counter / GROUP) * LINE + (counter % GROUP);
}
