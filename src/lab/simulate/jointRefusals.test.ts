/** Refusals where few partitions meet the load of a container. */
import { describe, expect, it } from "vitest";
import { type JointDemand, jointRefusals } from "./jointRefusals.ts";

const ONCE = { rules: { retriesMax: 0, waitMax: 0 }, seconds: 20, seed: 1 };

function shareOf(demand: JointDemand): number {
  const { throttledCount, answerCount } = jointRefusals(demand, ONCE);
  return throttledCount / answerCount;
}

describe("requests to single partitions", () => {
  it("are all served below the allotment", () => {
    const streams = [0, 1].map((partition) => ({ rate: 20, visits: [{ partition, ru: 4 }] }));
    expect(shareOf({ allotment: 100, partitionCount: 2, streams })).toBe(0);
  });

  it("are refused for what is beyond it, where it is", () => {
    const streams = [
      { rate: 50, visits: [{ partition: 0, ru: 4 }] },
      { rate: 50, visits: [{ partition: 1, ru: 1 }] },
    ];
    // Half of those of partition 0, but for what it had saved: one second of twenty.
    expect(shareOf({ allotment: 100, partitionCount: 2, streams })).toBeCloseTo(0.25, 1);
  });
});

describe("a request to all partitions", () => {
  const hot = { rate: 100, visits: [{ partition: 0, ru: 2 }] };
  const whole = (count: number) => ({
    rate: 10,
    visits: Array.from({ length: count }, (_, partition) => ({ partition, ru: 1 })),
  });

  it("is one answer, and refused as a whole when one of them cannot pay", () => {
    const alone = shareOf({ allotment: 100, partitionCount: 4, streams: [hot] });
    const both = jointRefusals(
      { allotment: 100, partitionCount: 4, streams: [hot, whole(4)] },
      ONCE,
    );
    expect(both.requestCount).toBeCloseTo(110 * 20, -2);
    // It fares as those of the hot partition do, whatever the other three have left.
    expect(both.throttledCount / both.answerCount).toBeGreaterThan(alone - 0.05);
  });

  it("takes nothing from the others when it is refused", () => {
    const full = jointRefusals(
      { allotment: 100, partitionCount: 2, streams: [hot, whole(2)] },
      ONCE,
    );
    const served = full.servedRate - 100;
    expect(served).toBeLessThan(10);
  });
});

describe("clients that ask again", () => {
  it("are served later, so that nobody fails where there is room on the whole", () => {
    const streams = [{ rate: 10, visits: [{ partition: 0, ru: 9 }] }];
    const rules = { retriesMax: 9, waitMax: 30_000 };
    const { failedCount } = jointRefusals(
      { allotment: 100, partitionCount: 1, streams },
      { rules, seconds: 20, seed: 3 },
    );
    expect(failedCount).toBe(0);
  });
});
