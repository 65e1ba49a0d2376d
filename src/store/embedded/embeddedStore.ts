/**
 * A partition store in one process. Changes go through the pipeline (`commit/commitPipeline.ts`):
 * into a frame of the journal, all that wait at once together, then into what readers see
 * (`memory/visibleState.ts`). When a segment of the journal is full it is sealed together with its
 * memory table (`commit/rollingJournal.ts`), and the bottom absorbs it; after that both are dropped
 * (`commit/sealedSegments.ts`). What the disk is in the way of is decided in `commit/health.ts`.
 *
 * A throw-away store has neither journal nor bottom: its memory table is all there is.
 *
 * This class puts these together and takes them apart again; it has no state of its own.
 */
import { assert } from "../../base/assert.ts";
import type { MaybePromise } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Bottom } from "../bottom.ts";
import { CommitPipeline } from "../commit/commitPipeline.ts";
import {
  toAcquireLease,
  toAdopt,
  toAdoptVersions,
  toClaim,
  toCommit,
  toDrop,
  toSweepLog,
} from "../commit/draft.ts";
import { Health } from "../commit/health.ts";
import type { Reserve } from "../commit/reserve.ts";
import type { RollingOptions } from "../commit/rollingJournal.ts";
import { RollingJournal } from "../commit/rollingJournal.ts";
import { SealedSegments } from "../commit/sealedSegments.ts";
import type { Disk } from "../disk.ts";
import type { UsableSegment } from "../journal/foundJournal.ts";
import {
  droppedTails,
  findJournal,
  soundJournal,
  usableSegments,
} from "../journal/foundJournal.ts";
import { Journal } from "../journal/journal.ts";
import type { JournalHold } from "../journal/segmentFiles.ts";
import type { TallyScan } from "../memory/layeredReads.ts";
import { VisibleState } from "../memory/visibleState.ts";
import type { Notify } from "../notice.ts";
import type {
  CommitTerms,
  Committed,
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
} from "../partitionStore.ts";

/** How long segments become, and how many may wait for the bottom. */
export type EmbeddedOptions = RollingOptions;

interface Durability {
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
  readonly sealedCountMax: number;
}

/** What such a store is made of. */
interface Keeping extends Durability {
  readonly journal: Journal;
  readonly options: EmbeddedOptions;
}

const SHRINKING = { isShrinking: true } as const;
const GROWING = { isShrinking: false } as const;

export class EmbeddedStore implements PartitionStore {
  readonly #timer: Timer;
  readonly #state: VisibleState;
  readonly #kept: Kept | undefined;
  readonly #pipeline: CommitPipeline;
  #isClosed = false;

  /** A store without a disk: everything is gone when it is closed. */
  static inMemory(timer: Timer): EmbeddedStore {
    return new EmbeddedStore(timer, new VisibleState(undefined));
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
    const state = new VisibleState(bottom, bottom.leases());
    const store = new EmbeddedStore(timer, state, { ...durability, journal, options });
    await store.#takeOver(usableSegments(found));
    return store;
  }

