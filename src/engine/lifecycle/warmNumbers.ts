/**
 * Which number the copy of an item has in warm. Numbers are given once in the life of a container,
 * so the number of a copy tells of which item it is the copy, and of which it is not: an older item
 * of the same id has another one.
 *
 * Warm has items of its own, and sets blocks of ordinals aside for those of hot. A hot container
 * that is split again and again gets ever higher ordinals, and a further block when the last one is
 * used up.
 */
import { NUMBERS_PER_PARTITION } from "../partition/itemNumbers.ts";

export interface NumberBlock {
  /** The first ordinal of hot that the block is for. */
  readonly first: number;
  readonly count: number;
  /** The ordinal of warm that the first one becomes. */
  readonly at: number;
}

export class WarmNumbers {
  readonly blocks: readonly NumberBlock[];

  constructor(blocks: readonly NumberBlock[]) {
    this.blocks = blocks;
  }

  /** The first ordinal of hot that has no place yet. */
  get end(): number {
    const last = this.blocks.at(-1);
    return last === undefined ? 0 : last.first + last.count;
  }

  /** `undefined` if the item has an ordinal that no block is for yet. */
  numberOf(hotNumber: number): number | undefined {
    const ordinal = Math.floor(hotNumber / NUMBERS_PER_PARTITION);
    const block = this.blocks.find(
      ({ first, count }) => first <= ordinal && ordinal < first + count,
    );
    return block && hotNumber + (block.at - block.first) * NUMBERS_PER_PARTITION;
  }
}
