/** What is counted in bounded memory, against plain counting. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { LogHistogram } from "../base/logHistogram.ts";
import { seededRandom } from "../base/world.ts";
import { DISTINCT_ERROR, DistinctCount } from "./distinctCount.ts";
import { SaltedHash } from "./saltedHash.ts";
import { TallyRoom, ValueTally } from "./valueTally.ts";
import { SecretNames, secretText, shownValue, tupleText, valueText } from "./valueText.ts";

const hash = new SaltedHash(seededRandom(1));

describe("how many different values", () => {
  test.each([1, 100, 5_000, 200_000])("%i of them, to within three standard errors", (distinct) => {
    const count = new DistinctCount();
    for (let at = 0; at < distinct; at++) count.add(hash.numberOf(`value-${at}`));
    for (let at = 0; at < distinct; at += 7) count.add(hash.numberOf(`value-${at}`));
    expect(Math.abs(count.count / distinct - 1)).toBeLessThan(3 * DISTINCT_ERROR);
  });
});

describe("spreads", () => {
  test("quantiles are right to three percent, mean and maximum exactly", () => {
    const amount = fc.double({ min: 0.02, max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(amount, { minLength: 1, maxLength: 200 }), (amounts) => {
        const histogram = new LogHistogram();
        for (const each of amounts) histogram.add(each);
        const { mean, p50, p90, max } = histogram.spread();
        const sorted = [...amounts].sort((a, b) => a - b);
        const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1]!;
        expect(mean).toBeCloseTo(amounts.reduce((a, b) => a + b, 0) / amounts.length, 6);
        expect(max).toBe(sorted.at(-1));
        expect(Math.abs(p50 / at(0.5) - 1)).toBeLessThan(0.031);
        expect(Math.abs(p90 / at(0.9) - 1)).toBeLessThan(0.031);
      }),
    );
  });

  test("a number that grows is one number", () => {
    const grown = new LogHistogram();
    grown.add(3);
    grown.grow(3, 4);
    grown.grow(7, 5);
    const { count, mean, p50, max } = grown.spread();
    expect({ count, mean, max }).toEqual({ count: 1, mean: 12, max: 12 });
    expect(Math.abs(p50 / 12 - 1)).toBeLessThan(0.031);
  });

  test("numbers that are all the same have no other quantiles", () => {
    const histogram = new LogHistogram();
    for (let at = 0; at < 9; at++) histogram.add(8.57);
    expect(histogram.spread()).toMatchObject({ p50: 8.57, p90: 8.57, p99: 8.57, max: 8.57 });
  });

  test("nothing is zero, not a division by it", () => {
    const nothing = { count: 0, mean: 0, p50: 0, p90: 0, p99: 0, max: 0 };
    expect(new LogHistogram().spread()).toEqual(nothing);
  });
});

describe("values as texts", () => {
  test("the way back leads to the value", () => {
    const scalar = fc.oneof(fc.string({ maxLength: 100 }), fc.integer(), fc.boolean());
    fc.assert(
      fc.property(scalar, (value) => {
        expect(shownValue(valueText(value, hash), new SecretNames())).toEqual(value);
      }),
    );
    const tuple = tupleText([valueText("a", hash), valueText(1, hash), valueText(null, hash)]);
    expect(shownValue(tuple, new SecretNames())).toEqual(["a", 1, null]);
  });

  test("long texts are cut and still told apart", () => {
    const [a, b] = ["a", "b"].map((end) => valueText("x".repeat(1_000) + end, hash));
    expect(a).not.toBe(b);
    expect(a!.length).toBeLessThan(110);
  });

  test("secrets have numbers: the same for the same value, whatever its place", () => {
    const names = new SecretNames();
    const texts = ["canary", 5, "canary", null].map((value) => secretText(value, hash));
    expect(texts.join()).not.toContain("canary");
    const shown = texts.map((text) => shownValue(text, names));
    expect(shown).toEqual(["secret-1", "secret-2", "secret-1", "secret-3"]);
  });

  test("another recording hashes otherwise", () => {
    const other = new SaltedHash(seededRandom(2));
    expect(secretText("canary", hash)).not.toBe(secretText("canary", other));
  });
});

describe("tallies", () => {
  test("are exact up to 256 values, then estimate how many there are", () => {
    const tally = new ValueTally(hash);
    for (let at = 0; at < 256; at++) tally.add(valueText(at, hash));
    expect(tally.record(new SecretNames())).toMatchObject({ distinct: 256, distinctError: 0 });
    for (let at = 0; at < 10_000; at++) tally.add(valueText(at, hash));
    const { distinct, distinctError, count } = tally.record(new SecretNames());
    expect(count).toBe(10_256);
    expect(Math.abs(distinct / 10_000 - 1)).toBeLessThan(3 * distinctError);
  });

  test("there are as many as there is room for", () => {
    const room = new TallyRoom(hash, 2);
    expect([room.open(), room.open(), room.open()].filter(Boolean).length).toBe(2);
    room.giveBack(1);
    expect(room.open()).toBeDefined();
  });
});
