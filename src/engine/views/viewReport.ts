/** What a view shows of itself: as a job, and in the report of its container. */
import type { CopyJobEntry, CopyState } from "../../model/copyJob.ts";
import type { ViewReport } from "../../statistics/report.ts";
import { boundOf, lagOf } from "../copy/copyReport.ts";
import type { Container } from "../partition/container.ts";
import type { ViewRun } from "./viewRun.ts";
import { SET_ASIDE_MAX } from "./viewRun.ts";

/** A view that is less behind than this is as good as up to date. */
const READY_LAG = 1000;

export function viewEntry(run: ViewRun): CopyJobEntry {
  const { record, pace, progress, blockedFor } = run;
  const { job, counts, startCount, events } = record;
  const source = nameOf(run.source);
  const target = nameOf(run.view);
  return {
    id: run.id,
    kind: "view",
    state: stateOf(run),
    ...(blockedFor !== undefined && { reason: blockedFor }),
    source,
    target,
    startedAt: job.startedAt,
    asked: { source, target, mode: "online", sharePercent: pace.sharePercent },
    progress: {
      itemCount: startCount,
      ...counts,
      ...progress.pace,
      lag: { ...lagOf(run), behindSeconds: run.behindSeconds },
    },
    throttle: {
      sharePercent: pace.sharePercent,
      effectivePercent: pace.effectivePercent,
      bound: boundOf(run.store, pace),
    },
    setAside: { count: run.setAside.count, max: SET_ASIDE_MAX },
    verification: { state: "none" },
    events,
    nextSteps: [
      {
        step: "throttle",
        about: "changes the share of the rates that the view may spend to follow, at once",
      },
    ],
  };
}

export function viewReport(run: ViewRun): ViewReport {
  return {
    source: run.source.definition.id,
    status: statusOf(run),
    lagCount: run.stream.lag,
    lagSeconds: run.behindSeconds,
    setAsideCount: run.setAside.count,
    blockedFor: run.blockedFor,
  };
}

/** In the words of the service. */
export function statusOf(run: ViewRun | undefined): ViewReport["status"] {
  if (run === undefined || !run.hasBegun) return "Initializing";
  return run.record.isBuilt ? "Active" : "InitialBuildAfterCreate";
}

function stateOf({ blockedFor, record, stream }: ViewRun): CopyState {
  if (blockedFor !== undefined) return "blocked";
  if (!record.isBuilt) return "copying";
  return stream.lag > READY_LAG ? "catchingUp" : "ready";
}

function nameOf({ databaseId, definition }: Container): CopyJobEntry["source"] {
  return { database: databaseId, container: definition.id };
}
