/**
 * Values of one declared property by where in [0, 1) one points: each has a stretch as long as its
 * share. What is left of the pointer inside a stretch is spread evenly again, so that it can point
 * into the values that belong to the one found.
 */
import type { ValueRow } from "../data/valueRows.ts";
import { itemRows, valueName } from "../data/valueRows.ts";
import type { PropertyShape } from "../workload/workload.ts";

interface DrawnValue {
  /** Undefined: the item lacks it. */
  readonly value: string | undefined;
  /** Where in the stretch of the value it was, from 0 to below 1. */
  readonly rest: number;
}

export class ValueDraw {
  readonly #path: string;
  readonly #rows: readonly ValueRow[];
  /** Where the stretch of each row ends. */
  readonly #ends: Float64Array;
  readonly #present: number;

  constructor(shape: PropertyShape, distinct: number) {
    this.#path = shape.path;
    this.#rows = itemRows(shape, distinct);
    this.#present = 1 - shape.missingShare;
    this.#ends = new Float64Array(this.#rows.length);
    let end = 0;
    this.#rows.forEach(({ share }, at) => {
      end += share;
      this.#ends[at] = end;
    });
  }

  at(pointer: number): DrawnValue {
    if (pointer >= this.#present) {
      return { value: undefined, rest: (pointer - this.#present) / (1 - this.#present) };
    }
    const place = (pointer / this.#present) * this.#ends.at(-1)!;
    const at = this.#rowAt(place);
    const { value, count, rank } = this.#rows[at]!;
    const start = at === 0 ? 0 : this.#ends[at - 1]!;
    const inside = ((place - start) / (this.#ends[at]! - start)) * count;
    const index = Math.min(count - 1, Math.floor(inside));
    const rest = Math.min(inside - index, 1 - Number.EPSILON);
    return { value: index === 0 ? value : valueName(this.#path, rank + index), rest };
  }

  /** The first row whose stretch ends beyond a place. */
  #rowAt(place: number): number {
    let [low, high] = [0, this.#ends.length - 1];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.#ends[middle]! > place) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}
