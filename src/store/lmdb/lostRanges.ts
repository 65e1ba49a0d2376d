/**
 * Stretches of the tables' key space whose entries damage has taken: nobody knows what was there,
 * so nobody may be told that nothing was. They are kept in the tables themselves.
 */
import { decodeNumber } from "../bytes.ts";
import { StoreDamage } from "../partitionStore.ts";
import {
  HEAD_TABLE,
  LOST_PREFIX,
  PARTS_END,
  PREFIX_BYTES,
  partOfKey,
  prefixOf,
  tablePrefix,
} from "./keys.ts";
import { placeOf } from "./seal.ts";

/** Keys from `min` on that are below `max`. */
export interface LostRange {
  readonly min: string;
  readonly max: string;
}

/** Above every key there is. */
export const KEYS_END: string = "\xff".repeat(32);

export function overlaps(a: LostRange, b: LostRange): boolean {
  return a.min < b.max && b.min < a.max;
}

/** What of the ranges is not in `known`. */
export function lostWithout(lost: readonly LostRange[], known: LostRange): readonly LostRange[] {
  return lost.flatMap((range) => {
    if (!overlaps(range, known)) return [range];
    const left = { min: range.min, max: known.min };
    const right = { min: known.max, max: range.max };
    return [left, right].filter(({ min, max }) => min < max);
  });
}

/** Throws `StoreDamage` when an entry between two keys may have been lost. */
export function refuseLost(lost: readonly LostRange[], asked: LostRange): void {
  const hit = lost.find((range) => overlaps(range, asked));
  if (hit !== undefined) throw new StoreDamage(`damage has taken ${lostText(hit)}`);
}

/** Without the head of a part, or the records of the store, nobody knows what there was. */
export function isFatal(range: LostRange): boolean {
  const part = partOfKey(range.min);
  const heads = [part, part + 1].map((number) => prefixOf(number, HEAD_TABLE));
  const isHeadLost = heads.some((head) => head >= range.min && head < range.max);
  return isHeadLost || overlaps(range, { min: `${PARTS_END}f`, max: KEYS_END });
}

/** What may have been there, as a noun. */
export function lostText({ min, max }: LostRange): string {
  const part = partOfKey(min);
  const items = tablePrefix(part, "items");
  if (min.startsWith(items) && max.startsWith(items)) {
    // Behind the last item that is whole, before the next one.
    const [first, last] = [
      decodeNumber(min, PREFIX_BYTES) + 1,
      decodeNumber(max, PREFIX_BYTES) - 1,
    ];
    const numbers = first === last ? `item ${first}` : `items ${first} to ${last}`;
    return `tables, part ${part}, ${numbers}`;
  }
  return `entries between ${placeOf(min)} and ${max === KEYS_END ? "the end" : placeOf(max)}`;
}

export function lostKey(index: number): string {
  return LOST_PREFIX + String(index).padStart(6, "0");
}

export function encodeLost({ min, max }: LostRange): Buffer {
  const length = String.fromCharCode(min.length >>> 8, min.length & 255);
  return Buffer.from(length + min + max, "latin1");
}

export function decodeLost(bytes: Buffer): LostRange {
  const end = 2 + bytes.readUInt16BE(0);
  return { min: bytes.toString("latin1", 2, end), max: bytes.toString("latin1", end) };
}
