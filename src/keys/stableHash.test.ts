/** Known answers, because other languages have to agree, and that small counts are used evenly. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashBucket, stableHash } from "./stableHash.ts";

const anyText = fc
  .array(fc.nat(0xffff))
  .map((units) => units.map((unit) => String.fromCharCode(unit)).join(""));

describe("the stable hash", () => {
  test.each([
    ["", 2872998923],
    ["a", 444641715],
    ["0", 1693486945],
    ["42", 686566589],
    ["abc-123", 702088024],
    ["WVWZZZ1JZXW000001", 3549337389],
    ["2018-08-09", 2267417977],
    ["Zürich", 2908468631],
    ["日本", 4026831135],
    ["😀", 855877642],
    ["\ud800", 1205388858], // Half a pair: U+FFFD, as every encoder writes it.
    ["\ufffd", 1205388858],
  ])("of %j is %d", (text, hash) => expect(stableHash(text)).toBe(hash));

  test("is that of the UTF-8 bytes, byte by byte, for any text", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        let hash = 0x811c9dc5n;
        for (const byte of Buffer.from(text)) {
          hash = ((hash ^ BigInt(byte)) * 0x01000193n) & 0xffffffffn;
        }
        hash = ((hash ^ (hash >> 16n)) * 0x85ebca6bn) & 0xffffffffn;
        hash = ((hash ^ (hash >> 13n)) * 0xc2b2ae35n) & 0xffffffffn;
        expect(stableHash(text)).toBe(Number(hash ^ (hash >> 16n)));
      }),
    );
  });
});

describe("buckets", () => {
  const FAMILIES: Readonly<Record<string, (index: number) => string>> = {
    "numbers in a row": (index) => String(index),
    "names that end in a number": (index) => `device-${String(index).padStart(6, "0")}`,
    "names that begin with a number": (index) => `${index}@example.com`,
    days: (index) => new Date(Date.UTC(2000, 0, index)).toISOString().slice(0, 10),
    "hexadecimal ids": (index) => (index * 0x9e3779b1).toString(16).padStart(16, "0"),
  };
  const COUNTS = [2, 3, 7, 10, 16, 20, 50, 64, 100, 256, 400];
  const cases = Object.keys(FAMILIES).flatMap((family) =>
    COUNTS.map((count) => [family, count] as const),
  );

  test.each(cases)("are filled evenly by %s, %d of them", (family, count) => {
    const perBucket = 200;
    const sizes = new Array<number>(count).fill(0);
    for (let index = 0; index < count * perBucket; index++) {
      const bucket = hashBucket(FAMILIES[family]!(index), count);
      sizes[bucket]!++;
    }
    // Chi squared over its mean, in standard deviations: what chance itself would do.
    const chiSquared = sizes.reduce((sum, size) => sum + (size - perBucket) ** 2 / perBucket, 0);
    const freedom = count - 1;
    expect((chiSquared - freedom) / Math.sqrt(2 * freedom)).toBeLessThan(4.5);
  });
});
