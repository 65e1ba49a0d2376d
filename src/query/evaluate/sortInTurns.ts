/**
 * Sorting that lets other requests have turns: a page may have collected hundreds of thousands of
 * rows, and comparing them all in one go would hold everybody up. The sort is stable, like that of
 * arrays.
 */

/** Called often; returns a promise when it is time to wait. */
export type Pause = () => Promise<void> | undefined;

/**
 * Number of values that are sorted in one go, and that are merged between two looks at the clock.
 */
const RUN_LENGTH = 512;

/** Resolves with a new list, in order. */
export async function sortInTurns<T>(
  list: readonly T[],
  compare: (left: T, right: T) => number,
  pause: Pause,
): Promise<T[]> {
  let sorted = [...list];
  for (let start = 0; start < list.length; start += RUN_LENGTH) {
    const run = sorted.slice(start, start + RUN_LENGTH).sort(compare);
    for (const [at, one] of run.entries()) sorted[start + at] = one;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
  let spare = new Array<T>(list.length);
  for (let length = RUN_LENGTH; length < list.length; length *= 2) {
    for (let start = 0; start < list.length; start += 2 * length) {
      await merge(sorted, spare, { start, middle: start + length, compare, pause });
    }
    [sorted, spare] = [spare, sorted];
  }
  return sorted;
}

/**
 * Merges two neighbouring runs into one of twice the length, at the same place of the other list.
 */
async function merge<T>(
  from: readonly T[],
  to: T[],
  setting: {
    readonly start: number;
    readonly middle: number;
    readonly compare: (left: T, right: T) => number;
    readonly pause: Pause;
  },
): Promise<void> {
  const { start, compare, pause } = setting;
  const middle = Math.min(setting.middle, from.length);
  const end = Math.min(start + 2 * (setting.middle - start), from.length);
  let left = start;
  let right = middle;
  for (let at = start; at < end; at++) {
    const isLeft = right >= end || (left < middle && compare(from[left]!, from[right]!) <= 0);
    to[at] = from[isLeft ? left++ : right++]!;
    if ((at - start) % RUN_LENGTH !== RUN_LENGTH - 1) continue;
    const pausing = pause();
    if (pausing !== undefined) await pausing;
  }
}
