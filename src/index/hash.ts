/**
 * The hash that stands for a path in a term, and for the rest of a string too long for one.
 *
 * The hash is two 32-bit lanes, each mixed in the manner of MurmurHash3 with constants of its own
 * (lanes that differ in the seed only would share their collisions) and stirred together at the
 * end. Two of n paths of a container collide with a chance of n²/2⁴⁸: one in 28,000 with 100,000
 * paths. A collision brings a query candidates that it has to look at and drop; it never loses an
 * item.
 *
 * The hashes are on disk, inside every term. Any change here needs all indexes rebuilt.
 */
import type { Brand } from "../base/units.ts";
import { ELEMENTS, type PathSegment } from "./policyPath.ts";
import { PATH_BYTE_MIN } from "./termSpace.ts";

/** Two unsigned 32-bit halves: the fastest way to have 64 bits in JavaScript. */
export interface Hash {
  readonly high: number;
  readonly low: number;
}

/** Six bytes, one to a character, that all terms of one path begin with. */
export type PathHash = Brand<string, "PathHash">;

export const PATH_HASH_BYTES = 6;

/** The hash that every path starts from: that of the item itself. */
export const ROOT_HASH: Hash = { high: 0x243f6a88, low: 0x85a308d3 };

/** The hashes that composite, spatial and full-text indexes start from; no path has one of them. */
export const COMPOSITE_SEED: Hash = { high: 0x13198a2e, low: 0x03707344 };
export const SPATIAL_SEED: Hash = { high: 0xa4093822, low: 0x299f31d0 };
export const WORD_SEED: Hash = { high: 0x082efa98, low: 0xec4e6c89 };

/** Returns the hash of a path, from that of the path one step above it. */
export function stepHash(parent: Hash, segment: PathSegment): Hash {
  // The dot keeps a property that is called `[]` apart from the elements of an array.
  return hashOf(segment === ELEMENTS ? "[]" : `.${segment}`, parent);
}

/**
 * Returns what the terms of a path begin with: `pathHashOf(["a", ELEMENTS, "b"])` is for `/a/[]/b`.
 */
export function pathHashOf(path: readonly PathSegment[]): PathHash {
  return pathHashText(path.reduce(stepHash, ROOT_HASH));
}

/**
 * Returns a hash as the beginning of terms. Its first byte is 0x80 or above: the space below
 * belongs to terms that stand for no path (`termSpace.ts`), such as those by which an item is found
 * from its place in the key space.
 */
export function pathHashText({ high, low }: Hash): PathHash {
  const text = hashText({ high: high | (PATH_BYTE_MIN << 24), low });
  return text.slice(0, PATH_HASH_BYTES) as PathHash;
}

/** Returns a hash as eight bytes, one to a character. */
export function hashText({ high, low }: Hash): string {
  return String.fromCharCode(
    high >>> 24,
    (high >>> 16) & 0xff,
    (high >>> 8) & 0xff,
    high & 0xff,
    low >>> 24,
    (low >>> 16) & 0xff,
    (low >>> 8) & 0xff,
    low & 0xff,
  );
}

/** Hashes UTF-16 units, two at a time, so that lone surrogates differ from each other. */
export function hashOf(text: string, seed: Hash): Hash {
  let high = seed.high;
  let low = seed.low;
  for (let index = 0; index < text.length; index += 2) {
    // A missing last unit counts as zero; the length tells it from a unit that is zero.
    const second = index + 1 < text.length ? text.charCodeAt(index + 1) : 0;
    const word = text.charCodeAt(index) | (second << 16);
    high = Math.imul(rotate(high ^ Math.imul(rotate(Math.imul(word, C1), 15), C2), 13), 5);
    high = (high + 0xe6546b64) | 0;
    low = Math.imul(rotate(low ^ Math.imul(rotate(Math.imul(word, C3), 17), C4), 11), 9);
    low = (low + 0x38495ab5) | 0;
  }
  high = scatter(high ^ text.length);
  low = scatter((low ^ text.length) + high);
  return { high: scatter(high + low) >>> 0, low: low >>> 0 };
}

const C1 = 0xcc9e2d51;
const C2 = 0x1b873593;
const C3 = 0x239b961b;
const C4 = 0xab0e9789;

function rotate(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/** Mixes a word so that each of its bits reaches every bit of the result. */
function scatter(word: number): number {
  let mixed = Math.imul(word ^ (word >>> 16), 0x85ebca6b);
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35);
  return mixed ^ (mixed >>> 16);
}
