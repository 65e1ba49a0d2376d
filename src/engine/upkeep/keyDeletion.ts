/**
 * Deletes every item of a logical partition that is there when this is asked for, a few at a time:
 * clients write meanwhile, under the same key, too, and what they write stays. The deletions are
 * paid from what the budget has left over and from nothing else, so they hold nobody up.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { KeyRange, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { placementRange } from "../item/itemKey.ts";
import type { BackgroundWork } from "../jobs/backgroundWork.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, leftRefusal } from "../jobs/job.ts";
import type { Container } from "../partition/container.ts";
import type { RoutedKey } from "../partition/itemRouting.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

const STEP_COUNT = 64;
const STEP_BYTES = 1024 * 1024;

/** Where a step ended: items keep their order of creation through splits and merges. */
interface Place {
  readonly term: string;
  readonly number: number;
}

interface Reached {
  readonly after: Place | undefined;
  readonly isLast: boolean;
}

/** Resolves when the items are gone. If it is refused, some are gone, and the rest stays. */
export async function deleteKey(
  { store, work }: { readonly store: PartitionStore; readonly work: BackgroundWork },
  container: Container,
  { epk, key }: Pick<RoutedKey, "epk" | "key">,
): Promise<Result<void, Refusal>> {
  const isMeant = (item: StoredItem): boolean => container.isOfKey(objectOf(item.body), key);
  const asOf = container.ownerOf(epk).lsn;
  let reached: Reached = { after: undefined, isLast: false };
  const step = async (): Promise<JobStep<void>> => {
    if (container.isDeleted) return DONE;
    reached = await deleteSome(store, container.ownerOf(epk), {
      range: placementRange(pointRange(epk)),
      isMeant: (item) => item.lsn <= asOf && isMeant(item),
      from: reached,
    });
    return reached.isLast ? DONE : AGAIN;
  };
  const end = await work.run({ step, isAwaited: true });
  if (end.kind === "done") return ok(undefined);
  return no(end.kind === "left" ? leftRefusal(end.failure) : end.refusal);
}

/** Stays where it is if the physical partition was split meanwhile. Newer versions are passed. */
async function deleteSome(
  store: PartitionStore,
  partition: PhysicalPartition,
  step: {
    readonly range: KeyRange;
    readonly isMeant: (item: StoredItem) => boolean;
    readonly from: Reached;
  },
): Promise<Reached> {
  const { range, isMeant, from } = step;
  const { entry, spending } = partition;
  let reached = from;
  await partition.commitBetween(async () => {
    const { entries, isLast } = await store.scanTerms(entry.part, {
      range,
      after: from.after,
      countMax: STEP_COUNT,
      bytesMax: STEP_BYTES,
      withItems: true,
    });
    reached = { after: entries.at(-1) ?? from.after, isLast };
    const old = entries.flatMap(({ item }) => (item && isMeant(item) ? [item] : []));
    const ends = old.map((item) => partition.deletion(item));
    for (const { charge } of ends) {
      if (spending.hasLeftOver()) spending.settleLeftOver(charge);
    }
    return ends.map(({ write }) => [write]);
  });
  return reached;
}
