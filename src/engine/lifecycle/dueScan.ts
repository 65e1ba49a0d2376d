/**
 * Finds the items that have become due: those whose date lies between the cutoff of the round
 * before and that of now, by the index of hot. Items that were written with an older date are not
 * found here; whoever follows the log has seen them.
 *
 * A scan goes through each physical partition once. If one is split or merged meanwhile it begins
 * again, which costs time and does no harm: what was moved has its mark.
 */
import type { PartitionStore, StoredItem, TermEntry } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { UNINDEXED_RANGE } from "../item/itemTerms.ts";
import type { Container } from "../partition/container.ts";
import type { PhysicalPartition } from "../partition/physicalPartition.ts";
import type { DateSpan } from "./dateTerms.ts";
import { dateOfTerm, termRangesOf } from "./dateTerms.ts";
import type { PairPace } from "./pairPace.ts";
import type { Settling } from "./settling.ts";

interface ScanSetting {
  readonly store: PartitionStore;
  readonly hot: Container;
  readonly pace: PairPace;
  readonly settling: Settling;
}

type Range = ReturnType<typeof termRangesOf>[number];

/** Terms without items are small. */
const TERM_COUNT = 1000;
const TERM_BYTES = 1024 * 1024;

export class DueScan {
  readonly #setting: ScanSetting;
  readonly #ranges: readonly Range[];
  readonly #span: DateSpan;
  #map: Container["map"];
  #partitions: PhysicalPartition[] = [];
  #rangeIndex = 0;
  #after: TermEntry | undefined;
  /** Numbers of items inside the span that were not looked at yet. */
  #found: number[] = [];

  constructor(setting: ScanSetting, path: readonly string[], span: DateSpan) {
    this.#setting = setting;
    this.#span = span;
    // Items that are left out of the index have nothing but the term that says so.
    const dates = termRangesOf(path, span);
    this.#ranges = dates.length === 0 ? [] : [...dates, UNINDEXED_RANGE];
    this.#map = setting.hot.map;
    this.#begin();
  }

  /** True when everything was looked at; false if it was stopped before that. */
  async run(isOver: () => boolean): Promise<boolean> {
    const { hot, pace } = this.#setting;
    for (;;) {
      if (hot.map !== this.#map) this.#begin();
      const [partition] = this.#partitions;
      if (partition === undefined || hot.isDeleted) return true;
      if (isOver() || !(await pace.isInPace(partition, isOver))) return false;
      if (hot.map !== this.#map) continue;
      await this.#step(partition);
      await pace.breathe();
    }
  }

  #begin(): void {
    const { hot } = this.#setting;
    this.#map = hot.map;
    this.#partitions = [...hot.partitions.values()];
    this.#rangeIndex = 0;
    this.#after = undefined;
    this.#found = [];
  }

  async #step(partition: PhysicalPartition): Promise<void> {
    if (this.#found.length > 0) return this.#look(partition);
    const range = this.#ranges[this.#rangeIndex];
    if (range === undefined) {
      this.#partitions.shift();
      this.#rangeIndex = 0;
      return;
    }
    const { store } = this.#setting;
    await store.orderTerms();
    const { entries, isLast } = await store.scanTerms(partition.entry.part, {
      range,
      after: this.#after,
      countMax: TERM_COUNT,
      bytesMax: TERM_BYTES,
      withItems: false,
    });
    for (const { term, number } of entries) {
      if (range === UNINDEXED_RANGE || isIn(term, this.#span)) this.#found.push(number);
    }
    this.#after = isLast ? undefined : entries.at(-1);
    if (isLast) this.#rangeIndex++;
  }

  async #look(partition: PhysicalPartition): Promise<void> {
    const { store, hot, pace, settling } = this.#setting;
    const numbers = this.#found.splice(0, pace.countFor(partition));
    const found = await store.itemsByNumber(partition.entry.part, numbers);
    if (hot.map !== this.#map || hot.isDeleted) return;
    const items = found.filter((item: StoredItem) => partition.isLive(item));
    const itemBytes = found.map(({ body }) => body.length);
    if (itemBytes.length > 0) pace.pay(partition, chargeOf({ kind: "feedPage", itemBytes }));
    await settling.settle(items);
    pace.learn(items.length);
  }
}

export function isIn(term: string, { from, to }: DateSpan): boolean {
  const date = dateOfTerm(term);
  return date === "unknown" || (date !== undefined && from <= date && date < to);
}
