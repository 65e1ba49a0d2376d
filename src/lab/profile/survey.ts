/**
 * A first look at all items, before any is counted: how many there are, which properties they have,
 * and a few thousand of them, picked by content. The survey decides what is worth counting, so that
 * this does not depend on which items come first.
 */
import type { JsonObject } from "../../json/value.ts";
import { ItemSample, type SampledItem } from "../counting/itemSample.ts";
import { PathTree } from "./pathTree.ts";
import { isShallow } from "./sampledItem.ts";

const ITEMS_MAX = 8000;
const BYTES_MAX: number = 12 * 1024 * 1024;

export interface Surveyed {
  readonly itemCount: number;
  /** A sample of the items, picked by content. */
  readonly sample: readonly SampledItem[];
  /** The paths of all properties that have a scalar in some item, sorted. */
  readonly paths: readonly (readonly string[])[];
}

export class Survey {
  readonly #tree = new PathTree();
  readonly #sample = new ItemSample(ITEMS_MAX, BYTES_MAX);
  #itemCount = 0;

  get itemCount(): number {
    return this.#itemCount;
  }

  add(item: JsonObject, bytes: number): void {
    this.#itemCount++;
    this.#tree.walk(item, 0);
    const hash = this.#tree.itemHash(0);
    if (!this.#sample.wants(hash) || !isShallow(item)) return;
    this.#sample.keep({ item, bytes, hash });
  }

  /** Returns the survey of all items that were added. */
  result(): Surveyed {
    const tree = this.#tree;
    const all = Array.from({ length: tree.slotCount }, (_, slot) => slot);
    const slots = all.filter((slot) => tree.scalarCount(slot) > 0);
    const paths = slots.map((slot) => tree.stepsOf(slot));
    return {
      itemCount: this.#itemCount,
      sample: this.#sample.items,
      paths: paths.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1)),
    };
  }
}
