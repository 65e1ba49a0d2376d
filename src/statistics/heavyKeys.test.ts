/** The sketch of heavy keys: what it promises, against exact counts. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { seededRandom } from "../base/world.ts";
import { epkOf } from "../partition/epk.ts";
import type { Epk } from "../partition/epkRange.ts";
import { HeavyKeys } from "./heavyKeys.ts";
import { RecentKeys } from "./recentKeys.ts";

const COUNTER_COUNT = 16;

interface Request {
  readonly key: number;
  readonly ru: number;
}

const EPKS: readonly Epk[] = Array.from({ length: 20_000 }, (_, key) =>
  epkOf({ paths: ["/pk"], kind: "Hash", version: 2 }, [`key-${key}`]),
);

function exactLoads(requests: readonly Request[]): Map<number, number> {
  const loads = new Map<number, number>();
  for (const { key, ru } of requests) loads.set(key, (loads.get(key) ?? 0) + ru);
  return loads;
}

/** Everything the file promises about one sketch. */
function checkPromises(requests: readonly Request[], counterCount: number): void {
  const sketch = new HeavyKeys(counterCount);
  for (const { key, ru } of requests) sketch.add(EPKS[key]!, ru);
  const loads = exactLoads(requests);
  const total = requests.reduce((sum, { ru }) => sum + ru, 0);
  const errorMax = total / counterCount + 1e-6;
  const broken = [...loads].filter(([key, load]) => {
    const { ru, errorRu } = sketch.estimate(EPKS[key]!);
    const isBetween = ru >= load - 1e-6 && ru - errorRu <= load + 1e-6;
    const isNamed = load <= errorMax || sketch.isFollowed(EPKS[key]!);
    return !isBetween || errorRu > errorMax || !isNamed;
  });
  expect(broken).toEqual([]);
  expect([...sketch.followed()].length).toBe(Math.min(loads.size, counterCount));
}

/** Key `k` is drawn with a weight of 1 / (k + 1) ^ exponent. */
function zipfRequests(seed: number, exponent: number, keyCount: number, count: number): Request[] {
  const random = seededRandom(seed);
  const steps: number[] = [];
  for (let key = 0; key < keyCount; key++) {
    steps.push((steps.at(-1) ?? 0) + 1 / (key + 1) ** exponent);
  }
  return Array.from({ length: count }, () => {
    const drawn = random.next() * steps.at(-1)!;
    return { key: steps.findIndex((step) => step > drawn), ru: 1 + Math.floor(random.next() * 9) };
  });
}

describe("one sketch", () => {
  test("counts exactly as long as every key has a counter", () => {
    const sketch = new HeavyKeys(2);
    sketch.add(EPKS[0]!, 3);
    sketch.add(EPKS[1]!, 1);
    sketch.add(EPKS[0]!, 4);
    sketch.addThrottled(EPKS[1]!);
    expect(sketch.estimate(EPKS[0]!)).toEqual({ ru: 7, errorRu: 0, throttledCount: 0 });
    expect(sketch.estimate(EPKS[1]!)).toEqual({ ru: 1, errorRu: 0, throttledCount: 1 });
    expect(sketch.estimate(EPKS[2]!)).toEqual({ ru: 0, errorRu: 0, throttledCount: 0 });
  });

  test("gives a counter to a key that comes to exceed it, with its bound as the error", () => {
    const sketch = new HeavyKeys(2);
    sketch.add(EPKS[0]!, 10);
    sketch.add(EPKS[1]!, 5);
    sketch.add(EPKS[2]!, 5);
    expect(sketch.isFollowed(EPKS[2]!)).toBe(false);
    expect(sketch.estimate(EPKS[2]!)).toEqual({ ru: 5, errorRu: 5, throttledCount: 0 });
    sketch.add(EPKS[2]!, 1);
    expect(sketch.isFollowed(EPKS[1]!)).toBe(false);
    expect(sketch.estimate(EPKS[2]!)).toEqual({ ru: 6, errorRu: 5, throttledCount: 0 });
    expect(sketch.estimate(EPKS[1]!)).toEqual({ ru: 5, errorRu: 5, throttledCount: 0 });
  });

  test("a counter that grew meanwhile is not the smallest any more", () => {
    const sketch = new HeavyKeys(2);
    for (const key of [0, 1, 2]) sketch.add(EPKS[key]!, 1);
    sketch.add(EPKS[0]!, 100);
    sketch.add(EPKS[3]!, 50);
    expect(sketch.isFollowed(EPKS[0]!)).toBe(true);
    expect(sketch.isFollowed(EPKS[3]!)).toBe(true);
  });

  test("a throttled request spends nothing, and does not push anybody out", () => {
    const sketch = new HeavyKeys(1);
    sketch.addThrottled(EPKS[0]!);
    sketch.addThrottled(EPKS[1]!);
    expect(sketch.estimate(EPKS[0]!)).toEqual({ ru: 0, errorRu: 0, throttledCount: 1 });
    expect(sketch.isFollowed(EPKS[1]!)).toBe(false);
  });

  test("cleared, it is as good as new", () => {
    const sketch = new HeavyKeys(COUNTER_COUNT);
    for (let key = 0; key < 500; key++) sketch.add(EPKS[key]!, 1 + (key % 5));
    for (const epk of [...sketch.followed()]) sketch.addThrottled(epk);
    sketch.clear();
    for (let key = 500; key < 500 + COUNTER_COUNT; key++) sketch.add(EPKS[key]!, 2);
    expect([...sketch.followed()]).toEqual(EPKS.slice(500, 500 + COUNTER_COUNT));
    expect(sketch.estimate(EPKS[500]!)).toEqual({ ru: 2, errorRu: 0, throttledCount: 0 });
    expect(sketch.estimate(EPKS[1]!)).toEqual({ ru: 0, errorRu: 0, throttledCount: 0 });
  });
});

