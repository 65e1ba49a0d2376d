/**
 * The partition keys of logical partitions that are known by their EPK: read from an item of each,
 * and remembered, because looking for one puts the terms of all recent writes in order.
 */
import type { JsonValue } from "../../json/value.ts";
import type { Epk } from "../../partition/epkRange.ts";
import { epkRange } from "../../partition/epkRange.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { objectOf } from "../item/itemBody.ts";
import { placementRange } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";

export type KeyName = readonly JsonValue[];

/** For each container. */
const NAMES_MAX = 1000;

export class KeyNames {
  readonly #store: PartitionStore;
  readonly #known = new WeakMap<Container, Map<Epk, KeyName>>();

  constructor(store: PartitionStore) {
    this.#store = store;
  }

  /** Of those that have items, or had some when they were last asked for. */
  async namesOf(container: Container, epks: readonly Epk[]): Promise<ReadonlyMap<Epk, KeyName>> {
    const known = this.#known.get(container) ?? new Map<Epk, KeyName>();
    this.#known.set(container, known);
    const unknown = epks.filter((epk) => !known.has(epk));
    // Or the first scan would do it at once, while every request waits.
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

  async #read(container: Container, epk: Epk): Promise<KeyName | undefined> {
    const { part } = container.ownerOf(epk).entry;
    const range = placementRange(epkRange(epk, `${epk}00` as Epk));
    const scan = { range, countMax: 1, bytesMax: 1, withItems: true };
    const { entries } = await this.#store.scanTerms(part, scan);
    const item = entries[0]?.item;
    const key = item && container.readKey(objectOf(item.body));
    // What an item lacks shows as an empty object, as it does on the wire.
    return key?.ok
      ? key.value.map((component) => (component === undefined ? {} : component))
      : undefined;
  }
}
