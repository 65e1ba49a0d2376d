/**
 * The highest level of each hour, for a day back; autoscale is billed by these levels.
 *
 * Invariants
 * - Hours are those of the wall clock, without gaps, oldest first; the last one is still running.
 * - When the wall clock is set back, the hour that was running goes on until it is over.
 */

/** One hour, by its number since 1970. */
export interface HourPeak {
  readonly hour: number;
  /** RU per second. */
  readonly level: number;
}

/** A choice of ours: a day and the running hour. */
const HOURS_KEPT = 25;

export class HourPeaks {
  readonly #hours: HourPeak[];

  constructor(hours: readonly HourPeak[]) {
    this.#hours = hours.slice(-HOURS_KEPT);
  }

  get hours(): readonly HourPeak[] {
    return [...this.#hours];
  }

  /** Notes the level of an hour. `idle` is the level of hours in which nothing was noted. */
  note(hour: number, level: number, idle: number): void {
    const last = this.#hours.at(-1);
    if (last !== undefined && hour <= last.hour) {
      if (level > last.level) this.#hours[this.#hours.length - 1] = { hour: last.hour, level };
      return;
    }
    const first = last === undefined ? hour : Math.max(last.hour + 1, hour - HOURS_KEPT + 1);
    for (let between = first; between < hour; between++) {
      this.#hours.push({ hour: between, level: idle });
    }
    this.#hours.push({ hour, level });
    this.#hours.splice(0, this.#hours.length - HOURS_KEPT);
  }
}

/** Returns the hours of one of several successors, by its share of the keys. */
export function partOfHours(hours: readonly HourPeak[], share: number): readonly HourPeak[] {
  return hours.map(({ hour, level }) => ({ hour, level: level * share }));
}

/**
 * Adds peaks up hour by hour: those of physical partitions that are merged, or of a whole
 * container.
 */
export function addedHours(all: readonly (readonly HourPeak[])[]): readonly HourPeak[] {
  const levels = new Map<number, number>();
  for (const { hour, level } of all.flat()) levels.set(hour, (levels.get(hour) ?? 0) + level);
  return [...levels].sort(([a], [b]) => a - b).map(([hour, level]) => ({ hour, level }));
}
