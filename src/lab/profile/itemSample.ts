/**
 * Some items picked by chance, each with the same chance however many come, and the place in the
 * order of reading where each was.
 *
 * It is decided beforehand which item is the next to be kept (algorithm L of Kim-Hung Li), so an
 * item that is not kept costs one comparison. Both the items and their bytes are bounded: when they
 * are too large, fewer of them are kept.
 */
import type { Random } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";

export interface SampledItem {
  readonly item: JsonObject;
  readonly bytes: number;
  /** How many items were read before it. */
  readonly order: number;
}

const BYTES_MAX: number = 8 * 1024 * 1024;

export class ItemSample {
  readonly #kept: SampledItem[] = [];
  readonly #random: Random;
  #countMax: number;
  #bytes = 0;
  #order = 0;
  /** The largest of as many random numbers as there are places. */
  #threshold = 1;
  #next = 0;

  constructor(random: Random, countMax: number) {
    this.#random = random;
    this.#countMax = countMax;
  }

  /** Whether the next item is to be given to `keep`; if not, it is passed over. */
  wantsNext(): boolean {
    if (this.#order === this.#next) return true;
    this.#order++;
    return false;
  }

  keep(item: JsonObject, bytes: number): void {
    const sampled = { item, bytes, order: this.#order++ };
    if (this.#kept.length < this.#countMax) this.#kept.push(sampled);
    else {
      const place = Math.floor(this.#random.next() * this.#kept.length);
      this.#bytes -= this.#kept[place]!.bytes;
      this.#kept[place] = sampled;
    }
    this.#bytes += bytes;
    while (this.#bytes > BYTES_MAX && this.#kept.length > 1) this.#giveUpOne();
    if (this.#kept.length < this.#countMax) this.#next = this.#order;
    else this.#skip();
  }

  /** Leaves out the item that was wanted, and wants the one after it instead. */
  pass(): void {
    this.#next = ++this.#order;
  }

  /** In the order of reading. */
  get items(): readonly SampledItem[] {
    return [...this.#kept].sort((a, b) => a.order - b.order);
  }

  #giveUpOne(): void {
    const place = Math.floor(this.#random.next() * this.#kept.length);
    this.#bytes -= this.#kept[place]!.bytes;
    this.#kept[place] = this.#kept[this.#kept.length - 1]!;
    this.#kept.pop();
    this.#countMax = this.#kept.length;
    // As the largest number of so many would be after so many items.
    this.#threshold = Math.min(1, this.#countMax / this.#order);
  }

  #skip(): void {
    const chance = (): number => 1 - this.#random.next();
    this.#threshold *= chance() ** (1 / this.#countMax);
    const skipped = Math.floor(Math.log(chance()) / Math.log(1 - this.#threshold));
    this.#next = this.#order + (Number.isFinite(skipped) ? skipped : 0);
  }
}
