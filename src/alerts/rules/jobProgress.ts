/**
 * How long the splits and merges of a container have stood still.
 *
 * A report says how far a job is, not since when. So jobs are followed from one report to the next:
 * a job that shows anything else than before has moved.
 */
import type { JobReport } from "../../statistics/report.ts";

export interface FollowedJob {
  readonly job: JobReport;
  /** Milliseconds since 1970. */
  readonly unchangedSince: number;
}

export function followJobs(
  before: readonly FollowedJob[],
  jobs: readonly JobReport[],
  now: number,
): readonly FollowedJob[] {
  return jobs.map((job) => {
    const known = before.find((followed) => isSameProgress(followed.job, job));
    // A clock that was set back must not make a job look older than it is.
    return { job, unchangedSince: Math.min(known?.unchangedSince ?? now, now) };
  });
}

function isSameProgress(one: JobReport, other: JobReport): boolean {
  return (
    one.kind === other.kind &&
    one.state === other.state &&
    one.copiedCount === other.copiedCount &&
    one.totalCount === other.totalCount &&
    one.partitionIds.join() === other.partitionIds.join()
  );
}
