/**
 * A split or a merge: what it is about and why, how far it is, and what became of it. Who runs them
 * is `reshaping.ts`; those that must survive a crash are kept by `jobBook.ts`.
 */
import type { Refusal } from "../../model/refusal.ts";
import type { Rid } from "../../model/rid.ts";
import type { JobReport } from "../../statistics/report.ts";
import type { Container } from "../partition/container.ts";
import type { ReshapeRequest } from "./reshapePlan.ts";
import type { Transfer } from "./transfer.ts";

export type Reason = JobReport["reason"];

/** Once it has an outcome, the rest is as it was at the end. */
export interface ReshapeJob extends JobReport {
  /** Never given twice, also not after a restart. */
  readonly id: string;
  /** Names; what they name may be gone. */
  readonly database: string;
  readonly container: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly outcome?: ReshapeOutcome | undefined;
}

export type ReshapeOutcome =
  | {
      readonly state: "done";
      readonly newPartitionIds: readonly string[];
      readonly seconds: number;
    }
  /** Failed: it could not be done. Cancelled: what it was about is no more. */
  | { readonly state: "failed" | "cancelled"; readonly reason: string; readonly seconds: number };

/** What the catalogue remembers of a job; it is open until the job has an outcome. */
export interface JobRecord {
  readonly containerRid: Rid;
  readonly request: ReshapeRequest;
  readonly job: ReshapeJob;
}

/** A job while it runs, or waits for its turn. */
export interface RunningJob {
  readonly id: string;
  readonly container: Container;
  readonly request: ReshapeRequest;
  readonly reason: Reason;
  readonly startedAt: number;
  /** Whether it is in the catalogue, so that a crash does not end it. */
  readonly isAccepted: boolean;
  state: JobReport["state"];
  transfer: Transfer | undefined;
  /** How often the store failed it. */
  failureCount: number;
}

export function partitionIdsOf(request: ReshapeRequest): readonly string[] {
  return request.kind === "split" ? [request.partitionId] : request.partitionIds;
}

export function reportOf({ container, request, reason, state, transfer }: RunningJob): JobReport {
  const partitionIds = partitionIdsOf(request);
  const copiedCount = transfer?.copiedCount ?? 0;
  let leftCount = 0;
  for (const id of partitionIds) leftCount += container.partitions.get(id)?.head.itemCount ?? 0;
  // Those that are no more have been copied whole; what changed meanwhile was copied again.
  const totalCount = Math.max(copiedCount, leftCount);
  return { kind: request.kind, reason, state, partitionIds, copiedCount, totalCount };
}

export function entryOf(job: RunningJob): ReshapeJob {
  const { id, startedAt } = job;
  const { databaseId, definition } = job.container;
  return { ...reportOf(job), id, database: databaseId, container: definition.id, startedAt };
}

export function recordOf(job: RunningJob, outcome?: ReshapeOutcome): JobRecord {
  const { container, request } = job;
  const entry = entryOf(job);
  return { containerRid: container.rid, request, job: outcome ? { ...entry, outcome } : entry };
}

export function problemText(refusal: Refusal): string {
  return "message" in refusal ? refusal.message : refusal.kind;
}
