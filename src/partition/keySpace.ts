/**
 * The key space as a line from 0 to 1: where on it an EPK lies, and which EPK begins at a place.
 *
 * Positions follow the hash, which spreads keys evenly, so equal lengths stand for equal shares of
 * all possible keys. The order of EPKs is kept: a greater EPK never has a smaller position. Close
 * EPKs may share one, and under MultiHash all keys with the same first component do.
 *
 * Every key lies in [0, 1); 1 is the position of bounds beyond the last key, such as "FF".
 */
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { orderedNumberText } from "./epk.ts";
import { type Epk, WHOLE_RANGE } from "./epkRange.ts";

/**
 * Number of hexadecimal digits of a version 2 text that are read: the high digits of a hash below
 * 2^126, so 30 bits.
 */
const DIGITS_V2 = 8;
const POSITIONS_V2 = 2 ** 30;
const HASH_DIGITS_V2 = 32;

const POSITIONS_V1 = 2 ** 32;
/** The byte that marks a number in a text of version 1. */
const MARK_NUMBER = 0x05;
/**
 * Number of bits that a whole number of 32 bits can need in a double: sign, exponent and the upper
 * fraction.
 */
const BITS_V1 = 43;
const FRACTION_V1 = 2 ** 31;
const EXPONENT_BIAS = 1023;
/** The sign bit of a positive number in the ordered form, above eleven bits of exponent. */
const POSITIVE = 0x800;

const POWERS: readonly number[] = Array.from({ length: 32 }, (_, power) => 2 ** power);

export function positionOf(definition: PartitionKeyDefinition, epk: Epk): number {
  return usesV1(definition) ? positionV1(epk) : positionV2(epk);
}

/** Returns the first EPK at or after a position: all keys from that EPK on lie at or after it. */
export function boundaryAt(definition: PartitionKeyDefinition, position: number): Epk {
  if (position <= 0) return WHOLE_RANGE.min;
  if (position >= 1) return WHOLE_RANGE.max;
  if (usesV1(definition)) return orderedNumberText(Math.ceil(position * POSITIONS_V1)) as Epk;
  const digits = Math.ceil(position * POSITIONS_V2)
    .toString(16)
    .toUpperCase();
  return digits.padStart(DIGITS_V2, "0").padEnd(HASH_DIGITS_V2, "0") as Epk;
}

function usesV1(definition: PartitionKeyDefinition): boolean {
  return definition.kind === "Hash" && definition.version === 1;
}

function positionV2(epk: string): number {
  const digitCount = Math.min(epk.length, DIGITS_V2);
  let digits = 0;
  for (let at = 0; at < digitCount; at++) digits = (digits << 4) | digitAt(epk, at);
  digits = (digits << (4 * (DIGITS_V2 - digitCount))) >>> 0;
  return digits < POSITIONS_V2 ? digits / POSITIONS_V2 : 1;
}

/**
 * Returns the position of a version 1 EPK: undoes the ordered form of the hash (`epk.ts`), which is
 * eight bits, then groups of seven.
 */
function positionV1(epk: string): number {
  const mark = byteAt(epk, 0);
  if (mark !== MARK_NUMBER) return mark < MARK_NUMBER ? 0 : 1;
  let bits = byteAt(epk, 2);
  let hasMore = true;
  let at = 4;
  for (let count = 8; count < BITS_V1; count += 7) {
    const group: number = hasMore ? byteAt(epk, at) : 0;
    bits = bits * 128 + (group >>> 1);
    hasMore = (group & 1) === 1;
    at += 2;
  }
  const power = Math.floor(bits / FRACTION_V1) - POSITIVE - EXPONENT_BIAS;
  if (power < 0) return 0;
  if (power >= POWERS.length) return 1;
  return ((1 + (bits % FRACTION_V1) / FRACTION_V1) * POWERS[power]!) / POSITIONS_V1;
}

/** Returns a byte of the text, or zero where it has ended: bounds may be shorter than keys. */
function byteAt(epk: string, at: number): number {
  return at + 1 < epk.length ? digitAt(epk, at) * 16 + digitAt(epk, at + 1) : 0;
}

/**
 * Returns the value of a digit without a branch: digits are as good as random, and this runs for
 * every request.
 */
function digitAt(epk: string, at: number): number {
  const code = epk.charCodeAt(at);
  return (code & 0xf) + 9 * (code >>> 6);
}
