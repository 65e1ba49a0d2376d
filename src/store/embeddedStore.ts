/**
 * A partition store in one process. Commits go to the journal, all that wait at once as one frame
 * (group commit), then into the memory table. When a journal segment is full it is sealed together
 * with its memory table, and the bottom absorbs it; after that both are dropped.
 *
 * A throw-away store has neither journal nor bottom: its memory table is all there is.
 *
 * State and who changes it: `#heads` and the layers change only in `#publish`, synchronously, after
 * the frame is durable. Between the start of a flush and that moment nothing is visible.
 */
import type { MaybePromise } from "../base/result.ts";
import { type Lsn, lsn } from "../base/units.ts";
import type { Timer } from "../base/world.ts";
import type { Bottom } from "./bottom.ts";
import type { Disk } from "./disk.ts";
import type { Change, Draft } from "./draft.ts";
import {
  toAcquireLease,
  toAdopt,
  toAdoptVersions,
  toClaim,
  toCommit,
  toDrop,
  toSweepLog,
} from "./draft.ts";
import { faultOf, isDiskFull } from "./faults.ts";
import type { FrameView, SealedSegment } from "./journal.ts";
import { Journal } from "./journal.ts";
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
import { Overlay } from "./overlay.ts";
import { EMPTY_HEAD } from "./partHead.ts";
import type {
  CommitTerms,
  ItemPage,
  Lease,
  LogPage,
  PartHead,
  PartitionStore,
  ScanLimits,
  StoredItem,
  Tally,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
  WriteGroup,
} from "./partitionStore.ts";
import { StoreFault } from "./partitionStore.ts";
import type { StoreRecord } from "./record.ts";
import { frameOf } from "./record.ts";
import { visitRecords } from "./recordVisitor.ts";
import { NO_ITEMS, TallyDraft } from "./tallies.ts";

export interface EmbeddedOptions {
  /** A journal segment is sealed when it reaches this size. */
  readonly segmentBytesMax: number;
  /** Sealed segments that may wait for the bottom before commits wait too. */
  readonly sealedCountMax: number;
}

export interface Durability {
  readonly disk: Disk;
  readonly bottom: Bottom;
}

interface Prepared {
  readonly record: StoreRecord | undefined;
  readonly resolve: () => void;
  readonly reject: (fault: unknown) => void;
}

type Waiting = (draft: Draft) => Prepared | undefined;

interface Sealed extends SealedSegment {
  readonly table: MemoryTable;
}

export class EmbeddedStore implements PartitionStore {
  readonly #timer: Timer;
  readonly #options: EmbeddedOptions;
  readonly #journal: Journal | undefined;
  readonly #bottom: Bottom | undefined;
  readonly #heads: Map<number, PartHead>;
  readonly #leases: Map<string, Lease>;
  #active: MemoryTable;
  #sealed: readonly Sealed[] = [];
  /** Top first; rebuilt when a table is sealed or absorbed. */
  #layers: readonly Layer[] = [];
  #waiting: Waiting[] = [];
  #flushing: Promise<void> | undefined;
  #absorbing: Promise<void> | undefined;
  /** Why the last try found no room for a segment. */
  #absorbProblem: Error | undefined;
  #fault: StoreFault | undefined;
  #isClosed = false;

  /** A store without a disk: everything is gone when it is closed. */
  static inMemory(timer: Timer): EmbeddedStore {
    const options = { segmentBytesMax: Number.POSITIVE_INFINITY, sealedCountMax: 0 };
    return new EmbeddedStore(timer, options, undefined, undefined);
  }

  /** Reads the journal back; ready when everything that was acknowledged is visible. */
  static async open(
    timer: Timer,
    options: EmbeddedOptions,
    { disk, bottom }: Durability,
  ): Promise<EmbeddedStore> {
    const { journal, found } = await Journal.open(disk, bottom);
    const store = new EmbeddedStore(timer, options, journal, bottom);
    for (const { segment, frameEnd, frames } of found) {
      const table = new MemoryTable({ isBottom: false });
      for (const frame of frames) {
        table.absorb(frame.bytes, frame.start, frame.end);
        store.#publish(frame);
      }
      store.#sealed = [{ segment, frameEnd, table }, ...store.#sealed];
    }
    store.#stack();
    if (bottom.lacksTallies) await store.#countAnew(bottom);
    else store.#absorbSealed();
    return store;
  }

