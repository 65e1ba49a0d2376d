/** Alerts in the words and tones of the page. */
import { expect, test } from "vitest";
import { originOf, toneOf } from "./alertWords.ts";

test.each([
  ["normal", undefined, "good"],
  ["noData", undefined, "none"],
  ["pending", "critical", "now"],
  ["firing", "critical", "bad"],
  ["firing", "warning", "warn"],
  ["firing", "info", "info"],
] as const)("%s, %s", (state, severity, tone) => {
  expect(toneOf({ state, severity })).toBe(tone);
});

test("what is measured against a limit is about that limit", () => {
  const evidence = { partitionIds: [], partitionKeys: [], window: "now", thresholds: {}, at: 0 };
  const about = (figures: Record<string, number>): string =>
    originOf({ evidence: { ...evidence, window: "now", figures } });
  expect(about({ largestBytes: 1, limitBytes: 2 })).toBe("platform limit");
  expect(about({ sharePercent: 80 })).toBe("guidance");
  expect(originOf({})).toBe("guidance");
});
