/** Populations of declared properties: shares add up, and heavy values are as heavy as declared. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Distribution, PropertyShape } from "../workload/workload.ts";
import { declaredFacts } from "./declaredFacts.ts";
import type { Population } from "./facts.ts";
import { sampleProperty, sampleWorkload } from "./sampleWorkload.fake.ts";

function populationOf(paths: readonly string[], properties: readonly PropertyShape[]): Population {
  // 3,652,500 items at the end.
  return declaredFacts(sampleWorkload({ properties })).populationOf(paths);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function expectWhole({ rows, distinct }: Population): void {
  expect(sum(rows.map(({ itemShare }) => itemShare))).toBeCloseTo(1, 9);
  expect(sum(rows.map(({ byteShare }) => byteShare))).toBeCloseTo(1, 9);
  expect(sum(rows.map(({ requestShare }) => requestShare))).toBeCloseTo(1, 9);
  expect(sum(rows.map(({ keyCount }) => keyCount))).toBeCloseTo(distinct.value, 3);
  for (const { counts, keyCount } of rows) {
    expect(counts.reduce((product, count) => product * count, 1) / keyCount).toBeCloseTo(1, 6);
    expect(keyCount).toBeGreaterThanOrEqual(1);
  }
}

const zipf = (s: number): Distribution => ({ kind: "zipf", s });
const shares = (given: Readonly<Record<string, number>>): Distribution => ({
  kind: "shares",
  shares: new Map(Object.entries(given)),
});

describe("the values of one property", () => {
  test.each([
    [1, { kind: "uniform" } as Distribution, 1],
    [10, { kind: "uniform" } as Distribution, 0.1],
    [4, zipf(0), 0.25],
    [4, zipf(1), 12 / 25],
    [2, zipf(3), 8 / 9],
    [1_000_000, zipf(1), 1 / 14.392726722],
    [3, shares({ a: 0.5, b: 0.5 }), 0.5],
    [5, shares({ a: 0.6 }), 0.6],
    [3, shares({ a: 0.2 }), 0.4],
    [10, shares({ a: 1.5, b: 0.5 }), 0.75],
    [
      100,
      {
        kind: "classes",
        classes: [
          { values: 0.99, weight: 1 },
          { values: 0.01, weight: 101 },
        ],
      } as Distribution,
      101 / 200,
    ],
  ])("of %i values, %j, the heaviest has %f", (distinct, items, heaviest) => {
    const population = populationOf(["/a"], [sampleProperty("/a", { distinct, items })]);
    expectWhole(population);
    const found = Math.max(
      ...population.rows.map(({ itemShare, keyCount }) => itemShare / keyCount),
    );
    expect(found).toBeCloseTo(heaviest, 5);
  });

  test("what is asked for is told apart, though its items are alike", () => {
    const of = (requests: Distribution): Population =>
      populationOf(["/a"], [sampleProperty("/a", { distinct: 1_000_000, requests })]);
    const hottest = ({ rows }: Population): number =>
      Math.max(...rows.map(({ requestShare, keyCount }) => requestShare / keyCount));
    expect(hottest(of(zipf(1)))).toBeCloseTo(1 / 14.392726722, 4);
    const star = of(shares({ star: 0.4 }));
    expectWhole(star);
    expect(hottest(star)).toBeCloseTo(0.4, 9);
    expect(star.rows.find(({ values }) => values[0] === "star")).toMatchObject({ keyCount: 1 });
    expect(star.distinct.value).toBe(1_000_000);
  });

  test("items without a value are a row of their own, for which nobody asks", () => {
    const population = populationOf(
      ["/a"],
      [sampleProperty("/a", { distinct: 3, missingShare: 0.25 })],
    );
    expectWhole(population);
    expect(population.rows.find(({ values }) => values[0] === undefined)).toMatchObject({
      itemShare: 0.25,
      requestShare: 0,
    });
  });

  test("an unknown path has a value for each item, as the id has", () => {
    expect(populationOf(["/id"], []).distinct.value).toBe(populationOf(["/x"], []).distinct.value);
    expect(populationOf(["/id"], []).distinct.value).toBeCloseTo(3_652_500, 0);
  });

  test("no path is one key with all of it", () => {
    expect(populationOf([], []).rows).toEqual([
      { values: [], counts: [], keyCount: 1, itemShare: 1, byteShare: 1, requestShare: 1 },
    ]);
  });
});

describe("several properties", () => {
  const tenant = sampleProperty("/tenant", { distinct: 10, items: shares({ big: 0.55 }) });

  test("independent ones meet in every combination", () => {
    const kind = sampleProperty("/kind", { distinct: 3 });
    const population = populationOf(["/kind", "/tenant"], [tenant, kind]);
    expectWhole(population);
    expect(population.distinct.value).toBe(30);
    const big = population.rows.filter(({ values }) => values[1] === "big");
    expect(big.map(({ itemShare }) => itemShare)).toEqual(
      Array(3).fill(expect.closeTo(0.55 / 3, 9)),
    );
  });

  test("values within another are its own, and as many as there are", () => {
    const user = sampleProperty("/user", {
      distinct: 1000,
      within: "/tenant",
      distinctWithin: new Map([["big", 910]]),
    });
    const population = populationOf(["/tenant", "/user"], [tenant, user]);
    expectWhole(population);
    expect(population.distinct.value).toBe(1000);
    const alone = populationOf(["/user"], [tenant, user]);
    expectWhole(alone);
    expect(alone.distinct.value).toBe(1000);
    const heaviest = Math.max(...alone.rows.map(({ itemShare, keyCount }) => itemShare / keyCount));
    expect(heaviest).toBeCloseTo(0.05 / 10, 9);
  });

  test("a parent that is not asked for counts for its children", () => {
    const user = sampleProperty("/user", { distinct: 100_000, within: "/tenant" });
    const kind = sampleProperty("/kind", { distinct: 3 });
    const many = { ...tenant, distinct: 5000 };
    const { rows } = populationOf(["/user", "/kind"], [many, user, kind]);
    expect(Math.max(...rows.map(({ counts }) => counts[1]!))).toBeLessThanOrEqual(3);
    expect(sum(rows.map(({ counts }) => counts[0]!))).toBeCloseTo(300_000, 0);
  });

  test("there are no more ids than items, however many have them", () => {
    const population = populationOf(["/tenant", "/id"], [tenant]);
    expectWhole(population);
    expect(population.distinct.value / 3_652_500).toBeCloseTo(1, 3);
    for (const { itemShare, keyCount } of population.rows) {
      expect((itemShare / keyCount) * 3_652_500).toBeCloseTo(1, 1);
    }
    expect(populationOf(["/id", "/tenant"], [tenant]).distinct.value).toBeCloseTo(
      population.distinct.value,
      0,
    );
  });

  test("many paths stay a few thousand rows, whole", () => {
    const paths = ["/a", "/b", "/c", "/d", "/e"];
    const properties = paths.map((path) =>
      sampleProperty(path, { distinct: 5000, items: zipf(0.9), requests: zipf(1.1) }),
    );
    const population = populationOf(paths, properties);
    expectWhole(population);
    expect(population.rows.length).toBeLessThanOrEqual(6000);
    expect(population.distinct.value / 5000 ** 5).toBeCloseTo(1, 6);
  });

  test("shares add up, whatever is declared", () => {
    // Values without an item cannot be asked for by id: something is left for every value.
    const share = fc.double({ min: 1e-6, max: 0.3, noNaN: true });
    const distributions = fc.oneof(
      fc.constant<Distribution>({ kind: "uniform" }),
      fc.double({ min: 0, max: 4, noNaN: true }).map(zipf),
      fc.dictionary(fc.constantFrom("a", "b", "c"), share, { minKeys: 1 }).map(shares),
    );
    const property = (path: string, within: string | undefined): fc.Arbitrary<PropertyShape> =>
      fc
        .record({
          distinct: fc.integer({ min: 3, max: 100_000 }),
          items: distributions,
          requests: fc.option(distributions, { nil: undefined }),
          missingShare: fc.constantFrom(0, 0.3),
        })
        .map((said) => sampleProperty(path, { ...said, within }));
    fc.assert(
      fc.property(
        property("/a", undefined),
        property("/b", "/a"),
        property("/c", undefined),
        fc.subarray(["/a", "/b", "/c", "/id"], { minLength: 1 }),
        (a, b, c, paths) => expectWhole(populationOf(paths, [a, b, c])),
      ),
      { numRuns: 60 },
    );
  });
});

describe("populations that grow", () => {
  const countOf = (grows: PropertyShape["grows"], initialItems: number): number => {
    const property = { ...sampleProperty("/user", { distinct: 1000 }), grows };
    const workload = sampleWorkload({ properties: [property] });
    const growth = { ...workload.growth, initialItems, itemsPerDay: 1000 };
    const grown = { ...workload, growth, horizonMonths: 12 };
    return declaredFacts(grown).populationOf(["/user"]).distinct.value;
  };

  test("have more values at the end, in proportion to the items or to time", () => {
    expect(countOf(undefined, 100_000)).toBe(1000);
    expect(countOf({ kind: "fixed" }, 100_000)).toBe(1000);
    // A year adds 365,250 items to 100,000.
    expect(countOf({ kind: "withItems" }, 100_000)).toBeCloseTo(4653, -1);
    expect(countOf({ kind: "perDay", count: 10 }, 100_000)).toBeCloseTo(4653, -1);
    expect(countOf({ kind: "withItems" }, 0)).toBe(12_000);
  });
});
