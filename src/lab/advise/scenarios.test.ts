/** The worked cases of the guides: from their figures, their verdicts must follow. */
import { describe, expect, test } from "vitest";
import type { ReasonCode, Verdict } from "./advice.ts";
import { advise } from "./advise.ts";
import { CAR, ORDERS, SOCIAL, TENANTS } from "./sampleScenarios.fake.ts";
import {
  GUIDES_WORLD,
  REAL_WORLD,
  type SampleSpec,
  type SampleWorld,
  sampleInput,
} from "./sampleSimulation.fake.ts";
import { CITY, FEED, FEED_TIMES_20 } from "./sampleTimeScenarios.fake.ts";

type Expected = Readonly<Record<string, readonly [Verdict, ...ReasonCode[]]>>;

interface Case {
  readonly spec: SampleSpec;
  /** Reasons that must be among those that count; there may be others. */
  readonly expected: Expected;
}

const CASES: readonly Case[] = [
  {
    spec: ORDERS,
    expected: {
      "item-id": ["best"],
      "item-id-day": ["workable"],
      "order-time": ["bad", "throughput-hot", "fan-out"],
      "item-category": ["bad", "low-cardinality", "storage-hot", "throughput-hot"],
      id: ["bad", "fan-out"],
    },
  },
  {
    spec: { ...ORDERS, name: "orders of a year", retentionDays: 365 },
    expected: { "item-id": ["bad", "storage-hot"], "item-id-day": ["best"] },
  },
  {
    spec: CAR,
    expected: {
      "device-month": ["best"],
      device: ["conditional", "outlier-over-20GB"],
      model: ["bad", "low-cardinality", "storage-hot", "throughput-hot", "fan-out"],
      month: ["bad", "current-period-hot", "storage-hot"],
    },
  },
  {
    // The simpler of two that are equal.
    spec: { ...CAR, name: "car of a year", retentionDays: 365 },
    expected: { device: ["best"], "device-month": ["workable"] },
  },
  {
    spec: TENANTS,
    expected: {
      "tenant-user-hierarchical": ["best"],
      "tenant-user-synthetic": ["workable"],
      "tenant-suffix": ["conditional", "fan-out", "tx-scope-broken"],
      tenant: ["bad", "low-cardinality", "storage-hot", "throughput-hot"],
      "data-type": ["bad", "low-cardinality", "storage-hot", "throughput-hot"],
      month: ["bad", "current-period-hot"],
    },
  },
  {
    spec: {
      ...TENANTS,
      name: "even tenants",
      keys: TENANTS.keys.map((key) =>
        key.id === "tenant"
          ? { ...key, count: 5000, storage: 1 / 5000, writes: 1 / 5000, reads: 1 / 5000 }
          : key,
      ),
    },
    expected: { tenant: ["best"], "tenant-user-hierarchical": ["workable"] },
  },
  {
    spec: SOCIAL,
    expected: {
      "user-month": ["best"],
      user: ["conditional", "outlier-over-20GB"],
      day: ["bad", "current-period-hot"],
      id: ["bad", "fan-out", "hyperfragmentation"],
      likes: ["bad", "mutable"],
    },
  },
  {
    spec: FEED,
    expected: {
      month: ["best"],
      "provider-month": ["conditional", "fan-out"],
      provider: ["bad", "storage-hot"],
      guid: ["bad", "fan-out", "hyperfragmentation"],
    },
  },
  {
    spec: FEED_TIMES_20,
    expected: {
      month: ["bad", "storage-hot", "current-period-hot"],
      "provider-month": ["bad", "storage-hot"],
      "provider-day": ["bad", "fan-out"],
      "month-suffix": ["best", "fan-out"],
    },
  },
  {
    spec: CITY,
    expected: {
      "zone-type-month": ["best"],
      "device-day": ["conditional", "fan-out"],
      zone: ["bad", "storage-hot"],
      "device-type": ["bad", "low-cardinality", "storage-hot", "throughput-hot"],
      month: ["bad", "current-period-hot", "storage-hot"],
    },
  },
];

describe.each<[string, SampleWorld]>([
  ["as the guides count", GUIDES_WORLD],
  ["with dearer visits and more partitions", REAL_WORLD],
])("%s", (_, world) => {
  test.each(CASES.map((each) => [each.spec.name, each] as const))("%s", (__, one) => {
    expect(verdictsOf(one, world)).toEqual(one.expected);
  });
});

test("where a month of the feed is a little too hot for its share, the verdict says so", () => {
  const { best, summary } = advise(sampleInput(FEED, REAL_WORLD));
  expect(best?.reasons.map(({ weight, code }) => `${weight} ${code}`)).toEqual([
    "remark current-period-hot",
  ]);
  expect(summary).toContain(best?.reasons[0]?.sentence);
  expect(best?.reasons[0]?.sentence).toContain("It would take 5,");
});

/** Of the expected keys and reasons only. */
function verdictsOf({ spec, expected }: Case, world: SampleWorld): Expected {
  const { candidates } = advise(sampleInput(spec, world));
  const found = Object.entries(expected).map(([id, [, ...codes]]) => {
    const candidate = candidates.find(({ simulation }) => simulation.candidate.id === id);
    if (candidate === undefined) throw new Error(id);
    const grave = candidate.reasons.filter(({ weight }) => weight !== "remark");
    const counted = codes.filter((code) => grave.some((reason) => reason.code === code));
    return [id, [candidate.verdict, ...counted]] as const;
  });
  return Object.fromEntries(found) as Expected;
}
