/** Populations as operations with frequencies of their own ask for them. */
import { describe, expect, test } from "vitest";
import type { Distribution, PropertyShape } from "../workload/workload.ts";
import { declaredFacts } from "./declaredFacts.ts";
import type { Population } from "./facts.ts";
import { asAskedFor, askedByValue } from "./requestView.ts";
import { sampleProperty, sampleWorkload } from "./sampleWorkload.fake.ts";

const zipf = (s: number): Distribution => ({ kind: "zipf", s });
const shares = (given: Readonly<Record<string, number>>): Distribution => ({
  kind: "shares",
  shares: new Map(Object.entries(given)),
});

function populationOf(paths: readonly string[], properties: readonly PropertyShape[]): Population {
  return declaredFacts(sampleWorkload({ properties })).populationOf(paths);
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}

function expectWhole({ rows }: Population, distinct: number): void {
  expect(sum(rows.map(({ itemShare }) => itemShare))).toBeCloseTo(1, 9);
  expect(sum(rows.map(({ requestShare }) => requestShare))).toBeCloseTo(1, 9);
  expect(sum(rows.map(({ keyCount }) => keyCount)) / distinct).toBeCloseTo(1, 6);
}

function hottest({ rows }: Population): number {
  return Math.max(...rows.map(({ requestShare, keyCount }) => requestShare / keyCount));
}

describe("a population as an operation asks for it", () => {
  const user = sampleProperty("/user", { distinct: 1_000_000 });

  test("a few of a million alike are asked for most", () => {
    const view = asAskedFor(populationOf(["/user"], [user]), [
      { path: "/user", distribution: zipf(1) },
    ]);
    expectWhole(view, 1_000_000);
    expect(hottest(view)).toBeCloseTo(1 / 14.392726722, 4);
  });

  test("one by a name that no item is known to have", () => {
    const view = asAskedFor(populationOf(["/user"], [user]), [
      { path: "/user", distribution: shares({ star: 0.3, other: 0.1 }) },
    ]);
    expectWhole(view, 1_000_000);
    expect(hottest(view)).toBeCloseTo(0.3, 9);
  });

  test("two parameters, each with its own frequencies", () => {
    const kind = sampleProperty("/kind", { distinct: 4 });
    const tenant = sampleProperty("/tenant", { distinct: 10 });
    const view = asAskedFor(populationOf(["/tenant", "/kind"], [tenant, kind]), [
      { path: "/tenant", distribution: shares({ "tenant-000003": 0.5 }) },
      { path: "/kind", distribution: shares({ "kind-000002": 0.7 }) },
    ]);
    expectWhole(view, 40);
    const row = view.rows.find(
      ({ values }) => values[0] === "tenant-000003" && values[1] === "kind-000002",
    );
    expect(row?.requestShare).toBeCloseTo(0.35, 9);
  });

  test("nobody asks for what items lack", () => {
    const sparse = sampleProperty("/user", { distinct: 5, missingShare: 0.9 });
    const view = asAskedFor(populationOf(["/user"], [sparse]), [
      { path: "/user", distribution: zipf(2) },
    ]);
    expectWhole(view, 6);
    expect(view.rows.find(({ values }) => values[0] === undefined)?.requestShare).toBe(0);
  });

  test("a path that the key does not have changes nothing", () => {
    const population = populationOf(["/user"], [user]);
    expect(asAskedFor(population, [{ path: "/x", distribution: zipf(2) }])).toBe(population);
  });
});

describe("a population as a filter by value asks for it", () => {
  const rowOf = (value: string | undefined, itemShare: number): Population["rows"][number] => ({
    values: [value, "x"],
    counts: [1, 1],
    keyCount: 1,
    itemShare,
    byteShare: itemShare,
    requestShare: itemShare,
  });
  // As a profile has it: what is missing counts like a value.
  const population: Population = {
    paths: ["/maker", "/kind"],
    rows: [rowOf(undefined, 0.8), rowOf("a", 0.15), rowOf("b", 0.05)],
    distinct: { value: 3, low: 3, high: 3 },
  };

  test("finds no item that lacks the value, and all others in proportion", () => {
    const { rows } = askedByValue(population, ["/maker"]);
    expect(rows.map(({ requestShare }) => requestShare)).toEqual([
      0,
      expect.closeTo(0.75),
      expect.closeTo(0.25),
    ]);
    expect(rows.map(({ itemShare }) => itemShare)).toEqual([0.8, 0.15, 0.05]);
  });

  test("is as it was where nothing is missing, or nothing else is there", () => {
    expect(askedByValue(population, ["/kind"])).toBe(population);
    const empty = { ...population, rows: [rowOf(undefined, 1)] };
    expect(askedByValue(empty, ["/maker"])).toBe(empty);
  });
});
