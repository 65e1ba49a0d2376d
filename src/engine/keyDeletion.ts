/**
 * Deletes every item of a logical partition that is there when it is asked for, a little at a time:
 * others write meanwhile, under the same key, too, and what they write stays. Paid from what the
 * budget has left over, as the service does, so it does not hold anybody up.
 */
import type { Lsn } from "../base/units.ts";
import type { Timer } from "../base/world.ts";
import type { Epk } from "../partition/epkRange.ts";
import { pointRange } from "../partition/epkRange.ts";
import type { PartitionStore, StoredItem } from "../store/partitionStore.ts";
import type { Container } from "./container.ts";
import { placementRange } from "./itemKey.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

const STEP_COUNT = 64;
const STEP_BYTES = 1024 * 1024;

/** Resolves when they are gone. */
export async function deleteKey(
  { store, timer }: { readonly store: PartitionStore; readonly timer: Timer },
  container: Container,
  epk: Epk,
): Promise<void> {
  const asOf = container.ownerOf(epk).lsn;
  for (let hasMore = true; hasMore && !container.isDeleted; ) {
    const partition = container.ownerOf(epk);
    hasMore = await deleteSome(store, partition, epk, asOf);
    // A physical partition that was split meanwhile has done nothing.
    if (partition.isRetired) hasMore = true;
    await timer.soon();
  }
}

async function deleteSome(
  store: PartitionStore,
  partition: PhysicalPartition,
  epk: Epk,
  asOf: Lsn,
): Promise<boolean> {
  let charge = 0;
  let hasMore = false;
  await partition.commitBetween(async () => {
    const items = await someOf(store, partition, epk, asOf);
    hasMore = items.length > 0;
    const ends = items.map((item) => partition.deletion(item));
    for (const end of ends) charge += end.charge;
    return ends.map(({ write }) => [write]);
  });
  partition.spending.settleLeftOver(charge);
  return hasMore;
}

/** Items in order of creation; newer versions among them are passed over. */
async function someOf(
  store: PartitionStore,
  { entry }: PhysicalPartition,
  epk: Epk,
  asOf: Lsn,
): Promise<readonly StoredItem[]> {
  const scan = { range: placementRange(pointRange(epk)), bytesMax: STEP_BYTES, withItems: true };
  let after: { readonly term: string; readonly number: number } | undefined;
  for (;;) {
    const page = await store.scanTerms(entry.part, { ...scan, after, countMax: STEP_COUNT });
    const old = page.entries.flatMap(({ item }) => (item && item.lsn <= asOf ? [item] : []));
    if (old.length > 0 || page.isLast) return old;
    after = page.entries.at(-1);
  }
}
