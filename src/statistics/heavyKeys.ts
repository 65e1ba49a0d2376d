/**
 * Finds the logical partitions with the most load with a bounded number of counters
 * (`base/spaceSaving.ts` says what is promised of the load).
 *
 * A throttled request counts for a key as long as the key is followed, so that number is a lower
 * bound.
 */
import { SpaceSaving } from "../base/spaceSaving.ts";
import type { Epk } from "../partition/epkRange.ts";

const COUNTER_COUNT = 256;

/** What is known about the load of one logical partition. */
export interface KeyEstimate {
  /** Upper bound of the load. */
  readonly ru: number;
  /** The amount by which `ru` may be too high. */
  readonly errorRu: number;
  /** Lower bound of the number of throttled requests. */
  readonly throttledCount: number;
}

export class HeavyKeys {
  readonly #loads: SpaceSaving<Epk>;
  /** By counter. */
  readonly #throttled: Float64Array;

  constructor(counterCount: number = COUNTER_COUNT) {
    this.#throttled = new Float64Array(counterCount);
    this.#loads = new SpaceSaving({
      counterCount,
      digestOf: digestOfEpk,
      onTakeOver: (counter) => {
        this.#throttled[counter] = 0;
      },
    });
  }

  add(epk: Epk, ru: number): void {
    this.#loads.add(epk, ru);
  }

  addThrottled(epk: Epk): void {
    // A throttled request weighs nothing, so no other key loses its counter to it.
    if (this.#loads.hasRoomFor(epk)) this.#loads.add(epk, 0);
    const counter = this.#loads.counterOf(epk);
    if (counter !== undefined) this.#throttled[counter]! += 1;
  }

  estimate(epk: Epk): KeyEstimate {
    const { weight, error } = this.#loads.estimate(epk);
    const counter = this.#loads.counterOf(epk);
    const throttledCount = counter === undefined ? 0 : this.#throttled[counter]!;
    return { ru: weight, errorRu: error, throttledCount };
  }

  isFollowed(epk: Epk): boolean {
    return this.#loads.counterOf(epk) !== undefined;
  }

  followed(): Iterable<Epk> {
    return this.#loads.keys;
  }

  clear(): void {
    this.#loads.clear();
    this.#throttled.fill(0);
  }
}

/**
 * Digests some digits near the start, where an EPK of version 1 has its hash, and the last digits,
 * where the levels of a hierarchical key differ most.
 */
function digestOfEpk(epk: Epk): number {
  let digest = epk.length;
  const headEnd = Math.min(epk.length, 14);
  for (let at = 4; at < headEnd; at++) digest = Math.imul(digest ^ epk.charCodeAt(at), 0x01000193);
  for (let at = Math.max(headEnd, epk.length - 8); at < epk.length; at++) {
    digest = Math.imul(digest ^ epk.charCodeAt(at), 0x01000193);
  }
  return (digest ^ (digest >>> 15)) >>> 0;
}
