/**
 * Finds out which properties an update changes where the request does not say it: a replace or an
 * upsert is compared with an earlier version of the same item, if the recorder saw one.
 *
 * At most 1,024 items are followed: those with the smallest hashes of key and id. So an item that
 * is followed once is followed whenever it comes, and no item is preferred for being written often.
 * Of a version only hashes are held, one for each value.
 */
import type { JsonObject } from "../json/value.ts";
import type { ItemShapes } from "./itemShapes.ts";
import type { SaltedHash } from "./saltedHash.ts";

const ITEM_COUNT_MAX = 1_024;

/** Indexes of places and hashes of their values, alternating. */
type Version = Uint32Array;

export class RecentVersions {
  readonly #hash: SaltedHash;
  readonly #shapes: ItemShapes;
  readonly #versions = new Map<number, Version>();
  /** Items with a greater hash are not followed. */
  #hashMax = Number.MAX_SAFE_INTEGER;

  constructor(hash: SaltedHash, shapes: ItemShapes) {
    this.#hash = hash;
    this.#shapes = shapes;
  }

  /** Returns the number of an item, or undefined if the item is not followed. */
  itemOf(key: string, id: string): number | undefined {
    const item = this.#hash.numberOf(`${key}\n${id}`);
    return item <= this.#hashMax ? item : undefined;
  }

  has(item: number): boolean {
    return this.#versions.has(item);
  }

  /**
   * Returns the indexes of the places that differ from the earlier version; undefined if there is
   * none.
   */
  put(item: number, content: JsonObject): ReadonlySet<number> | undefined {
    const before = this.#versions.get(item);
    const after = this.#versionOf(content);
    this.#versions.set(item, after);
    if (this.#versions.size > ITEM_COUNT_MAX) this.#followFewer();
    return before && differing(before, after);
  }

  /** Forgets the version of an item, because its content is no longer known. */
  forget(item: number): void {
    this.#versions.delete(item);
  }

  #versionOf(content: JsonObject): Version {
    const pairs: number[] = [];
    this.#shapes.visit(content, (place, value) => {
      pairs.push(place.index, this.#hash.numberOf(JSON.stringify(value)) >>> 0);
    });
    return Uint32Array.from(pairs);
  }

  #followFewer(): void {
    const hashes = [...this.#versions.keys()].sort((a, b) => a - b);
    this.#hashMax = hashes[ITEM_COUNT_MAX / 2]!;
    for (const item of hashes) if (item > this.#hashMax) this.#versions.delete(item);
  }
}

function differing(before: Version, after: Version): ReadonlySet<number> {
  const places = new Set<number>();
  const valueAt = new Map<number, number>();
  for (let at = 0; at < before.length; at += 2) valueAt.set(before[at]!, before[at + 1]!);
  for (let at = 0; at < after.length; at += 2) {
    const place = after[at]!;
    if (valueAt.get(place) !== after[at + 1]) places.add(place);
    valueAt.delete(place);
  }
  // The places that are left have no value any more.
  for (const place of valueAt.keys()) places.add(place);
  return places;
}
