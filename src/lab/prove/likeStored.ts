/**
 * New items whose keys lie as those of the stored ones do. A few hundred keys lie unevenly by
 * chance, and partitions are cut where the stored ones lie; new ones that were drawn for themselves
 * would lie unevenly elsewhere, and a short run would show that chance.
 */
import type { Random } from "../../base/world.ts";
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { KeyedItem } from "./keyedItem.ts";

/** Indexes of as many of the items that were made, none twice. */
export function likeStored(
  stored: readonly KeyedItem[],
  made: readonly KeyedItem[],
  definition: PartitionKeyDefinition,
  { count, random }: { readonly count: number; readonly random: Random },
): readonly number[] {
  const placeOf = ({ key }: KeyedItem): Epk => epkOf(definition, key);
  const places = stored.map(placeOf).sort(ascending);
  const offers = made.map((item, index) => ({ index, place: placeOf(item) }));
  offers.sort((a, b) => ascending(a.place, b.place));
  const free = new FreeOffers(offers.map(({ place }) => place));
  const start = random.next();
  const wanted = Array.from({ length: count }, (_, at) => {
    return places[Math.floor(((at + start) * places.length) / count) % places.length]!;
  });
  const chosen = wanted.map((place) => offers[free.take(place)]!.index);
  for (let at = chosen.length - 1; at > 0; at--) {
    const other = Math.floor(random.next() * (at + 1));
    [chosen[at], chosen[other]] = [chosen[other]!, chosen[at]!];
  }
  return chosen;
}

/** Places in order, each to be taken once. */
class FreeOffers {
  readonly #places: readonly Epk[];
  readonly #taken: Uint8Array;

  constructor(places: readonly Epk[]) {
    this.#places = places;
    this.#taken = new Uint8Array(places.length);
  }

  /** The nearest in the order that is free: at the place, or on either side of it. */
  take(place: Epk): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#places[middle]! < place) low = middle + 1;
      else high = middle;
    }
    for (let step = 0; step < this.#places.length; step++) {
      for (const at of [low + step, low - 1 - step]) {
        if (at >= 0 && at < this.#taken.length && this.#taken[at] === 0) {
          this.#taken[at] = 1;
          return at;
        }
      }
    }
    return 0;
  }
}

function ascending(a: Epk, b: Epk): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
