/** When the alerts about lifecycles fire. */
import { describe, expect, test } from "vitest";
import type { LifecycleReport } from "../../statistics/report.ts";
import { defaultAlertSettings } from "../alertSettings.ts";
import { sampleReport } from "../sampleReports.fake.ts";
import { CONTAINER_RULES } from "./catalogue.ts";

describe("a lifecycle", () => {
  const AT = 2_000_000_000_000;
  const DAY_MS = 86_400_000;
  const lifecycle: LifecycleReport = {
    id: "1-l1",
    role: "hot",
    isPaused: false,
    intervalSeconds: 900,
    ageSeconds: 2_592_000,
    progressedAt: AT,
    behindSeconds: 0,
    setAsideCount: 0,
  };

  test.each<[string, string, Partial<LifecycleReport>, string]>([
    ["lifecycleStalled", "that goes on its rounds", {}, "fine"],
    ["lifecycleStalled", "that missed three", { progressedAt: AT - 2_700_000 }, "fine"],
    ["lifecycleStalled", "that missed four", { progressedAt: AT - 3_600_000 }, "warning"],
    ["lifecycleStalled", "that was paused", { progressedAt: 0, isPaused: true }, "fine"],
    ["lifecycleStalled", "that is in want of an index", { blockedFor: "No index." }, "warning"],
    [
      "lifecycleStalled",
      "with rounds of a second, after ten",
      { intervalSeconds: 1, progressedAt: AT - 10_000 },
      "fine",
    ],
    ["lifecycleStalled", "of which this is warm", { role: "warm", blockedFor: "x" }, "absent"],
    ["hotOverdue", "that is behind by a round", { behindSeconds: 900 }, "fine"],
    ["hotOverdue", "that is behind by four", { behindSeconds: 3600 }, "warning"],
    ["hotOverdue", "that is behind and paused", { behindSeconds: 3600, isPaused: true }, "warning"],
    ["archiveOverdue", "without an archive", { role: "warm" }, "absent"],
    ["archiveOverdue", "of which this is hot", { archiveAfterSeconds: 1 }, "absent"],
    [
      "archiveOverdue",
      "whose oldest item is in its days of grace",
      { role: "warm", archiveAfterSeconds: 86_400, warmOldestAt: AT - 8 * DAY_MS },
      "fine",
    ],
    [
      "archiveOverdue",
      "whose oldest item is older",
      { role: "warm", archiveAfterSeconds: 86_400, warmOldestAt: AT - 9 * DAY_MS },
      "warning",
    ],
    [
      "archiveOverdue",
      "with nothing in warm",
      { role: "warm", archiveAfterSeconds: 86_400 },
      "fine",
    ],
  ])("%s: one %s", (rule, _, more, is) => {
    const report = { ...sampleReport({ at: AT }), lifecycle: { ...lifecycle, ...more } };
    const { find } = CONTAINER_RULES.find(({ id }) => id === rule)!;
    const finding = find({ report, jobs: [] }, defaultAlertSettings().get(rule)!.values);
    expect(finding.kind === "trouble" ? finding.severity : finding.kind).toBe(is);
  });
});
