/** What holds for every workload and key: numbers are numbers, and parts make up the whole. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseKeyLevels } from "../../keys/expressionText.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Candidate } from "../candidate/candidate.ts";
import {
  sampleOperation,
  sampleProperty,
  sampleQuery,
  sampleWorkload,
} from "../data/sampleWorkload.fake.ts";
import { factsOf, settingOf } from "../lab.ts";
import type { Distribution, Operation, Workload } from "../workload/workload.ts";
import { simulate } from "./simulate.ts";
import type { Simulation } from "./simulation.ts";

const START = Date.UTC(2026, 0, 1);

const distributions: fc.Arbitrary<Distribution> = fc.oneof(
  fc.constant<Distribution>({ kind: "uniform" }),
  fc.constantFrom(0, 0.5, 1, 1.3, 3).map((s): Distribution => ({ kind: "zipf", s })),
  fc
    .dictionary(fc.constantFrom("a", "b", "c"), fc.double({ min: 0.01, max: 0.33, noNaN: true }), {
      minKeys: 1,
    })
    .map((shares): Distribution => ({ kind: "shares", shares: new Map(Object.entries(shares)) })),
  fc.tuple(fc.double({ min: 0.01, max: 0.99, noNaN: true }), fc.integer({ min: 0, max: 50 })).map(
    ([values, weight]): Distribution => ({
      kind: "classes",
      classes: [
        { values, weight: 1 },
        { values: 1 - values, weight },
      ],
    }),
  ),
);

const distincts = fc.constantFrom(3, 4, 10, 500, 3000, 50_000, 5_000_000);

const properties = fc
  .record({
    tenantItems: distributions,
    tenantRequests: fc.option(distributions, { nil: undefined }),
    tenants: distincts,
    tenantMissing: fc.constantFrom(0, 0, 0.1, 1),
    userItems: distributions,
    users: distincts,
    isWithin: fc.boolean(),
    resolution: fc.constantFrom(
      "second",
      "minute",
      "hour",
      "day",
      "week",
      "month",
      "quarter",
      "year",
    ),
  } as const)
  .map(({ tenantItems, tenantRequests, tenants, tenantMissing, userItems, users, ...rest }) => [
    sampleProperty("/tenant", {
      distinct: tenants,
      items: tenantItems,
      requests: tenantRequests,
      missingShare: tenantMissing,
    }),
    sampleProperty("/user/id", {
      distinct: users,
      items: userItems,
      within: rest.isWithin ? "/tenant" : undefined,
    }),
    sampleProperty("/kind", { distinct: 3, items: { kind: "zipf", s: 1 }, changes: true }),
    sampleProperty("/ts", { time: "second" }),
    sampleProperty("/when", { time: rest.resolution }),
  ]);

const rates = fc.constantFrom(0, 0.01, 3, 200, 5000);

const OPERATIONS: readonly ((ratePerSecond: number) => Operation)[] = [
  (ratePerSecond) => sampleOperation("add", "create", { ratePerSecond }),
  (ratePerSecond) => sampleOperation("put", "upsert", { ratePerSecond, changes: ["/kind"] }),
  (ratePerSecond) =>
    sampleOperation("patch", "patch", { ratePerSecond, changes: ["/kind"], knows: ["/tenant"] }),
  (ratePerSecond) => sampleOperation("drop", "delete", { ratePerSecond, knows: [] }),
  (ratePerSecond) => sampleOperation("read", "pointRead", { ratePerSecond, ageDays: 3 }),
  (ratePerSecond) =>
    sampleOperation("look", "pointRead", { ratePerSecond, knows: ["/user/id", "/ts"] }),
  (ratePerSecond) =>
    sampleQuery("mine", "SELECT * FROM c WHERE c.tenant = @t AND c.user.id = @u", {
      ratePerSecond,
      parameters: new Map([
        [
          "@t",
          {
            like: undefined,
            distribution: { kind: "zipf", s: 1.1 },
            agoDays: undefined,
            values: undefined,
          },
        ],
      ]),
    }),
  (ratePerSecond) =>
    sampleQuery("lately", "SELECT * FROM c WHERE c.tenant = @t AND c.ts >= @from", {
      ratePerSecond,
      parameters: new Map([
        ["@from", { like: undefined, distribution: undefined, agoDays: 30, values: undefined }],
      ]),
    }),
  (ratePerSecond) =>
    sampleQuery("newest", "SELECT TOP 10 * FROM c WHERE c.kind = 'a' ORDER BY c.ts DESC", {
      ratePerSecond,
    }),
  (ratePerSecond) =>
    sampleQuery("several", "SELECT c.id FROM c WHERE c.tenant IN ('a', 'b', 'x')", {
      ratePerSecond,
      ru: 40,
    }),
  (ratePerSecond) => sampleQuery("all", "SELECT VALUE COUNT(1) FROM c", { ratePerSecond }),
];

const operations = fc
  .subarray([...OPERATIONS], { minLength: 0 })
  .chain((some) =>
    fc
      .array(rates, { minLength: some.length, maxLength: some.length })
      .map((each) => some.map((make, at) => make(each[at]!))),
  );

const workloads: fc.Arbitrary<Workload> = fc
  .record({
    properties,
    operations,
    bytes: fc.constantFrom(60, 1024, 100_000),
    itemsPerDay: fc.constantFrom(0, 10, 20_000, 5_000_000),
    initialItems: fc.constantFrom(0, 0, 1000, 300_000_000),
    retentionDays: fc.constantFrom(undefined, 0.5, 30, 10_000),
    perMonth: fc.constantFrom(0, 0.1, -0.2),
    peakFactor: fc.constantFrom(1, 3, 40),
    horizonMonths: fc.constantFrom(1, 12, 120),
    rate: fc.constantFrom(undefined, 400, 30_000),
  })
  .map(({ properties: shapes, operations: list, bytes, horizonMonths, rate, ...growth }) =>
    sampleWorkload({
      properties: shapes,
      operations: list,
      item: { bytes, example: undefined },
      horizonMonths,
      growth,
      throughput: rate === undefined ? undefined : { mode: "manual", ratePerSecond: rate },
    }),
  );

const KEYS = [
  "/tenant",
  "/user/id",
  "/id",
  "/kind",
  "/ts",
  "/when",
  "/nowhere",
  "month(/ts)",
  "hour(/when)",
  "year(/ts)",
  "concat(/tenant, '-', month(/ts))",
  "concat(/tenant, '-', /user/id)",
  "hash(/id) % 20",
  "hash(/tenant) % 7",
  "hash(concat(/tenant, /user/id)) % 10",
  "hash(month(/ts)) % 5",
  "suffix(/tenant, hash(/id), 50)",
  "suffix(day(/ts), hash(/user/id), 400)",
  "suffix(/tenant, random(), 10)",
  "suffix(day(/ts), turn(), 30)",
  "random(50)",
  "choose(/tenant, ['a', 'b'], concat(/tenant, '-', day(/ts)), /tenant)",
  "choose(/tenant, ['a', 'b'], suffix(/tenant, hash(/id), 20), /tenant)",
  "choose(/tenant, ['a'], concat(/tenant, /user/id), quarter(/ts))",
  "lower(/tenant)",
  "lower(concat(/tenant, hash(/user/id) % 3))",
  "[/tenant, /user/id]",
  "[/tenant, /user/id, /id]",
  "[/tenant, month(/ts)]",
  "[month(/ts), /tenant]",
  "[/tenant, hash(/id) % 10, week(/ts)]",
  "[/kind, /tenant]",
];

const candidates = fc.constantFrom(...KEYS).map(candidateOf);

function candidateOf(text: string): Candidate {
  const levels = parseKeyLevels(text);
  if (!levels.ok) throw new Error(`${text}: ${levels.error.message}`);
  return { id: text, levels: levels.value, origin: "named", stated: undefined };
}

function run(workload: Workload, candidate: Candidate): Simulation {
  const setting = settingOf(
    { limits: SERVICE_LIMITS, startMillis: START, seed: 1 },
    workload,
    factsOf({ workload, profile: undefined }),
  );
  return simulate(setting, candidate);
}

/** Where it is documented that a number may be beyond all bounds. */
const MAY_BE_INFINITE = /^\.cost\.(laidOut|cheapest\.(value|low|high))$/;

