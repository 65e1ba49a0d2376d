/** What is counted of keys, against counts that a few lines of script make. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { type KeyFigures, keyFiguresOf } from "../profile/keyProfile.ts";
import { growthOf, type TimeQuantiles } from "../profile/populationGrowth.ts";
import { DistinctCounter } from "./distinctCounter.ts";
import { KeyTable, pinOf } from "./keyTable.ts";
import { KeyTally } from "./keyTally.ts";
import { LinearCounter } from "./linearCounter.ts";
import { Sightings } from "./sightings.ts";
import { ValueHash } from "./valueHash.ts";

const hash = new ValueHash();

function hashOf(text: string): { readonly low: number; readonly high: number } {
  hash.ofText(text);
  // The last bits say which components are absent: none.
  return { low: hash.low, high: (hash.high >>> 10) << 10 };
}

function shuffled<T>(values: readonly T[], seed: number): T[] {
  const random = seededRandom(seed);
  return values
    .map((value) => ({ value, at: random.next() }))
    .sort((a, b) => a.at - b.at)
    .map(({ value }) => value);
}

/** Some keys with most of the items, very many with few. */
function skewed(count: number, distinct: number, seed: number): string[] {
  const random = seededRandom(seed);
  return Array.from(
    { length: count },
    () => `key-${Math.floor(distinct * random.next() ** 3)}-of-some`,
  );
}

function tallyOf(keys: readonly string[], entriesMax = Number.POSITIVE_INFINITY): KeyTally {
  const counts = countsOf(keys);
  const pins = new Map(
    [...counts]
      .filter(([, count]) => count > 0.002 * keys.length)
      .map(([key]) => [pinOf(hashOf(key).low, hashOf(key).high), [key]] as const),
  );
  const tally = new KeyTally(pins);
  for (const key of keys) {
    const { low, high } = hashOf(key);
    if (tally.add(low, high, 100)) tally.keepValues(low, high, [key]);
    if (tally.entryCount > entriesMax) tally.thin(entriesMax);
  }
  return tally;
}

function figuresOf(tally: KeyTally): KeyFigures {
  return keyFiguresOf(tally, { byteScale: 1, width: 1, pinnedShare: 0.01 });
}

function countsOf(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) counts.set(key, (counts.get(key) ?? 0) + 1);
  return counts;
}

function giniOf(counts: readonly number[]): number {
  const ordered = counts.toSorted((a, b) => a - b);
  const total = ordered.reduce((sum, count) => sum + count, 0);
  const weighted = ordered.reduce((sum, count, at) => sum + count * (at + 1), 0);
  return (2 * weighted) / (ordered.length * total) - (ordered.length + 1) / ordered.length;
}

describe("hashes", () => {
  test("of half a million ids differ, where 32 bits would take thirty for others", () => {
    const pins = new Set<number>();
    const lows = new Set<number>();
    for (let index = 0; index < 500_000; index++) {
      const { low, high } = hashOf(`item-${index}`);
      pins.add(pinOf(low, high));
      lows.add(low);
    }
    expect(pins.size).toBe(500_000);
    expect(lows.size).toBeLessThan(500_000);
  });

  test("of 1, true, null and their texts differ", () => {
    const seen = new Set<number>();
    for (const text of ["1", "true", "null", ""]) seen.add(hashOf(text).low);
    for (const number of [1, 0, -0.5, 1e300]) {
      hash.ofNumber(number);
      seen.add(hash.low);
    }
    hash.ofBoolean(true);
    seen.add(hash.low);
    hash.ofNull();
    seen.add(hash.low);
    expect(seen.size).toBe(10);
    expect(seen.has(0)).toBe(false);
  });

  test("of long texts know their beginning, their end and their length", () => {
    const long = "x".repeat(5000);
    const lows = [`${long}`, `${long}x`, `a${long}`, `${long}a`].map((text) => hashOf(text).low);
    expect(new Set(lows).size).toBe(4);
  });
});

