/** What has to hold before a cut-over, and where a job is on its way. */
import { describe, expect, test } from "vitest";
import type { CopyJobEntry, VerificationReport } from "../../../model/copyJob.ts";
import { SIMULATED_JOB } from "../job/simulatedJob.fake.ts";
import { answerOf, phasesOf } from "./copyPhases.ts";
import { ageText, gatesOf, verificationText } from "./cutOverGates.ts";

const NOW = Date.UTC(2026, 4, 15, 15);
const FRESH: VerificationReport = { state: "fresh", at: NOW - 5000, comparedCount: 400 };

function job(change: Partial<CopyJobEntry>): CopyJobEntry {
  return { ...SIMULATED_JOB, ...change };
}

describe("gates", () => {
  test.each<[string, Partial<CopyJobEntry>, readonly boolean[]]>([
    ["nothing verified", {}, [true, false, true]],
    ["all met", { verification: FRESH }, [true, true, true]],
    ["still copying", { state: "copying", verification: FRESH }, [false, true, true]],
    ["old", { verification: { ...FRESH, state: "stale" } }, [true, false, true]],
    ["aside", { verification: FRESH, setAside: { count: 2, max: 9 } }, [true, true, false]],
  ])("%s", (_, change, met) => {
    expect(gatesOf(job(change), NOW).map(({ isMet }) => isMet)).toEqual(met);
  });
});

test.each<[VerificationReport, string]>([
  [{ state: "none" }, "source and copy have not been compared yet"],
  [{ state: "running", share: 0.559 }, "compared so far: 55 %"],
  [FRESH, "400 items compared, no difference, just now"],
  [
    { ...FRESH, state: "differs", at: NOW - 300_000, missingCount: 1, differingCount: 2 },
    "1 missing, 2 different of 400 items compared, 5 minutes ago",
  ],
])("a verification in words: %j", (report, text) => {
  expect(verificationText(report, NOW)).toBe(text);
});

test("an age below ten seconds is now", () => {
  expect(ageText(NOW - 9000, NOW)).toBe("just now");
  expect(ageText(NOW - 11_000, NOW)).toBe("11 seconds ago");
});

describe("phases", () => {
  const statesOf = (change: Partial<CopyJobEntry>): string =>
    phasesOf(job(change))
      .map(({ state }) => state)
      .join(" ");

  test.each<[string, Partial<CopyJobEntry>]>([
    ["now next next next next next", { state: "preparing" }],
    ["done now next next next next", { state: "copying" }],
    ["done done now next next next", { state: "ready" }],
    ["done done done done now next", { state: "switched" }],
    ["done done done done left left", { state: "reverted", endedAt: NOW }],
    ["done done done done done done", { state: "completed", endedAt: NOW }],
    ["now next next next next next", { state: "paused" }],
    ["left left left left left left", { state: "failed", endedAt: NOW }],
    ["done now", { state: "copying", asked: { ...SIMULATED_JOB.asked, mode: "offline" } }],
  ])("%s", (expected, change) => {
    expect(statesOf(change)).toBe(expected);
  });
});

test.each<[Partial<CopyJobEntry>, RegExp]>([
  [{}, /^Everything is copied\. Verify/],
  [
    { state: "preparing", progress: { ...SIMULATED_JOB.progress, lookedShare: 0.379 } },
    /looked at \(37 %\);/,
  ],
  [{ verification: FRESH }, /You can cut over/],
  [{ verification: { state: "differs" } }, /Do not cut over/],
  [{ verification: FRESH, setAside: { count: 1, max: 9 } }, /^1 item could not be copied/],
  [{ state: "blocked", reason: "A key is full." }, /has stopped: A key is full\. Mend it/],
  [{ state: "switched" }, /Revert, or complete/],
])("a job says what to do: %j", (change, text) => {
  expect(answerOf(job(change))).toMatch(text);
});