  private constructor(timer: Timer, state: VisibleState, keeping?: Keeping) {
    this.#timer = timer;
    this.#state = state;
    this.#kept = keeping && this.#keptOn(keeping);
    const journal = keeping && new RollingJournal({ ...keeping, ...this.#kept!, state });
    this.#pipeline = new CommitPipeline({ timer, state, journal });
  }

  get fault(): StoreFault | undefined {
    return this.#kept?.health.fault;
  }

  get obstacle(): StoreFault | undefined {
    return this.#kept?.health.obstacle;
  }

  obstacleOf(): StoreFault | undefined {
    return this.obstacle;
  }

  get pressure(): number {
    if (this.#kept === undefined) return 0;
    const { sealed, sealedCountMax } = this.#kept;
    return Math.min(1, sealed.count / sealedCountMax);
  }

  async eased(): Promise<void> {
    await this.#kept?.sealed.absorbed();
  }

  get(part: number, key: string): StoredItem | undefined {
    return this.#state.get(part, key);
  }

  getMany(part: number, keys: readonly string[]): readonly (StoredItem | undefined)[] {
    return this.#state.getMany(part, keys);
  }

  itemsByNumber(part: number, numbers: readonly number[]): readonly StoredItem[] {
    return this.#state.itemsByNumber(part, numbers);
  }

  scanItems(part: number, afterNumber: number, limits: ScanLimits): ItemPage {
    return this.#state.scanItems(part, afterNumber, limits);
  }

  scanTerms(part: number, scan: TermScan): TermPage {
    return this.#state.scanTerms(part, scan);
  }

  orderTerms(): MaybePromise<void> {
    return this.#state.orderTerms(this.#timer);
  }

  readLog(part: number, afterLsn: Lsn, countMax: number): LogPage {
    return this.#state.readLog(part, afterLsn, countMax);
  }

  readVersions(part: number, afterLsn: Lsn, limits: ScanLimits): VersionPage {
    return this.#state.readVersions(part, afterLsn, limits);
  }

  tally(part: number, family: string): Tally {
    return this.#state.tally(part, family);
  }

  scanTallies(part: number, scan: TallyScan): TallyPage {
    return this.#state.scanTallies(part, scan);
  }

  head(part: number): PartHead | undefined {
    return this.#state.head(part);
  }

  parts(): readonly number[] {
    return this.#state.parts();
  }

  async claim(part: number, epoch: number): Promise<PartHead> {
    return this.#pipeline.write(toClaim(part, epoch), SHRINKING);
  }

  async commit(
    part: number,
    epoch: number,
    groups: readonly WriteGroup[],
    terms: CommitTerms = {},
  ): Promise<Committed> {
    const isShrinking = groups.every((group) => group.every(({ kind }) => kind === "delete"));
    return this.#pipeline.write(toCommit(part, epoch, groups, terms), { isShrinking });
  }

  async adopt(...asked: Parameters<typeof toAdopt>): Promise<PartHead> {
    return this.#pipeline.write(toAdopt(...asked), GROWING);
  }

  async adoptVersions(...asked: Parameters<typeof toAdoptVersions>): Promise<void> {
    return this.#pipeline.write(toAdoptVersions(...asked), GROWING);
  }

  async sweepLog(part: number, epoch: number, throughLsn: Lsn): Promise<PartHead> {
    return this.#pipeline.write(toSweepLog(part, epoch, throughLsn), SHRINKING);
  }

  async drop(part: number): Promise<void> {
    return this.#pipeline.write(toDrop(part), SHRINKING);
  }

  async acquireLease(...asked: Parameters<typeof toAcquireLease>): Promise<Lease | undefined> {
    return this.#pipeline.write(toAcquireLease(...asked), GROWING);
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
    await this.#pipeline.close();
    await absorbed;
    await this.#kept?.health.close();
    await this.#kept?.journal.close();
    await this.#kept?.bottom.close();
  }

  #keptOn(keeping: Keeping): Kept {
    const { disk, bottom, journal, reserve, clock, notify = () => undefined } = keeping;
    const sealed = new SealedSegments({
      timer: this.#timer,
      journal,
      bottom,
      health: () => health,
      onAbsorbed: (table) => this.#state.forget(table),
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
        this.#pipeline.writeClaims();
      },
    });
    const { sealedCountMax } = keeping.options;
    return { journal, bottom, health, sealed, sealedCountMax };
  }

  /** Every segment found becomes a sealed table. */
  async #takeOver(found: readonly UsableSegment[]): Promise<void> {
    const { sealed, bottom, health } = this.#kept!;
    await health.opened();
    for (const { segment, frameEnd, frames } of found) {
      sealed.push({ segment, frameEnd, table: this.#state.restore(frames) });
    }
    if (!bottom.lacksTallies) sealed.absorb();
    else {
      // A directory of a version that kept no tallies. They are counted from the items, once the
      // tables have all of these; until then nothing is written, and a crash starts over.
      await sealed.absorbAll();
      await bottom.countTallies();
    }
  }
}