describe("a table of keys", () => {
  test("thinned, keeps exact counts of some, whatever the order", () => {
    const keys = skewed(60_000, 20_000, 3);
    const exact = countsOf(keys);
    const keptIn = (order: readonly string[]): readonly string[] => {
      const table = new KeyTable();
      for (const key of order) {
        const { low, high } = hashOf(key);
        table.add(low, high, 10);
        if (table.fairCount > 3000) table.thin(3000);
      }
      expect(table.isSample).toBe(true);
      const kept: string[] = [];
      table.forEach(({ low, high, count, bytes }) => {
        kept.push(`${low} ${high} ${count} ${bytes}`);
      });
      return kept.sort();
    };
    const kept = keptIn(keys);
    expect(kept.length).toBeGreaterThan(1000);
    expect(keptIn(shuffled(keys, 4))).toEqual(kept);
    const right = new Set(
      [...exact].map(([key, count]) => {
        const { low, high } = hashOf(key);
        return `${low} ${high} ${count} ${count * 10}`;
      }),
    );
    for (const entry of kept) expect(right.has(entry)).toBe(true);
  });

  test("a table of bits knows a million within half a percent, repeated or not", () => {
    for (const distinct of [1000, 100_000, 1_000_000]) {
      const counter = new LinearCounter(20);
      for (let index = 0; index < distinct; index++) counter.add(hashOf(`v${index}`).high);
      for (let index = 0; index < 1000; index++) counter.add(hashOf(`v${index}`).high);
      const { value, low, high } = counter.estimate();
      expect(Math.abs(value / distinct - 1)).toBeLessThan(0.005);
      expect(low).toBeLessThanOrEqual(distinct);
      expect(high).toBeGreaterThanOrEqual(distinct);
    }
  });

  test("different values are exact while they are few", () => {
    const counter = new DistinctCounter();
    for (let index = 0; index < 12_000; index++) {
      const { low, high } = hashOf(`v${index % 4000}`);
      counter.add(low, high);
    }
    expect(counter.estimate()).toEqual({ value: 4000, low: 4000, high: 4000 });
  });
});

describe("figures of a key", () => {
  test.each([
    ["few", 20_000, 50],
    ["many", 40_000, 15_000],
    ["nearly all different", 20_000, 4_000_000],
  ])("are exact where all are counted: %s", (_, count, distinct) => {
    const keys = skewed(count, distinct, 7);
    const exact = countsOf(keys);
    const figures = figuresOf(tallyOf(keys));
    const counts = [...exact.values()];
    expect(figures.distinct).toEqual({ value: exact.size, low: exact.size, high: exact.size });
    expect(figures.largestShare.value).toBe(Math.max(...counts) / count);
    expect(figures.giniItems).toBeCloseTo(giniOf(counts), 9);
    expect(figures.giniError).toBe(0);
    const squares = counts.reduce((sum, each) => sum + each * each, 0);
    expect(figures.effectiveKeys).toBeCloseTo(count ** 2 / squares, 6);
    const listed = figures.heaviest.reduce((sum, { items }) => sum + items.value, 0);
    const tail = figures.tail.reduce((sum, { itemShare }) => sum + itemShare, 0);
    expect(listed / count + tail).toBeCloseTo(1, 9);
    const tailKeys = figures.tail.reduce((sum, { keyCount }) => sum + keyCount, 0);
    expect(figures.heaviest.length + tailKeys).toBe(exact.size);
    for (const { values, items } of figures.heaviest) {
      expect(items.value).toBe(exact.get(String(values[0])));
    }
  });

  test("are within their errors where some are counted, and say so", () => {
    for (const seed of [1, 2, 3]) {
      const keys = skewed(80_000, 60_000, seed);
      const counts = [...countsOf(keys).values()];
      const figures = figuresOf(tallyOf(keys, 6000));
      expect(figures.sampledKeys).toBeGreaterThan(2500);
      expect(figures.distinct.low).toBeLessThanOrEqual(counts.length);
      expect(figures.distinct.high).toBeGreaterThanOrEqual(counts.length);
      expect(Math.abs(figures.distinct.value / counts.length - 1)).toBeLessThan(0.01);
      const off = Math.abs(figures.giniItems - giniOf(counts));
      expect(off).toBeLessThanOrEqual(figures.giniError);
      const largest = Math.max(...counts) / keys.length;
      expect(figures.largestShare.low).toBeLessThanOrEqual(largest);
      expect(figures.largestShare.high).toBeGreaterThanOrEqual(largest);
    }
  });

  test("do not depend on the order, counted or sampled", () => {
    const keys = skewed(30_000, 20_000, 11);
    for (const entriesMax of [Number.POSITIVE_INFINITY, 2000]) {
      const figures = figuresOf(tallyOf(keys, entriesMax));
      expect(figuresOf(tallyOf(shuffled(keys, 5), entriesMax))).toEqual(figures);
    }
  });

  test("agree to the digit for equal partitionings under other names", () => {
    const keys = skewed(30_000, 9000, 13);
    const { heaviest: one, ...figures } = figuresOf(tallyOf(keys));
    const { heaviest: two, ...others } = figuresOf(tallyOf(keys.map((key) => `fleet/${key}`)));
    expect(others).toEqual(figures);
    expect(two.map(({ items, bytes }) => [items, bytes])).toEqual(
      one.map(({ items, bytes }) => [items, bytes]),
    );
  });
});

