/**
 * One attempt at a split or a merge, from the plan to the end or to what cuts it short.
 *
 * 1. The new partitions get parts of the store that nobody knows of yet.
 * 2. What the old ones hold is copied there, then what changed meanwhile, until little is missing.
 * 3. Writes to the old ones wait for a moment. The rest is copied, and **one** record of the
 *    catalogue says that the new ones own the keys. Whoever waited goes on with them.
 * 4. The old parts are dropped.
 *
 * A crash before that record leaves the old ones as they were, and parts that nobody names; after
 * it the new ones, with everything that was ever acknowledged. Opening drops what nobody names.
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Replacement } from "../catalog/succession.ts";
import type { CatalogChange } from "../jobs/jobBook.ts";
import type { Container } from "../partition/container.ts";
import type { RunningJob } from "./reshapeJob.ts";
import type { PlanSetting } from "./reshapePlan.ts";
import { mergeProblem, planReshape } from "./reshapePlan.ts";
import type { TransferSetting } from "./transfer.ts";
import { Transfer } from "./transfer.ts";

export interface AttemptSetting extends PlanSetting, TransferSetting {
  /** Sets parts of the store aside that nobody else will get. */
  claimParts(count: number): Promise<readonly number[]>;
  dropParts(parts: readonly number[]): Promise<void>;
  /** See `succession.ts`. */
  replacePartitions(container: Container, replacement: Replacement): Promise<boolean>;
}

export interface AttemptTerms {
  isStopped(): boolean;
  /** What is committed together with the new map, given the new range ids. */
  alongside(newPartitionIds: readonly string[]): CatalogChange;
}

/** So few changes are copied in the time that writers may be kept waiting. */
const LAG_MAX = 256;
/** After so many rounds the writers are faster than we are, and have to wait for us. */
const ROUNDS_MAX = 8;
/** "again" when it was cut short, which changed nothing: the next attempt may find out why. */
export async function attemptReshape(
  setting: AttemptSetting,
  job: RunningJob,
  { isStopped: isClosing, alongside }: AttemptTerms,
): Promise<Result<readonly string[], Refusal> | "again"> {
  const { container, request } = job;
  const { definition } = container;
  // Items that are indexed under several policies at once had better stay where they are.
  const isSamePolicy = (): boolean =>
    container.formerPolicies.length === 0 && container.definition === definition;
  const isStopped = (): boolean => isClosing() || container.isDeleted || !isSamePolicy();
  if (isStopped()) return "again";
  const plan = await planReshape(setting, container, request);
  if (!plan.ok) return plan;
  const { removedIds, ranges } = plan.value;
  const sources = removedIds.map((id) => container.partitions.get(id)!);
  const parts = await setting.claimParts(ranges.length);
  const destinations = ranges.map((range, index) => ({ part: parts[index]!, range }));
  const transfer = new Transfer(setting, container, sources, destinations);
  job.transfer = transfer;
  // A rate that rose meanwhile, or data that came, may need what was to be merged.
  const neighbours = sources.map(({ entry }) => entry);
  const isOver = (): boolean =>
    isStopped() ||
    (request.kind === "merge" && mergeProblem(setting, container, neighbours) !== undefined);
  let isDone = false;
  try {
    if (!(await copy(job, transfer, isOver))) return "again";
    job.state = "switching";
    isDone = await setting.replacePartitions(container, {
      removedIds,
      added: destinations,
      finish: () => transfer.catchUp(isOver),
      alongside,
    });
  } finally {
    if (!isDone) await setting.dropParts(parts);
  }
  if (!isDone) return "again";
  const isNew = ({ part }: { readonly part: number }): boolean => parts.includes(part);
  return ok(container.map.entries.filter(isNew).map(({ id }) => id));
}

async function copy(
  job: RunningJob,
  transfer: Transfer,
  isStopped: () => boolean,
): Promise<boolean> {
  job.state = "copying";
  for (let round = 0; round < ROUNDS_MAX && (round === 0 || transfer.lag > LAG_MAX); round++) {
    if (!(await transfer.catchUp(isStopped))) return false;
    job.state = "catchingUp";
  }
  return true;
}
