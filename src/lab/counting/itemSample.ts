/**
 * Some items, picked by content: those with the lowest hashes. Which they are does not depend on
 * the order in which items come, and whoever reads the same items picks the same again.
 *
 * Both the items and their bytes are bounded: when they are too large, fewer of them are kept.
 */
import type { JsonObject } from "../../json/value.ts";

export interface SampledItem {
  readonly item: JsonObject;
  readonly bytes: number;
  /** Of its content. */
  readonly hash: number;
}

export class ItemSample {
  readonly #countMax: number;
  readonly #bytesMax: number;
  #kept: SampledItem[] = [];
  #bytes = 0;
  /** Above it nothing is kept any more. */
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

  /** Lowest hash first. */
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
