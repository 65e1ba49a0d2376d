/** Sums of imprints, and imprints themselves. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { epkOf } from "../../partition/epk.ts";
import { itemKeyOf } from "../item/itemKey.ts";
import type { Imprint } from "./bucketSums.ts";
import { BucketSums, Imprinter } from "./bucketSums.ts";

const DEFINITION = { paths: ["/k"], kind: "Hash", version: 2 } as const;
const imprinter = new Imprinter(DEFINITION, "seed");

test("a sum is the sum of hashes modulo 2^128, whatever the order, and can be taken back", () => {
  const random = seededRandom(7);
  const imprints = Array.from({ length: 500 }, (_, n): Imprint => {
    const words = Array.from({ length: 4 }, () => Math.floor(random.next() * 2 ** 32));
    return { bucket: n % 10, bytes: n, words };
  });
  const naive = (all: readonly Imprint[]): string => {
    const hashes = all.map(({ words }) => words.reduceRight((sum, w) => sum * W + BigInt(w), 0n));
    const sum = hashes.reduce((total, hash) => total + hash, 0n) % 2n ** 128n;
    return sum.toString(16).padStart(32, "0");
  };
  const sums = new BucketSums();
  for (const imprint of imprints) sums.add(imprint);
  expect(sums.total).toEqual({ itemCount: 500, itemBytes: 124_750, sum: naive(imprints) });
  const third = imprints.filter(({ bucket }) => bucket === 3);
  expect(sums.of(3).sum).toBe(naive(third));
  for (const imprint of [...imprints].reverse().filter(({ bucket }) => bucket !== 3)) {
    sums.remove(imprint);
  }
  expect(sums.total).toMatchObject({ itemCount: 50, sum: naive(third) });
  for (const imprint of third) sums.remove(imprint);
  expect(sums.total).toEqual({ itemCount: 0, itemBytes: 0, sum: "0".repeat(32) });
});

const W = 2n ** 32n;

describe("an imprint", () => {
  const item = { itemKey: keyOf("a", "i"), content: Buffer.from('{"n":1'), stamps: "e 1" };

  test("is the same for the same item", () => {
    expect(imprinter.imprintOf(item)).toEqual(imprinter.imprintOf({ ...item }));
    expect(imprinter.imprintOf(item).bytes).toBe(7);
  });

  test.each([
    ["key", { itemKey: keyOf("b", "i") }],
    ["id", { itemKey: keyOf("a", "j") }],
    ["content", { content: Buffer.from('{"n":2') }],
    ["stamps", { stamps: "e 2" }],
    ["border between them", { itemKey: `${item.itemKey}e`, stamps: " 1" }],
  ])("is another for another %s", (_name, other) => {
    const { words } = imprinter.imprintOf(item);
    expect(imprinter.imprintOf({ ...item, ...other }).words).not.toEqual(words);
  });

  test("is another with another seed", () => {
    const other = new Imprinter(DEFINITION, "seeds").imprintOf(item);
    expect(other.words).not.toEqual(imprinter.imprintOf(item).words);
  });

  test.each([1, 2] as const)("of keys under version %d has many buckets", (version) => {
    const definition = { ...DEFINITION, version };
    const own = new Imprinter(definition, "");
    const buckets = Array.from({ length: 1000 }, (_, n) => {
      const itemKey = itemKeyOf(epkOf(definition, [`k${n}`]), "i");
      return own.imprintOf({ ...item, itemKey }).bucket;
    });
    expect(new Set(buckets).size).toBeGreaterThan(500);
  });
});

function keyOf(key: string, id: string): string {
  return itemKeyOf(epkOf(DEFINITION, [key]), id);
}
