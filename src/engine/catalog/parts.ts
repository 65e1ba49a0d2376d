/**
 * The parts of the store that containers have: setting them aside, taking them over, and giving
 * them up. Parts that no container names are left over from a crash.
 */
import { NOTES_PART } from "../../store/notes.ts";
import type { PartHead, PartitionStore } from "../../store/partitionStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";

/** The part that keeps statistics. No container is ever given it: it is the last there is. */
export const STATISTICS_PART: number = 2 ** 32 - 1;

export class Parts {
  readonly #store: PartitionStore;
  readonly #epoch: number;
  /** Parts that were given up, but could not be dropped because the disk was full. */
  readonly #undropped = new Set<number>();

  constructor(store: PartitionStore, epoch: number) {
    this.#store = store;
    this.#epoch = epoch;
  }

  /** Those that are not there yet go to that endpoint of the store, or where the store likes. */
  async claim(parts: readonly number[], endpoint?: string): Promise<void> {
    if (this.#undropped.size > 0) await this.drop([]);
    if (endpoint !== undefined) {
      for (const part of parts) this.#store.placement?.assign(part, endpoint);
    }
    await Promise.all(parts.map((part) => this.#store.claim(part, this.#epoch)));
  }

  async heads(parts: readonly number[]): Promise<ReadonlyMap<number, PartHead>> {
    const heads = await Promise.all(parts.map((part) => this.#store.head(part)));
    return new Map(parts.map((part, index) => [part, heads[index]!]));
  }

  /** The parts that are in the store and not among `named`. */
  async orphans(named: ReadonlySet<number>): Promise<readonly number[]> {
    const isOwned = (part: number): boolean => named.has(part) || part === NOTES_PART;
    return (await this.#store.parts()).filter((part) => !isOwned(part));
  }

  /** A part that cannot be dropped now is dropped with the next ones, or by the next opening. */
  drop = async (parts: readonly number[]): Promise<void> => {
    for (const part of parts) this.#undropped.add(part);
    const all = [...this.#undropped];
    const drops = await Promise.allSettled(all.map((part) => this.#store.drop(part)));
    drops.forEach((drop, index) => {
      if (drop.status === "fulfilled") this.#undropped.delete(all[index]!);
      else if (!(drop.reason instanceof StoreFault)) throw drop.reason;
    });
  };
}

/** `count` numbers from `first` on. */
export function numbersFrom(first: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => first + index);
}
