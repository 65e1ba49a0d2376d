/** The guides' framework, branch by branch and threshold by threshold. */
import { describe, expect, test } from "vitest";
import { APPROACHES, ASPECTS, guideRank } from "./approach.ts";
import { type Branch, type DecisionFigures, decide, LARGE_BYTES, SMALL_BYTES } from "./decision.ts";
import { verdictChanges } from "./verdictChanges.ts";

const GB = 1024 ** 3;

const PLAIN: DecisionFigures = {
  volumeBytes: 200 * GB,
  queryLoad: 500,
  highLoad: 1000,
  recentShare: 0.8,
  needsAnalytics: false,
  needsRealTime: false,
  isSimple: true,
  hasIndependentPeriods: false,
};

/** In bytes just below, on and above a threshold. */
const [BELOW, ABOVE] = [-1, 1];

describe("the framework", () => {
  test.each<readonly [string, Partial<DecisionFigures>, Branch]>([
    ["much data, high load", { volumeBytes: 800 * GB, queryLoad: 1500 }, "hotWarm"],
    ["500 GB are not more", { volumeBytes: LARGE_BYTES, queryLoad: 1500 }, "reconsider"],
    ["a byte more is", { volumeBytes: LARGE_BYTES + ABOVE, queryLoad: 1500 }, "hotWarm"],
    ["the threshold is not high", { volumeBytes: 800 * GB, queryLoad: 1000 }, "reconsider"],
    ["a little more is", { volumeBytes: 800 * GB, queryLoad: 1000.01 }, "hotWarm"],
    ["much data without load", { volumeBytes: 800 * GB, queryLoad: 10 }, "reconsider"],
    ["load without much data", { queryLoad: 9000 }, "reconsider"],
    ["analytics and real time", { needsAnalytics: true, needsRealTime: true }, "nearRealTime"],
    ["analytics alone", { needsAnalytics: true }, "reconsider"],
    ["real time alone", { needsRealTime: true }, "reconsider"],
    [
      "much data comes before analytics",
      { volumeBytes: 800 * GB, queryLoad: 1500, needsAnalytics: true, needsRealTime: true },
      "hotWarm",
    ],
    ["little and simple", { volumeBytes: 20 * GB }, "single"],
    ["just below 100 GB", { volumeBytes: SMALL_BYTES + BELOW }, "single"],
    ["100 GB are not less", { volumeBytes: SMALL_BYTES }, "reconsider"],
    ["little but not simple", { volumeBytes: 20 * GB, isSimple: false }, "reconsider"],
    ["periods of their own", { hasIndependentPeriods: true }, "perPeriod"],
    [
      "little and simple comes before periods",
      { volumeBytes: 20 * GB, hasIndependentPeriods: true },
      "single",
    ],
    ["nothing of all that", {}, "reconsider"],
  ])("%s", (_, changed, branch) => {
    const decision = decide({ ...PLAIN, ...changed });
    expect(decision.branch).toBe(branch);
    const answers = decision.steps.map(({ answer }) => answer);
    const isYes = branch !== "reconsider";
    expect(answers).toEqual(
      answers.map((_, at) => (isYes && at === answers.length - 1 ? "yes" : "no")),
    );
  });

  test("says the numbers that an answer rests on", () => {
    const { steps } = decide({ ...PLAIN, volumeBytes: 800 * GB, queryLoad: 1500 });
    expect(steps.map(({ because }) => because)).toEqual([
      "800 GB is more than 500 GB; reads need 1,500 RU/s at the peak, which is more than 1,000 RU/s.",
    ]);
  });
});

describe("what would change the verdict", () => {
  const changesOf = (changed: Partial<DecisionFigures>) =>
    verdictChanges({ ...PLAIN, ...changed }, 20).map(({ figure, branch, isNear }) => [
      figure,
      branch,
      isNear,
    ]);

  test.each<readonly [string, Partial<DecisionFigures>, readonly unknown[]]>([
    [
      "800 GB under load: less data, or less load",
      { volumeBytes: 800 * GB, queryLoad: 1500 },
      [
        ["volume", "reconsider", true],
        ["volume", "single", false],
        ["queryLoad", "reconsider", true],
      ],
    ],
    [
      "60 GB: 100 GB are near, and who is not simple has none",
      { volumeBytes: 60 * GB },
      [
        ["volume", "reconsider", false],
        ["volume", "reconsider", true],
        ["analytics", "reconsider", false],
        ["simple", "reconsider", false],
      ],
    ],
    [
      "nothing fits: less data, or periods",
      { needsRealTime: true },
      [
        ["volume", "single", true],
        ["analytics", "nearRealTime", false],
        ["periods", "perPeriod", false],
      ],
    ],
  ])("%s", (_, changed, expected) => {
    expect(changesOf(changed)).toEqual(expected);
  });

  test("tells a load by the reads that make it", () => {
    const figures = { ...PLAIN, volumeBytes: 800 * GB, queryLoad: 500 };
    const [load] = verdictChanges(figures, 20).filter(({ figure }) => figure === "queryLoad");
    expect(load?.change).toBe(
      "With reads that need more than 1,000 RU/s, about 40 reads a second like these,",
    );
    expect(load?.factor).toBe(2);
  });

  test("what is told leads elsewhere, and periods are told where they would", () => {
    const flags = [true, false];
    for (const volumeBytes of [20, 99, 100, 101, 400, 499, 501, 2000].map((gb) => gb * GB)) {
      for (const queryLoad of [0, 400, 999, 1001, 5000]) {
        for (const needsAnalytics of flags) {
          for (const hasIndependentPeriods of flags) {
            const figures = {
              ...PLAIN,
              volumeBytes,
              queryLoad,
              needsAnalytics,
              hasIndependentPeriods,
            };
            const { branch } = decide(figures);
            const told = verdictChanges(figures, 20);
            expect(told.every((change) => change.branch !== branch)).toBe(true);
            const turned = decide({ ...figures, hasIndependentPeriods: !hasIndependentPeriods });
            expect(told.some(({ figure }) => figure === "periods")).toBe(turned.branch !== branch);
          }
        }
      }
    }
  });
});

test("every word of the guides' table has its rank", () => {
  for (const { id } of APPROACHES) {
    for (const aspect of ASPECTS) expect(guideRank(id, aspect)).toBeGreaterThanOrEqual(0);
  }
});