describe("populations", () => {
  const evenly: TimeQuantiles = {
    shareBy: (millis) => millis / 100_000,
    firstMillis: 0,
    lastMillis: 100_000,
  };

  function growthIn(keys: readonly string[], times: TimeQuantiles | undefined = evenly) {
    const sightings = new Sightings();
    keys.forEach((key, at) => {
      const { low, high } = hashOf(key);
      sightings.add(low, pinOf(low, high), (at * 100_000) / keys.length);
    });
    return growthOf(tallyOf(keys), sightings.all, times);
  }

  function drawn(count: number, of: (index: number, chance: number) => string): string[] {
    const random = seededRandom(17);
    return Array.from({ length: count }, (_, index) => of(index, random.next()));
  }

  test.each([
    ["few that come all the time", 200],
    ["as many as items", 20_000],
    ["ten times as many as items, of which nearly all come once", 200_000],
  ])("of a fixed set do not grow: %s", (_, distinct) => {
    const growth = growthIn(drawn(20_000, (_at, chance) => `d${Math.floor(chance * distinct)}`));
    expect(growth.model).toBe("fixed");
    expect(growth.newPerItem).toBe(0);
    const met = countsOf(drawn(20_000, (_at, chance) => `d${Math.floor(chance * distinct)}`)).size;
    // Chao's number is a lower bound that is close where values are alike.
    expect((met + growth.unmet) / distinct).toBeGreaterThan(0.85);
    expect((met + growth.unmet) / distinct).toBeLessThan(1.15);
  });

  test("that come and go grow with the items, at the rate they do", () => {
    const growth = growthIn(drawn(20_000, (at, chance) => `o${Math.floor(at / 4 + chance * 3)}`));
    expect(growth.model).toBe("items");
    expect(growth.newPerItem).toBeCloseTo(0.25, 1);
    expect(growth.evidence).toContain("second half");
  });

  test("that join and stay grow, too", () => {
    const growth = growthIn(drawn(20_000, (at, chance) => `u${Math.floor((chance * at) / 10)}`));
    expect(growth.model).toBe("items");
    expect(growth.newPerItem).toBeGreaterThan(0.02);
    expect(growth.newPerItem).toBeLessThan(0.2);
  });

  test("that are new by the day grow with time where items do not come evenly", () => {
    // Half of the items come in the last tenth of the time.
    const shareBy = (millis: number): number =>
      millis < 90_000 ? (millis / 90_000) * 0.5 : 0.5 + (millis - 90_000) / 20_000;
    const sightings = new Sightings();
    const keys: string[] = [];
    for (let at = 0; at < 40_000; at++) {
      const share = at / 40_000;
      const millis = share < 0.5 ? share * 180_000 : 90_000 + (share - 0.5) * 20_000;
      const key = `batch-${Math.floor(millis / 200)}`;
      const { low, high } = hashOf(key);
      sightings.add(low, pinOf(low, high), millis);
      keys.push(key);
    }
    const growth = growthOf(tallyOf(keys), sightings.all, {
      shareBy,
      firstMillis: 0,
      lastMillis: 100_000,
    });
    expect(growth.model).toBe("time");
    expect(growth.newPerDay! / (86_400_000 / 200)).toBeCloseTo(1, 1);
  });

  test("of which every item has its own are told as such", () => {
    expect(growthIn(drawn(5000, (at) => `id-${at}`)).model).toBe("unique");
  });

  test("without a time nothing shows growth", () => {
    const keys = drawn(20_000, (at, chance) => `o${Math.floor(at / 4 + chance * 3)}`);
    const growth = growthOf(tallyOf(keys), [], undefined);
    expect(growth.model).toBe("fixed");
    expect(growth.evidence).toContain("No time");
  });
});
