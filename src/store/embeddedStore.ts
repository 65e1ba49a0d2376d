/**
 * A partition store in one process. Commits go to the journal, all that wait at once as one frame
 * (`groupCommit.ts`), then into the memory table. When a journal segment is full it is sealed
 * together with its memory table, and the bottom absorbs it (`sealedSegments.ts`); after that both
 * are dropped. What the disk is in the way of is decided in `health.ts`.
 *
 * A throw-away store has neither journal nor bottom: its memory table is all there is.
 *
 * State and who changes it: `#heads` and the layers change only in `#publish`, synchronously, after
 * the frame is durable. Between the start of a flush and that moment nothing is visible. The one
 * exception are parts that are taken over while there is no room to say so.
 */
import { assert } from "../base/assert.ts";
import type { MaybePromise } from "../base/result.ts";
import { type Lsn, lsn } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import type { Bottom } from "./bottom.ts";
import type { Draft } from "./commit/draft.ts";
import {
  toAcquireLease,
  toAdopt,
  toAdoptVersions,
  toClaim,
  toCommit,
  toDrop,
  toSweepLog,
} from "./commit/draft.ts";
import type { Durable } from "./commit/commitPipeline.ts";
import { GroupCommit } from "./commit/commitPipeline.ts";
import { Health } from "./commit/health.ts";
import { Overlay } from "./commit/overlay.ts";
import type { Reserve } from "./commit/reserve.ts";
import { SealedSegments } from "./commit/sealedSegments.ts";
import type { Disk } from "./disk.ts";
import type { UsableSegment } from "./journal/foundJournal.ts";
import { droppedTails, findJournal, soundJournal, usableSegments } from "./journal/foundJournal.ts";
import { Journal } from "./journal/journal.ts";
import { visitRecords } from "./journal/recordVisitor.ts";
import type { FrameView } from "./journal/segment.ts";
import type { JournalHold } from "./journal/segmentFiles.ts";
import type { Layer } from "./memory/layer.ts";
import type { TallyScan } from "./memory/layeredReads.ts";
import {
  itemByKey,
  itemsByNumber,
  readLog,
  readVersions,
  scanItems,
  scanTallies,
  scanTerms,
  tallyOf,
} from "./memory/layeredReads.ts";
import { MemoryTable, orderTerms, orderTermsOf } from "./memory/memoryTable.ts";
import type { Notify } from "./notice.ts";
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
  StoreFault,
  Tally,
  TallyPage,
  TermPage,
  TermScan,
  VersionPage,
  WriteGroup,
} from "./partitionStore.ts";
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
  /** Is told of troubles with the disk; nobody is when absent. */
  readonly notify?: Notify | undefined;
  /** Room for deletions on a full disk. */
  readonly reserve?: Reserve | undefined;
  /** By which it is watched whether the files are still in their place. */
  readonly clock?: Clock | undefined;
}

/** What a store on a disk has besides its memory table. */
interface Kept {
  readonly journal: Journal;
  readonly bottom: Bottom;
  readonly health: Health;
  readonly sealed: SealedSegments;
}

const SHRINKING = { isShrinking: true } as const;
const GROWING = { isShrinking: false } as const;

export class EmbeddedStore implements PartitionStore {
  readonly #timer: Timer;
  readonly #options: EmbeddedOptions;
  readonly #kept: Kept | undefined;
  readonly #commits: GroupCommit;
  readonly #heads: Map<number, PartHead>;
  readonly #leases: Map<string, Lease>;
  #active: MemoryTable;
  /** Top first; rebuilt when a table is sealed or absorbed. */
  #layers: readonly Layer[] = [];
  #isClosed = false;

  /** A store without a disk: everything is gone when it is closed. */
  static inMemory(timer: Timer): EmbeddedStore {
    const options = { segmentBytesMax: Number.POSITIVE_INFINITY, sealedCountMax: 0 };
    return new EmbeddedStore(timer, options);
  }

  /** Reads the journal back; ready when everything that was acknowledged is visible. */
  static async open(
    timer: Timer,
    options: EmbeddedOptions,
    durability: Durability,
  ): Promise<EmbeddedStore> {
    const { disk, bottom, notify } = durability;
    const found = soundJournal(await findJournal(disk, bottom));
    for (const tail of droppedTails(found)) notify?.({ kind: "tailDropped", ...tail });
    const journal = await Journal.goingOn(disk, found);
    const store = new EmbeddedStore(timer, options, { ...durability, journal });
    await store.#takeOver(usableSegments(found));
    return store;
  }

