/**
 * From a partition key to its effective partition key: the hash text that orders and places it.
 *
 * The three rules agree with the service, not with the mistakes of single clients:
 * - Hash, version 2: the 128-bit hash of all components together, modulo 2^126, as 32 digits.
 *   The two cleared bits keep every EPK below "40" and so below the end of the key space, "FF".
 * - MultiHash: the version 2 hash of each component on its own, one after the other. A prefix of
 *   the components therefore yields a prefix of the text.
 * - Hash, version 1: the 32-bit hash, then the components themselves in an order-preserving
 *   form. Of a string only the first 100 UTF-16 units count.
 *
 * Different keys may share an EPK (long version 1 strings do on purpose), so an EPK gives the
 * place of a key and never proves that two keys are the same. 0 and -0 are different keys.
 *
 * Not here: reading a key from an item or a header (`partitionKeyOf.ts`), ranges (`epkRange.ts`).
 */
import { assert } from "../base/assert.ts";
import type { KeyComponent, PartitionKey, PartitionKeyDefinition } from "../model/partitionKey.ts";
import type { Epk } from "./epkRange.ts";
import { murmur32, murmur128 } from "./murmur3.ts";

/**
 * Returns the EPK of a key. Every number in the key must be finite; a key from outside with any
 * other number is refused where it is read.
 */
export function epkOf(definition: PartitionKeyDefinition, key: PartitionKey): Epk {
  if (key.length === 0) return "" as Epk;
  if (definition.kind === "MultiHash") return multiHashOf(key) as Epk;
  return (definition.version === 1 ? hashV1Of(key) : hashV2Of(key)) as Epk;
}

/** Returns a number in the version 1 encoding, whose texts sort as the numbers do. */
export function orderedNumberText(amount: number): string {
  used = 0;
  appendOrderedNumber(amount);
  return scratchText();
}

/** The first byte of an encoded component says its type, and orders the types. */
const MARK_UNDEFINED = 0x00;
const MARK_NULL = 0x01;
const MARK_FALSE = 0x02;
const MARK_TRUE = 0x03;
const MARK_NUMBER = 0x05;
const MARK_STRING = 0x08;

const STRING_END_V1 = 0x00;
const STRING_END_V2 = 0xff;

/**
 * How much of a string version 1 hashes, in UTF-16 units, and how much of it may follow unabridged,
 * in bytes.
 */
const STRING_UNITS_V1 = 100;
const STRING_BYTES_V1 = 100;

/** Number of bytes that a component other than a string takes at most, in either encoding. */
const SCALAR_BYTES_MAX = 10;

const HEX: readonly string[] = Array.from({ length: 256 }, (_, byte) =>
  byte.toString(16).toUpperCase().padStart(2, "0"),
);

const utf8 = new TextEncoder();
const doubleView = new DataView(new ArrayBuffer(8));
const hashWords = new Uint32Array(4);

/**
 * The buffer in which components are encoded: the first `used` bytes. Nothing here suspends or
 * calls back, so one buffer serves every caller. The buffer keeps the size of the longest key seen;
 * too long keys are refused before its size matters.
 */
let scratch = new Uint8Array(1024);
let used = 0;

function hashV2Of(key: PartitionKey): string {
  used = 0;
  for (const component of key) appendHashInput(component, STRING_END_V2);
  return hashText();
}

function multiHashOf(key: PartitionKey): string {
  let text = "";
  for (const component of key) {
    used = 0;
    appendHashInput(component, STRING_END_V2);
    text += hashText();
  }
  return text;
}

function hashV1Of(key: PartitionKey): string {
  const cut = key.map((component) =>
    typeof component === "string" ? component.slice(0, STRING_UNITS_V1) : component,
  );
  used = 0;
  for (const component of cut) appendHashInput(component, STRING_END_V1);
  const hash = murmur32(scratch, used);

  used = 0;
  appendOrderedNumber(hash);
  for (const component of cut) appendOrdered(component);
  return scratchText();
}