describe("promises of one sketch", () => {
  test("for all short streams", () => {
    const anyRequest = fc.record({
      key: fc.integer({ min: 0, max: 40 }),
      ru: fc.integer({ min: 1, max: 500 }).map((hundredths) => hundredths / 100),
    });
    fc.assert(
      fc.property(fc.array(anyRequest, { maxLength: 400 }), (requests) => {
        checkPromises(requests, 4);
      }),
      { numRuns: 300 },
    );
  });

  test.each([0.5, 1, 1.5])("for requests with a Zipf exponent of %d", (exponent) => {
    checkPromises(zipfRequests(7, exponent, 2000, 20_000), COUNTER_COUNT);
    checkPromises(zipfRequests(8, exponent, 2000, 20_000), 256);
  });

  const all = Array.from({ length: 20_000 }, (_, key) => key);
  test.each<[string, readonly Request[]]>([
    ["every key is new", all.map((key) => ({ key, ru: 1 }))],
    ["every key is new and heavier than the last", all.map((key) => ({ key, ru: key + 1 }))],
    ["every key is new and lighter than the last", all.map((key) => ({ key, ru: 20_000 - key }))],
    ["keys in turn, one more than there are counters", all.map((at) => ({ key: at % 17, ru: 1 }))],
    ["a heavy key after all the others", all.map((at) => ({ key: Math.min(at, 15_000), ru: 1 }))],
    ["a heavy key in small steps", all.map((at) => ({ key: at % 9 === 0 ? 0 : at, ru: 1 }))],
  ])("when %s", (_, requests) => {
    checkPromises(requests, COUNTER_COUNT);
  });

  test("keys of the other rules spread over the cells as well", () => {
    for (const definition of [
      { paths: ["/pk"], kind: "Hash", version: 1 },
      { paths: ["/a", "/b"], kind: "MultiHash", version: 2 },
    ] as const) {
      const sketch = new HeavyKeys(COUNTER_COUNT);
      for (let user = 0; user < 20_000; user++) {
        sketch.add(epkOf(definition, definition.paths.length === 1 ? [user] : ["one", user]), 1);
      }
      const { errorRu } = sketch.estimate(epkOf(definition, [-1]));
      // All in one cell it would be 1,250; evenly over 1,024 cells and 16 counters about 20.
      expect(errorRu).toBeLessThan(60);
    }
  });
});

describe("five minutes", () => {
  test("the oldest minute gives way", () => {
    const recent = new RecentKeys();
    for (let minute = 10; minute < 17; minute++) recent.during(minute).add(EPKS[0]!, 1);
    expect(recent.top(1, 16)).toMatchObject([{ epk: EPKS[0]!, ru: 5 }]);
    expect(recent.top(1, 18)).toMatchObject([{ ru: 3 }]);
    expect(recent.top(1, 21)).toEqual([]);
    expect(recent.estimate(EPKS[0]!, 21)).toBeUndefined();
    expect(recent.during(21).estimate(EPKS[0]!).ru).toBe(0);
  });

  test("forgetting takes only what is too old", () => {
    const recent = new RecentKeys();
    for (const minute of [10, 11, 14]) recent.during(minute).add(EPKS[0]!, 1);
    const running = recent.during(14);
    recent.forget(15);
    expect(recent.top(1, 14)).toMatchObject([{ ru: 2 }]);
    expect(recent.during(14)).toBe(running);
  });

  test("the top is the true one, as far as errors allow, over minutes of different load", () => {
    const recent = new RecentKeys();
    const requests = zipfRequests(3, 1, 5000, 25_000);
    requests.forEach(({ key, ru }, index) => {
      const minute = Math.floor(index / 5000);
      recent.during(minute).add(EPKS[(key + minute * 3) % 5000]!, ru);
    });
    const loads = exactLoads(
      requests.map(({ key, ru }, at) => ({ key: (key + Math.floor(at / 5000) * 3) % 5000, ru })),
    );
    const byKey = new Map([...loads].map(([key, load]) => [EPKS[key]!, load]));
    const top = recent.top(10, 4);
    for (const { epk, ru, errorRu } of top) {
      expect(ru).toBeGreaterThanOrEqual(byKey.get(epk)!);
      expect(ru - errorRu).toBeLessThanOrEqual(byKey.get(epk)!);
    }
    const exact = [...byKey].toSorted((one, other) => other[1] - one[1]).slice(0, 10);
    expect(top.map(({ epk }) => epk)).toEqual(exact.map(([epk]) => epk));
  });
});
