/** Refusals where few partitions meet the load of a container. */
import { describe, expect, it } from "vitest";
import { type JointDemand, jointRefusals } from "./jointRefusals.ts";
import { jointThrottlingOf } from "./throttledPartitions.ts";

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

describe("a run of a second with a dear request now and then", () => {
  const cheap = { rate: 60, visits: [{ partition: 0, ru: 1 }] };
  const dear = (rate: number) => ({ rate, visits: [{ partition: 0, ru: 150 }] });
  const outcomeOf = (streams: JointDemand["streams"], seconds: number | undefined) => {
    const joint = { allotment: 100, partitionCount: 1, streams };
    const own = streams.map(({ rate, visits }) => ({ rate, ru: visits[0]!.ru }));
    return jointThrottlingOf(joint, [{ allotment: 100, streams: own }], 100, 1, {
      retries: ONCE.rules,
      ...(seconds === undefined ? {} : { seconds }),
    });
  };

  it("refuses many or nobody: shares are as far apart as runs were", () => {
    const { share, shareDeviation } = outcomeOf([cheap, dear(0.4)], 1);
    const shares = Array.from({ length: 400 }, (_, seed) => {
      const joint = { allotment: 100, partitionCount: 1, streams: [cheap, dear(0.4)] };
      const run = jointRefusals(joint, { ...ONCE, seconds: 1, seed: 1000 + seed });
      return run.throttledCount / run.answerCount;
    });
    const mean = shares.reduce((sum, each) => sum + each) / shares.length;
    const variance = shares.reduce((sum, each) => sum + (each - mean) ** 2, 0) / shares.length;
    expect(shareDeviation).toBeGreaterThan(0.03);
    expect(shareDeviation! / Math.sqrt(variance)).toBeCloseTo(1, 0);
    // Errors of a count would be half of it.
    expect(Math.sqrt((share * (1 - share)) / 60)).toBeLessThan(0.7 * shareDeviation!);
  });

  it("is looked at however little is asked for on the whole", () => {
    // 70 RU/s of 100: nobody is refused for long, but in such a second many are.
    expect(outcomeOf([cheap, dear(0.06)], 1).share).toBeGreaterThan(0);
    const long = outcomeOf([cheap, dear(0.06)], undefined);
    expect(long.share).toBe(0);
    expect(long.shareDeviation).toBeUndefined();
  });

  it("does not differ from others where all requests are alike", () => {
    expect(outcomeOf([cheap], 1).shareDeviation).toBe(0);
  });
});
