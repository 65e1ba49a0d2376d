/**
 * How often values occurred: exact while they are few, then the heaviest with their error and an
 * estimate of how many there are. Values are given as texts (`valueText.ts`).
 *
 * A tally holds at most 256 texts, so at most about eighty thousand bytes; a `TallyRoom` bounds the
 * number of tallies.
 */
import { SpaceSaving } from "../base/spaceSaving.ts";
import { DISTINCT_ERROR, DistinctCount } from "./distinctCount.ts";
import type { ValuesRecord } from "./recording.ts";
import type { SaltedHash } from "./saltedHash.ts";
import type { SecretNames } from "./valueText.ts";
import { shownValue } from "./valueText.ts";

const SLOT_COUNT = 256;

export class ValueTally {
  readonly #hash: SaltedHash;
  readonly #heavy: SpaceSaving<string>;
  /** There from the moment at which not every value has a counter. */
  #distinct: DistinctCount | undefined;

  constructor(hash: SaltedHash) {
    this.#hash = hash;
    this.#heavy = new SpaceSaving({
      counterCount: SLOT_COUNT,
      digestOf: (key) => hash.numberOf(key),
    });
  }

  get count(): number {
    return this.#heavy.total;
  }

  add(text: string): void {
    const hasRoom = this.#heavy.hasRoomFor(text);
    if (!hasRoom && this.#distinct === undefined) {
      this.#distinct = new DistinctCount();
      for (const key of this.#heavy.keys) this.#distinct.add(this.#hash.numberOf(key));
    }
    this.#heavy.add(text, 1);
    if (!hasRoom) this.#distinct?.add(this.#hash.numberOf(text));
  }

  record(names: SecretNames): ValuesRecord {
    return {
      count: this.#heavy.total,
      distinct: this.#distinct?.count ?? this.#heavy.keys.length,
      distinctError: this.#distinct === undefined ? 0 : DISTINCT_ERROR,
      heaviest: this.#heavy.heaviest().map(({ key, weight, error }) => ({
        value: shownValue(key, names),
        count: weight,
        errorCount: error,
      })),
    };
  }
}

/** The number of tallies that a recording may still open. */
export class TallyRoom {
  readonly #hash: SaltedHash;
  #left: number;

  constructor(hash: SaltedHash, countMax: number) {
    this.#hash = hash;
    this.#left = countMax;
  }

  open(): ValueTally | undefined {
    if (this.#left === 0) return undefined;
    this.#left -= 1;
    return new ValueTally(this.#hash);
  }

  /** Gives back the room of tallies that are closed. */
  giveBack(count: number): void {
    this.#left += count;
  }
}
