/**
 * A walk through the logical partitions of a container, in the order of their EPKs, and through the
 * items of one of them, in the order of their creation. Both go on after a split or a merge: a
 * position is an EPK, or a number, and neither changes.
 */
import type { Epk } from "../../partition/epkRange.ts";
import { pointRange } from "../../partition/epkRange.ts";
import { ownerOfEpk } from "../../partition/partitionMap.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { placementRange } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

const FAMILIES_COUNT = 64;
/** What a page of items may hold. */
const PAGE = { countMax: 128, bytesMax: 1024 * 1024 };

export class LogicalWalk {
  readonly #store: PartitionStore;
  readonly #container: Container;
  #ahead: readonly Epk[] = [];

  constructor(store: PartitionStore, container: Container) {
    this.#store = store;
    this.#container = container;
  }

  /** The first EPK with items that comes strictly after another one; undefined behind the last. */
  async next(after: Epk | undefined): Promise<Epk | undefined> {
    const isAhead = (epk: Epk): boolean => after === undefined || epk > after;
    // Whoever could not deal with one asks for it again, so nothing is taken away before that.
    this.#ahead = this.#ahead.filter(isAhead);
    if (this.#ahead.length === 0) this.#ahead = await this.#families(after);
    return this.#ahead[0];
  }

  async #families(after: Epk | undefined): Promise<readonly Epk[]> {
    for (;;) {
      const { map } = this.#container;
      const from = after ?? map.entries[0]!.range.min;
      const owner = ownerOfEpk(map, from);
      const start = map.entries.findIndex(({ id }) => id === owner.id);
      const found: Epk[] = [];
      for (const { part, range } of map.entries.slice(start)) {
        const scan = { range: { min: range.min, max: range.max }, after, countMax: FAMILIES_COUNT };
        const { tallies } = await this.#store.scanTallies(part, scan);
        found.push(...tallies.map(({ family }) => family as Epk));
        if (found.length > 0) break;
      }
      if (this.#container.isDeleted) throw new TargetGone();
      if (this.#container.map === map) return found;
    }
  }
}

export interface ItemsRead {
  readonly partition: PhysicalPartition;
  /** Those that have not expired. */
  readonly items: readonly StoredItem[];
  readonly charge: number;
}

/** The live items with one EPK, page by page. */
export async function* itemsOf(
  store: PartitionStore,
  container: Container,
  epk: Epk,
): AsyncGenerator<ItemsRead, void, undefined> {
  const range = placementRange(pointRange(epk));
  let after: { readonly term: string; readonly number: number } | undefined;
  for (let isLast = false; !isLast; ) {
    const { map } = container;
    const partition = container.ownerOf(epk);
    const scan = { range, after, ...PAGE, withItems: true };
    const page = await store.scanTerms(partition.entry.part, scan);
    if (container.isDeleted) throw new TargetGone();
    // A part that was read while it gave way to others may have been read in part.
    if (container.map !== map) continue;
    after = page.entries.at(-1) ?? after;
    isLast = page.isLast;
    const found = page.entries.flatMap(({ item }) => item ?? []);
    const itemBytes = found.map(({ body }) => body.length);
    const charge = itemBytes.length === 0 ? 0 : chargeOf({ kind: "feedPage", itemBytes });
    partition.spending.settleLeftOver(charge);
    yield { partition, items: found.filter((item) => partition.isLive(item)), charge };
  }
}
