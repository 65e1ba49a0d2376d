/** Between which bounds throughput may be set: the documented rules, one row each. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "./limits.ts";
import type { Throughput } from "./throughput.ts";
import { defaultThroughput, provisioned, rateMaxOf, rateMinOf, rateProblem } from "./throughput.ts";

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

function of(kind: Throughput["kind"], rate: number): Throughput {
  return kind === "manual" ? { kind, ratePerSecond: rate } : { kind, rateMax: rate };
}
