/**
 * Sorting that lets others have turns: what a page has collected may be hundreds of thousands of
 * rows, and comparing them all in one go would hold everybody up. Stable, like the sort of arrays.
 */

/** Called often; gives a promise when it is time to wait. */
export type Pause = () => Promise<void> | undefined;

/** So many are sorted in one go, and as many are put in order between two looks at the clock. */
const RUN_LENGTH = 512;

/** A list of its own, in order. */
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

/** Two neighbouring runs become one of twice the length, at the same place of the other list. */
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
