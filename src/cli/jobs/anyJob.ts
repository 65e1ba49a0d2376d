/** Jobs of every kind as the admin API has them, and the routes that lead to one. */

import type { ArchiveJobEntry } from "../../model/archiveJob.ts";
import type { CopyEnd, CopyJobEntry, CopyStep } from "../../model/copyJob.ts";
import type { LifecycleEntry } from "../../model/lifecycle.ts";
import type { JobEntry, JobsAnswer } from "../../protocol/admin.ts";
import type { AdminClient } from "../connect/adminClient.ts";
import { isArchiveOver } from "./archiveText.ts";

/** A split or a merge, a copy or a view, a lifecycle, an archive or a restore. */
export type AnyJob = JobEntry | CopyJobEntry | LifecycleEntry | ArchiveJobEntry;

/** A total table: an end that is missing here does not compile. */
const ENDS: Readonly<Record<CopyEnd, true>> = {
  planned: true,
  copied: true,
  completed: true,
  reverted: true,
  cancelled: true,
  failed: true,
};

export function isCopy(job: AnyJob): job is CopyJobEntry {
  return job.kind === "copy" || job.kind === "view";
}

export function isLifecycle(job: AnyJob): job is LifecycleEntry {
  return job.kind === "lifecycle";
}

export function isArchive(job: AnyJob): job is ArchiveJobEntry {
  return job.kind === "archive" || job.kind === "restore";
}

export function isOver(job: AnyJob): boolean {
  if (isLifecycle(job)) return job.endedAt !== undefined;
  if (isArchive(job)) return isArchiveOver(job);
  return isCopy(job) ? Object.hasOwn(ENDS, job.state) : job.outcome !== undefined;
}

export async function jobsOf(client: AdminClient): Promise<readonly AnyJob[]> {
  const { jobs, copies, lifecycles, archives } = await client.get<JobsAnswer>("jobs");
  return [...lifecycles, ...copies, ...archives, ...jobs];
}

export async function jobOf(client: AdminClient, id: string): Promise<AnyJob> {
  return (await client.get<{ readonly job: AnyJob }>(jobRoute(id))).job;
}

export async function stepTaken(
  client: AdminClient,
  id: string,
  step: CopyStep,
  body: object = {},
): Promise<AnyJob> {
  return (await client.post<{ readonly job: AnyJob }>(jobRoute(id, step), body)).job;
}

/** `what` is a step, or what else there is of a job. */
export function jobRoute(id: string, what?: CopyStep | "setAside"): string {
  const route = `jobs/${encodeURIComponent(id)}`;
  return what === undefined ? route : `${route}/${what}`;
}
