/** Loads over time, as shares of the rate. */
import { expect, test } from "vitest";
import type { HistoryReport, HistorySlot } from "../../protocol/admin.ts";
import type { ContainerReport } from "../../statistics/report.ts";
import { trendSlots, trendSummary } from "./loadTrend.ts";

function slot(ru: number, throttledCount = 0): HistorySlot {
  return { ru, requestCount: 10, throttledCount, normalizedPercent: 100 };
}

const LATER = 10_000_000;

const REPORT = {
  partitions: [
    { id: "1", allottedRate: 100 },
    { id: "2", allottedRate: 100 },
  ],
} as unknown as ContainerReport;

const HISTORY: HistoryReport = {
  slotSeconds: 60,
  times: [0, 60_000, 120_000, 180_000],
  total: [slot(6000), null, slot(6600, 5), slot(600)],
  partitions: [
    { id: "1", min: "", max: "8", slots: [slot(6000), null, slot(6000), null] },
    { id: "2", min: "8", max: "FF", slots: [slot(0), null, slot(600), null] },
  ],
};

test("the busiest stands beside the whole, a gap is a gap, and what nobody knows is absent", () => {
  expect(trendSlots(HISTORY, REPORT, LATER)).toEqual([
    { at: 0, upper: 1, lower: 0.5, refusedShare: 0 },
    { at: 60_000 },
    { at: 120_000, upper: 1, lower: 0.55, refusedShare: 0.5 },
    { at: 180_000, upper: undefined, lower: 0.05, refusedShare: 0 },
  ]);
});

test("of the slot that runs, only the time that has passed counts", () => {
  const last = (now: number) => trendSlots(HISTORY, REPORT, now).at(-1);
  expect(last(180_000 + 30_000)).toMatchObject({ lower: 0.1 });
  expect(last(180_000 + 2000)).toEqual({ at: 180_000 });
});

test("a container without a rate has no share", () => {
  const bare = { partitions: [{ id: "1", allottedRate: 0 }] } as unknown as ContainerReport;
  expect(trendSlots(HISTORY, bare, LATER)[0]).toMatchObject({ upper: 0, lower: 0 });
});

test("the chart is summed up in words", () => {
  expect(trendSummary(trendSlots(HISTORY, REPORT, LATER), "last hour")).toBe(
    "In the last hour the busiest physical partition used at most 100 % of its share, the whole " +
      "container 55 %. Requests were refused in 1 slot of 3.",
  );
  expect(trendSummary([{ at: 0 }], "last hour")).toBe("Nobody counted in the last hour.");
  expect(trendSummary([{ at: 0, upper: 0.5, lower: 0.5 }], "last day")).toMatch(/No request was/);
});
