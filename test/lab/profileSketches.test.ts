/**
 * The sketches of the profiler against exact counts of the same hashes, within their stated
 * errors.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { DistinctCounter } from "../../src/lab/profile/distinctCounter.ts";
import { ExactCounts } from "../../src/lab/profile/exactCounts.ts";
import { HYPER_LOG_LOG_ERROR, HyperLogLog } from "../../src/lab/profile/hyperLogLog.ts";
import { keyFiguresOf } from "../../src/lab/profile/keyProfile.ts";
import { KeySample } from "../../src/lab/profile/keySample.ts";
import { KeyTally } from "../../src/lab/profile/keyTally.ts";
import { SpaceSaving } from "../../src/lab/profile/spaceSaving.ts";
import { SQUARE_SUM_ERROR, SquareSum } from "../../src/lab/profile/squareSum.ts";
import { mixed, ValueHash } from "../../src/lab/profile/valueHash.ts";

const BATCH = 256;

/** Hashes of `count` numbers that differ, from a seed. */
function hashesOf(numbers: readonly number[], seed = 1): Int32Array {
  const hash = new ValueHash(seed * 7919);
  return Int32Array.from(numbers, (number) => hash.ofNumber(number));
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}

function countsOf(hashes: Int32Array): Map<number, number> {
  const counts = new Map<number, number>();
  for (const hash of hashes) counts.set(hash, (counts.get(hash) ?? 0) + 1);
  return counts;
}

/** Batches as the profiler makes them. */
function* batchesOf(hashes: Int32Array) {
  const bytes = new Float64Array(BATCH).fill(100);
  for (let from = 0; from < hashes.length; from += BATCH) {
    const batch = hashes.subarray(from, from + BATCH);
    yield { hashes: batch, bytes, length: batch.length };
  }
}

function tallyOf(hashes: Int32Array): KeyTally {
  const tally = new KeyTally();
  const wanted = new Int32Array(BATCH);
  for (const batch of batchesOf(hashes)) {
    const wantedCount = tally.addAll(batch, wanted);
    for (const row of wanted.subarray(0, wantedCount)) {
      tally.keepValues(batch.hashes[row]!, [batch.hashes[row]!]);
    }
  }
  return tally;
}

const DATA: Readonly<Record<string, (random: () => number, index: number) => number>> = {
  constant: () => 1,
  "few values": (random) => Math.floor(random() ** 3 * 100),
  "just as many as are counted": (random) => Math.floor(random() * 2000),
  "ten thousand, even": (random) => Math.floor(random() * 10_000),
  "zipf, s = 1": (random) => Math.floor(Math.exp(random() * Math.log(50_000))),
  "zipf, s = 0.5": (random) => Math.floor(100_000 * random() ** 2),
  unique: (_, index) => index,
  "unique, but for one in three": (random, index) => (random() < 0.3 ? -1 : index),
};

function dataOf(name: string, seed: number, count = 100_000): Int32Array {
  const random = seededRandom(seed);
  const of = DATA[name]!;
  return hashesOf(
    Array.from({ length: count }, (_, index) => of(() => random.next(), index)),
    seed,
  );
}

describe("hashes", () => {
  test("differ for different scalars, and are never 0", () => {
    const hash = new ValueHash(42);
    const values = ["", "1", "true", "null", "a", "b", "ab", "ba", "aa", "a\u0000", "é", "ä"];
    const all = [
      ...values.map((text) => hash.ofText(text)),
      ...[0, 1, -1, 1.5, 1e300, 2 ** 31, 2 ** 32].map((number) => hash.ofNumber(number)),
      hash.ofBoolean(true),
      hash.ofBoolean(false),
      hash.ofNull(),
    ];
    expect(new Set(all).size).toBe(all.length);
    expect(all).not.toContain(0);
  });

  test("of ids that differ in few characters collide no more than chance has it", () => {
    const hash = new ValueHash(3);
    const texts = upTo(400_000).map((index) => `device-${index}`);
    const found = new Set(texts.map((text) => hash.ofText(text)));
    // 400,000² / 2³³ pairs are expected, 18.6; five standard deviations more are not.
    expect(texts.length - found.size).toBeLessThan(40);
  });

  test("of long texts depend on both ends and the length", () => {
    const hash = new ValueHash(3);
    const long = "x".repeat(5000);
    const all = [long, `y${long.slice(1)}`, `${long.slice(1)}y`, `${long}x`];
    expect(new Set(all.map((text) => hash.ofText(text))).size).toBe(4);
  });

  test("of combinations depend on the order", () => {
    expect(mixed(5, 7)).not.toBe(mixed(7, 5));
  });

  test("know texts that are more than ASCII", () => {
    const hash = new ValueHash(1);
    const isWide = (text: string): boolean => {
      hash.ofText(text);
      return hash.isWide;
    };
    expect(["abc", "ab\u00e9", "é", "x".repeat(3000), `é${"x".repeat(3000)}`].map(isWide)).toEqual([
      false,
      true,
      true,
      false,
      true,
    ]);
  });
});

