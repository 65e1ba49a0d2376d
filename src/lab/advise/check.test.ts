/** The guides' validator: each threshold from both sides, and what cannot be told. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { exactly } from "../counting/estimate.ts";
import type { DataFacts, PopulationRow } from "../data/facts.ts";
import type { Simulation } from "../simulate/simulation.ts";
import { type CheckFinding, checkKey, lorenzEvenness, populationEvenness } from "./check.ts";
import { ORDERS, TENANTS } from "./sampleScenarios.fake.ts";
import { candidateOf, sampleFacts, sampleInput, sampleProperty } from "./sampleSimulation.fake.ts";

function rows(shares: readonly number[]): readonly PopulationRow[] {
  return shares.map((share, at) => ({
    values: [`v${at}`],
    counts: [1],
    keyCount: 1,
    itemShare: share,
    byteShare: share,
    requestShare: share,
  }));
}

function factsWith(shares: readonly number[]): DataFacts {
  return {
    ...sampleFacts(TENANTS),
    properties: new Map([
      ["/tenantId", sampleProperty("/tenantId")],
      ["/createdAt", sampleProperty("/createdAt", { time: "second" })],
    ]),
    populationOf: (paths) => ({ paths, rows: rows(shares), distinct: exactly(shares.length) }),
  };
}

const AT = { limits: SERVICE_LIMITS, startMillis: Date.UTC(2026, 0, 1) };
const GUIDES = ["cardinality", "distribution", "alignment"];

function found(findings: readonly CheckFinding[]): readonly string[] {
  return findings
    .filter(({ check }) => GUIDES.includes(check))
    .map(({ check, outcome }) => `${check} ${outcome}`);
}

const TENANT_SHARES = [0.8, 0.12, 0.03, 0.02, 0.02, 0.01];

describe("of items alone", () => {
  const candidate = candidateOf(TENANTS.keys[0]!);

  test("six unequal tenants are warned about", () => {
    const check = checkKey({
      workload: undefined,
      facts: factsWith(TENANT_SHARES),
      simulation: undefined,
      candidate,
      ...AT,
    });
    expect(check.isPassed).toBe(false);
    expect(check.expression).toBe("/tenantId");
    expect(check.findings.slice(0, 3).map(({ sentence }) => sentence)).toEqual([
      "Only 6 keys: fewer than 100 cannot spread data and load. Consider a second property in " +
        "the key.",
      "Evenness is 0.413 (entropy of the keys' bytes, 1 is even), below 0.7: a few keys have most items.",
      "No reads are known. A workload, or a recording of one, would say whether queries name the key.",
    ]);
  });

  test("a thousand even ones pass", () => {
    const facts = factsWith(Array.from({ length: 1000 }, () => 0.001));
    const check = checkKey({ workload: undefined, facts, simulation: undefined, candidate, ...AT });
    expect(found(check.findings)).toEqual([
      "cardinality passed",
      "distribution passed",
      "alignment unknown",
    ]);
    expect(check.isPassed).toBe(true);
  });

  test("of a period nothing can be told", () => {
    const month = candidateOf(TENANTS.keys.at(-1)!);
    const facts = factsWith(TENANT_SHARES);
    const check = checkKey({
      workload: undefined,
      facts,
      simulation: undefined,
      candidate: month,
      ...AT,
    });
    expect(found(check.findings)).toEqual([
      "cardinality unknown",
      "distribution unknown",
      "alignment unknown",
    ]);
  });
});

describe("with a simulation", () => {
  const { workload, facts, simulations } = sampleInput(ORDERS);
  const check = (id: string, change?: (simulation: Simulation) => Simulation) => {
    const simulation = simulations.find(({ candidate }) => candidate.id === id)!;
    const changed = change?.(simulation) ?? simulation;
    return checkKey({
      workload,
      facts,
      simulation: changed,
      candidate: simulation.candidate,
      ...AT,
    });
  };

  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["item-category", ["cardinality warning", "alignment passed"]],
    ["item-id-day", ["cardinality passed", "alignment passed"]],
    ["id", ["cardinality passed", "alignment warning"]],
  ];
  test.each(cases)("%s", (id, expected) => {
    const { findings } = check(id);
    expect(found(findings.filter((each) => each.check !== "distribution"))).toEqual(expected);
  });

  test("reads that are not aligned are named", () => {
    const { findings } = check("id");
    expect(findings[2]).toMatchObject({ score: 50 / 1207.4, threshold: 0.8 });
    expect(findings[2]!.sentence).toBe(
      "4.1 % of the reads name one key or a few, fewer than 80 %. Not so: inventory-check.",
    );
  });

  test("three keys are a few, four are not; a prefix counts by the partitions it lies on", () => {
    const asking = (routing: Simulation["operations"][number]["routing"], partitionsVisited = 1) =>
      check("id", (simulation) => ({
        ...simulation,
        operations: simulation.operations.map((one) => ({ ...one, routing, partitionsVisited })),
      })).findings[2]!.score;
    expect(asking({ kind: "keys", count: 3 })).toBe(1);
    expect(asking({ kind: "keys", count: 4 })).toBe(0);
    expect(asking({ kind: "prefix", levelCount: 1, count: 1000 }, 3)).toBe(1);
    expect(asking({ kind: "prefix", levelCount: 1, count: 1000 }, 4)).toBe(0);
  });
});

describe("evenness", () => {
  test("is 1 for equal keys, and for a single one", () => {
    const of = (shares: readonly number[]): number =>
      populationEvenness({ paths: [], rows: rows(shares), distinct: exactly(0) });
    expect(of([0.25, 0.25, 0.25, 0.25])).toBeCloseTo(1, 12);
    expect(of([1])).toBe(1);
    expect(of([])).toBe(1);
    expect(of([0.5, 0.5, 0, 0])).toBeCloseTo(0.5, 12);
  });

  test("is the same from rows and from their Lorenz curve, in either order, and between 0 and 1", () => {
    const weights = fc.array(fc.integer({ min: 1, max: 10_000 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(weights, fc.boolean(), (drawn, isDescending) => {
        const total = drawn.reduce((sum, each) => sum + each, 0);
        const shares = drawn.map((each) => each / total).sort((a, b) => a - b);
        if (isDescending) shares.reverse();
        let [keys, bytes] = [0, 0];
        const lorenz = shares.map((share): [number, number] => {
          keys += 1 / shares.length;
          bytes += share;
          return [keys, bytes];
        });
        const count = exactly(shares.length);
        const byRows = populationEvenness({ paths: [], rows: rows(shares), distinct: count });
        expect(lorenzEvenness({ lorenz, count })).toBeCloseTo(byRows, 9);
        expect(byRows).toBeGreaterThanOrEqual(0);
        expect(byRows).toBeLessThanOrEqual(1);
      }),
    );
  });
});
