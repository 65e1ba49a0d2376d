/** A prediction beside a measurement. */
import { describe, expect, it } from "vitest";
import { countsIn } from "../../src/cli/lab/proveGround.ts";
import { proveOptionsOf } from "../../src/cli/lab/proveOptions.ts";
import { atPace } from "../../src/cli/lab/provePace.ts";
import { type CaseComparison, compareAll, errorOf, medianOf } from "../../src/lab/prove/compare.ts";
import { summaryLines } from "../../src/lab/prove/proofText.ts";
import { askedVariance } from "../../src/lab/prove/standardError.ts";

function caseOf(
  id: string,
  rates: readonly (readonly [predicted: number, measured: number])[],
  more: Partial<CaseComparison> = {},
): CaseComparison {
  const pair = { predicted: 0, measured: 0 };
  return {
    id,
    partitions: rates.map(([predicted, measured], at) => ({
      id: String(at),
      from: 0,
      to: 1,
      rate: { predicted, measured },
      error: errorOf({ predicted, measured }),
      standardError: 0,
      bytes: pair,
      throttledShare: 0,
    })),
    isSameMap: true,
    partitionCount: { predicted: rates.length, measured: rates.length },
    operations: [],
    totalRate: pair,
    throttledShare: pair,
    answerCount: 1_000_000,
    throttledDeviation: 0,
    skew: pair,
    largestKeyBytes: pair,
    overLimitShare: pair,
    medianError: 0,
    latencyP50: 0,
    latencyP99: 0,
    isSplitMidway: false,
    lateShare: 0,
    failures: new Map(),
    ...more,
  };
}

describe("how far a prediction is off", () => {
  it("is a share of what was measured", () => {
    expect(errorOf({ predicted: 110, measured: 100 })).toBeCloseTo(0.1);
    expect(errorOf({ predicted: 0, measured: 0 })).toBe(0);
    expect(errorOf({ predicted: 3, measured: 0 })).toBe(1);
    expect(errorOf({ predicted: 0, measured: 0.1 }, 10)).toBeCloseTo(0.01);
  });

  it("is judged by the middle of all partitions", () => {
    expect(medianOf([3, 1, 2])).toBe(2);
    expect(medianOf([4, 1, 2, 3])).toBe(2.5);
    expect(medianOf([])).toBe(0);
  });

  it("agrees within 5 % and 3 points", () => {
    const good = caseOf("a", [[104, 100]], { throttledShare: { predicted: 0.12, measured: 0.1 } });
    expect(compareAll([good]).agrees).toBe(true);
    expect(compareAll([caseOf("a", [[106, 100]])]).agrees).toBe(false);
    const refusing = caseOf("a", [[100, 100]], {
      throttledShare: { predicted: 0.14, measured: 0.1 },
    });
    expect(compareAll([refusing])).toMatchObject({
      agrees: false,
      throttledPoints: expect.closeTo(4),
    });
  });
});

describe("three verdicts", () => {
  const refusing = (points: number, more: Partial<CaseComparison> = {}): CaseComparison =>
    caseOf("a", [[100, 100]], {
      throttledShare: { predicted: 0, measured: points / 100 },
      answerCount: 1_000_000_000,
      ...more,
    });

  it("are given one by one, each with its tolerance", () => {
    const { verdicts, agrees } = compareAll([
      caseOf("a", [[120, 100]], { throttledShare: { predicted: 0.2, measured: 0.2 } }),
      caseOf("b", [[300, 250]]),
    ]);
    expect(verdicts.ru).toMatchObject({ finding: "failed", tolerance: 0.05 });
    expect(verdicts.ru.medianError).toBeCloseTo(0.2);
    expect(verdicts.ranking).toMatchObject({ finding: "held", tolerance: 0.05, tooClose: [] });
    expect(verdicts.throttling).toMatchObject({ finding: "held", tolerance: 3 });
    expect(agrees).toBe(false);
  });

  it.each([
    [3.0, "held"],
    [3.04, "held"],
    [3.1, "failed"],
  ])("%f points of 429s are %s: nothing is 0.0 beyond a line", (points, finding) => {
    expect(compareAll([refusing(points)]).verdicts.throttling.finding).toBe(finding);
  });

  it("leave open what so few answers cannot tell", () => {
    const few = { answerCount: 400 };
    // Of 400 answers with 5 % refused, chance alone makes 2 points.
    expect(compareAll([refusing(5, few)]).verdicts.throttling.finding).toBe("held");
    expect(compareAll([refusing(7, few)]).verdicts.throttling.finding).toBe("failed");
  });

  it("leave open how much runs differ that are as short, where refusals come in bursts", () => {
    // A dear request now and then: most runs refuse nobody, some refuse a tenth of all.
    const bursts = { throttledDeviation: 0.02 };
    expect(compareAll([refusing(7, bursts)]).verdicts.throttling).toMatchObject({
      finding: "held",
      pointsAllowed: expect.closeTo(7),
    });
    expect(compareAll([refusing(7.2, bursts)]).verdicts.throttling.finding).toBe("failed");
    expect(compareAll([refusing(7)]).verdicts.throttling.finding).toBe("failed");
  });

  it("tell the candidate that is furthest apart where all are within", () => {
    const near = refusing(0.5, { id: "b", answerCount: 1_000_000 });
    const { throttling } = compareAll([near, refusing(2, { answerCount: 100 })]).verdicts;
    expect(throttling).toMatchObject({ finding: "held", id: "a", points: expect.closeTo(2) });
  });

  it("do not blame the prediction for a machine that was busy", () => {
    const late = compareAll([refusing(9, { lateShare: 0.05 })]);
    expect(late.verdicts.throttling).toMatchObject({ finding: "undecided", late: ["a"] });
    expect(late.agrees).toBe(true);
    expect(summaryLines(late).join("\n")).toContain("undecided");
    // But for one that was not, whoever else was late.
    const other = refusing(9, { id: "b" });
    const both = compareAll([refusing(9, { lateShare: 0.05 }), other]);
    expect(both.verdicts.throttling).toMatchObject({ finding: "failed", id: "b" });
  });
});