describe("HyperLogLog", () => {
  test.each([10, 1000, 20_000, 200_000])("counts %i within three standard errors", (count) => {
    const seeds = count > 100_000 ? 10 : 40;
    const errors = upTo(seeds).map((seed) => {
      const sketch = new HyperLogLog();
      sketch.addAll(hashesOf(upTo(count), seed + 1), count);
      return sketch.estimate() / count - 1;
    });
    expect(Math.max(...errors.map(Math.abs))).toBeLessThan(3 * HYPER_LOG_LOG_ERROR);
    // And it is right on average.
    const mean = errors.reduce((sum, error) => sum + error, 0) / seeds;
    expect(Math.abs(mean)).toBeLessThan((3 * HYPER_LOG_LOG_ERROR) / Math.sqrt(seeds));
  });

  test("counts a hash once, in whatever order and batches it comes", () => {
    const hashes = hashesOf(upTo(5000));
    const [once, twice] = [new HyperLogLog(), new HyperLogLog()];
    once.addAll(hashes, hashes.length);
    for (const { hashes: batch } of batchesOf(hashes.toReversed()))
      twice.addAll(batch, batch.length);
    twice.addAll(hashes, hashes.length);
    expect(twice.estimate()).toBe(once.estimate());
  });

  test("is exact in a counter of few", () => {
    const counter = new DistinctCounter();
    const hashes = hashesOf(upTo(500));
    counter.addAll(hashes, hashes.length);
    counter.addAll(hashes, hashes.length);
    expect(counter.estimate()).toEqual({ value: 500, low: 500, high: 500 });
    const many = hashesOf(upTo(30_000));
    counter.addAll(many, many.length);
    const { value, low, high } = counter.estimate();
    expect(low).toBeLessThan(value);
    expect(Math.abs(value / 30_000 - 1)).toBeLessThan(3 * HYPER_LOG_LOG_ERROR);
    expect(high - value).toBeCloseTo(value * 1.96 * HYPER_LOG_LOG_ERROR);
  });
});

describe("Space-Saving", () => {
  test.each(Object.keys(DATA))("keeps its bounds: %s", (name) => {
    for (const seed of [1, 2, 3]) {
      const hashes = dataOf(name, seed, 30_000);
      const truth = countsOf(hashes);
      const heaviest = new SpaceSaving([]);
      const wanted = new Int32Array(BATCH);
      for (const batch of batchesOf(hashes)) heaviest.addAll(batch, wanted);
      const wrong = heaviest.counts().filter(({ hash, count, error }) => {
        const real = truth.get(hash)!;
        return count > real || count + error < real;
      });
      expect(wrong).toEqual([]);
      expect([...truth].filter(([hash, count]) => heaviest.countMaxOf(hash) < count)).toEqual([]);
    }
  });

  test("any additions to one group of counters", () => {
    // Nine hashes that belong to the same group, and fight for its four counters.
    const group = upTo(50_000).filter((hash) => Math.imul(hash, 0x9e3779b1) >>> 23 === 7);
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 200 }), (numbers) => {
        const heaviest = new SpaceSaving([]);
        const truth = new Map<number, number>();
        for (const number of numbers) {
          const hash = group[number]!;
          heaviest.add(hash, number);
          truth.set(hash, (truth.get(hash) ?? 0) + number);
        }
        for (const [hash, count] of truth) expect(heaviest.countMaxOf(hash) >= count).toBe(true);
        for (const { hash, count, error } of heaviest.counts()) {
          const real = truth.get(hash)!;
          expect(count <= real && real <= count + error).toBe(true);
        }
      }),
    );
  });

  test("goes on from exact counts, with their values", () => {
    const exact = new ExactCounts();
    const hashes = hashesOf([1, 1, 1, 2]);
    exact.addAll({ hashes, bytes: Float64Array.of(10, 10, 10, 30), length: 4 }, new Int32Array(4));
    exact.keepValues(hashes[0]!, ["one"]);
    const heaviest = new SpaceSaving(exact.counts());
    heaviest.add(hashes[0]!, 5);
    const [one] = heaviest.counts().filter(({ hash }) => hash === hashes[0]);
    expect(one).toEqual({ hash: hashes[0], count: 8, error: 0, bytesMean: 10, values: ["one"] });
  });
});

