/** Every rule by itself: one small container, changed in one place at a time. */
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { DataFacts } from "../data/facts.ts";
import type { Simulation } from "../simulate/simulation.ts";
import type { Reason } from "./advice.ts";
import { type Ground, unavoidableOperations } from "./ground.ts";
import { judge } from "./judge.ts";
import {
  GB,
  GUIDES_WORLD,
  type SampleKey,
  type SampleSpec,
  sampleInput,
  sampleProperty,
} from "./sampleSimulation.fake.ts";

const KEY: SampleKey = {
  id: "customer",
  key: ["/customerId"],
  count: 50_000,
  storage: 0.001,
  writes: 0.001,
  reads: 0.001,
  pins: ["of-customer", "read"],
};

/** 500 GB in ten physical partitions, 1,000 RU/s each. */
const SPEC: SampleSpec = {
  name: "rules",
  itemBytes: 1024,
  itemsPerDay: (500 * 1024 ** 3) / 1024 / 100,
  retentionDays: 100,
  peakFactor: 1,
  provisioned: 10_000,
  operations: [
    { id: "create", kind: "create", rate: 500, ru: 6 },
    { id: "update", kind: "replace", rate: 50, ru: 10, changes: ["/status"] },
    { id: "of-customer", kind: "query", rate: 400, ru: 4, resultItems: 10 },
    { id: "read", kind: "pointRead", rate: 600, ru: 1 },
  ],
  keys: [KEY],
};

interface Given {
  readonly key?: Partial<SampleKey>;
  readonly spec?: Partial<SampleSpec>;
  readonly change?: (simulation: Simulation) => Simulation;
  readonly facts?: (facts: DataFacts) => DataFacts;
  readonly unavoidable?: readonly string[];
}

function judged({ key, spec, change, facts, unavoidable = [] }: Given) {
  const input = sampleInput({ ...SPEC, ...spec, keys: [{ ...KEY, ...key }] }, GUIDES_WORLD);
  const ground: Ground = {
    workload: input.workload,
    facts: facts?.(input.facts) ?? input.facts,
    limits: SERVICE_LIMITS,
    unavoidable: new Set(unavoidable),
  };
  const simulation = input.simulations[0]!;
  return judge(change?.(simulation) ?? simulation, ground);
}

function reasonsOf(given: Given): readonly string[] {
  return judged(given).reasons.map(({ weight, code }) => `${weight} ${code}`);
}

function only(given: Given, code: Reason["code"]): Reason {
  const found = judged(given).reasons.filter((each) => each.code === code);
  expect(found).toHaveLength(1);
  return found[0]!;
}

const SMALL = { itemsPerDay: 100_000, provisioned: 8000 };

describe("a key of which nothing bad is known", () => {
  test("has no reasons and is workable", () => {
    expect(judged({})).toMatchObject({ standing: "workable", reasons: [] });
  });
});

describe("storage", () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ["below 15 GB", { key: { storage: 0.029 } }, []],
    ["above 15 GB", { key: { storage: 0.032 } }, ["remark storage-hot"]],
    [
      "a few of very many, below twice the limit",
      { key: { storage: 0.05 } },
      ["condition outlier-over-20GB"],
    ],
    ["twice the limit", { key: { storage: 0.081 } }, ["against storage-hot"]],
    ["of 10,000 keys", { key: { storage: 0.05, count: 10_000 } }, ["against storage-hot"]],
    [
      "more keys over it than there is data for: only the largest is believed",
      { key: { storage: 0.05, count: 10_001, over: 1001 }, spec: { retentionDays: 100 } },
      ["condition outlier-over-20GB"],
    ],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(reasonsOf(given)).toEqual(expected);
  });

  test("more keys over the limit than one in twenty are no outliers", () => {
    const change = (simulation: Simulation): Simulation => ({
      ...simulation,
      months: [{ ...simulation.months[1]!, totalBytes: 200_000 * GB }],
      keys: {
        ...simulation.keys,
        largest: { ...simulation.keys.largest, overLimitCount: 2600 },
      },
    });
    expect(reasonsOf({ key: { storage: 0.05 }, change })).toEqual(["against storage-hot"]);
  });

  test("the key, the days and the size are told", () => {
    const reason = only({ key: { storage: 0.1 } }, "storage-hot");
    expect(reason.sentence).toBe(
      'The logical partition of "customer 1" holds 10 % of the data and ends at 50 GB; 20 GB is ' +
        "the most one may hold, and then every write to it is refused (403).",
    );
    expect(reason.counterExample).toBe('"customer 1": passes 15 GB on day 30 and 20 GB on day 40');
    expect(reason.figures).toMatchObject({ alarmDay: 30, fullDay: 40, limitBytes: 20 * GB });
  });
});

