/** Published values of MurmurHash3 with seed 0, then the algorithm once more in plain BigInt. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { murmur32, murmur128 } from "./murmur3.ts";

const FOX = "The quick brown fox jumps over the lazy dog";

describe("known hashes", () => {
  test.each([
    ["", 0x00000000],
    ["a", 0x3c2569b2],
    ["abc", 0xb3dd93fa],
    ["hello", 0x248bfa47],
    [FOX, 0x2e4ff723],
  ])("x86-32 of %j", (text, hash) => {
    const bytes = Buffer.from(text);
    expect(murmur32(bytes, bytes.length)).toBe(hash);
  });

  test.each([
    ["", "00000000000000000000000000000000"],
    ["hello", "cbd8a7b341bd9b025b1e906a48ae1d19"],
    [FOX, "e34bbc7bbc071b6c7a433ca9c49a9347"],
  ])("x64-128 of %j", (text, hash) => {
    const bytes = Buffer.from(text);
    const words = new Uint32Array(4);
    murmur128(bytes, bytes.length, words);
    // Published as two 64-bit numbers, the first of which is our lower one.
    const digits = [1, 0, 3, 2].map((index) => words[index]!.toString(16).padStart(8, "0"));
    expect(digits.join("")).toBe(hash);
  });
});

describe("for all inputs", () => {
  const anyBytes = fc.uint8Array({ maxLength: 100 });

  test("both agree with the plain formulation", () => {
    const words = new Uint32Array(4);
    fc.assert(
      fc.property(anyBytes, (bytes) => {
        expect(BigInt(murmur32(bytes, bytes.length))).toBe(plain32(bytes));
        murmur128(bytes, bytes.length, words);
        const hash = words.reduceRight((total, word) => (total << 32n) | BigInt(word), 0n);
        expect(hash).toBe(plain128(bytes));
      }),
      { numRuns: 1000 },
    );
  });

  test("bytes past the length do not count", () => {
    fc.assert(
      fc.property(anyBytes, anyBytes, (bytes, garbage) => {
        const longer = Uint8Array.from([...bytes, ...garbage]);
        expect(murmur32(longer, bytes.length)).toBe(murmur32(bytes, bytes.length));
        const [expected, seen] = [new Uint32Array(4), new Uint32Array(4)];
        murmur128(bytes, bytes.length, expected);
        murmur128(longer, bytes.length, seen);
        expect(seen).toEqual(expected);
      }),
    );
  });
});

/** `count` little-endian bytes from `at`; past the end there are zeros. */
function read(bytes: Uint8Array, at: number, count: number): bigint {
  let number = 0n;
  for (let index = count - 1; index >= 0; index--) {
    number = (number << 8n) | BigInt(bytes[at + index] ?? 0);
  }
  return number;
}

function rotate(number: bigint, by: number, width: number): bigint {
  const kept = BigInt.asUintN(width, number);
  return BigInt.asUintN(width, kept << BigInt(by)) | (kept >> BigInt(width - by));
}

function plain32(bytes: Uint8Array): bigint {
  const scrambled = (at: number): bigint =>
    BigInt.asUintN(32, rotate(read(bytes, at, 4) * 0xcc9e2d51n, 15, 32) * 0x1b873593n);
  let hash = 0n;
  let at = 0;
  for (; at + 4 <= bytes.length; at += 4) {
    hash = BigInt.asUintN(32, rotate(hash ^ scrambled(at), 13, 32) * 5n + 0xe6546b64n);
  }
  hash ^= scrambled(at) ^ BigInt(bytes.length);
  hash = BigInt.asUintN(32, (hash ^ (hash >> 16n)) * 0x85ebca6bn);
  hash = BigInt.asUintN(32, (hash ^ (hash >> 13n)) * 0xc2b2ae35n);
  return hash ^ (hash >> 16n);
}

function plain128(bytes: Uint8Array): bigint {
  const [c1, c2] = [0x87c37b91114253d5n, 0x4cf5ad432745937fn];
  const u64 = (number: bigint): bigint => BigInt.asUintN(64, number);
  const scrambledA = (at: number): bigint => u64(rotate(read(bytes, at, 8) * c1, 31, 64) * c2);
  const scrambledB = (at: number): bigint => u64(rotate(read(bytes, at + 8, 8) * c2, 33, 64) * c1);
  const avalanche = (number: bigint): bigint => {
    let mixed = u64((number ^ (number >> 33n)) * 0xff51afd7ed558ccdn);
    mixed = u64((mixed ^ (mixed >> 33n)) * 0xc4ceb9fe1a85ec53n);
    return mixed ^ (mixed >> 33n);
  };
  let [a, b, at] = [0n, 0n, 0];
  for (; at + 16 <= bytes.length; at += 16) {
    a = u64((rotate(a ^ scrambledA(at), 27, 64) + b) * 5n + 0x52dce729n);
    b = u64((rotate(b ^ scrambledB(at), 31, 64) + a) * 5n + 0x38495ab5n);
  }
  a ^= scrambledA(at) ^ BigInt(bytes.length);
  b ^= scrambledB(at) ^ BigInt(bytes.length);
  a = u64(a + b);
  b = u64(b + a);
  a = avalanche(a);
  b = avalanche(b);
  a = u64(a + b);
  return (u64(b + a) << 64n) | a;
}
