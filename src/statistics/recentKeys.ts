/**
 * The load of logical partitions over the last five minutes: a sketch for each minute, of which the
 * oldest is dropped. The sketches are combined when a load is asked for.
 *
 * The result covers between four and five minutes. Minutes are those of the monotonic clock.
 */
import type { Epk } from "../partition/epkRange.ts";
import { HeavyKeys, type KeyEstimate } from "./heavyKeys.ts";

const MINUTE_COUNT = 5;

/** One logical partition and its load. */
export interface KeyLoad extends KeyEstimate {
  readonly epk: Epk;
}

interface MinuteKeys {
  minute: number;
  readonly keys: HeavyKeys;
}

export class RecentKeys {
  #minutes: MinuteKeys[] = [];

  /**
   * Returns the sketch to add to during this minute. A sketch that is too old is cleared and used
   * again.
   */
  during(minute: number): HeavyKeys {
    const present = this.#minutes.find((known) => known.minute === minute);
    if (present !== undefined) return present.keys;
    const spare = this.#minutes.find((known) => !isRecent(known.minute, minute));
    if (spare === undefined) this.#minutes.push({ minute, keys: new HeavyKeys() });
    else {
      spare.minute = minute;
      spare.keys.clear();
    }
    return this.during(minute);
  }

  /**
   * Drops sketches that are too old, because many physical partitions are idle most of the time.
   */
  forget(minute: number): void {
    this.#minutes = this.#minutes.filter((known) => isRecent(known.minute, minute));
  }

  /** Returns the logical partitions with the most load, heaviest first. */
  top(count: number, minute: number): readonly KeyLoad[] {
    const sketches = this.#recent(minute);
    const keys = new Set(sketches.flatMap((sketch) => [...sketch.followed()]));
    const loads = [...keys].map((epk) => ({ epk, ...estimateOver(sketches, epk) }));
    return loads.sort(byLoad).slice(0, count);
  }

  /** Returns `undefined` when the key is not followed. */
  estimate(epk: Epk, minute: number): KeyEstimate | undefined {
    const sketches = this.#recent(minute);
    const isFollowed = sketches.some((sketch) => sketch.isFollowed(epk));
    return isFollowed ? estimateOver(sketches, epk) : undefined;
  }

  #recent(minute: number): readonly HeavyKeys[] {
    return this.#minutes
      .filter((known) => isRecent(known.minute, minute))
      .map((known) => known.keys);
  }
}

function isRecent(known: number, minute: number): boolean {
  return known > minute - MINUTE_COUNT && known <= minute;
}

/** Sorts the heaviest first; between equal loads, the one with the smaller error. */
export function byLoad(one: KeyLoad, other: KeyLoad): number {
  return other.ru - one.ru || one.errorRu - other.errorRu || (one.epk < other.epk ? -1 : 1);
}

/**
 * Adds up the minutes. In a minute that has only a bound for the key, the bound is also the error.
 */
function estimateOver(sketches: readonly HeavyKeys[], epk: Epk): KeyEstimate {
  let ru = 0;
  let errorRu = 0;
  let throttledCount = 0;
  for (const sketch of sketches) {
    const estimate = sketch.estimate(epk);
    ru += estimate.ru;
    errorRu += estimate.errorRu;
    throttledCount += estimate.throttledCount;
  }
  return { ru, errorRu, throttledCount };
}
