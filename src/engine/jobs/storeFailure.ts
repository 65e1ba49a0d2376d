/**
 * What an error of the store means for work that nobody waits for. Every other error is a defect.
 *
 * A passing failure, such as a full disk, is waited out. A lasting one ends all writing until the
 * next opening: the store has a fault, or another process has taken over (`Fenced`).
 */
import type { PartitionStore } from "../../store/partitionStore.ts";
import { Fenced, StoreFault } from "../../store/partitionStore.ts";

export function isStoreFailure(error: unknown): error is StoreFault | Fenced {
  return error instanceof StoreFault || error instanceof Fenced;
}

export function isLasting(
  failure: StoreFault | Fenced,
  { fault }: Pick<PartitionStore, "fault">,
): boolean {
  return failure instanceof Fenced || fault !== undefined;
}
