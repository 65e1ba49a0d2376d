/**
 * A sample of items, picked by content: those with the lowest hashes. The sample does not depend on
 * the order in which items come, and reading the same items again gives the same sample.
 *
 * Both the number of items and their bytes are bounded: when items are large, fewer are kept.
 */
import type { JsonObject } from "../../json/value.ts";

export interface SampledItem {
  readonly item: JsonObject;
  readonly bytes: number;
  /** The hash of the item's content. */
  readonly hash: number;
}

export class ItemSample {
  readonly #countMax: number;
  readonly #bytesMax: number;
  #kept: SampledItem[] = [];
  #bytes = 0;
  /** Items with a higher hash are not kept. */
  #highest = Number.POSITIVE_INFINITY;

  constructor(countMax: number, bytesMax: number) {
    this.#countMax = countMax;
    this.#bytesMax = bytesMax;
  }

  wants(hash: number): boolean {
    return hash <= this.#highest;
  }

  keep(sampled: SampledItem): void {
    this.#kept.push(sampled);
    this.#bytes += sampled.bytes;
    if (this.#kept.length > 2 * this.#countMax || this.#bytes > 2 * this.#bytesMax) this.#cut();
  }

  /** The sampled items, lowest hash first. */
  get items(): readonly SampledItem[] {
    this.#cut();
    return this.#kept;
  }

  #cut(): void {
    this.#kept.sort((a, b) => a.hash - b.hash);
    let bytes = 0;
    let count = 0;
    for (; count < Math.min(this.#kept.length, this.#countMax); count++) {
      const more = bytes + this.#kept[count]!.bytes;
      if (count > 0 && more > this.#bytesMax) break;
      bytes = more;
    }
    const isCut = count < this.#kept.length;
    this.#kept.length = count;
    this.#bytes = bytes;
    if (isCut) this.#highest = this.#kept[count - 1]!.hash;
  }
}
