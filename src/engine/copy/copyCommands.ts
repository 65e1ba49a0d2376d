/** What can be asked of a copy job, and when. */
import type { CopyStep } from "../../model/copyJob.ts";
import type { CopyRun } from "./copyRun.ts";
import { noWayBack } from "./copyWay.ts";

export const COPY_STEPS: readonly CopyStep[] = [
  "pause",
  "resume",
  "cancel",
  "throttle",
  "verify",
  "mirror",
  "cutOver",
  "complete",
  "revert",
];

/** What each does, and what it leaves behind. */
export const ABOUT: Readonly<Record<CopyStep, string>> = {
  pause: "stands still after the present step; nothing is lost, and the log of the source is kept",
  resume: "goes on where it stood still",
  cancel: "ends the job; the source is untouched, and the target stays unless it is to be dropped",
  throttle: "changes the share of the rates that the job may spend, at once",
  verify: "compares source and target, item by item",
  mirror: "runs a share of live reads on the target too, and compares",
  cutOver: "holds writes for a moment, applies the last ones, and makes the copy the container",
  complete: "ends the job after the switch; the old container is deleted, or kept if so asked",
  revert: "switches back to the old container, which has everything that was written since",
};

/** Why a command makes no sense now; nothing if it does. */
export function obstacleTo(run: CopyRun, command: CopyStep): string | undefined {
  const { record } = run;
  const { phase, isPaused, blockedFor } = record;
  if (run.hasEnded) return "The job has ended.";
  const isOver = phase === "completing" || phase === "cancelling";
  if (isOver) return "The job is about to end.";
  const isFollowing = phase === "copying" || phase === "catchingUp" || phase === "ready";
  switch (command) {
    case "throttle":
      return undefined;
    case "pause":
      return isPaused ? "The job is paused already." : undefined;
    case "resume":
      return isPaused || blockedFor !== undefined ? undefined : "The job is not paused.";
    case "cancel":
      return phase === "switched"
        ? "The copy has taken over. Revert the job, or complete it."
        : undefined;
    case "verify":
      return isFollowing || phase === "switched" ? undefined : "There is nothing to compare yet.";
    case "mirror":
      return isFollowing ? undefined : "Reads are mirrored from the first copy to the switch.";
    case "cutOver":
      return cutOverObstacle(run);
    case "complete":
      return phase === "switched" ? undefined : "The copy has not taken over yet.";
    case "revert":
      return phase === "switched" ? noWayBack(record) : "The copy has not taken over yet.";
  }
}

function cutOverObstacle({ record }: CopyRun): string | undefined {
  const { phase, request, blockedFor, isPaused } = record;
  if (phase === "switched") return "The copy has taken over already.";
  if (request.mode === "offline") return "An offline copy has no cut-over.";
  if (blockedFor !== undefined) return `The job is stopped: ${blockedFor}`;
  if (isPaused) return "The job is paused. Resume it first.";
  return phase === "ready" ? undefined : "The copy has not caught up yet.";
}
