/**
 * How the terms are kept: not an entry per item, but a block of item numbers per term, as an
 * inverted index does. A value that many items share costs a byte or two per item instead of an
 * entry with its key, and a scan of it touches one page instead of hundreds.
 *
 *   part table=3 term first-number  → the numbers after the first, as growing differences
 *   part table=5 term number        → nothing: an item that got the term late
 *
 * Blocks of one term do not overlap: all numbers of a block are below the first of the next. New
 * items have numbers above all that were there, so their blocks are simply put behind the others.
 * An older item that gets a term is put down by itself, because finding the block it belongs into
 * costs five times as much; a reader merges the two. No item has a term in both places.
 */
import { decodeNumber, encodeNumber } from "../bytes.ts";
import type { LmdbEnvironment } from "./environment.ts";
import { LATE_TERMS_TABLE, prefixOf, tablePrefix } from "./keys.ts";

/** Longer blocks would make changes to old items dear, shorter ones scans. */
export const BLOCK_COUNT_MAX = 256;

const NUMBER_BYTES = 8;
const NOTHING = Buffer.alloc(0);

/** `numbers` are sorted and distinct; the first is in the key. */
export function encodeBlock(numbers: readonly number[]): Buffer {
  if (numbers.length === 1) return NOTHING;
  const bytes: number[] = [];
  for (let index = 1; index < numbers.length; index++) {
    let difference = numbers[index]! - numbers[index - 1]!;
    while (difference >= 128) {
      bytes.push((difference % 128) + 128);
      difference = Math.floor(difference / 128);
    }
    bytes.push(difference);
  }
  return Buffer.from(bytes);
}

export function decodeBlock(first: number, bytes: Buffer): number[] {
  const numbers = [first];
  let last = first;
  let at = 0;
  while (at < bytes.length) {
    let scale = 1;
    let difference = 0;
    for (;;) {
      const byte = bytes[at++]!;
      difference += (byte % 128) * scale;
      // Also behind the end of a damaged block, where there is no byte.
      if (!(byte >= 128)) break;
      scale *= 128;
    }
    last += difference;
    numbers.push(last);
  }
  return numbers;
}

export function firstOfKey(key: string): number {
  return decodeNumber(key, key.length - NUMBER_BYTES);
}

/** Everything of a block's key but its first number. */
export function termOfKey(key: string): string {
  return key.slice(0, -NUMBER_BYTES);
}

/** Puts numbers behind those that the term already has. `numbers` are sorted and distinct. */
export function appendNumbers(
  tables: LmdbEnvironment,
  part: number,
  term: string,
  numbers: readonly number[],
): void {
  const prefixedTerm = tablePrefix(part, "terms") + term;
  for (let from = 0; from < numbers.length; from += BLOCK_COUNT_MAX) {
    const block =
      numbers.length <= BLOCK_COUNT_MAX ? numbers : numbers.slice(from, from + BLOCK_COUNT_MAX);
    tables.putSync(prefixedTerm + encodeNumber(block[0]!), encodeBlock(block));
  }
}

/** Gives a term to an older item that does not have it. */
export function addLate(tables: LmdbEnvironment, part: number, term: string, number: number): void {
  tables.putSync(lateKey(part, term, number), NOTHING);
}

/** Gives a term to an older item that may have it already. */
export function restore(tables: LmdbEnvironment, part: number, term: string, number: number): void {
  const block = blockAround(tables, tablePrefix(part, "terms") + term, number);
  if (!block?.numbers.includes(number)) addLate(tables, part, term, number);
}

/** Takes a term from an older item, if it has it. */
export function removeNumber(
  tables: LmdbEnvironment,
  part: number,
  term: string,
  number: number,
): void {
  const late = lateKey(part, term, number);
  if (tables.getBinaryFast(late) !== undefined) {
    tables.removeSync(late);
    return;
  }
  const prefixedTerm = tablePrefix(part, "terms") + term;
  const block = blockAround(tables, prefixedTerm, number);
  if (!block?.numbers.includes(number)) return;
  const rest = block.numbers.filter((other) => other !== number);
  if (rest[0] !== block.numbers[0]) tables.removeSync(block.key);
  if (rest.length > 0) appendNumbers(tables, part, term, rest);
}

/** The block that holds `number` if any does: the last one that starts at or before it. */
export function blockAround(
  tables: LmdbEnvironment,
  prefixedTerm: string,
  number: number,
): { readonly key: string; readonly numbers: readonly number[] } | undefined {
  const start = prefixedTerm + encodeNumber(number);
  // Most values are rare, and most blocks start with the number that is looked for.
  const exact = tables.getBinary(start);
  if (exact !== undefined) return { key: start, numbers: decodeBlock(number, exact) };
  const range = { start, end: prefixedTerm, reverse: true, limit: 1 };
  for (const { key, value } of tables.getRange(range)) {
    return { key, numbers: decodeBlock(firstOfKey(key), value) };
  }
  return undefined;
}

function lateKey(part: number, term: string, number: number): string {
  return prefixOf(part, LATE_TERMS_TABLE) + term + encodeNumber(number);
}
