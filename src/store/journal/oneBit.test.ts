/** A changed bit is found by two checksums; two or three bits are not taken for one. */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { expect, test } from "vitest";
import { changedBit, flipBit } from "./oneBit.ts";

const bytesAndBits = fc.uint8Array({ minLength: 1, maxLength: 300 }).chain((bytes) =>
  fc.record({
    bytes: fc.constant(Buffer.from(bytes)),
    bits: fc.uniqueArray(fc.nat(bytes.length * 8 - 1), { minLength: 1, maxLength: 3 }),
  }),
);

test("one bit is found wherever it is; two and three are never taken for one", () => {
  fc.assert(
    fc.property(bytesAndBits, ({ bytes, bits }) => {
      const noted = crc32(bytes);
      for (const bit of bits) flipBit(bytes, bit);
      const found = changedBit(noted, crc32(bytes), bytes.length);
      expect(found).toBe(bits.length === 1 ? bits[0] : undefined);
    }),
  );
});

test("bytes that have not changed have no changed bit", () => {
  const bytes = Buffer.from("as it was");
  expect(changedBit(crc32(bytes), crc32(bytes), bytes.length)).toBeUndefined();
});
