/**
 * What readers of a store see: the heads of its parts, and a stack of layers with the newest
 * versions on top. The reading half of `PartitionStore`, for a store that is written to and for a
 * data directory that is only looked at.
 *
 * Everything here is synchronous, so a call sees one state, and a frame is seen whole or not at
 * all. Frames come in by `publish`, when they are durable, and by `restore`, when a journal is
 * opened. Leases are kept here because frames carry them; nobody reads them but the next writer.
 *
 * Not here: when a frame may be published (`commit/commitPipeline.ts`).
 */
import type { MaybePromise } from "../../base/result.ts";
import { type Lsn, lsn } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { Bottom } from "../bottom.ts";
import { visitRecords } from "../journal/recordVisitor.ts";
import type { FrameView } from "../journal/segment.ts";
import { EMPTY_HEAD } from "../partHead.ts";
import type {
  ItemPage,
  Lease,
  LogPage,
  PartHead,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
} from "../partitionStore.ts";
import { NO_ITEMS } from "../tallies.ts";
import type { Layer } from "./layer.ts";
import type { TallyScan } from "./layeredReads.ts";
import {
  itemByKey,
  itemsByNumber,
  readLog,
  readVersions,
  scanItems,
  scanTallies,
  scanTerms,
  tallyOf,
} from "./layeredReads.ts";
import { MemoryTable, orderTerms, orderTermsOf } from "./memoryTable.ts";

export class VisibleState {
  readonly #bottom: Bottom | undefined;
  readonly #heads: Map<number, PartHead>;
  readonly #leases: Map<string, Lease>;
  /** Takes in what is published. */
  #active: MemoryTable;
  /** Only read until the bottom has absorbed them; newest first. */
  #sealed: readonly MemoryTable[] = [];
  /** Top first. */
  #layers: readonly Layer[] = [];

  /** Without a bottom the active table is all there is. A state that is only read has no leases. */
  constructor(bottom: Bottom | undefined, leases: ReadonlyMap<string, Lease> = new Map()) {
    this.#bottom = bottom;
    this.#heads = new Map(bottom?.heads());
    this.#leases = new Map(leases);
    this.#active = new MemoryTable({ isBottom: bottom === undefined });
    this.#stack();
  }

  get heads(): ReadonlyMap<number, PartHead> {
    return this.#heads;
  }

  get leases(): ReadonlyMap<string, Lease> {
    return this.#leases;
  }

  get(part: number, key: string): StoredItem | undefined {
    return itemByKey(this.#layers, part, key);
  }

  getMany(part: number, keys: readonly string[]): readonly (StoredItem | undefined)[] {
    return keys.map((key) => itemByKey(this.#layers, part, key));
  }

  itemsByNumber(part: number, numbers: readonly number[]): readonly StoredItem[] {
    return itemsByNumber(this.#layers, part, numbers);
  }

  scanItems(part: number, afterNumber: number, limits: ScanLimits): ItemPage {
    return scanItems(this.#layers, part, afterNumber, limits);
  }

  scanTerms(part: number, scan: TermScan): TermPage {
    return scanTerms(this.#layers, part, scan);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): LogPage {
    const { sweptLsn } = this.#heads.get(part) ?? EMPTY_HEAD;
    return readLog(this.#layers, part, { afterLsn, sweptLsn, countMax });
  }

  /** The layers below a sweep, or below a drop, may still hold the versions it took away. */
  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): VersionPage {
    const head = this.#heads.get(part);
    if (head === undefined) return { versions: [], isLast: true };
    return readVersions(this.#layers, part, lsn(Math.max(afterLsn, head.sweptLsn)), limits);
  }

  /** The layers below a drop may still hold the tallies of the part. */
  tally(part: number, family: string): Tally {
    return this.#heads.has(part) ? tallyOf(this.#layers, part, family) : NO_ITEMS;
  }

  scanTallies(part: number, scan: TallyScan): TallyPage {
    if (!this.#heads.has(part)) return { tallies: [], isLast: true };
    return scanTallies(this.#layers, part, scan);
  }

  head(part: number): PartHead | undefined {
    return this.#heads.get(part);
  }

  parts(): readonly number[] {
    return [...this.#heads.keys()].sort((a, b) => a - b);
  }

  /** Makes visible what a frame says, all of it in this call. */
  publish(frame: FrameView): void {
    this.#take(frame, this.#active);
  }

  /** Makes the heads in a frame visible, and nothing else of it. */
  publishHeads({ bytes, start, end }: FrameView): void {
    visitRecords(bytes, start, end, {
      head: (part, head) => this.#heads.set(part, head),
      drop: (part) => this.#heads.delete(part),
      lease: (name, lease) => this.#leases.set(name, lease),
    });
  }

  /** Takes in a segment that was found in the journal, newer than all before it; sealed at once. */
  restore(frames: readonly FrameView[]): MemoryTable {
    const table = new MemoryTable({ isBottom: false });
    for (const frame of frames) this.#take(frame, table);
    this.#sealed = [table, ...this.#sealed];
    this.#stack();
    return table;
  }

  /** The active table is only read from now on, and a fresh one takes its place. */
  sealActive(): MemoryTable {
    const table = this.#active;
    this.#active = new MemoryTable({ isBottom: false });
    this.#sealed = [table, ...this.#sealed];
    this.#stack();
    return table;
  }

  /** The bottom has all of a sealed table. */
  forget(table: MemoryTable): void {
    this.#sealed = this.#sealed.filter((one) => one !== table);
    this.#stack();
  }

  /** Puts the terms of the tables in order, a little at a time, if they are many. */
  orderTerms(timer: Timer): MaybePromise<void> {
    return orderTerms([this.#active, ...this.#sealed], timer);
  }

  /** Puts the terms of the active table in order if they take too much memory as they are. */
  orderOverdueTerms(timer: Timer): MaybePromise<void> {
    return this.#active.areTermsOverdue ? orderTermsOf(this.#active, timer) : undefined;
  }

  #take(frame: FrameView, table: MemoryTable): void {
    table.absorb(frame.bytes, frame.start, frame.end);
    this.publishHeads(frame);
  }

  #stack(): void {
    const bottom = this.#bottom;
    this.#layers = [this.#active, ...this.#sealed, ...(bottom === undefined ? [] : [bottom])];
  }
}
