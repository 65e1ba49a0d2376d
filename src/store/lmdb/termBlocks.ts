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
import { LATE_TERMS_TABLE, PREFIX_BYTES, prefixOf, tablePrefix } from "./keys.ts";

/** Longer blocks would make changes to old items dear, shorter ones scans. */
export const BLOCK_COUNT_MAX = 256;

const NUMBER_BYTES = 8;
const NOTHING = Buffer.alloc(0);

/** `numbers` are sorted and distinct; the first is in the key. */
export function encodeBlock(numbers: readonly number[]): Buffer {
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

/** The entries (term, then number) between two bounds, in order, wherever they are kept. */
export function* termEntries(
  tables: LmdbEnvironment,
  part: number,
  range: { readonly min: string; readonly max: string },
  isReverse: boolean,
): Generator<string, void, undefined> {
  const blocks = blockEntries(tables, tablePrefix(part, "terms"), range, isReverse);
  const late = lateEntries(tables, prefixOf(part, LATE_TERMS_TABLE), range, isReverse);
  try {
    let fromBlock = blocks.next().value;
    let fromLate = late.next().value;
    while (fromBlock !== undefined || fromLate !== undefined) {
      const isBlockNext =
        fromLate === undefined || (fromBlock !== undefined && fromBlock < fromLate !== isReverse);
      if (isBlockNext) {
        yield fromBlock!;
        fromBlock = blocks.next().value;
      } else {
        yield fromLate!;
        fromLate = late.next().value;
      }
    }
  } finally {
    // Their cursors pin pages until they are closed.
    blocks.return();
    late.return();
  }
}

function* blockEntries(
  tables: LmdbEnvironment,
  prefix: string,
  { min, max }: { readonly min: string; readonly max: string },
  isReverse: boolean,
): Generator<string, void, undefined> {
  const low = prefix + min;
  const high = prefix + max;
  const range = isReverse
    ? { start: high, end: prefix, reverse: true }
    : { start: lastKeyUpTo(tables, low, prefix) ?? low, end: high };
  for (const { key, value } of tables.getRange(range)) {
    if (!key.startsWith(prefix)) continue;
    const term = termOfKey(key);
    const numbers = decodeBlock(firstOfKey(key), value);
    if (isReverse) numbers.reverse();
    for (const number of numbers) {
      const entry = term + encodeNumber(number);
      if (entry >= low && entry < high) yield entry.slice(PREFIX_BYTES);
    }
    // The block that starts at or before the lower bound may reach into the range; none before.
    if (isReverse && key <= low) return;
  }
}

function* lateEntries(
  tables: LmdbEnvironment,
  prefix: string,
  { min, max }: { readonly min: string; readonly max: string },
  isReverse: boolean,
): Generator<string, void, undefined> {
  const low = prefix + min;
  const high = prefix + max;
  const range = isReverse ? { start: high, end: prefix, reverse: true } : { start: low, end: high };
  for (const key of tables.getKeys(range)) {
    if (isReverse && key === high) continue;
    if (isReverse && key < low) return;
    yield key.slice(PREFIX_BYTES);
  }
}

/** The block that holds `number` if any does: the last one that starts at or before it. */
function blockAround(
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

function lastKeyUpTo(tables: LmdbEnvironment, key: string, prefix: string): string | undefined {
  const range = { start: key, end: prefix, reverse: true, limit: 1 };
  for (const found of tables.getKeys(range)) return found;
  return undefined;
}

function lateKey(part: number, term: string, number: number): string {
  return prefixOf(part, LATE_TERMS_TABLE) + term + encodeNumber(number);
}
