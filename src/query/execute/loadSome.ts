/**
 * Items by their numbers, as many as are wise to have at hand at once: a few hundred small ones, a
 * few large ones. However many are asked for, others wait no longer and memory does not grow.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Source, SourceItem } from "./source.ts";

export interface Loaded {
  /** Those that there are, in the order asked for. */
  readonly items: readonly SourceItem[];
  /** So many of the numbers, from the first on, have been looked for: one at least. */
  readonly count: number;
}

const BYTES_MAX = 1024 * 1024;
/** Largest items of a step that is not looked at in between: 16 MB. */
const STEP = 8;

export function loadSome(source: Source, numbers: readonly number[]): MaybePromise<Loaded> {
  return loadFrom(source, numbers, [], 0, 0);
}

/** Without a promise as long as the source gives none. */
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

/** How many bytes came in. */
function take(items: SourceItem[], found: readonly SourceItem[]): number {
  let bytes = 0;
  for (const item of found) {
    items.push(item);
    bytes += item.body.length;
  }
  return bytes;
}
