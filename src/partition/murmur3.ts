/**
 * MurmurHash3 with seed 0, in the two forms that partition keys use: x86-32 (version 1) and
 * x64-128 (version 2).
 *
 * Both hash the first `length` bytes of a buffer, so that a caller can reuse one buffer. A point
 * read pays for a hash, hence no BigInt and no allocation: a 64-bit number is two signed 32-bit
 * halves, and a function that yields one returns the low half and leaves the high half in `high`.
 *
 * Not here: which bytes stand for a key, and how a hash becomes an EPK (`epk.ts`).
 */

/** Returns the x86-32 hash, as an unsigned number. */
export function murmur32(bytes: Uint8Array, length: number): number {
  let hash = 0;
  const wholeWordsEnd = length & ~3;
  for (let at = 0; at < wholeWordsEnd; at += 4) {
    hash ^= scramble32(wordAt(bytes, at, length));
    hash = Math.imul((hash << 13) | (hash >>> 19), 5) + 0xe6546b64;
  }
  // The bytes missing from a last word count as zeros, and a word of zeros scrambles to zero.
  hash ^= scramble32(wordAt(bytes, wholeWordsEnd, length));
  hash ^= length;
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

/**
 * Computes the x64-128 hash, as four words of which `words[0]` is the least significant: reading
 * the 16 bytes that other implementations print as one little-endian number gives the same.
 */
export function murmur128(bytes: Uint8Array, length: number, words: Uint32Array): void {
  let lowA = 0;
  let highA = 0;
  let lowB = 0;
  let highB = 0;
  let at = 0;
  for (; at + 16 <= length; at += 16) {
    const mixedA = lowA ^ scrambleA(bytes, at, length);
    highA ^= high;
    lowA = add((highA << 27) | (mixedA >>> 5), (mixedA << 27) | (highA >>> 5), highB, lowB);
    lowA = timesFivePlus(high, lowA, 0x52dce729);
    highA = high;

    const mixedB = lowB ^ scrambleB(bytes, at + 8, length);
    highB ^= high;
    lowB = add((highB << 31) | (mixedB >>> 1), (mixedB << 31) | (highB >>> 1), highA, lowA);
    lowB = timesFivePlus(high, lowB, 0x38495ab5);
    highB = high;
  }
  lowA ^= scrambleA(bytes, at, length) ^ length;
  highA ^= high;
  lowB ^= scrambleB(bytes, at + 8, length) ^ length;
  highB ^= high;

  lowA = add(highA, lowA, highB, lowB);
  highA = high;
  lowB = add(highB, lowB, highA, lowA);
  highB = high;
  lowA = avalanche(highA, lowA);
  highA = high;
  lowB = avalanche(highB, lowB);
  highB = high;
  words[0] = lowA = add(highA, lowA, highB, lowB);
  words[1] = highA = high;
  words[2] = add(highB, lowB, highA, lowA);
  words[3] = high;
}

/** The high half of the last 64-bit result, to be read before the next call overwrites it. */
let high = 0;

const C1_HIGH = 0x87c37b91 | 0;
const C1_LOW = 0x114253d5;
const C2_HIGH = 0x4cf5ad43;
const C2_LOW = 0x2745937f;

function scramble32(word: number): number {
  const mixed = Math.imul(word, 0xcc9e2d51);
  return Math.imul((mixed << 15) | (mixed >>> 17), 0x1b873593);
}

/** Scrambles the first half of a 16-byte block. */
function scrambleA(bytes: Uint8Array, at: number, length: number): number {
  const low = multiply(wordAt(bytes, at + 4, length), wordAt(bytes, at, length), C1_HIGH, C1_LOW);
  return multiply((high << 31) | (low >>> 1), (low << 31) | (high >>> 1), C2_HIGH, C2_LOW);
}

/** Scrambles the second half of a 16-byte block. */
function scrambleB(bytes: Uint8Array, at: number, length: number): number {
  const low = multiply(wordAt(bytes, at + 4, length), wordAt(bytes, at, length), C2_HIGH, C2_LOW);
  // Rotating by 33 is swapping the halves and rotating by 1.
  return multiply((low << 1) | (high >>> 31), (high << 1) | (low >>> 31), C1_HIGH, C1_LOW);
}

/** Returns four little-endian bytes as a word; bytes at or past `length` count as zeros. */
function wordAt(bytes: Uint8Array, at: number, length: number): number {
  const missing = at + 4 - length;
  if (missing <= 0) {
    return bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);
  }
  if (missing >= 4) return 0;
  let word = bytes[at]!;
  if (missing < 3) word |= bytes[at + 1]! << 8;
  if (missing < 2) word |= bytes[at + 2]! << 16;
  return word;
}

function avalanche(highIn: number, lowIn: number): number {
  // Shifting right by 33 leaves the high half, shifted by 1, as the low one.
  let low = multiply(highIn, lowIn ^ (highIn >>> 1), 0xff51afd7 | 0, 0xed558ccd | 0);
  low = multiply(high, low ^ (high >>> 1), 0xc4ceb9fe | 0, 0x1a85ec53);
  return low ^ (high >>> 1);
}

function timesFivePlus(highIn: number, lowIn: number, addend: number): number {
  const low = multiply(highIn, lowIn, 0, 5);
  return add(high, low, 0, addend);
}

function add(highA: number, lowA: number, highB: number, lowB: number): number {
  const low = (lowA + lowB) | 0;
  const carry = low >>> 0 < lowA >>> 0 ? 1 : 0;
  high = (highA + highB + carry) | 0;
  return low;
}

/** Returns the product modulo 2^64. Quarters of 16 bits keep every step exact in a double. */
function multiply(highA: number, lowA: number, highB: number, lowB: number): number {
  const a0 = lowA & 0xffff;
  const a1 = lowA >>> 16;
  const b0 = lowB & 0xffff;
  const b1 = lowB >>> 16;
  const middle = a1 * b0 + ((a0 * b0) >>> 16);
  const carried = a0 * b1 + (middle & 0xffff);
  const lowTimesLow = a1 * b1 + (middle >>> 16) + (carried >>> 16);
  high = (lowTimesLow + Math.imul(highA, lowB) + Math.imul(lowA, highB)) | 0;
  return Math.imul(lowA, lowB);
}