function badNumbers(value: unknown, place = ""): string[] {
  if (typeof value === "number") {
    const isFine = value >= 0 && (Number.isFinite(value) || MAY_BE_INFINITE.test(place));
    return isFine ? [] : [`${place} = ${value}`];
  }
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, each]) => badNumbers(each, `${place}.${name}`));
}

function sumOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, each) => sum + each, 0);
}

function expectClose(actual: number, expected: number, relative = 1e-6): void {
  expect(Math.abs(actual - expected)).toBeLessThanOrEqual(
    relative * Math.max(Math.abs(actual), Math.abs(expected)) + 1e-9,
  );
}

function expectSound(simulation: Simulation): void {
  const { keys, months, partitions, load, throttling, fanOut } = simulation;
  const { candidate: _, ...numbers } = simulation;
  expect(badNumbers(numbers).join(", ")).toBe("");
  const total = months.at(-1)!.totalBytes;
  expectClose(sumOf(partitions.map(({ bytes }) => bytes)), total, 1e-3);
  expectClose(load.meanRate, sumOf(partitions.map(({ rates: hours }) => sumOf(hours) / 24)), 1e-3);
  expect(partitions[0]!.from).toBe(0);
  expect(partitions.at(-1)!.to).toBe(1);
  partitions.slice(1).forEach((partition, at) => {
    expect(partition.from).toBe(partitions[at]!.to);
    expect(partition.to).toBeGreaterThanOrEqual(partition.from);
  });
  for (const share of [
    keys.largest.share,
    keys.largest.overLimitShare,
    load.hottestPartition.share,
    load.hottestKey.writeShare,
    load.hottestKey.readShare,
    load.giniRates,
    keys.giniBytes,
    throttling.share,
    throttling.failedShare,
    simulation.changingShare,
    simulation.missingShare,
  ]) {
    expect(share).toBeLessThanOrEqual(1 + 1e-6);
  }
  const routed = fanOut.keyShare + fanOut.keysShare + fanOut.prefixShare + fanOut.everywhereShare;
  expect(routed === 0 || Math.abs(routed - 1) < 1e-9).toBe(true);
  expect(throttling.waitP50).toBeLessThanOrEqual(throttling.waitP99);
  months.slice(1).forEach((month, at) => {
    expect(month.month).toBe(at + 1);
    expect(month.partitionCount).toBe(months[at]!.partitionCount + month.splitCount);
  });
  expect(load.peakRate).toBeGreaterThanOrEqual(load.meanRate * (1 - 1e-9));
  expect(load.hottestPartition.rate.value).toBeLessThanOrEqual(load.peakRate * (1 + 1e-9));
  const lorenz = keys.lorenz;
  lorenz.slice(1).forEach(([x, y], at) => {
    expect(x).toBeGreaterThanOrEqual(lorenz[at]![0] - 1e-9);
    expect(y).toBeGreaterThanOrEqual(lorenz[at]![1] - 1e-9);
    expect(y).toBeLessThanOrEqual(x + 1e-6);
  });
}

