/** Which of two keys is better, rule by rule; then that the order is one, whatever the figures. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { exactly } from "../counting/estimate.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Reason } from "./advice.ts";
import type { Judgement, KeyStanding } from "./judge.ts";
import { paretoFront, rank } from "./preference.ts";
import { GB, type SampleKey, type SampleSpec, sampleInput } from "./sampleSimulation.fake.ts";

interface Contender {
  readonly key: readonly string[];
  readonly cost?: number;
  readonly skew?: number;
  readonly gigabytes?: number;
  readonly broken?: number;
  readonly isNamed?: boolean;
  readonly standing?: KeyStanding;
  readonly conditions?: number;
  readonly remarks?: number;
}

const SPEC: SampleSpec = {
  name: "two",
  itemBytes: 1000,
  itemsPerDay: 1_000_000,
  retentionDays: 100,
  peakFactor: 1,
  operations: [{ id: "create", kind: "create", rate: 10, ru: 5 }],
  keys: [],
};

function judgementOf(contender: Contender): Judgement {
  const { key, isNamed = true, gigabytes = 1, skew = 1.1, cost = 100, broken = 0 } = contender;
  const sample: SampleKey = {
    id: key.join(" "),
    key,
    origin: isNamed ? "named" : "path",
    count: 1000,
    storage: 0.001,
    writes: 0.001,
    reads: 0.001,
    pins: [],
  };
  const simulation = sampleInput({ ...SPEC, keys: [sample] }).simulations[0]!;
  const { keys, load } = simulation;
  const partitions = simulation.months.at(-1)!.partitionCount;
  const changed: Simulation = {
    ...simulation,
    keys: { ...keys, largest: { ...keys.largest, bytesAtEnd: exactly(gigabytes * GB) } },
    load: {
      ...load,
      peakRate: 100,
      hottestKey: { ...load.hottestKey, rate: exactly((100 * skew) / partitions) },
    },
    cost: { ...simulation.cost, cheapest: exactly(cost), laidOut: cost },
    brokenTransactions: Array.from({ length: broken }, (_, at) => `op${at}`),
  };
  const reasons = [
    ...Array.from({ length: contender.conditions ?? 0 }, () => reasonOf("condition")),
    ...Array.from({ length: contender.remarks ?? 0 }, () => reasonOf("remark")),
  ];
  return { simulation: changed, standing: contender.standing ?? "workable", reasons };
}

function reasonOf(weight: Reason["weight"]): Reason {
  return { code: "low-cardinality", weight, sentence: "", counterExample: undefined, figures: {} };
}

function order(...contenders: readonly Contender[]): readonly string[] {
  const judged = contenders.map(judgementOf);
  const ids = rank(judged, 20 * GB).map(({ simulation }) => simulation.candidate.id);
  const reversed = rank(judged.toReversed(), 20 * GB);
  expect(reversed.map(({ simulation }) => simulation.candidate.id)).toEqual(ids);
  return ids;
}

const CONCAT = ["concat(/a, '-', month(/ts))"];

describe("the first is better than the second", () => {
  const cases: readonly (readonly [string, Contender, Contender])[] = [
    [
      "workable, however cheap a conditional one is",
      { key: CONCAT },
      { key: ["/a"], cost: 1, standing: "conditional" },
    ],
    [
      "conditional rather than bad",
      { key: CONCAT, standing: "conditional" },
      { key: ["/a"], cost: 1, standing: "bad" },
    ],
    ["cheaper by more than 10 %", { key: CONCAT, cost: 2000 }, { key: ["/a"], cost: 2210 }],
    ["a path for less than $100 more", { key: ["/a"], cost: 189 }, { key: CONCAT, cost: 100 }],
    ["a path that costs about the same", { key: ["/a"], cost: 109 }, { key: CONCAT, cost: 100 }],
    ["a path rather than a hierarchy", { key: ["/a"] }, { key: ["/a", "/b"] }],
    ["a hierarchy rather than a period", { key: ["/a", "/b"] }, { key: ["month(/ts)"] }],
    ["a period rather than a concatenation", { key: ["month(/ts)"] }, { key: CONCAT }],
    ["a concatenation rather than a suffix", { key: CONCAT }, { key: ["suffix(/a, random(), 9)"] }],
    ["two levels rather than three", { key: ["/b", "/c"] }, { key: ["/a", "/b", "/c"] }],
    [
      "well below the limit rather than above 15 GB",
      { key: CONCAT },
      { key: ["/a"], gigabytes: 15.1 },
    ],
    ["fewer conditions", { key: CONCAT, conditions: 1 }, { key: ["/a"], conditions: 2 }],
    ["fewer remarks", { key: CONCAT }, { key: ["/a"], remarks: 1 }],
    ["less skew, where all else is alike", { key: CONCAT, skew: 1.6 }, { key: ["/a"], skew: 3 }],
    ["transactions that are kept", { key: CONCAT }, { key: ["/a"], broken: 1 }],
    [
      "named, though found is 19 % cheaper",
      { key: CONCAT },
      { key: ["/a"], cost: 81, isNamed: false },
    ],
    [
      "found and 20 % cheaper",
      { key: CONCAT, cost: 800, isNamed: false },
      { key: ["/a"], cost: 1000 },
    ],
    [
      "named, and not $100 dearer",
      { key: ["/a"], cost: 180 },
      { key: CONCAT, cost: 106, isNamed: false },
    ],
    [
      "found without the condition",
      { key: CONCAT, isNamed: false },
      { key: ["/a"], conditions: 1 },
    ],
    [
      "found and well below the limit",
      { key: CONCAT, isNamed: false },
      { key: ["/a"], gigabytes: 16 },
    ],
  ];
  test.each(cases)("%s", (_, better, worse) => {
    expect(order(better, worse)).toEqual([better, worse].map(({ key }) => key.join(" ")));
  });

  test("what is well within its limits is not compared", () => {
    const small = judgementOf({ key: ["/a", "/b"], gigabytes: 0.1, skew: 1 });
    const larger = judgementOf({ key: ["/a"], gigabytes: 9, skew: 1.4 });
    expect(rank([small, larger], 20 * GB)[0]).toBe(larger);
    expect(paretoFront([small, larger], 20 * GB).size).toBe(2);
  });
});

describe("whatever the figures", () => {
  const contender = fc.record({
    cost: fc.constantFrom(0, 50, 95, 100, 105, 110, 200, Number.POSITIVE_INFINITY, Number.NaN),
    skew: fc.constantFrom(1, 1.5, 1.6, 4),
    gigabytes: fc.constantFrom(0, 5, 14, 16, 25),
    broken: fc.nat({ max: 2 }),
    isNamed: fc.boolean(),
    standing: fc.constantFrom<KeyStanding>("workable", "conditional", "bad"),
    conditions: fc.nat({ max: 2 }),
    kind: fc.constantFrom(["/a"], ["/a", "/b"], ["month(/ts)"], CONCAT),
  });
  test("all are ranked once, by standing, and the order does not depend on that of the input", () => {
    fc.assert(
      fc.property(fc.array(contender, { maxLength: 12 }), (drawn) => {
        const judged = drawn.map(({ kind, ...rest }, at) => {
          const judgement = judgementOf({ ...rest, key: kind });
          const candidate = { ...judgement.simulation.candidate, id: `key ${at}` };
          return { ...judgement, simulation: { ...judgement.simulation, candidate } };
        });
        const ranked = rank(judged, 20 * GB);
        expect(new Set(ranked)).toEqual(new Set(judged));
        expect(ranked).toHaveLength(judged.length);
        const standings = ranked.map(({ standing }) => standing);
        const sorted = ["workable", "conditional", "bad"].flatMap((standing) =>
          standings.filter((each) => each === standing),
        );
        expect(standings).toEqual(sorted);
        const notBad = (list: readonly Judgement[]) =>
          list.filter(({ standing }) => standing !== "bad");
        expect(notBad(rank(judged.toReversed(), 20 * GB))).toEqual(notBad(ranked));
        const front = paretoFront(judged, 20 * GB);
        expect(front.size > 0).toBe(notBad(judged).length > 0);
      }),
      { numRuns: 200 },
    );
  });
});
