/** The oracle is the HMAC of `node:crypto`; the lengths around each block end are all tried. */
import { createHmac } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";

import { DIGEST_BYTES, KeyedHash } from "./keyedHash.ts";

test("every text length up to five blocks", () => {
  const key = Buffer.from("a key of some length");
  for (let length = 0; length <= 320; length++) {
    const text = "x".repeat(length);
    expect(digestOf(key, text)).toBe(expectedDigestOf(key, text));
  }
});

test("every key length up to three blocks", () => {
  for (let length = 1; length <= 192; length++) {
    const key = Buffer.alloc(length, length);
    expect(digestOf(key, "text")).toBe(expectedDigestOf(key, "text"));
  }
});

test("a short text after a long one", () => {
  const key = Buffer.from("key");
  for (const text of ["é".repeat(30_000), "x", "", "x".repeat(119), "x".repeat(120)]) {
    expect(digestOf(key, text)).toBe(expectedDigestOf(key, text));
  }
});

test("any key and any text, whatever was hashed before", () => {
  const anyKey = fc.uint8Array({ minLength: 1, maxLength: 130 });
  const anyText = fc.string({ unit: "binary", maxLength: 200 });
  fc.assert(
    fc.property(anyKey, anyText, (key, text) => {
      expect(digestOf(key, text)).toBe(expectedDigestOf(key, text));
    }),
    { numRuns: 500 },
  );
});

function digestOf(key: Uint8Array, text: string): string {
  const digest = Buffer.alloc(DIGEST_BYTES);
  new KeyedHash(key).write(text, digest);
  return digest.toString("hex");
}

const expectedDigestOf = (key: Uint8Array, text: string): string =>
  createHmac("sha256", key).update(text).digest("hex");
