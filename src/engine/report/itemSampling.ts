/**
 * Walks the live items of a container, or about as many of them as are wanted, for whoever wants to
 * look at data and not to change it. The walk pays nothing and holds nobody up: it reads a page,
 * and gives way to requests before the next one.
 *
 * Items are picked by their number, spread evenly: a number says when an item came to be, so the
 * sample is as old and as young as the container.
 */
import type { Timer } from "../../base/world.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";

interface SamplingSetting {
  readonly store: PartitionStore;
  readonly timer: Timer;
}

const PAGE = { countMax: 256, bytesMax: 1024 * 1024 };

/** Pages of items; ends early when the container is deleted, split or merged. */
export async function* sampledItems(
  { store, timer }: SamplingSetting,
  container: Container,
  countMax: number,
): AsyncGenerator<readonly StoredItem[], void, undefined> {
  let itemCount = 0;
  for (const { head } of container.partitions.values()) itemCount += head.itemCount;
  const share = itemCount === 0 ? 1 : Math.min(1, countMax / itemCount);
  const { map } = container;
  let seen = 0;
  let given = 0;
  for (const partition of container.partitions.values()) {
    for (let after = 0, isLast = false; !isLast; ) {
      if (container.isDeleted || container.map !== map) return;
      const page = await store.scanItems(partition.entry.part, after, PAGE);
      const picked = page.items.filter((item) => {
        if (!partition.isLive(item)) return false;
        seen++;
        if (given >= countMax || given >= Math.ceil(seen * share)) return false;
        given++;
        return true;
      });
      if (picked.length > 0) yield picked;
      if (given >= countMax) return;
      after = page.items.at(-1)?.number ?? after;
      isLast = page.isLast;
      await timer.soon();
    }
  }
}

/** So many places of a container are looked at, however many items it holds. */
const PLACES_MAX = 64;

/**
 * A few items, from places that are spread over the physical partitions and over the time in which
 * items were made. It reads no more than it gives, whatever the container holds; neighbours in time
 * come together, so it is a rougher sample than that of a walk.
 */
export async function glimpsedItems(
  { store, timer }: SamplingSetting,
  container: Container,
  countMax: number,
): Promise<readonly StoredItem[]> {
  const partitions = [...container.partitions.values()].filter(({ head }) => head.itemCount > 0);
  const every = Math.max(1, Math.ceil(partitions.length / PLACES_MAX));
  const looked = partitions.filter((_, index) => index % every === 0);
  const itemCount = looked.reduce((sum, { head }) => sum + head.itemCount, 0);
  const found = new Map<number, StoredItem>();
  for (const partition of looked) {
    const wanted = Math.ceil((countMax * partition.head.itemCount) / itemCount);
    const isWhole = wanted >= partition.head.itemCount;
    const placeCount = isWhole ? 1 : Math.min(wanted, Math.ceil(PLACES_MAX / looked.length));
    for (let place = 0; place < placeCount; place++) {
      const from = Math.floor((partition.head.numberMax * place) / placeCount);
      const limit = { countMax: Math.ceil(wanted / placeCount), bytesMax: PAGE.bytesMax };
      const { items } = await store.scanItems(partition.entry.part, from, limit);
      for (const item of items) if (partition.isLive(item)) found.set(item.number, item);
    }
    await timer.soon();
  }
  return [...found.values()].slice(0, countMax);
}