describe("load", () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ["within its share", { key: { writes: 0.05, reads: 0.05 } }, []],
    [
      "more than a partition serves",
      { key: { writes: 1 }, spec: { provisioned: 100_000, peakFactor: 4 } },
      ["against throughput-hot"],
    ],
    ["far above its share", { key: { writes: 0.9, reads: 0.9 } }, ["against throughput-hot"]],
    [
      "the current month",
      { key: { writes: 0.9, reads: 0.9, period: "month" } },
      ["against current-period-hot"],
    ],
    [
      "the current second",
      { key: { writes: 0.9, reads: 0.9, period: "second" } },
      ["against throughput-hot"],
    ],
    [
      "a period spread over suffixes",
      { key: { writes: 0.45, reads: 0.9, period: "month" } },
      ["against throughput-hot"],
    ],
    [
      "up to twice the rate would do",
      { key: { writes: 0.2, reads: 0.2 } },
      ["remark throughput-hot"],
    ],
    [
      "up to three times would",
      { key: { writes: 0.42, reads: 0.42 } },
      ["condition throughput-hot"],
    ],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(reasonsOf(given)).toEqual(expected);
  });

  test("the rate, the allotment, the refusals and what it takes are told", () => {
    const { sentence } = only({ key: { writes: 0.9, reads: 0.9 } }, "throughput-hot");
    expect(sentence).toBe(
      'The key "customer 1" gets 90 % of the writes and 90 % of the reads: 5,130 RU/s at the peak, ' +
        "and its physical partition is allotted 1,000 RU/s of the 10,000 RU/s provisioned. 80.7 % " +
        "of the answers at the peak are 429. It would take 51,870 RU/s for the container.",
    );
  });

  test("too little for any key is not the key's fault", () => {
    const reason = only({ spec: { provisioned: 4000 } }, "throughput-hot");
    expect(reason.weight).toBe("remark");
    expect(reason.sentence).toContain("too little with any key");
  });

  test("nearly all on one partition is a remark while nothing is refused", () => {
    const given = { key: { writes: 0.95, reads: 0.95 }, spec: { provisioned: 60_000 } };
    expect(reasonsOf(given)).toEqual(["remark throughput-hot"]);
  });
});