function appendHashInput(component: KeyComponent, stringEnd: number): void {
  if (typeof component === "string") {
    appendString(component);
    scratch[used++] = stringEnd;
  } else if (typeof component === "number") {
    assert(Number.isFinite(component), "a number in a partition key must be finite");
    reserve(SCALAR_BYTES_MAX);
    scratch[used++] = MARK_NUMBER;
    doubleView.setFloat64(0, component, true);
    for (let at = 0; at < 8; at++) scratch[used++] = doubleView.getUint8(at);
  } else {
    appendMark(component);
  }
}

/** Appends a component in the form that follows the hash in a version 1 EPK. */
function appendOrdered(component: KeyComponent): void {
  if (typeof component === "string") {
    const start = used + 1;
    appendString(component);
    const isAbridged = used - start > STRING_BYTES_V1;
    // An abridged string is cut one byte later than one that just fits, so that the two differ.
    if (isAbridged) used = start + STRING_BYTES_V1 + 1;
    // Bytes are raised by one, so that no byte of the string equals its end. UTF-8 has no byte FF.
    for (let at = start; at < used; at++) scratch[at]! += 1;
    if (!isAbridged) scratch[used++] = STRING_END_V1;
  } else if (typeof component === "number") {
    appendOrderedNumber(component);
  } else {
    appendMark(component);
  }
}

/**
 * Appends the 64 bits of a double, turned so that they sort like the numbers: eight bits, then
 * groups of seven with a lowest bit that says whether another group follows.
 */
function appendOrderedNumber(amount: number): void {
  doubleView.setFloat64(0, amount);
  let high = doubleView.getInt32(0);
  let low = doubleView.getInt32(4);
  if (high < 0) {
    low = -low | 0;
    high = ~high + (low === 0 ? 1 : 0);
  } else {
    high ^= 0x80000000;
  }
  reserve(SCALAR_BYTES_MAX);
  scratch[used++] = MARK_NUMBER;
  scratch[used++] = high >>> 24;
  high = (high << 8) | (low >>> 24);
  low <<= 8;
  let hasMore: boolean;
  do {
    const group = high >>> 25;
    high = (high << 7) | (low >>> 25);
    low <<= 7;
    hasMore = (high | low) !== 0;
    scratch[used++] = (group << 1) | (hasMore ? 1 : 0);
  } while (hasMore);
}

function appendMark(component: boolean | null | undefined): void {
  reserve(SCALAR_BYTES_MAX);
  if (component === undefined) scratch[used++] = MARK_UNDEFINED;
  else if (component === null) scratch[used++] = MARK_NULL;
  else scratch[used++] = component ? MARK_TRUE : MARK_FALSE;
}

/** Appends a string without its end, and leaves room for the end. */
function appendString(text: string): void {
  reserve(text.length * 3 + 2);
  scratch[used++] = MARK_STRING;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit >= 0x80) {
      // A lone surrogate, such as a cut to 100 units may leave, becomes U+FFFD.
      used += utf8.encodeInto(text.slice(at), scratch.subarray(used)).written;
      return;
    }
    scratch[used++] = unit;
  }
}

function reserve(byteCount: number): void {
  if (used + byteCount <= scratch.length) return;
  const grown = new Uint8Array(Math.max(used + byteCount, scratch.length * 2));
  grown.set(scratch.subarray(0, used));
  scratch = grown;
}

/** Returns the 128-bit hash of the encoded bytes, without its two highest bits. */
function hashText(): string {
  murmur128(scratch, used, hashWords);
  return (
    wordText(hashWords[3]! & 0x3fffffff) +
    wordText(hashWords[2]!) +
    wordText(hashWords[1]!) +
    wordText(hashWords[0]!)
  );
}

function wordText(word: number): string {
  return (
    HEX[word >>> 24]! + HEX[(word >>> 16) & 0xff]! + HEX[(word >>> 8) & 0xff]! + HEX[word & 0xff]!
  );
}

function scratchText(): string {
  let text = "";
  for (let at = 0; at < used; at++) text += HEX[scratch[at]!]!;
  return text;
}
