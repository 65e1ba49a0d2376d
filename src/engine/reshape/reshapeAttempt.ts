/**
 * One attempt at a split, a merge or a move, from the plan to the end or to what cuts it short.
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
import type { Catalog } from "../catalog/catalog.ts";
import type { JobStep } from "../jobs/job.ts";
import { WAITS } from "../jobs/job.ts";
import type { JobChange } from "../jobs/jobRecord.ts";
import type { Reshaped, RunningReshape } from "./reshapeJob.ts";
import type { ReshapePlanSetting } from "./reshapePlan.ts";
import { mergeProblem, planReshape } from "./reshapePlan.ts";
import type { TransferSetting } from "./transfer.ts";
import { Transfer } from "./transfer.ts";

interface AttemptSetting extends ReshapePlanSetting, TransferSetting {
  readonly catalog: Pick<Catalog, "neededCount" | "claimParts" | "dropParts" | "replacePartitions">;
}

export interface AttemptTerms {
  isStopped(): boolean;
  /** What is committed together with the new map. */
  ending(reshaped: Reshaped): JobChange;
}

/** How many changes may be missing when writers are made to wait: they are copied in no time. */
const LAG_MAX = 256;
/** After so many rounds the writers are faster than the copy, and have to wait for it. */
const ROUNDS_MAX = 8;

/** The step waits if it was cut short, which changed nothing; the next attempt plans anew. */
export async function attemptReshape(
  setting: AttemptSetting,
  running: RunningReshape,
  { isStopped: isClosing, ending }: AttemptTerms,
): Promise<JobStep<Reshaped>> {
  const { container, request } = running;
  const { catalog } = setting;
  const { definition } = container;
  // Items that are indexed under several policies at once had better stay where they are.
  const isSamePolicy = (): boolean =>
    container.formerPolicies.length === 0 && container.definition === definition;
  const isStopped = (): boolean => isClosing() || container.isDeleted || !isSamePolicy();
  if (isStopped()) return WAITS;
  const plan = await planReshape(setting, container, request);
  if (!plan.ok) return { kind: "refused", refusal: plan.error };
  const { removedIds, ranges, to } = plan.value;
  const sources = removedIds.map((id) => container.partitions.get(id)!);
  const parts = await catalog.claimParts(ranges.length, to);
  const added = ranges.map((range, index) => ({ part: parts[index]!, range }));
  const transfer = new Transfer(setting, container, sources, added);
  running.transfer = transfer;
  // A rate that rose meanwhile, or data that came, may need what was to be merged.
  const neighbours = sources.map(({ entry }) => entry);
  const isOver = (): boolean =>
    isStopped() ||
    (request.kind === "merge" && mergeProblem(setting, container, neighbours) !== undefined);
  let reshaped: Reshaped | undefined;
  try {
    if (!(await copy(running, transfer, isOver))) return WAITS;
    running.state = "switching";
    await catalog.replacePartitions(container, { removedIds, added }, async (succession) => {
      if (!(await transfer.catchUp(isOver))) return;
      const newPartitionIds = succession.newIds;
      await succession.commit(ending({ newPartitionIds }));
      reshaped = { newPartitionIds };
    });
  } finally {
    // Parts that are in the map stay, whatever became of the old ones.
    if (reshaped === undefined) await catalog.dropParts(parts);
  }
  return reshaped === undefined ? WAITS : { kind: "done", value: reshaped };
}

async function copy(
  running: RunningReshape,
  transfer: Transfer,
  isStopped: () => boolean,
): Promise<boolean> {
  running.state = "copying";
  for (let round = 0; round < ROUNDS_MAX && (round === 0 || transfer.lag > LAG_MAX); round++) {
    if (!(await transfer.catchUp(isStopped))) return false;
    running.state = "catchingUp";
  }
  return true;
}
