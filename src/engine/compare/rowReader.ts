/**
 * Pairs originals with their copies by number: row after row over both containers, or some rows
 * that are named. Reads in steps and pays for each.
 */
import type { Clock, Timer } from "../../base/world.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import type { ComparedPair, RunTerms } from "./comparedPair.ts";
import { itemsByNumber, NumberScan, STEP_BYTES, STEP_COUNT_MAX } from "./numberScan.ts";
import type { ComparedRow } from "./verdict.ts";

export interface ComparisonSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
}

/** A row is given as soon as it was read; the reader suspends between steps only. */
type TakeRow = (row: ComparedRow) => void;

/** Before all numbers. */
export const BEGINNING: number = Number.NEGATIVE_INFINITY;

export class RowReader {
  readonly #setting: ComparisonSetting;
  readonly #pair: ComparedPair;
  readonly #terms: RunTerms;
  #rowCount = 0;
  /** How many rows are looked up in a step, by the bytes of those before; few in the first. */
  #stepCount = 16;

  constructor(setting: ComparisonSetting, pair: ComparedPair, terms: RunTerms) {
    this.#setting = setting;
    this.#pair = pair;
    this.#terms = terms;
  }

  /** How many rows were read so far; one that is read again counts again. */
  get rowCount(): number {
    return this.#rowCount;
  }

  get isStopped(): boolean {
    const { source, target } = this.#pair;
    return this.#terms.isStopped() || source.isDeleted || target.isDeleted;
  }

  /**
   * Reads rows in numeric order, after a number and at most so many. Resolves with the last number
   * read, BEGINNING when the end was reached, undefined when told to stop.
   */
  async scan(
    after: number,
    rowCountMax: number,
    takeRow: TakeRow,
    onStep: () => Promise<boolean> = () => Promise.resolve(true),
  ): Promise<number | undefined> {
    const { source, target, numberShift } = this.#pair;
    const { store } = this.#setting;
    const originals = new NumberScan(store, source, after);
    const copies = new NumberScan(store, target, after + numberShift);
    let last = after;
    let leftCount = rowCountMax;
    while (leftCount > 0) {
      const rows = await this.#nextRows(originals, copies, Math.min(STEP_COUNT_MAX, leftCount));
      if (this.isStopped) return undefined;
      if (rows.length === 0) return BEGINNING;
      this.#give(rows, takeRow);
      leftCount -= rows.length;
      last = rows.at(-1)!.number;
      if (!(await this.#paid(rows)) || !(await onStep())) return undefined;
    }
    return last;
  }

  /**
   * Reads rows by number. What the target has is read before what the source has, so that no copy
   * is ahead of its original. False when told to stop.
   */
  async look(numbers: Iterable<number>, takeRow: TakeRow): Promise<boolean> {
    let waiting: number[] = [];
    for (const number of numbers) {
      waiting.push(number);
      if (waiting.length < this.#stepCount) continue;
      if (!(await this.#lookAt(waiting, takeRow))) return false;
      waiting = [];
    }
    return waiting.length === 0 ? !this.isStopped : this.#lookAt(waiting, takeRow);
  }

  async #lookAt(numbers: readonly number[], takeRow: TakeRow): Promise<boolean> {
    const { source, target, numberShift } = this.#pair;
    const { store } = this.#setting;
    const shifted = numbers.map((number) => number + numberShift);
    const copies = await itemsByNumber(store, target, shifted);
    const originals = await itemsByNumber(store, source, numbers);
    if (this.isStopped) return false;
    const originalOf = new Map(originals.map((item) => [item.number, item]));
    const copiesOf = new Map<number, StoredItem[]>(numbers.map((number) => [number, []]));
    for (const copy of copies) {
      if (!this.#isOfOthers(copy)) copiesOf.get(copy.number - numberShift)!.push(copy);
    }
    const rows = numbers.map((number) => {
      return { number, original: originalOf.get(number), copies: copiesOf.get(number)! };
    });
    this.#give(rows, takeRow);
    return this.#paid(rows);
  }

  async #nextRows(
    originals: NumberScan,
    copies: NumberScan,
    rowCountMax: number,
  ): Promise<readonly ComparedRow[]> {
    const { numberShift } = this.#pair;
    const rows: ComparedRow[] = [];
    let bytes = 0;
    while (rows.length < rowCountMax && bytes < STEP_BYTES) {
      const original = await originals.peek();
      const copy = await this.#nextCopy(copies);
      const copyNumber = copy === undefined ? Infinity : copy.number - numberShift;
      const number = Math.min(original?.number ?? Infinity, copyNumber);
      if (number === Infinity) break;
      const isOriginal = original?.number === number;
      if (isOriginal) originals.take();
      const found: StoredItem[] = [];
      for (let next = copy; next?.number === number + numberShift; ) {
        found.push(next);
        copies.take();
        next = await this.#nextCopy(copies);
      }
      const row = { number, original: isOriginal ? original : undefined, copies: found };
      bytes += bytesOf(row).reduce((sum, length) => sum + length, 0);
      rows.push(row);
    }
    return rows;
  }

  async #nextCopy(copies: NumberScan): Promise<StoredItem | undefined> {
    for (;;) {
      const copy = await copies.peek();
      if (copy === undefined || !this.#isOfOthers(copy)) return copy;
      copies.take();
    }
  }

  #isOfOthers({ number }: StoredItem): boolean {
    return this.#pair.isOfOthers?.(number) ?? false;
  }

  #give(rows: readonly ComparedRow[], takeRow: TakeRow): void {
    this.#rowCount += rows.length;
    for (const row of rows) takeRow(row);
  }

  /** Pays for a step as for a page of a feed, and lets others work. False when told to stop. */
  async #paid(rows: readonly ComparedRow[]): Promise<boolean> {
    const itemBytes = rows.flatMap(bytesOf);
    const bytes = itemBytes.reduce((sum, length) => sum + length, 0);
    const rowBytes = Math.max(1, bytes / rows.length);
    this.#stepCount = Math.ceil(Math.min(STEP_COUNT_MAX, STEP_BYTES / rowBytes));
    const work =
      itemBytes.length === 0
        ? ({ kind: "feedUnchanged" } as const)
        : ({ kind: "feedPage", itemBytes } as const);
    await this.#terms.pace(chargeOf(work));
    await this.#setting.timer.soon();
    return !this.isStopped;
  }
}

function bytesOf({ original, copies }: ComparedRow): readonly number[] {
  const items = original === undefined ? copies : [original, ...copies];
  return items.map(({ body }) => body.length);
}
