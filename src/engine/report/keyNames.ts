/**
 * The partition keys of logical partitions that are known by their EPK. Each is read from an item
 * of the logical partition and remembered, because looking for an item puts the terms of all recent
 * writes in order.
 */
import type { JsonValue } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { epkRange } from "../../partition/epkRange.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { placementRange } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";

export type ShownKey = readonly JsonValue[];

/** How many keys are remembered for each container. */
const NAMES_MAX = 1000;

export class KeyNames {
  readonly #store: PartitionStore;
  readonly #known = new WeakMap<Container, Map<Epk, ShownKey>>();

  constructor(store: PartitionStore) {
    this.#store = store;
  }

  /** The keys of those EPKs that have items, or had some when their key was read. */
  async namesOf(container: Container, epks: readonly Epk[]): Promise<ReadonlyMap<Epk, ShownKey>> {
    const known = this.#known.get(container) ?? new Map<Epk, ShownKey>();
    this.#known.set(container, known);
    const unknown = epks.filter((epk) => !known.has(epk));
    // Without this the first scan would order them all at once, while every request waits.
    if (unknown.length > 0) await this.#store.orderTerms();
    for (const epk of unknown) {
      const name = await this.#read(container, epk);
      if (name !== undefined) known.set(epk, name);
    }
    const names = new Map(epks.flatMap((epk) => (known.has(epk) ? [[epk, known.get(epk)!]] : [])));
    for (const epk of known.keys()) {
      if (known.size <= NAMES_MAX) break;
      known.delete(epk);
    }
    return names;
  }

  async #read(container: Container, epk: Epk): Promise<ShownKey | undefined> {
    const { part } = container.ownerOf(epk).entry;
    const range = placementRange(epkRange(epk, `${epk}00` as Epk));
    const scan = { range, countMax: 1, bytesMax: 1, withItems: true };
    const { entries } = await this.#store.scanTerms(part, scan);
    const item = entries[0]?.item;
    const key = item && container.readKey(objectOf(item.body));
    // A component that an item lacks is shown as an empty object, as it is on the wire.
    return key?.ok
      ? key.value.map((component) => (component === undefined ? {} : component))
      : undefined;
  }
}