const RUNS = { numRuns: 10, seed: 20_260_101 };

describe("for every workload and key", () => {
  test("every number is one, and parts make up the whole", () => {
    fc.assert(
      fc.property(workloads, candidates, (workload, candidate) => {
        expectSound(run(workload, candidate));
      }),
      RUNS,
    );
  }, 120_000);

  test("the same input gives the same output", () => {
    fc.assert(
      fc.property(workloads, candidates, (workload, candidate) => {
        expect(run(workload, candidate)).toEqual(run(workload, candidate));
      }),
      { ...RUNS, numRuns: 4 },
    );
  }, 120_000);

  test("twice the rates are twice the load", () => {
    fc.assert(
      fc.property(workloads, candidates, (workload, candidate) => {
        const rate = { mode: "manual", ratePerSecond: 30_000 } as const;
        const once = run({ ...workload, throughput: rate }, candidate);
        const twice = run(
          {
            ...workload,
            throughput: rate,
            operations: workload.operations.map((operation) => ({
              ...operation,
              ratePerSecond: 2 * operation.ratePerSecond,
            })),
          },
          candidate,
        );
        // How many of the upserts create depends on how many items there are to be.
        fc.pre(workload.operations.every(({ kind }) => kind !== "upsert"));
        expectClose(twice.load.meanRate, 2 * once.load.meanRate);
        expectClose(twice.load.peakRate, 2 * once.load.peakRate);
        expectClose(
          twice.load.hottestPartition.rate.value,
          2 * once.load.hottestPartition.rate.value,
        );
      }),
      { ...RUNS, numRuns: 5 },
    );
  }, 120_000);

  test("what is kept longer makes no key smaller", () => {
    fc.assert(
      fc.property(
        workloads,
        candidates,
        fc.constantFrom(1, 30, 365),
        (workload, candidate, days) => {
          const largest = (retentionDays: number | undefined): number => {
            // What was there before is spread over the time it is kept.
            const growth = { ...workload.growth, retentionDays, initialItems: 0 };
            return run({ ...workload, growth }, candidate).keys.largest.bytesAtEnd.value;
          };
          expect(largest(days * 3)).toBeGreaterThanOrEqual(largest(days) * 0.999);
        },
      ),
      { ...RUNS, numRuns: 5 },
    );
  }, 120_000);
});
