/**
 * The numbers of new items. Every physical partition has a block of its own, by its ordinal, so no
 * number is given twice in a container. Where items were copied from elsewhere they have kept their
 * numbers, and own blocks begin above those.
 */
import type { PartHead } from "../../store/partitionStore.ts";
import type { ContainerRecord } from "./container.ts";

/** Items are numbered from the ordinal of their physical partition times this. */
export const NUMBERS_PER_PARTITION: number = 2 ** 36;

export class ItemNumbers {
  readonly #ordinal: number;
  #last = 0;

  constructor(ordinal: number) {
    this.#ordinal = ordinal;
  }

  next({ numberMax }: PartHead, { firstOwnOrdinal = 0 }: ContainerRecord): number {
    const first = (firstOwnOrdinal + this.#ordinal) * NUMBERS_PER_PARTITION;
    this.#last = Math.max(this.#last, numberMax, first) + 1;
    return this.#last;
  }
}
