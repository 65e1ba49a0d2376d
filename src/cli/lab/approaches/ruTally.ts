/** What physical partitions spent on each kind of work, container by container. */
import type { PartitionCount } from "../proveGround.ts";

export class ApproachRu {
  /** By container and kind of work: RU by range id. */
  readonly #spent: readonly Map<string, Map<string, number>>[];

  constructor(containerCount: number) {
    this.#spent = Array.from({ length: containerCount }, () => new Map());
  }

  add(work: string, container: number, spent: ReadonlyMap<string, PartitionCount>): void {
    const known = this.#spent[container]!.get(work) ?? new Map<string, number>();
    for (const [id, { ru }] of spent) known.set(id, (known.get(id) ?? 0) + ru);
    this.#spent[container]!.set(work, known);
  }

  totalOf(work: string): number {
    return this.#spent.reduce(
      (sum, works) => sum + [...(works.get(work)?.values() ?? [])].reduce((all, ru) => all + ru, 0),
      0,
    );
  }

  /** Sets a kind of work to so many times what another tally has of it, or of another kind. */
  take(work: string, from: ApproachRu, factor: number, other: string = work): void {
    this.#spent.forEach((works, at) => {
      const found = [...(from.#spent[at]!.get(other) ?? [])];
      works.set(work, new Map(found.map(([id, ru]) => [id, ru * factor])));
    });
  }

  /** By kind of work, in the order of the range ids. */
  byPartition(container: number, ids: readonly string[]): ReadonlyMap<string, readonly number[]> {
    return new Map(
      [...this.#spent[container]!].map(([work, spent]) => [
        work,
        ids.map((id) => spent.get(id) ?? 0),
      ]),
    );
  }
}