describe("samples and sums", () => {
  test("sampled keys have their exact counts", () => {
    const hashes = dataOf("zipf, s = 1", 5);
    const truth = countsOf(hashes);
    const sample = new KeySample();
    for (const { hashes: batch } of batchesOf(hashes)) sample.addAll(batch, batch.length);
    let sampled = 0;
    const wrong: number[] = [];
    sample.forEach((hash, count) => {
      if (count !== truth.get(hash)) wrong.push(hash);
      sampled++;
    });
    expect(wrong).toEqual([]);
    expect(sampled).toBeGreaterThan(1024);
    expect(sampled).toBeLessThanOrEqual(4096);
  });

  test("sums of squares are within four standard errors, also without the heaviest", () => {
    for (const [seed, name] of ["zipf, s = 1", "zipf, s = 0.5", "unique"].entries()) {
      const hashes = dataOf(name, seed + 1);
      const truth = [...countsOf(hashes)].sort(([, a], [, b]) => b - a);
      const squares = new SquareSum();
      for (const { hashes: batch } of batchesOf(hashes)) squares.addAll(batch, batch.length);
      const known = truth.slice(0, 100).map(([hash, count]) => ({ hash, count }));
      const rest = truth.slice(100).reduce((sum, [, count]) => sum + count ** 2, 0);
      const estimate = squares.without(known).estimate();
      expect(Math.abs(estimate / rest - 1)).toBeLessThan(4 * SQUARE_SUM_ERROR);
    }
  });
});

describe("figures of a key", () => {
  test.each(Object.keys(DATA))("are near the exact ones: %s", (name) => {
    for (const seed of [1, 2, 3]) {
      const hashes = dataOf(name, seed);
      const exact = exactFigures(hashes);
      const figures = keyFiguresOf(tallyOf(hashes), 1);
      const { value, low, high } = figures.distinct;
      expect(Math.abs(value / exact.distinct - 1)).toBeLessThan(3 * HYPER_LOG_LOG_ERROR);
      expect(low <= value && value <= high).toBe(true);
      expect(Math.abs(figures.giniItems - exact.gini)).toBeLessThan(0.03);
      expect(Math.abs(figures.entropy - exact.entropy)).toBeLessThan(0.03 * exact.entropy + 0.001);
      expect(Math.abs(figures.effectiveKeys / exact.effectiveKeys - 1)).toBeLessThan(0.1);
    }
  });

  test.each(Object.keys(DATA))("add up to all items and all keys: %s", (name) => {
    const hashes = dataOf(name, 4);
    const { heaviest, tail, distinct } = keyFiguresOf(tallyOf(hashes), 1);
    const heavyItems = heaviest.reduce((sum, { items }) => sum + items.value, 0);
    const tailShare = tail.reduce((sum, { itemShare }) => sum + itemShare, 0);
    const tailKeys = tail.reduce((sum, { keyCount }) => sum + keyCount, 0);
    expect(heavyItems / hashes.length + tailShare).toBeCloseTo(1, 9);
    expect(Math.abs(heaviest.length + tailKeys - distinct.value)).toBeLessThan(1);
    expect(heaviest.length).toBeLessThanOrEqual(256);
  });

  test("are exact, with values and in order, while there are few keys", () => {
    const hashes = dataOf("few values", 1);
    const truth = [...countsOf(hashes)].sort(([, a], [, b]) => b - a);
    const { distinct, heaviest, tail } = keyFiguresOf(tallyOf(hashes), 2);
    expect(distinct).toEqual({ value: truth.length, low: truth.length, high: truth.length });
    expect(tail).toEqual([]);
    expect(heaviest.map(({ values }) => values[0])).toEqual(
      truth.toSorted(([a, x], [b, y]) => y - x || a - b).map(([hash]) => hash),
    );
    const [first] = heaviest;
    const count = truth[0]![1];
    expect(first!.items).toEqual({ value: count, low: count, high: count });
    expect(first!.bytes).toBe(count * 200);
  });

  test("know a key that nearly all others are lighter than, and its bounds", () => {
    const hashes = dataOf("unique, but for one in three", 2);
    const heavy = hashesOf([-1], 2)[0]!;
    const count = countsOf(hashes).get(heavy)!;
    const [first, second] = keyFiguresOf(tallyOf(hashes), 1).heaviest;
    expect(first!.values).toEqual([heavy]);
    expect(first!.items.low).toBeLessThanOrEqual(count);
    expect(first!.items.high).toBeGreaterThanOrEqual(count);
    expect(second).toBeUndefined();
  });

  test("of nothing are nothing", () => {
    expect(keyFiguresOf(new KeyTally(), 1)).toMatchObject({
      distinct: { value: 0 },
      heaviest: [],
      tail: [],
      giniItems: 0,
      entropy: 0,
      effectiveKeys: 0,
    });
  });
});

function exactFigures(hashes: Int32Array) {
  const counts = [...countsOf(hashes).values()].sort((a, b) => a - b);
  const shares = counts.map((count) => count / hashes.length);
  const ranked = counts.reduce((sum, count, at) => sum + count * (2 * at + 1 - counts.length), 0);
  return {
    distinct: counts.length,
    gini: ranked / (counts.length * hashes.length),
    entropy: -shares.reduce((sum, share) => sum + share * Math.log2(share), 0),
    effectiveKeys: 1 / shares.reduce((sum, share) => sum + share ** 2, 0),
  };
}
