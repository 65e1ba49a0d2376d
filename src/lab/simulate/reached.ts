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
  readonly #others: Chances = { share: 0, found: new Map() };

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
    const { found } = this.#chancesOf(entry, at);
    const where = turn * this.#partitionCount + partition;
    found.set(where, (found.get(where) ?? 0) + share);
  }

  #chancesOf({ place }: KeyEntry, at: number): Chances {
    if (place.kind !== "point" || this.#values > 1) return this.#others;
    const known = this.#single.get(at);
    if (known !== undefined) return known;
    const made: Chances = { share: 0, found: new Map() };
    this.#single.set(at, made);
    return made;
  }

  /** On average over all operations. */
  count(): number {
    let sum = this.#countOf(this.#others);
    for (const chances of this.#single.values()) sum += this.#countOf(chances);
    return sum;
  }

  #countOf({ share, found }: Chances): number {
    if (share === 0) return 0;
    /** Partition → the chance that no turn comes there. */
    const missed = new Map<number, number>();
    const values = Math.max(1, this.#values);
    for (const [where, chance] of found) {
      const partition = where % this.#partitionCount;
      const none = Math.max(0, 1 - chance / share) ** values;
      missed.set(partition, (missed.get(partition) ?? 1) * none);
    }
    let sum = 0;
    for (const none of missed.values()) sum += share * (1 - none);
    return sum;
  }
}

/** Of some operations: their share of all, and where they find a key of each turn. */
interface Chances {
  share: number;
  /** By turn and partition; a single key lies in few places, so places without it have no entry. */
  readonly found: Map<number, number>;
}
