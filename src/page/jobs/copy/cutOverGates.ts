/**
 * What has to hold before a copy takes over, each as a sentence with its numbers. The server holds
 * to the same: it refuses a cut-over without a fresh verification or with items set aside.
 */
import { counted, countText, durationText } from "../../../base/wording.ts";
import type { CopyJobEntry, VerificationReport } from "../../../model/copyJob.ts";
import { lagText } from "../job/jobWords.ts";

export interface CutOverGate {
  readonly title: string;
  readonly says: string;
  readonly isMet: boolean;
}

export function gatesOf(job: CopyJobEntry, now: number): readonly CutOverGate[] {
  const { state, progress, verification, setAside } = job;
  return [
    {
      title: state === "ready" ? "Caught up" : "Not caught up yet",
      says: lagText(progress.lag),
      isMet: state === "ready",
    },
    {
      title: VERIFIED[verification.state],
      says: verificationText(verification, now),
      isMet: verification.state === "fresh",
    },
    {
      title: setAside.count === 0 ? "Nothing set aside" : "Items set aside",
      says:
        setAside.count === 0
          ? "every item has its copy"
          : `${counted(setAside.count, "item")} without a copy`,
      isMet: setAside.count === 0,
    },
  ];
}

const VERIFIED: Readonly<Record<VerificationReport["state"], string>> = {
  none: "Not verified",
  running: "Being verified",
  fresh: "Verified",
  stale: "Verification out of date",
  differs: "The copy differs",
};

/** What the last comparison found, and how old it is. */
export function verificationText(report: VerificationReport, now: number): string {
  const { state, at, comparedCount = 0, inMotionCount = 0 } = report;
  if (state === "none") return "source and copy have not been compared yet";
  if (state === "running") return `compared so far: ${Math.floor((report.share ?? 0) * 100)} %`;
  const age = at === undefined ? "" : `, ${ageText(at, now)}`;
  const found =
    state === "differs"
      ? differencesText(report)
      : `${counted(comparedCount, "item")} compared, no difference`;
  const moving = inMotionCount === 0 ? "" : `; ${countText(inMotionCount)} changed at every look`;
  return found + age + moving;
}

function differencesText(report: VerificationReport): string {
  const { missingCount = 0, extraCount = 0, differingCount = 0, comparedCount = 0 } = report;
  const parts = [
    ...(missingCount === 0 ? [] : [`${countText(missingCount)} missing`]),
    ...(extraCount === 0 ? [] : [`${countText(extraCount)} too many`]),
    ...(differingCount === 0 ? [] : [`${countText(differingCount)} different`]),
  ];
  return `${parts.join(", ")} of ${counted(comparedCount, "item")} compared`;
}

/** "just now", "2 minutes ago" */
export function ageText(at: number, now: number): string {
  const seconds = (now - at) / 1000;
  return seconds < 10 ? "just now" : `${durationText(seconds)} ago`;
}
