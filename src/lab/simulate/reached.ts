/**
 * Into how many physical partitions an operation comes that asks several keys: some lie in the
 * same. Where a key stands alone, it is known where it lies in each turn. Of keys that are many
 * alike, and of suffixes, each lies anywhere for itself.
 */
import type { KeyEntry } from "../candidate/keyEntries.ts";

export class Reached {
  readonly #partitionCount: number;
  /** Keys of one turn. */
  readonly #values: number;
  /** By the place of a single key among those of its turn. */
  readonly #single = new Map<number, Chances>();
  readonly #others: Chances = { share: 0, byTurn: new Map() };

  constructor(partitionCount: number, values: number) {
    this.#partitionCount = partitionCount;
    this.#values = values;
  }

  /** An operation is about this key, the one at that place, with such a chance. */
  addSubject(entry: KeyEntry, at: number, share: number): void {
    this.#chancesOf(entry, at).share += share;
  }

  /** With such a chance one operation finds the key of a turn in a partition. */
  add(entry: KeyEntry, at: number, turn: number, partition: number, share: number): void {
    const { byTurn } = this.#chancesOf(entry, at);
    let chances = byTurn.get(turn);
    if (chances === undefined) {
      chances = new Float64Array(this.#partitionCount);
      byTurn.set(turn, chances);
    }
    chances[partition]! += share;
  }

  #chancesOf({ place }: KeyEntry, at: number): Chances {
    if (place.kind !== "point" || this.#values > 1) return this.#others;
    const known = this.#single.get(at);
    if (known !== undefined) return known;
    const made: Chances = { share: 0, byTurn: new Map() };
    this.#single.set(at, made);
    return made;
  }

  /** On average over all operations. */
  count(): number {
    let sum = this.#countOf(this.#others);
    for (const chances of this.#single.values()) sum += this.#countOf(chances);
    return sum;
  }

  #countOf({ share, byTurn }: Chances): number {
    if (share === 0) return 0;
    const missed = new Float64Array(this.#partitionCount).fill(1);
    for (const chances of byTurn.values()) {
      for (let at = 0; at < chances.length; at++) {
        if (chances[at] === 0) continue;
        missed[at]! *= Math.max(0, 1 - chances[at]! / share) ** Math.max(1, this.#values);
      }
    }
    return missed.reduce((sum, none) => sum + share * (1 - none), 0);
  }
}

/** Of some operations: their share of all, and where they find a key of each turn. */
interface Chances {
  share: number;
  readonly byTurn: Map<number, Float64Array>;
}
