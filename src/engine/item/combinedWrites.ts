/**
 * The writes of a transaction as one group of the store: an item that the transaction wrote several
 * times is written once, as the last of these writes leaves it. An item that was both made and
 * deleted within the transaction leaves no write.
 */
import { assert } from "../../base/assert.ts";
import type { ItemDelete, ItemPut, ItemWrite, WriteGroup } from "../../store/partitionStore.ts";

/**
 * Combines `writes`, which are in the order in which they were made, each on what the writes before
 * it left.
 */
export function combinedWrites(writes: readonly ItemWrite[]): WriteGroup {
  const byNumber = new Map<number, ItemWrite>();
  for (const write of writes) {
    const before = byNumber.get(write.number);
    const combined = before === undefined ? write : combinedPair(before, write);
    if (combined === undefined) byNumber.delete(write.number);
    else byNumber.set(write.number, combined);
  }
  return [...byNumber.values()];
}

/** Returns `undefined` when the transaction made the item and deleted it again. */
function combinedPair(first: ItemWrite, second: ItemWrite): ItemWrite | undefined {
  assert(first.kind === "put" && second.kind !== "reterm", "a write follows the end of its item");
  return second.kind === "put" ? putAgain(first, second) : putAndDeleted(first, second);
}

function putAgain(first: ItemPut, second: ItemPut): ItemPut {
  const taken = new Set(second.termsRemoved);
  const kept = first.termsAdded.filter((term) => !taken.has(term));
  return {
    ...second,
    before: first.before,
    termsAdded: [...new Set([...kept, ...second.termsAdded])],
    // The stored item may have any of these terms; the store keeps a term that is also in
    // `termsAdded`.
    termsRemoved: [...new Set([...first.termsRemoved, ...second.termsRemoved])],
  };
}

function putAndDeleted(first: ItemPut, second: ItemDelete): ItemDelete | undefined {
  if (first.before === undefined) return undefined;
  const termsRemoved = [...new Set([...first.termsRemoved, ...second.termsRemoved])];
  return { ...second, before: first.before, termsRemoved };
}
