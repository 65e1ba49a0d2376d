/** A lifecycle in one sentence: what it does, and what waits. */
import { counted, countText, durationText } from "../../../base/wording.ts";
import type { LifecycleEntry } from "../../../model/lifecycle.ts";
import { isDueKnown } from "../job/jobWords.ts";

export function answerOf(job: LifecycleEntry): string {
  const moved = `${counted(job.totals.moved, "item")} moved so far`;
  switch (job.state) {
    case "stopped":
      return `Ended for good; ${counted(job.totals.moved, "item")} moved in all.`;
    case "failed":
      return `Ended by a failure: ${job.reason ?? "nobody knows why"}`;
    case "blocked":
      return `Something has to be mended: ${job.reason ?? "nobody knows what"}`;
    case "paused":
      return isDueKnown(job)
        ? `Paused; ${dueText(job)} in hot, and nothing of it expires. ${moved}.`
        : `Paused; nothing expires that was not moved. ${moved}.`;
    default:
      if (!isDueKnown(job)) return `Looking at what is in hot; ${moved}.`;
      return job.dueCount === 0
        ? `Nothing waits in hot; items move after ${durationText(job.ageSeconds)}. ${moved}.`
        : `${dueText(job)} in hot; ${moved}.`;
  }
}

/** What is due and not moved. */
export function dueText(job: LifecycleEntry): string {
  if (!isDueKnown(job)) return "Not known yet";
  const { dueCount, isDueCountExact } = job;
  const least = isDueCountExact ? "" : "at least ";
  const verb = dueCount === 1 ? "waits" : "wait";
  const text = `${least}${countText(dueCount)} ${dueCount === 1 ? "item" : "items"} ${verb}`;
  return text.charAt(0).toUpperCase() + text.slice(1);
}
