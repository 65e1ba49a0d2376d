/** Between which bounds throughput may be set, and what it becomes: a row for each rule. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "./limits.ts";
import type { AutoscaleThroughput, Throughput } from "./throughput.ts";
import {
  autoscaleForDemand,
  autoscaleForStorage,
  awaiting,
  defaultThroughput,
  finished,
  partitionCountNeeded,
  provisioned,
  rateMaxOf,
  rateMinOf,
  rateProblem,
  remembering,
} from "./throughput.ts";

const GB = 1024 ** 3;
const STAMP = { etag: '"e"', ts: 7 };

describe("the lowest rate", () => {
  test.each([
    { rule: "manual starts at 400", kind: "manual", ever: 400, gb: 0, min: 400 },
    { rule: "a hundredth of the highest ever", kind: "manual", ever: 50_000, gb: 0, min: 500 },
    { rule: "in steps of 100", kind: "manual", ever: 50_100, gb: 0, min: 600 },
    { rule: "one RU/s for each GB", kind: "manual", ever: 400, gb: 650, min: 700 },
    { rule: "autoscale starts at 1000", kind: "autoscale", ever: 1000, gb: 0, min: 1000 },
    { rule: "a tenth of the highest ever", kind: "autoscale", ever: 50_000, gb: 0, min: 5000 },
    { rule: "in steps of 1000", kind: "autoscale", ever: 50_100, gb: 0, min: 6000 },
    { rule: "ten RU/s for each GB", kind: "autoscale", ever: 1000, gb: 250, min: 3000 },
  ] as const)("$rule", ({ kind, ever, gb, min }) => {
    const held = { rateMaxEver: ever, storedBytes: gb * GB };
    expect(rateMinOf(kind, held, SERVICE_LIMITS)).toBe(min);
  });

  test.each([
    { rule: "25 share for nothing", kind: "manual", sharing: 25, ever: 400, min: 400 },
    { rule: "each one more costs 100", kind: "manual", sharing: 30, ever: 400, min: 900 },
    { rule: "the highest ever counts as well", kind: "manual", sharing: 30, ever: 1e6, min: 10e3 },
    { rule: "25 under autoscale", kind: "autoscale", sharing: 25, ever: 1000, min: 1000 },
    { rule: "each one more costs 1000", kind: "autoscale", sharing: 30, ever: 1000, min: 6000 },
  ] as const)("of a shared rate: $rule", ({ kind, sharing, ever, min }) => {
    const held = { rateMaxEver: ever, storedBytes: 0, sharingCount: sharing };
    expect(rateMinOf(kind, held, SERVICE_LIMITS)).toBe(min);
  });

  test("may always be set, and nothing below it", () => {
    const kinds = fc.constantFrom("manual", "autoscale");
    const rates = fc.integer({ min: 4, max: 10_000 }).map((hundreds) => hundreds * 100);
    const bytes = fc.nat(1000 * GB);
    fc.assert(
      fc.property(kinds, rates, bytes, (kind, rateMaxEver, storedBytes) => {
        const min = rateMinOf(kind, { rateMaxEver, storedBytes }, SERVICE_LIMITS);
        expect(rateProblem(of(kind, min), SERVICE_LIMITS, min)).toBeUndefined();
        expect(rateProblem(of(kind, min - 100), SERVICE_LIMITS, min)).toContain(`from ${min} `);
      }),
    );
  });
});

describe("a rate", () => {
  test.each([
    [of("manual", 400), true],
    [of("manual", 399), false],
    [of("manual", 450), false],
    [of("manual", 1_000_000), true],
    [of("manual", 1_000_100), false],
    [of("manual", Number.NaN), false],
    [of("autoscale", 1000), true],
    [of("autoscale", 1100), false],
    [of("autoscale", 900), false],
    [of("autoscale", -1), false],
    [of("autoscale", Number.POSITIVE_INFINITY), false],
  ] as const)("%j is fine: %s", (throughput, isFine) => {
    expect(rateProblem(throughput, SERVICE_LIMITS) === undefined).toBe(isFine);
  });

  test("is 400 for whoever asks for none", () => {
    expect(rateMaxOf(defaultThroughput(SERVICE_LIMITS))).toBe(400);
  });

  test("is remembered as the highest ever, until there is a higher one", () => {
    const first = provisioned(of("manual", 5000), undefined, STAMP);
    const lower = provisioned(of("autoscale", 1000), first, STAMP);
    const higher = provisioned(of("manual", 9000), lower, STAMP);
    expect([first, lower, higher].map(({ rateMaxEver }) => rateMaxEver)).toEqual([
      5000, 5000, 9000,
    ]);
    expect(lower).toEqual({ kind: "autoscale", rateMax: 1000, rateMaxEver: 5000, ...STAMP });
  });
});

describe("a rate that has to wait", () => {
  const before = provisioned(of("manual", 400), undefined, STAMP);
  const LATER = { etag: '"l"', ts: 8 };

  test("changes nothing but what is pending", () => {
    const waiting = awaiting(of("manual", 25_000), before, LATER);
    expect(waiting).toEqual({ ...before, ...LATER, pending: of("manual", 25_000) });
    expect(waiting.rateMaxEver).toBe(400);
  });

  test("is in force when it is finished, and the highest ever", () => {
    const buckets = [{ id: 1, percent: 10 }];
    const held = remembering({ ...before, buckets }, 5000);
    const done = finished(awaiting(of("autoscale", 25_000), held, STAMP), LATER);
    expect(done).toEqual({
      kind: "autoscale",
      rateMax: 25_000,
      rateMaxEver: 25_000,
      storedBytesMaxEver: 5000,
      buckets,
      ...LATER,
    });
    expect(done).not.toHaveProperty("pending");
  });

  test("cannot be finished when there is none", () => {
    expect(() => finished(before, LATER)).toThrow("pending");
  });

  test.each([
    [400, 1],
    [10_000, 1],
    [10_100, 2],
    [30_000, 3],
    [1_000_000, 100],
  ])("%i RU/s need %i physical partitions", (rate, count) => {
    expect(partitionCountNeeded(of("manual", rate), SERVICE_LIMITS)).toBe(count);
  });
});

describe("what was stored", () => {
  test("is remembered if it never was more", () => {
    const before = provisioned(of("manual", 400), undefined, STAMP);
    const more = remembering(before, 2000);
    expect(more).toEqual({ ...before, storedBytesMaxEver: 2000 });
    expect(remembering(more, 1000)).toBe(more);
    expect(provisioned(of("manual", 500), more, STAMP).storedBytesMaxEver).toBe(2000);
  });
});

describe("an autoscale ceiling", () => {
  test.each([
    { rule: "allows for a tenth of it in GB", rateMax: 50_000, gb: 5000, becomes: undefined },
    { rule: "rises to the next step", rateMax: 50_000, gb: 5001, becomes: 51_000 },
    { rule: "rises with the data", rateMax: 50_000, gb: 6000, becomes: 60_000 },
    { rule: "rises to what is possible", rateMax: 1000, gb: 200_000, becomes: 1_000_000 },
    { rule: "cannot rise above that", rateMax: 1_000_000, gb: 200_000, becomes: undefined },
  ])("$rule", ({ rateMax, gb, becomes }) => {
    const risen = autoscaleForStorage(rising(rateMax), gb * GB, SERVICE_LIMITS);
    expect(risen).toEqual(becomes === undefined ? undefined : rising(becomes));
  });

  test.each([
    { rule: "stays unless told to rise", rateMax: 4000, percent: undefined, becomes: undefined },
    { rule: "rises by so much", rateMax: 10_000, percent: 20, becomes: 12_000 },
    { rule: "rises by a step at least", rateMax: 10_000, percent: 1, becomes: 11_000 },
    { rule: "rises to what is possible", rateMax: 900_000, percent: 50, becomes: 1_000_000 },
    { rule: "cannot rise above that", rateMax: 1_000_000, percent: 50, becomes: undefined },
  ])("of which all was used $rule", ({ rateMax, percent, becomes }) => {
    const risen = autoscaleForDemand(rising(rateMax, percent), SERVICE_LIMITS);
    expect(risen).toEqual(becomes === undefined ? undefined : rising(becomes, percent));
  });

  test("that rose with the data is high enough for it, and can be set", () => {
    const steps = fc.integer({ min: 1, max: 1000 });
    fc.assert(
      fc.property(steps, fc.nat(100_000), (step, gb) => {
        const before = rising(step * 1000);
        const { rateMax } = autoscaleForStorage(before, gb * GB, SERVICE_LIMITS) ?? before;
        expect(rateMax).toBeGreaterThanOrEqual(Math.max(before.rateMax, gb * 10));
        expect(rateProblem(rising(rateMax), SERVICE_LIMITS)).toBeUndefined();
      }),
    );
  });
});

function rising(rateMax: number, incrementPercent?: number): AutoscaleThroughput {
  return { kind: "autoscale", rateMax, ...(incrementPercent && { incrementPercent }) };
}

function of(kind: Throughput["kind"], rate: number): Throughput {
  return kind === "manual" ? { kind, ratePerSecond: rate } : { kind, rateMax: rate };
}