describe("the ranking of candidates", () => {
  it("is by the rate that the hottest partition calls for", () => {
    const even = caseOf("even", [
      [50, 50],
      [50, 50],
    ]);
    const hot = caseOf("hot", [
      [90, 90],
      [10, 10],
    ]);
    const proof = compareAll([hot, even]);
    expect(proof.predictedRanking).toEqual(["even", "hot"]);
    expect(proof.measuredRanking).toEqual(["even", "hot"]);
    expect(proof.isSameRanking).toBe(true);
  });

  it("has keys beyond their limit last", () => {
    const full = caseOf("full", [[10, 10]], { overLimitShare: { predicted: 0.5, measured: 0.5 } });
    expect(compareAll([full, caseOf("fine", [[99, 99]])]).predictedRanking).toEqual([
      "fine",
      "full",
    ]);
  });

  it("differs only where the numbers do", () => {
    const close = compareAll([caseOf("a", [[100, 103]]), caseOf("b", [[102, 100]])]);
    expect(close.isSameRanking).toBe(true);
    const apart = compareAll([caseOf("a", [[100, 200]]), caseOf("b", [[200, 100]])]);
    expect(apart.isSameRanking).toBe(false);
    expect(apart.agrees).toBe(false);
  });
});

describe("candidates that a proof cannot tell apart", () => {
  /** With one standard error, in RU/s, of what its only partition was measured to ask for. */
  const measuredWith = (
    standardError: number,
    id: string,
    rates: readonly [predicted: number, measured: number],
  ): CaseComparison => {
    const each = caseOf(id, [rates]);
    return { ...each, partitions: each.partitions.map((pair) => ({ ...pair, standardError })) };
  };
  const swapped = (standardError: number, measured: readonly [a: number, b: number]) =>
    compareAll([
      measuredWith(standardError, "a", [90, measured[0]]),
      measuredWith(standardError, "b", [100, measured[1]]),
    ]);

  it("are those that were measured nearer to each other than what was sent leaves open", () => {
    // Predicted 10 % apart, measured 8 % apart the other way round; each is known to 4 %.
    const close = swapped(4, [100, 92]);
    expect(close.isSameRanking).toBe(true);
    expect(close.verdicts.ranking).toMatchObject({ finding: "held", inverted: [] });
    expect(close.verdicts.ranking.tooClose).toEqual([
      {
        better: "a",
        worse: "b",
        apart: { predicted: expect.closeTo(0.1), measured: expect.closeTo(0.08) },
        open: expect.closeTo((2 * Math.hypot(4, 4)) / 100),
        isTooClose: true,
      },
    ]);
    const text = summaryLines(close).join("\n");
    expect(text).toContain("too close to tell apart in this proof: a and b");
    expect(text).toContain("measured 8.0 % apart, of which what was sent leaves 11.3 % open");
  });

  it("are not those that were sent enough to be told, and the wrong order fails", () => {
    const known = swapped(1, [100, 92]);
    expect(known.verdicts.ranking).toMatchObject({ finding: "failed", tooClose: [] });
    expect(known.verdicts.ranking.inverted).toMatchObject([{ better: "a", worse: "b" }]);
    expect(known.agrees).toBe(false);
    expect(summaryLines(known).join("\n")).toContain("the other way round: a and b");
  });

  it("are not those that are further apart than what is left open", () => {
    expect(swapped(4, [100, 80]).verdicts.ranking.finding).toBe("failed");
  });

  it("are not told by their rates where one of them does not fit", () => {
    const [full, fine] = [measuredWith(50, "full", [10, 10]), measuredWith(50, "fine", [11, 11])];
    const overLimitShare = { predicted: 0, measured: 0.5 };
    const proof = compareAll([{ ...full, overLimitShare }, fine]);
    expect(proof.verdicts.ranking).toMatchObject({ finding: "failed", tooClose: [] });
  });
});

