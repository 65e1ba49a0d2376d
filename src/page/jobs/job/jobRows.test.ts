/** Jobs of all kinds as rows: their order, their words, and the sentence above them. */
import { expect, test } from "vitest";
import type { CopyJobEntry } from "../../../model/copyJob.ts";
import type { JobEntry, JobsAnswer } from "../../../protocol/admin.ts";
import { answerOf, rowsOf } from "./jobRows.ts";
import { fallingBehindText, keptText, lagText, remainingText, stateOf } from "./jobWords.ts";
import { SIMULATED_JOB } from "./simulatedJob.fake.ts";

const SPLIT: JobEntry = {
  id: "7-1",
  kind: "split",
  database: "shop",
  container: "orders",
  reason: "request",
  state: "copying",
  partitionIds: ["2"],
  copiedCount: 50,
  totalCount: 200,
  startedAt: 5,
};

const NONE: JobsAnswer = { jobs: [], copies: [], lifecycles: [], archives: [] };

function copy(id: string, change: Partial<CopyJobEntry>): CopyJobEntry {
  return { ...SIMULATED_JOB, id, ...change };
}

test("what waits for somebody is first, then what is at work, then what ended", () => {
  const rows = rowsOf({
    ...NONE,
    jobs: [
      SPLIT,
      { ...SPLIT, id: "7-0", outcome: { state: "failed", reason: "Gone.", seconds: 1 } },
    ],
    copies: [
      copy("c1", { state: "reverted", startedAt: 1 }),
      copy("c2", { state: "completed", startedAt: 2 }),
      copy("c3", { state: "copying", startedAt: 3 }),
      copy("c4", { state: "ready", startedAt: 4 }),
    ],
  });
  expect(rows.map(({ id }) => id)).toEqual(["c4", "7-1", "c3", "7-0", "c2", "c1"]);
  expect(answerOf(rows)).toBe("1 job waits for you, 2 jobs are at work.");
  expect(answerOf(rows.slice(3))).toBe("Nothing is being changed; 3 jobs ended.");
  expect(answerOf([])).toBe("Nothing is being changed, and nothing was.");
});

test("once all is copied, items that came as changes are not said to lack", () => {
  const [ready] = rowsOf({ ...NONE, copies: [copy("c1", { state: "ready" })] });
  expect(ready).toMatchObject({ share: 1, progress: "100 items, 2 KB" });
});

test("a row has items and bytes, rate, an interval and the share", () => {
  const [row] = rowsOf({ ...NONE, copies: [copy("c1", { state: "copying" })] });
  expect(row).toMatchObject({
    kind: "copy to /item, online",
    about: "shop/orders → shop/orders2",
    share: 0.25,
    progress: "100 of 400 items, 2 KB",
    rate: "25 items/s, 512 B/s",
    remaining: "3 min to 4 min",
    sharePercent: 20,
  });
});

test("a job that ended has neither rate nor share any more, and its reason", () => {
  const [row] = rowsOf({ ...NONE, copies: [copy("c1", { state: "failed", reason: "Full." })] });
  expect(row).toMatchObject({ group: "ended", tone: "bad", reason: "Full." });
  expect(row?.rate).toBeUndefined();
  expect(row?.sharePercent).toBeUndefined();
});

test("a view that has caught up waits for nobody", () => {
  const view = copy("v1", { kind: "view" });
  expect(stateOf(view).word).toBe("up to date");
  expect(rowsOf({ ...NONE, copies: [view] })[0]?.group).toBe("works");
});

test("how much is left, and how often that came true", () => {
  expect(remainingText({ from: 5, to: 5 })).toBe("about 5 s");
  expect(keptText({ kept: { insideCount: 9, jobCount: 10 } })).toBe(
    "9 of 10 earlier jobs ended within such an interval",
  );
  expect(keptText({})).toBeUndefined();
});

test("a lag in words, and what a copy that falls behind needs", () => {
  expect(lagText({ changeCount: 0 })).toBe("nothing behind");
  expect(lagText({ changeCount: 1 })).toBe("1 change behind");
  const lag = { changeCount: 9, appliedPerSecond: 10, arrivingPerSecond: 20 };
  expect(fallingBehindText(lag)).toBeUndefined();
  const needing = (sharePercent: number): string | undefined =>
    fallingBehindText({ ...lag, needed: { ruPerSecond: 160, sharePercent } });
  expect(needing(50)).toContain("A share of 50 % would do.");
  expect(needing(150)).toContain("raise its throughput to about 160 RU/s");
});
