/**
 * Where items are, by their numbers. A copy has the number of its original, so the store's order of
 * numbers tells where the copy of an item is, whatever its key.
 */
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";

/**
 * The items of a container with these numbers. While an item changes its key it may be in two
 * places.
 */
export async function itemsOfNumbers(
  store: Pick<PartitionStore, "itemsByNumber">,
  container: Container,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, readonly StoredItem[]>> {
  if (numbers.length === 0) return new Map();
  for (;;) {
    const { map } = container;
    const found = new Map<number, StoredItem[]>();
    for (const { part } of map.entries) {
      for (const item of await store.itemsByNumber(part, numbers)) {
        const places = found.get(item.number);
        if (places === undefined) found.set(item.number, [item]);
        else places.push(item);
      }
    }
    // A part that was given up meanwhile may have been read when it was empty already.
    if (container.map === map) return found;
  }
}

export async function itemOfNumber(
  store: Pick<PartitionStore, "itemsByNumber">,
  container: Container,
  number: number,
): Promise<StoredItem | undefined> {
  return (await itemsOfNumbers(store, container, [number])).get(number)?.[0];
}