describe("the error of a rate that was measured", () => {
  const charges = (...all: number[]) => ({
    count: all.length,
    ru: all.reduce((sum, ru) => sum + ru, 0),
    ruSquares: all.reduce((sum, ru) => sum + ru ** 2, 0),
  });

  it("is one request where all cost the same", () => {
    expect(askedVariance({ ru: 50, requests: 5 }, charges(10, 10, 10, 10))).toBeCloseTo(100);
    expect(askedVariance({ ru: 0, requests: 0 }, charges(10, 10))).toBe(0);
  });

  it("is larger where a few are dear, and falls with the number that was sent", () => {
    const uneven = charges(1, 1, 1, 1, 100);
    const relative = (requests: number): number =>
      Math.sqrt(askedVariance({ ru: 20.8 * requests, requests }, uneven)) / (20.8 * requests);
    expect(relative(5)).toBeGreaterThan(0.9);
    expect(relative(500)).toBeLessThan(0.1);
    expect(relative(500)).toBeGreaterThan(0.05);
  });
});

describe("counters of a server", () => {
  it("are added up by physical partition of one container", () => {
    const text = [
      "# HELP orrery_partition_requests_total …",
      'orrery_partition_requests_total{database="d",container="c",partition="0",kind="read"} 3',
      'orrery_partition_requests_total{database="d",container="c",partition="0",kind="query"} 4',
      'orrery_partition_request_units_total{database="d",container="c",partition="0"} 12.5',
      'orrery_partition_throttled_requests_total{database="d",container="c",partition="0"} 2',
      'orrery_partition_request_units_total{database="d",container="other",partition="0"} 99',
    ].join("\n");
    expect([...countsIn(text, "c")]).toEqual([["0", { ru: 12.5, requests: 7, throttled: 2 }]]);
  });
});

describe("the pace of operations", () => {
  it("does not wait for answers", async () => {
    const open: (() => void)[] = [];
    const sent: number[] = [];
    const events = [0, 0.01, 0.02].map((at) => ({ at }));
    const done = atPace(
      events,
      ({ at }) => {
        sent.push(at);
        if (sent.length === 3) for (const answer of open) answer();
        return sent.length === 3 ? Promise.resolve() : new Promise((resolve) => open.push(resolve));
      },
      () => false,
    );
    expect(await done).toBeGreaterThanOrEqual(0);
    expect(sent).toEqual([0, 0.01, 0.02]);
  });

  it("ends with the first failure", async () => {
    const failing = atPace(
      [{ at: 0 }],
      () => Promise.reject(new Error("no")),
      () => false,
    );
    await expect(failing).rejects.toThrow("no");
  });
});

describe("options of orrery lab prove", () => {
  it.each([
    [[], "one of --workload"],
    [["--workload", "a", "--scenario", "b"], "one of --workload"],
    [["--workload", "a", "--scale", "1/10", "--items", "500"], "leave out --items"],
    [["--workload", "a", "--scale", "tiny"], "--scale is 'tiny'"],
    [["--workload", "a", "--only", "/a", "--top", "2"], "exclude each other"],
    [["--workload", "a", "--enumerate"], "a case that --scenario names"],
    [["--workload", "a", "--keep"], "--keep needs --endpoint"],
    [["--workload", "a", "--key", "k"], "--key is for a server"],
    [["--workload", "a", "--items", "5"], "--items is '5'"],
  ])("%j are refused", (args, message) => {
    expect(() => proveOptionsOf(args)).toThrow(message);
  });

  it("are rougher when it has to be quick, and taken as given", () => {
    const quick = proveOptionsOf(["--workload", "a", "--quick", "--seconds", "2"]);
    const normal = proveOptionsOf(["--workload", "a"]);
    expect(quick!.items).toBeLessThan(normal!.items);
    expect(quick!.seconds).toBe(2);
    expect(proveOptionsOf(["--help"])).toBeUndefined();
  });

  it("judge a case as `orrery lab scenario` does: its own keys, from the same day on", () => {
    const usual = proveOptionsOf(["--scenario", "orders"])!.ranking;
    expect(usual).toMatchObject({ "only-mine": true, start: "2026-01-01" });
    const all = proveOptionsOf(["--scenario", "orders", "--enumerate"])!.ranking;
    expect(all["only-mine"]).toBe(false);
  });
});
