/** Half of a copy is no data to serve, and a server would take it for what a crash has left. */
import type { PartitionStore } from "../store/partitionStore.ts";
import { unfinishedCopy } from "../store/wholeCopy/copyStore.ts";
import { BadOption } from "./surroundings/options.ts";

export async function refuseUnfinished(store: PartitionStore, place: string): Promise<void> {
  const unfinished = await unfinishedCopy(store);
  if (unfinished === undefined) return;
  await store.close();
  throw new BadOption(`${place} ${unfinished}`);
}
