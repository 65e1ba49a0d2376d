/**
 * Loads items by their numbers, as many as are wise to hold at once: a few hundred small ones or a
 * few large ones. However many are asked for, other requests wait no longer and memory does not
 * grow.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Source, SourceItem } from "./source.ts";

interface Loaded {
  /** The items that exist, in the order of their numbers. */
  readonly items: readonly SourceItem[];
  /** How many of the numbers, from the first on, have been looked for; one at least. */
  readonly count: number;
}

const BYTES_MAX = 1024 * 1024;
/** Number of items that are loaded before their bytes are counted: at most 16 MB of the largest. */
const STEP = 8;

export function loadSome(source: Source, numbers: readonly number[]): MaybePromise<Loaded> {
  return loadFrom(source, numbers, [], 0, 0);
}

/** Loads the numbers from `start` on; gives a promise only if the source does. */
function loadFrom(
  source: Source,
  numbers: readonly number[],
  items: SourceItem[],
  start: number,
  bytesBefore: number,
): MaybePromise<Loaded> {
  let bytes = bytesBefore;
  for (let count = start; ; ) {
    if (count >= numbers.length || bytes >= BYTES_MAX) return { items, count };
    const some = numbers.slice(count, count + STEP);
    count += some.length;
    const found = source.load(some);
    if (found instanceof Promise) {
      return found.then((late) =>
        loadFrom(source, numbers, items, count, bytes + take(items, late)),
      );
    }
    bytes += take(items, found);
  }
}

/** Appends the items, and returns how many bytes they have. */
function take(items: SourceItem[], found: readonly SourceItem[]): number {
  let bytes = 0;
  for (const item of found) {
    items.push(item);
    bytes += item.body.length;
  }
  return bytes;
}