describe("fan-out", () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ["all reads", { key: { pins: [] } }, ["against fan-out", "remark throughput-hot"]],
    ["four in ten", { key: { pins: ["read"] } }, ["condition fan-out"]],
    [
      "many keys for four in ten",
      { key: { pins: ["read"], asks: { "of-customer": 20 } } },
      ["condition fan-out"],
    ],
    ["a few keys for four in ten", { key: { pins: ["read"], asks: { "of-customer": 3 } } }, []],
    [
      "all reads, and no key confines them",
      { key: { pins: [] }, unavoidable: ["read", "of-customer"] },
      ["remark throughput-hot", "remark fan-out"],
    ],
    ["all reads of one small partition", { key: { pins: [] }, spec: SMALL }, ["remark fan-out"]],
    [
      "all of very few reads",
      {
        key: { pins: [] },
        spec: {
          operations: SPEC.operations.map((one) =>
            one.kind === "replace" || one.kind === "create" ? one : { ...one, rate: 0.1 },
          ),
        },
      },
      ["remark fan-out"],
    ],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(reasonsOf(given)).toEqual(expected);
  });

  test("the operation and its visits are told", () => {
    const reason = only({ key: { pins: ["read"] } }, "fan-out");
    expect(reason.sentence).toBe(
      "40 % of the reads name no key and ask all 10 physical partitions: 3,600 RU/s for further " +
        "visits, on 5,700 RU/s of useful work.",
    );
    expect(reason.counterExample).toBe(
      "of-customer: 400 times a second, 10 physical partitions, 13 RU where one visit would cost 4",
    );
  });

  test("one item a key is no reason where items are read one by one", () => {
    const many = { count: 500 * 1024 ** 2, pins: ["read", "of-customer"] };
    expect(reasonsOf({ key: many })).toEqual([]);
    expect(reasonsOf({ key: { ...many, pins: ["read"] } })).toEqual([
      "condition fan-out",
      "condition hyperfragmentation",
    ]);
    const one = SPEC.operations.map((each) => ({ ...each, resultItems: 1 }));
    expect(reasonsOf({ key: { ...many, pins: ["read"] }, spec: { operations: one } })).toEqual([
      "condition fan-out",
    ]);
  });

  test("what no candidate confines is found only by comparison", () => {
    const { simulations } = sampleInput({
      ...SPEC,
      keys: [
        { ...KEY, id: "a", pins: ["read"] },
        { ...KEY, id: "b", pins: [] },
      ],
    });
    expect([...unavoidableOperations(simulations)]).toEqual(["of-customer"]);
    expect(unavoidableOperations(simulations.slice(0, 1)).size).toBe(0);
  });
});

describe("cardinality", () => {
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ["100 keys", { key: { count: 100 } }, []],
    ["99 keys with much room", { key: { count: 99, storage: 0.011 } }, ["remark low-cardinality"]],
    [
      "99 keys, half of what they can hold",
      { key: { count: 99, storage: 0.025 } },
      ["condition low-cardinality"],
    ],
    ["fewer keys than partitions", { key: { count: 9 } }, ["condition low-cardinality"]],
    ["periods", { key: { count: 24, period: "month" } }, []],
    [
      "few keys that break a limit",
      { key: { count: 12, storage: 0.2 } },
      ["against storage-hot", "against low-cardinality"],
    ],
    [
      "few keys in a small container",
      { key: { count: 5, storage: 0.4 }, spec: SMALL },
      ["remark low-cardinality"],
    ],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(reasonsOf(given)).toEqual(expected);
  });
});

describe("values", () => {
  const property = (facts: Parameters<typeof sampleProperty>[1]): Given => ({
    spec: { properties: [sampleProperty("/customerId", facts)] },
  });
  const cases: readonly (readonly [string, Given, readonly string[]])[] = [
    ["updates change it", { key: { changing: 0.01 } }, ["against mutable"]],
    ["a transaction is torn apart", { key: { breaks: ["create"] } }, ["condition tx-scope-broken"]],
    ["1 % of items lack it", { key: { missing: 0.01 } }, ["remark null-concentration"]],
    [
      "5 % lack it, more than a logical partition holds",
      { key: { missing: 0.05 } },
      ["against null-concentration"],
    ],
    [
      "a third lacks it, of little",
      { key: { missing: 0.33 }, spec: SMALL },
      ["condition null-concentration"],
    ],
    ["2,048 bytes", property({ bytesMax: 2048 }), []],
    ["2,049 bytes", property({ bytesMax: 2049 }), ["against value-too-long"]],
    ["arrays", property({ isScalar: false }), ["against not-a-scalar"]],
  ];
  test.each(cases)("%s", (_, given, expected) => {
    expect(reasonsOf(given)).toEqual(expected);
  });

  test("the operation that changes the key is named", () => {
    const reason = only({ key: { key: ["/status"], changing: 1 } }, "mutable");
    expect(reason.counterExample).toBe("update");
    expect(reason.sentence).toContain("100 % of the updates change the key (/status)");
  });

  test("only a hash of a long value is in the key", () => {
    const long = { properties: [sampleProperty("/url", { bytesMax: 9000 })] };
    expect(reasonsOf({ key: { key: ["hash(/url) % 400"] }, spec: long })).toEqual([]);
    expect(reasonsOf({ key: { key: ["suffix(/url, random(), 9)"] }, spec: long })).toEqual([
      "against value-too-long",
    ]);
  });
});