  private constructor(
    timer: Timer,
    options: EmbeddedOptions,
    journal: Journal | undefined,
    bottom: Bottom | undefined,
  ) {
    this.#timer = timer;
    this.#options = options;
    this.#journal = journal;
    this.#bottom = bottom;
    this.#heads = new Map(bottom?.heads());
    this.#leases = new Map(bottom?.leases());
    this.#active = new MemoryTable({ isBottom: bottom === undefined });
    this.#stack();
  }

  get fault(): StoreFault | undefined {
    return this.#fault;
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

  orderTerms(): MaybePromise<void> {
    return orderTerms([this.#active, ...this.#sealed.map(({ table }) => table)], this.#timer);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): LogPage {
    const { sweptLsn } = this.#heads.get(part) ?? EMPTY_HEAD;
    return readLog(this.#layers, part, { afterLsn, sweptLsn, countMax });
  }

  /** The layers below a sweep, or a drop, may still hold what it took away. */
  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): VersionPage {
    const head = this.#heads.get(part);
    if (head === undefined) return { versions: [], isLast: true };
    return readVersions(this.#layers, part, lsn(Math.max(afterLsn, head.sweptLsn)), limits);
  }

  /** Likewise. */
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

  async claim(part: number, epoch: number): Promise<PartHead> {
    return this.#write(toClaim(part, epoch));
  }

  async commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    terms: CommitTerms = {},
  ): Promise<Lsn> {
    return this.#write(toCommit(part, epoch, groups, terms));
  }

  async adopt(...asked: Parameters<typeof toAdopt>): Promise<PartHead> {
    return this.#write(toAdopt(...asked));
  }

  async adoptVersions(...asked: Parameters<typeof toAdoptVersions>): Promise<void> {
    return this.#write(toAdoptVersions(...asked));
  }

  async sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<void> {
    return this.#write(toSweepLog(part, epoch, throughLsn));
  }

  async drop(part: number): Promise<void> {
    return this.#write(toDrop(part));
  }

  async acquireLease(...asked: Parameters<typeof toAcquireLease>): Promise<Lease | undefined> {
    return this.#write(toAcquireLease(...asked));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    await this.#flushing;
    await this.#absorbing;
    await this.#journal?.close();
    await this.#bottom?.close();
  }

  /** Queues a change for the next frame. Resolves when it is durable and visible. */
  #write<T>(change: Change<T>): Promise<T> {
    if (this.#fault !== undefined) return Promise.reject(this.#fault);
    if (this.#isClosed) return Promise.reject(new StoreFault("the store is closed"));
    return new Promise((resolve, reject) => {
      const prepare = (draft: Draft): Prepared | undefined => {
        try {
          const { record, answer } = change(draft);
          return { record, resolve: () => resolve(answer), reject };
        } catch (error) {
          reject(error);
          return undefined;
        }
      };
      this.#waiting.push(prepare);
      this.#flushing ??= this.#flush();
    });
  }

  async #flush(): Promise<void> {
    // Everybody whose request arrived in this turn of the event loop joins the first frame.
    await this.#timer.soon();
    while (this.#waiting.length > 0) {
      const waiting = this.#waiting;
      this.#waiting = [];
      // Each change is computed on those before it in the frame; all become true together.
      const draft = {
        heads: new Overlay(this.#heads),
        leases: new Overlay(this.#leases),
        tallies: new TallyDraft((part, family) => tallyOf(this.#layers, part, family)),
      };
      const batch = waiting.map((prepare) => prepare(draft)).filter((one) => one !== undefined);
      const records = batch.flatMap(({ record }) => record ?? []);
      if (records.length > 0) {
        const frame = frameOf(records);
        try {
          if (this.#journal !== undefined) await this.#append(this.#journal, frame);
        } catch (error) {
          this.#refuse(batch, error);
          continue;
        }
        this.#active.absorb(frame.bytes, frame.start, frame.end);
        this.#publish(frame);
      }
      for (const { resolve } of batch) resolve();
      if (this.#active.areTermsOverdue) await orderTermsOf(this.#active, this.#timer);
    }
    this.#flushing = undefined;
  }

  async #append(journal: Journal, frame: FrameView): Promise<void> {
    if (this.#fault !== undefined) throw this.#fault;
    const isFull = journal.segmentBytes + frame.bytes.length > this.#options.segmentBytesMax;
    if ((isFull && journal.segmentBytes > 0) || journal.isTorn) {
      await this.#makeRoom();
      await this.#sealActive(journal);
    }
    await journal.append(frame);
  }

  /** Waits until not too many sealed segments wait for the bottom; throws when they cannot. */
  async #makeRoom(): Promise<void> {
    while (this.#sealed.length >= this.#options.sealedCountMax) {
      this.#absorbProblem = undefined;
      this.#absorbSealed();
      if (this.#absorbing === undefined) return;
      await this.#absorbing;
      if (this.#fault !== undefined) throw this.#fault;
      if (this.#absorbProblem !== undefined) throw this.#absorbProblem;
    }
  }

  async #sealActive(journal: Journal): Promise<void> {
    const { sealed, closed } = journal.seal();
    this.#sealed = [{ ...sealed, table: this.#active }, ...this.#sealed];
    this.#active = new MemoryTable({ isBottom: false });
    this.#stack();
    this.#absorbSealed();
    await closed;
  }

  /** A full disk is waited out; after any other failure nobody knows what the disk holds. */
  #refuse(batch: readonly Prepared[], error: unknown): void {
    const fault = error instanceof StoreFault ? error : faultOf(error);
    if (!isDiskFull(error)) this.#fault ??= fault;
    for (const { reject } of batch) reject(fault);
  }

  #publish(frame: FrameView): void {
    visitRecords(frame.bytes, frame.start, frame.end, {
      head: (part, head) => this.#heads.set(part, head),
      drop: (part) => this.#heads.delete(part),
      lease: (name, lease) => this.#leases.set(name, lease),
    });
  }

  #stack(): void {
    const tables = this.#sealed.map(({ table }) => table);
    const bottom = this.#bottom === undefined ? [] : [this.#bottom];
    this.#layers = [this.#active, ...tables, ...bottom];
  }

  #absorbSealed(): void {
    if (this.#bottom === undefined || this.#absorbing !== undefined) return;
    if (this.#sealed.length === 0 || this.#fault !== undefined || this.#isClosed) return;
    this.#absorbing = this.#absorbOldest(this.#bottom).then(
      () => {
        this.#absorbing = undefined;
        this.#absorbSealed();
      },
      (error: unknown) => {
        this.#absorbing = undefined;
        // The journal still holds everything. A full disk is tried again with the next segment,
        // anything else by a restart.
        if (isDiskFull(error)) this.#absorbProblem = error as Error;
        else if (!this.#isClosed) this.#fault ??= faultOf(error);
      },
    );
  }

  /**
   * A directory of a version that kept no tallies. They are counted from the items, once the tables
   * have all of these; until that is done nothing new is written, and a crash starts over.
   */
  async #countAnew(bottom: Bottom): Promise<void> {
    while (this.#sealed.length > 0) await this.#absorbOldest(bottom);
    await bottom.countTallies();
  }

  async #absorbOldest(bottom: Bottom): Promise<void> {
    const { segment, frameEnd } = this.#sealed.at(-1)!;
    await bottom.absorb(segment, frameEnd);
    this.#sealed = this.#sealed.slice(0, -1);
    this.#stack();
    await this.#journal!.remove(segment);
  }
}
