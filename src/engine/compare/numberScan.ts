/**
 * Reads items of a container by number: all of them in ascending order, or some that are named.
 *
 * Numbers are unique in a container and stay with their items, so "after this number" is a position
 * that holds for all physical partitions together. When some of them are split or merged, the scan
 * goes on after the same number in their successors.
 */
import type { ItemPage, PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Container } from "../partition/container.ts";

/** What is read in one step, between which other work has the thread. */
export const STEP_COUNT_MAX = 256;
export const STEP_BYTES: number = 1024 * 1024;

type ScannedStore = Pick<PartitionStore, "scanItems" | "itemsByNumber">;

/** What was read ahead of one physical partition. */
interface Ahead {
  readonly part: number;
  items: readonly StoredItem[];
  /** How many of `items` were taken. */
  takenCount: number;
  /** True when nothing follows `items`. */
  isLast: boolean;
}

/**
 * Items by ascending number. An item that changes while the scan goes on may be given as it was at
 * any moment since the scan began; one that is made may be passed over.
 */
export class NumberScan {
  readonly #store: ScannedStore;
  readonly #container: Container;
  #map: Container["map"] | undefined;
  #ahead: Ahead[] = [];
  #after: number;

  constructor(store: ScannedStore, container: Container, after: number) {
    this.#store = store;
    this.#container = container;
    this.#after = Math.max(0, after);
  }

  /** Resolves with the next item without taking it; undefined at the end. */
  async peek(): Promise<StoredItem | undefined> {
    await this.#readAhead();
    return this.#next()?.item;
  }

  /** Takes the item that `peek` resolved with. */
  take(): void {
    const next = this.#next();
    if (next === undefined) return;
    next.ahead.takenCount++;
    this.#after = next.item.number;
  }

  /** Fills whatever was taken to its end, so that the next item is certain. */
  async #readAhead(): Promise<void> {
    if (this.#container.map !== this.#map) this.#begin();
    for (const ahead of this.#ahead) {
      if (ahead.isLast || ahead.takenCount < ahead.items.length) continue;
      // Small pages where there are many physical partitions: a page of each is held.
      const share = this.#ahead.length;
      const page: ItemPage = await this.#store.scanItems(ahead.part, this.#lastOf(ahead), {
        countMax: Math.ceil(STEP_COUNT_MAX / share),
        bytesMax: Math.ceil(STEP_BYTES / share),
      });
      // A part that was replaced meanwhile may have been dropped before it was read.
      if (this.#container.map !== this.#map) return this.#readAhead();
      ahead.items = page.items;
      ahead.takenCount = 0;
      ahead.isLast = page.isLast;
    }
  }

  #begin(): void {
    this.#map = this.#container.map;
    this.#ahead = this.#map.entries.map(({ part }) => {
      return { part, items: [], takenCount: 0, isLast: false };
    });
  }

  #lastOf({ items }: Ahead): number {
    return items.at(-1)?.number ?? this.#after;
  }

  #next(): { readonly ahead: Ahead; readonly item: StoredItem } | undefined {
    let least: { readonly ahead: Ahead; readonly item: StoredItem } | undefined;
    for (const ahead of this.#ahead) {
      const item = ahead.items[ahead.takenCount];
      if (item !== undefined && (least === undefined || item.number < least.item.number)) {
        least = { ahead, item };
      }
    }
    return least;
  }
}

/** The items with these numbers, those that there are; some may be there twice. */
export async function itemsByNumber(
  store: ScannedStore,
  container: Container,
  numbers: readonly number[],
): Promise<readonly StoredItem[]> {
  const wanted = numbers.filter((number) => number > 0);
  for (;;) {
    const { map } = container;
    const found: StoredItem[] = [];
    for (const { part } of map.entries) found.push(...(await store.itemsByNumber(part, wanted)));
    if (container.map === map) return found;
  }
}
