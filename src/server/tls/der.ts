/**
 * Writes DER, the byte form of certificates: every value is a tag, a length and its content.
 *
 * Each function returns one finished value, so a structure is built by nesting calls. DER allows
 * exactly one form of each value (shortest length, shortest integer); that form is what comes out.
 *
 * Not here: reading DER (`node:crypto` does it), and what a certificate holds (`certificate.ts`).
 */
import { assert } from "../../base/assert.ts";

export const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, ...parts);
/** A set of one member. More would have to be sorted, and names here need no more. */
export const setOf = (member: Uint8Array): Uint8Array => tagged(0x31, member);
/** Only `true`: a `false` in a certificate is always the default, and DER leaves defaults out. */
export const booleanTrue = (): Uint8Array => tagged(0x01, Uint8Array.of(0xff));
export const octetString = (bytes: Uint8Array): Uint8Array => tagged(0x04, bytes);
export const utf8String = (text: string): Uint8Array => tagged(0x0c, Buffer.from(text, "utf8"));
/** `unusedBits` at the low end of the last byte are padding. */
export const bitString = (bytes: Uint8Array, unusedBits = 0): Uint8Array =>
  tagged(0x03, Uint8Array.of(unusedBits), bytes);
/** Wraps a whole value into a tag. */
export const explicitTag = (number: number, content: Uint8Array): Uint8Array =>
  tagged(0xa0 | number, content);
/** Stands in for the tag of a simple value, whose bare content is given. */
export const implicitTag = (number: number, content: Uint8Array): Uint8Array =>
  tagged(0x80 | number, content);

/** A whole number, zero or above, given by its big-endian bytes in any length. */
export function integer(magnitude: Uint8Array): Uint8Array {
  const firstUsed = magnitude.findIndex((byte) => byte !== 0);
  const digits = firstUsed < 0 ? Uint8Array.of(0) : magnitude.subarray(firstUsed);
  // The top bit is the sign, so a number that starts with it needs a zero in front.
  return digits[0]! >= 0x80 ? tagged(0x02, Uint8Array.of(0), digits) : tagged(0x02, digits);
}

/** From the dotted form. The first two arcs share one number. */
export function oid(dotted: string): Uint8Array {
  const [root = 0, second = 0, ...rest] = dotted.split(".").map(Number);
  return tagged(0x06, ...[root * 40 + second, ...rest].map(base128));
}

/** UTCTime up to 2049 and GeneralizedTime after it, as certificates require; whole seconds. */
export function time(at: number): Uint8Array {
  const digits = new Date(at).toISOString().replace(/\.\d+|\D/g, "");
  assert(digits.length === 14 && digits >= "1950", `no time for a certificate: ${digits}`);
  const isShort = digits < "2050";
  return tagged(isShort ? 0x17 : 0x18, Buffer.from(`${digits.slice(isShort ? 2 : 0)}Z`));
}

function tagged(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const count = content.length;
  const digits = digitsOf(count, 256);
  const length = count < 0x80 ? [count] : [0x80 | digits.length, ...digits];
  return Buffer.concat([Uint8Array.of(tag, ...length), content]);
}

/** A number with seven bits to a byte; all bytes but the last carry the top bit. */
function base128(arc: number): Uint8Array {
  const digits = digitsOf(arc, 128);
  return Uint8Array.from(digits, (digit, index) => digit | (index < digits.length - 1 ? 0x80 : 0));
}

/** The digits of a number, high ones first; zero has one digit. */
function digitsOf(number: number, base: number): readonly number[] {
  const rest = Math.floor(number / base);
  return rest === 0 ? [number] : [...digitsOf(rest, base), number % base];
}
