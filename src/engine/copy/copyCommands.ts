/** What can be asked of a copy job, and when. */
import type { CopyStep, NextStep } from "../../model/copyJob.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Container } from "../partition/container.ts";
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
const ABOUT: Readonly<Record<CopyStep, string>> = {
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

/** What a command may come with. */
export interface CommandTerms {
  readonly sharePercent?: number | undefined;
  readonly percent?: number | undefined;
  readonly deadlineMs?: number | undefined;
  readonly isForced?: boolean | undefined;
  readonly dropTarget?: boolean | undefined;
  readonly keepOld?: boolean | undefined;
}

/** What can be asked of a job now, in some form. */
export function possibleSteps(run: CopyRun): readonly NextStep[] {
  const possible = COPY_STEPS.filter((step) => obstacleTo(run, step, LEAST_TERMS) === undefined);
  return possible.map((step) => {
    const lasting = step === "complete" ? lastingOld(run) : undefined;
    return { step, about: lasting ?? ABOUT[step] };
  });
}

/** A step that deletes nothing. */
const LEAST_TERMS: CommandTerms = { keepOld: true };

/** Why a command makes no sense now, or not on these terms; nothing if it does. */
export function obstacleTo(
  run: CopyRun,
  command: CopyStep,
  terms: CommandTerms,
): string | undefined {
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
        : terms.dropTarget === true
          ? lastingTarget(run)
          : undefined;
    case "verify":
      if (isFollowing) return undefined;
      return phase === "switched" ? lostComparison(record) : "There is nothing to compare yet.";
    case "mirror":
      return isFollowing ? undefined : "Reads are mirrored from the first copy to the switch.";
    case "cutOver":
      return cutOverObstacle(run);
    case "complete":
      if (phase !== "switched") return "The copy has not taken over yet.";
      return terms.keepOld === true ? undefined : lastingOld(run);
    case "revert":
      return phase === "switched" ? noWayBack(record) : "The copy has not taken over yet.";
  }
}

/** Why an old container cannot be compared; nothing if it can. */
function lostComparison(record: CopyRun["record"]): string | undefined {
  const reason = noWayBack(record);
  return reason && `The old container is not kept up to date, so it is not compared. ${reason}`;
}

/** Why the old container cannot be deleted at the end; nothing if it can. */
function lastingOld({ source, setting }: CopyRun): string | undefined {
  const views = viewsText(setting.catalog, source);
  return (
    views &&
    `The old container '${source.definition.id}' has ${views}, and cannot be deleted. Delete ` +
      "them first, or complete the job and keep the old container (keepOld, --keep-old)."
  );
}

/** Why the target cannot be deleted when the job is cancelled; nothing if it can. */
function lastingTarget({ target, record, setting }: CopyRun): string | undefined {
  if (target === undefined || target.isDeleted) return undefined;
  const { id } = target.definition;
  const rest = "Cancel the job and keep the target (without dropTarget).";
  if (!record.hasMadeTarget) {
    return `The target '${id}' was there before the job, and is not deleted with it. ${rest}`;
  }
  const views = viewsText(setting.catalog, target);
  return (
    views &&
    `The target '${id}' has ${views}, and cannot be deleted. Delete them first. Or: ${rest}`
  );
}

function viewsText(catalog: Catalog, container: Container): string | undefined {
  const names = catalog.viewsOf(container).map(({ definition }) => `'${definition.id}'`);
  return names.length === 0 ? undefined : `the views ${names.join(", ")}`;
}

function cutOverObstacle({ record }: CopyRun): string | undefined {
  const { phase, request, blockedFor, isPaused } = record;
  if (phase === "switched") return "The copy has taken over already.";
  if (request.mode === "offline") return "An offline copy has no cut-over.";
  if (blockedFor !== undefined) return `The job is stopped: ${blockedFor}`;
  if (isPaused) return "The job is paused. Resume it first.";
  return phase === "ready" ? undefined : "The copy has not caught up yet.";
}
