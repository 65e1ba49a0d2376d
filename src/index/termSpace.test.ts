/** No two kinds of term share a byte, and none has one of those that hashes of paths begin with. */
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  COMPOSITE_SEED,
  hashOf,
  pathHashOf,
  pathHashText,
  SPATIAL_SEED,
  WORD_SEED,
} from "./hash.ts";
import { shapeTermOf } from "./shapeTerm.ts";
import type { TermKind } from "./termSpace.ts";
import { kindOfTerm, PATH_BYTE_MIN, TERM_BYTES, termRangeOfKind } from "./termSpace.ts";

const KINDS = Object.keys(TERM_BYTES) as readonly TermKind[];
const isIn = (term: string, kind: TermKind): boolean => {
  const { min, max } = termRangeOfKind(kind);
  return term >= min && term < max;
};

test("every kind has one byte of its own, below those of paths", () => {
  const bytes = KINDS.map((kind) => TERM_BYTES[kind] as string);
  expect(new Set(bytes).size).toBe(KINDS.length);
  for (const byte of bytes) {
    expect(byte).toHaveLength(1);
    expect(byte.charCodeAt(0)).toBeLessThan(PATH_BYTE_MIN);
  }
});

test("the bytes are those on disk", () => {
  expect(TERM_BYTES).toEqual({
    placement: "\x01",
    unique: "\x02",
    shape: "\x03",
    unindexed: "\x04",
    expiry: "\x05",
  });
});

test("a term is in the range of its kind, whatever follows the byte, and in no other", () => {
  const anyBytes = fc.string({ unit: fc.nat(255).map((byte) => String.fromCharCode(byte)) });
  fc.assert(
    fc.property(fc.constantFrom(...KINDS), anyBytes, (kind, rest) => {
      const term = TERM_BYTES[kind] + rest;
      expect(kindOfTerm(term)).toBe(kind);
      expect(KINDS.filter((other) => isIn(term, other))).toEqual([kind]);
    }),
  );
});

test("hashes of paths and of indexes over them are in the range of no kind", () => {
  fc.assert(
    fc.property(fc.array(fc.string()), fc.string(), (path, text) => {
      const hashes = [
        pathHashOf(path),
        ...[COMPOSITE_SEED, SPATIAL_SEED, WORD_SEED].map((seed) =>
          pathHashText(hashOf(text, seed)),
        ),
      ];
      for (const hash of hashes) {
        expect(kindOfTerm(hash)).toBe("path");
        expect(KINDS.filter((kind) => isIn(hash, kind))).toEqual([]);
      }
    }),
  );
});

test("a shape is a shape, whatever the sum of its hashes", () => {
  const anyWord = fc.integer({ min: -(2 ** 31), max: 2 ** 32 - 1 });
  fc.assert(
    fc.property(anyWord, anyWord, (high, low) => {
      expect(kindOfTerm(shapeTermOf({ high, low }))).toBe("shape");
    }),
  );
});
