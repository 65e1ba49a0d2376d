/**
 * The hash behind `hash(…)` and calculated suffixes: the same number for the same text, for ever,
 * in every language. FNV-1a over the UTF-8 bytes, then the final mix of murmur3, because FNV alone
 * spreads short texts badly over small counts.
 *
 * Changing anything here moves every item of every application that uses it. The known answers in
 * the test, and in generated C# code, hold it in place. It is no defence against chosen texts.
 */

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;
const UTF8 = new TextEncoder();

/** 32 bits, unsigned. A lone surrogate counts as U+FFFD, as in every UTF-8 encoder. */
export function stableHash(text: string): number {
  let hash = OFFSET;
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit >= 0x80) return mixed(hashOfBytes(hash, UTF8.encode(text.slice(index))));
    hash = Math.imul(hash ^ unit, PRIME);
  }
  return mixed(hash);
}

/** A number from 0 to `count` - 1. */
export function hashBucket(text: string, count: number): number {
  return stableHash(text) % count;
}

function hashOfBytes(start: number, bytes: Uint8Array): number {
  let hash = start;
  for (const byte of bytes) hash = Math.imul(hash ^ byte, PRIME);
  return hash;
}

function mixed(hash: number): number {
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}
