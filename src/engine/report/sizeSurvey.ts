/**
 * The sizes of the logical partitions of a container, exact: how many there are, how unequal they
 * are, and the largest of them. The store keeps a tally of each; this walks them all.
 *
 * A walk takes time in proportion to their number, so the sizes it found are kept: they hold as
 * long as nothing changed, and while much changes they are used for a multiple of the time that the
 * walk took. They are never about physical partitions that were split or merged before the walk
 * ended.
 */
import type { Millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { PartitionMap } from "../../partition/partitionMap.ts";
import { AmountDistribution } from "../../statistics/inequality.ts";
import { Top } from "../../statistics/top.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { stateOf } from "../partition/collectedPages.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";

export interface LogicalPartitionSize {
  readonly epk: Epk;
  /** The range id of its physical partition. */
  readonly partitionId: string;
  readonly itemCount: number;
  readonly itemBytes: number;
}

export interface Sizes {
  /** How many logical partitions each physical one has, by range id. */
  readonly countOf: ReadonlyMap<string, number>;
  /** The largest logical partitions, in order of size. */
  readonly largest: readonly LogicalPartitionSize[];
  readonly gini: number | undefined;
}

interface SurveySetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
}

interface Survey {
  readonly map: PartitionMap;
  readonly state: string;
  readonly sizes: Sizes;
  readonly until: Millis;
}

/** How many of the largest logical partitions are listed. */
export const LARGEST_COUNT = 1000;
const STEP_COUNT = 2048;
const WHOLE = { min: "", max: "\xff" };
/** A container is walked for at most a twentieth of the time. */
const REST_FACTOR = 20;

export class SizeSurvey {
  readonly #setting: SurveySetting;
  readonly #known = new WeakMap<Container, Survey>();
  readonly #running = new WeakMap<Container, Promise<Sizes>>();

  constructor(setting: SurveySetting) {
    this.#setting = setting;
  }

  sizesOf(container: Container): Promise<Sizes> {
    const known = this.#known.get(container);
    if (known !== undefined && this.#holds(known, container)) return Promise.resolve(known.sizes);
    const running = this.#running.get(container);
    if (running !== undefined) return running;
    const walk = this.#walk(container).finally(() => this.#running.delete(container));
    this.#running.set(container, walk);
    return walk;
  }

  #holds({ map, state, until }: Survey, container: Container): boolean {
    if (map !== container.map) return false;
    return this.#setting.clock.now() < until || state === stateOf(partitionsOf(container));
  }

  /** A walk that is overtaken by a split or a merge begins again. */
  async #walk(container: Container): Promise<Sizes> {
    const { clock } = this.#setting;
    for (;;) {
      const { map } = container;
      const startedAt = clock.now();
      const state = stateOf(partitionsOf(container));
      const sizes = await this.#once(container, map);
      if (container.map !== map) continue;
      const endedAt = clock.now();
      const until = (endedAt + REST_FACTOR * (endedAt - startedAt)) as Millis;
      this.#known.set(container, { map, state, sizes, until });
      return sizes;
    }
  }

  /** Ends early when the map changes; what it has found is of no use then. */
  async #once(container: Container, map: PartitionMap): Promise<Sizes> {
    const { store, timer } = this.#setting;
    const all = new AmountDistribution();
    const largest = new Top<LogicalPartitionSize>(LARGEST_COUNT, ({ itemBytes }) => itemBytes);
    const countOf = new Map<string, number>();
    for (const { entry } of partitionsOf(container)) {
      let after: string | undefined;
      let count = 0;
      for (let isLast = false; !isLast && container.map === map; ) {
        const scan = { range: WHOLE, after, countMax: STEP_COUNT };
        const page = await store.scanTallies(entry.part, scan);
        for (const { family, itemCount, itemBytes } of page.tallies) {
          all.add(itemBytes);
          largest.add({ epk: family as Epk, partitionId: entry.id, itemCount, itemBytes });
        }
        count += page.tallies.length;
        after = page.tallies.at(-1)?.family ?? after;
        isLast = page.isLast;
        if (!isLast) await timer.soon();
      }
      countOf.set(entry.id, count);
    }
    return { countOf, largest: largest.sorted(), gini: all.gini() };
  }
}

function partitionsOf({ partitions }: Container): readonly PhysicalPartition[] {
  return [...partitions.values()];
}