  private constructor(
    timer: Timer,
    options: EmbeddedOptions,
    durability?: Durability & { readonly journal: Journal },
  ) {
    this.#timer = timer;
    this.#options = options;
    this.#kept = durability && this.#keptOn(durability);
    const bottom = durability?.bottom;
    this.#heads = new Map(bottom?.heads());
    this.#leases = new Map(bottom?.leases());
    this.#active = new MemoryTable({ isBottom: bottom === undefined });
    this.#commits = new GroupCommit({
      timer,
      durable: this.#kept && this.#durable(this.#kept),
      newDraft: () => this.#newDraft(),
      publish: (frame) => this.#publish(frame, this.#active),
      publishClaims: (frame) => this.#publishHeads(frame),
      rest: () => (this.#active.areTermsOverdue ? orderTermsOf(this.#active, timer) : undefined),
    });
    this.#stack();
  }

  get fault(): StoreFault | undefined {
    return this.#kept?.health.fault;
  }

  get obstacle(): StoreFault | undefined {
    return this.#kept?.health.obstacle;
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
    return orderTerms([this.#active, ...(this.#kept?.sealed.tables ?? [])], this.#timer);
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
    return this.#commits.write(toClaim(part, epoch), SHRINKING);
  }

  async commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    terms: CommitTerms = {},
  ): Promise<Lsn> {
    const isShrinking = groups.every((group) => group.every(({ kind }) => kind === "delete"));
    return this.#commits.write(toCommit(part, epoch, groups, terms), { isShrinking });
  }

  async adopt(...asked: Parameters<typeof toAdopt>): Promise<PartHead> {
    return this.#commits.write(toAdopt(...asked), GROWING);
  }

  async adoptVersions(...asked: Parameters<typeof toAdoptVersions>): Promise<void> {
    return this.#commits.write(toAdoptVersions(...asked), GROWING);
  }

  async sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<void> {
    return this.#commits.write(toSweepLog(part, epoch, throughLsn), SHRINKING);
  }

  async drop(part: number): Promise<void> {
    return this.#commits.write(toDrop(part), SHRINKING);
  }

  async acquireLease(...asked: Parameters<typeof toAcquireLease>): Promise<Lease | undefined> {
    return this.#commits.write(toAcquireLease(...asked), GROWING);
  }

  /** For a backup: keeps the segments of the journal until the hold is released. */
  holdJournal(): JournalHold {
    assert(this.#kept !== undefined, "a store in memory has no journal");
    return this.#kept.journal.hold();
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    const absorbed = this.#kept?.sealed.close();
    await this.#commits.close();
    await absorbed;
    await this.#kept?.health.close();
    await this.#kept?.journal.close();
    await this.#kept?.bottom.close();
  }

  #keptOn(durability: Durability & { readonly journal: Journal }): Kept {
    const { disk, bottom, journal, reserve, clock, notify = () => undefined } = durability;
    const sealed = new SealedSegments({
      journal,
      bottom,
      health: () => health,
      onChange: () => this.#stack(),
    });
    const health = new Health({
      timer: this.#timer,
      disk,
      bottom,
      notify,
      reserve,
      clock,
      retry: () => sealed.retry(),
      onPassed: () => {
        sealed.absorb();
        this.#commits.writeClaims();
      },
    });
    return { journal, bottom, health, sealed };
  }

  #durable({ journal, health, sealed }: Kept): Durable {
    const append = async (frame: FrameView): Promise<void> => {
      const { segmentBytesMax, sealedCountMax } = this.#options;
      const isOver = journal.segmentBytes + frame.bytes.length > segmentBytesMax;
      if ((isOver && journal.segmentBytes > 0) || journal.isTorn) {
        // What a full disk still takes is little: it need not wait for the bottom.
        if (!health.isFull) await sealed.makeRoom(sealedCountMax);
        await this.#sealActive(journal, sealed);
      }
      await health.watching(() => journal.append(frame));
    };
    return { health, append, doing: () => ({ activity: WRITING, ...journal.place }) };
  }

  async #sealActive(journal: Journal, segments: SealedSegments): Promise<void> {
    const { sealed, closed } = journal.seal();
    const table = this.#active;
    this.#active = new MemoryTable({ isBottom: false });
    segments.push({ ...sealed, table });
    segments.absorb();
    await closed;
  }

  /** Every segment found becomes a sealed table. */
  async #takeOver(found: readonly UsableSegment[]): Promise<void> {
    const { sealed, bottom, health } = this.#kept!;
    await health.opened();
    for (const { segment, frameEnd, frames } of found) {
      const table = new MemoryTable({ isBottom: false });
      for (const frame of frames) this.#publish(frame, table);
      sealed.push({ segment, frameEnd, table });
    }
    if (!bottom.lacksTallies) sealed.absorb();
    else {
      // A directory of a version that kept no tallies. They are counted from the items, once the
      // tables have all of these; until then nothing is written, and a crash starts over.
      await sealed.absorbAll();
      await bottom.countTallies();
    }
  }

  #newDraft(): Draft {
    return {
      heads: new Overlay(this.#heads),
      leases: new Overlay(this.#leases),
      tallies: new TallyDraft((part, family) => tallyOf(this.#layers, part, family)),
    };
  }

  #publish(frame: FrameView, table: MemoryTable): void {
    table.absorb(frame.bytes, frame.start, frame.end);
    this.#publishHeads(frame);
  }

  #publishHeads(frame: FrameView): void {
    visitRecords(frame.bytes, frame.start, frame.end, {
      head: (part, head) => this.#heads.set(part, head),
      drop: (part) => this.#heads.delete(part),
      lease: (name, lease) => this.#leases.set(name, lease),
    });
  }

  #stack(): void {
    const kept = this.#kept;
    const below = kept === undefined ? [] : [...kept.sealed.tables, kept.bottom];
    this.#layers = [this.#active, ...below];
  }
}

const WRITING = "writing the journal";
