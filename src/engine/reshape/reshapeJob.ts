/**
 * A split or a merge: what it is about and why, how far it is, and what became of it. Who runs them
 * is `reshaping.ts`.
 */
import type { Rid } from "../../model/rid.ts";
import type { JobReport } from "../../statistics/report.ts";
import type { JobRecord, JobSummary, KeptOutcome } from "../jobs/jobRecord.ts";
import type { Container } from "../partition/container.ts";
import type { ReshapeRequest } from "./reshapePlan.ts";
import type { Transfer } from "./transfer.ts";

export type ReshapeReason = JobReport["reason"];

/** What a split or a merge has come to. */
export interface Reshaped {
  readonly newPartitionIds: readonly string[];
}

/** A split or a merge as the list of jobs shows it. */
export interface ReshapeJob extends JobReport, JobSummary {
  readonly kind: JobReport["kind"];
  /** Names; what they name may be gone. */
  readonly database: string;
  readonly container: string;
  readonly outcome?: KeptOutcome<Reshaped> | undefined;
}

/** What the catalogue remembers of a split or a merge that was accepted. */
export interface ReshapeRecord extends JobRecord {
  readonly containerRid: Rid;
  readonly request: ReshapeRequest;
  readonly job: ReshapeJob;
}

/** What a split or a merge is about, and how far it is. */
export interface RunningReshape {
  readonly container: Container;
  readonly request: ReshapeRequest;
  readonly reason: ReshapeReason;
  state: JobReport["state"];
  transfer: Transfer | undefined;
}

export function partitionIdsOf(request: ReshapeRequest): readonly string[] {
  return request.kind === "merge" ? request.partitionIds : [request.partitionId];
}

export function reportOf(running: RunningReshape): JobReport {
  const { container, request, reason, state, transfer } = running;
  const partitionIds = partitionIdsOf(request);
  const copiedCount = transfer?.copiedCount ?? 0;
  let leftCount = 0;
  for (const id of partitionIds) leftCount += container.partitions.get(id)?.head.itemCount ?? 0;
  // Partitions that are no more have been copied whole; what changed meanwhile was copied again.
  const totalCount = Math.max(copiedCount, leftCount);
  const to = request.kind === "move" ? { to: request.to } : {};
  return { kind: request.kind, ...to, reason, state, partitionIds, copiedCount, totalCount };
}

export function reshapeSummary(
  running: RunningReshape,
  { id, startedAt }: Pick<JobSummary, "id" | "startedAt">,
): ReshapeJob {
  const { databaseId, definition } = running.container;
  return { ...reportOf(running), id, database: databaseId, container: definition.id, startedAt };
}
