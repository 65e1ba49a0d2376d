/**
 * How the terms table is kept: not an entry per item, but a block of item numbers per term, as an
 * inverted index does. A value that many items share costs a byte or two per item instead of an
 * entry with its key, and a scan of it touches one page instead of hundreds.
 *
 *   part table=3 term first-number  → the numbers after the first, as growing differences
 *
 * Blocks of one term do not overlap: all numbers of a block are below the first of the next. New
 * items have numbers above all that were there, so their blocks are simply put behind the others;
 * only a change to an older item has to find its block and rewrite it.
 */
import { decodeNumber, encodeNumber } from "../bytes.ts";
import type { Environment } from "./environment.ts";

/** Longer blocks would make changes to old items dear, shorter ones scans. */
export const BLOCK_COUNT_MAX = 256;

const NUMBER_BYTES = 8;

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
      if (byte < 128) break;
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
  tables: Environment,
  prefixedTerm: string,
  numbers: readonly number[],
): void {
  for (let from = 0; from < numbers.length; from += BLOCK_COUNT_MAX) {
    const block =
      numbers.length <= BLOCK_COUNT_MAX ? numbers : numbers.slice(from, from + BLOCK_COUNT_MAX);
    tables.putSync(prefixedTerm + encodeNumber(block[0]!), encodeBlock(block));
  }
}

export function insertNumber(tables: Environment, prefixedTerm: string, number: number): void {
  const block = blockAround(tables, prefixedTerm, number);
  if (block === undefined || block.numbers.at(-1)! < number) {
    appendNumbers(tables, prefixedTerm, [number]);
    return;
  }
  if (block.numbers.includes(number)) return;
  const numbers = [...block.numbers, number].sort((a, b) => a - b);
  appendNumbers(tables, prefixedTerm, numbers);
}

export function removeNumber(tables: Environment, prefixedTerm: string, number: number): void {
  const block = blockAround(tables, prefixedTerm, number);
  if (block === undefined || !block.numbers.includes(number)) return;
  const rest = block.numbers.filter((other) => other !== number);
  if (rest[0] !== block.numbers[0]) tables.removeSync(block.key);
  if (rest.length > 0) appendNumbers(tables, prefixedTerm, rest);
}

/** The block that holds `number` if any does: the last one that starts at or before it. */
function blockAround(
  tables: Environment,
  prefixedTerm: string,
  number: number,
): { readonly key: string; readonly numbers: readonly number[] } | undefined {
  const start = prefixedTerm + encodeNumber(number);
  const range = { start, end: prefixedTerm, reverse: true, limit: 1 };
  for (const { key, value } of tables.getRange(range)) {
    return { key, numbers: decodeBlock(firstOfKey(key), value) };
  }
  return undefined;
}
