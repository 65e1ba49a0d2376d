/** What is refused, against the budget itself and against what must be. */
import { describe, expect, test } from "vitest";
import { millis, ru } from "../../base/units.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { Budget } from "../../throughput/budget.ts";
import { throttlingOf } from "./throttledPartitions.ts";
import { type PartitionDemand, refusalsOf, SDK_RETRIES } from "./throttling.ts";

const NO_RETRIES = { retriesMax: 0, waitMax: 0 };

function demand(allotment: number, rate: number, charge: number): PartitionDemand {
  return { allotment, streams: [{ rate, ru: charge }] };
}

/** Evenly, one by one, and nobody comes again. */
function refusedShare({ allotment, streams }: PartitionDemand, seconds: number): number {
  const [{ rate, ru: charge }] = streams as [{ rate: number; ru: number }];
  let now = 0;
  const budget = new Budget(
    { now: () => millis(now), wallNow: () => now },
    { ratePerSecond: allotment },
  );
  let refused = 0;
  const count = Math.round(rate * seconds);
  for (let at = 0; at < count; at++) {
    now = (at * seconds * 1000) / count;
    if (budget.admit(HIGH_CALLER).kind === "admitted") budget.settle(ru(charge), HIGH_CALLER);
    else refused++;
  }
  return refused / count;
}

describe("without retries", () => {
  test.each([
    [0.5, 5],
    [0.9, 5],
    [1.25, 5],
    [2, 5],
    [2, 40],
    [4, 5],
    [4, 100],
    [10, 10],
  ])(
    "load of %f times the allotment, %i RU each: what does not fit is refused",
    (ratio, charge) => {
      const asked = demand(1000, (1000 * ratio) / charge, charge);
      const { throttledCount, answerCount } = refusalsOf(asked, NO_RETRIES, 7, 60);
      const share = throttledCount / answerCount;
      expect(Math.abs(share - Math.max(0, 1 - 1 / ratio))).toBeLessThan(0.03);
      expect(Math.abs(share - refusedShare(asked, 60))).toBeLessThan(0.03);
    },
  );

  test("a hundred times the requests on a hundred times the rate are refused alike", () => {
    const shares = [1, 100].map((times) => {
      const asked = demand(1000 * times, 400 * times, 5);
      const { throttledCount, answerCount } = refusalsOf(asked, NO_RETRIES, 7, 20);
      return throttledCount / answerCount;
    });
    expect(Math.abs(shares[0]! - shares[1]!)).toBeLessThan(0.03);
  });

  test("rare and dear requests are not lost beside many cheap ones", () => {
    const asked = {
      allotment: 10_000,
      streams: [
        { rate: 5000, ru: 1 },
        ...Array.from({ length: 40 }, () => ({ rate: 0.5, ru: 1000 })),
      ],
    };
    const { servedRate, requestCount, throttledCount } = refusalsOf(asked, NO_RETRIES, 3, 20);
    // 25,000 RU/s are asked of 10,000: something must be refused, and all that there is be used.
    const scale = requestCount / (5020 * 20);
    expect(throttledCount).toBeGreaterThan(0);
    expect(servedRate / scale / 10_000).toBeGreaterThan(0.9);
  });
});

describe("with the retries of the SDK", () => {
  test("what fits is served late rather than never", () => {
    const calm = refusalsOf(demand(1000, 180, 5), SDK_RETRIES, 7);
    expect(calm.failedCount).toBe(0);
    const hot = refusalsOf(demand(1000, 600, 5), SDK_RETRIES, 7);
    expect(hot.throttledCount / hot.answerCount).toBeGreaterThan(1 - 1 / 3 - 0.03);
    expect(hot.waits.at(-1)).toBeLessThanOrEqual(30_000);
    expect(hot.waits).toEqual([...hot.waits].sort((a, b) => a - b));
    expect(hot.waits.length).toBe(hot.requestCount);
  });

  test("the same seed, the same figures", () => {
    const once = (): unknown => refusalsOf(demand(1000, 600, 5), SDK_RETRIES, 7);
    expect(once()).toEqual(once());
  });
});

describe("a container", () => {
  const retries = { retries: NO_RETRIES };

  test("only the hot partition refuses", () => {
    const demands = [demand(1000, 400, 5), ...Array.from({ length: 9 }, () => demand(1000, 40, 5))];
    const { share, usableRate } = throttlingOf(demands, 10_000, 1, retries);
    // 400 of 760 requests meet twice what is allotted.
    expect(Math.abs(share - (400 / 760) * 0.5)).toBeLessThan(0.03);
    // In these proportions 2,000 of 3,800 RU/s fill the hot one twice over.
    expect(usableRate).toBeCloseTo(1900, 0);
  });

  test("without load nothing is refused and everything can be used", () => {
    const { share, failedShare, waitP99, usableRate } = throttlingOf(
      [{ allotment: 400, streams: [] }],
      400,
      1,
    );
    expect([share, failedShare, waitP99, usableRate]).toEqual([0, 0, 0, 400]);
  });
});
