/**
 * One lifecycle at work. It follows what is written to hot all the time, and goes on rounds in
 * which it finds what has become due. It has no end of its own.
 *
 * Invariants
 * - What the record says is settled is on disk in warm. After a kill some of it is done again.
 * - The guard of hot is there from the first moment, also while the lifecycle is paused.
 *
 * Not here: what is done with an item (`settling.ts`), when a round comes (`rounds.ts`), and what
 * can be asked of a lifecycle (`lifecycles.ts`).
 */
import type { Clock, Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import { pointRange } from "../../partition/epkRange.ts";
import type { PartitionStore, StoredItem } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { Reservation } from "../catalog/handover.ts";
import { positionsOf, storedPositions } from "../copy/copyRecord.ts";
import { ordinalsUsed } from "../copy/copyTerms.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { headsOf } from "../copy/positions.ts";
import { SharePace } from "../copy/sharePace.ts";
import { objectOf } from "../item/itemBody.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import { isStoreFailure } from "../jobs/storeFailure.ts";
import type { Container } from "../partition/container.ts";
import { HotFollower } from "./hotFollower.ts";
import { HotGuard } from "./hotGuard.ts";
import { ItemAge } from "./itemAge.ts";
import type { LifecycleRecord } from "./lifecycleRecord.ts";
import { fromTheBeginning, withEvent, withRound } from "./lifecycleRecord.ts";
import { LifecycleTally, sinceTotals } from "./lifecycleTally.ts";
import { Marking } from "./mark.ts";
import { obstacleOf } from "./pairChecks.ts";
import { PairPace } from "./pairPace.ts";
import { PairWriter } from "./pairWriter.ts";
import type { RoundEnd } from "./rounds.ts";
import { Rounds } from "./rounds.ts";
import { Settling } from "./settling.ts";
import { UnmovedBook } from "./unmovedBook.ts";
import { WarmNumbers } from "./warmNumbers.ts";
import { oldestDateIn } from "./warmOldest.ts";
import { Watermark } from "./watermark.ts";

export interface LifecycleRunSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  readonly catalog: Catalog;
  readonly book: JobBook;
}

/** A step lasts about as long, and then others have their turn. */
const SLICE_MS = 200;
const KEEP_MS = 1000;
const SPARE_ORDINALS = 256;

export class LifecycleRun {
  readonly hot: Container;
  readonly warm: Container;
  readonly share: SharePace;
  readonly unmoved: UnmovedBook;
  readonly watermark: Watermark = new Watermark();
  readonly rounds: Rounds;
  readonly #setting: LifecycleRunSetting;
  readonly #tally: LifecycleTally;
  readonly #guard: HotGuard;
  readonly #pace: PairPace;
  readonly #settling: Settling;
  #follower: HotFollower;
  #record: LifecycleRecord;
  #numbers: WarmNumbers;
  #look: ReturnType<typeof headsOf> | undefined;
  #keptAt = Number.NEGATIVE_INFINITY;
  #kept: { readonly tiles: unknown; readonly bookVersion: number } | undefined;
  #hasEnded = false;
  #obstacle: string | undefined;
  /** What the store said to the last step, if it failed. It is tried again. */
  #refused: string | undefined;
  /** The date of the oldest item of warm, where somebody wants to know. */
  warmOldestAt: number | undefined;
  /** What ended the work until the next start of the server, if something did. */
  failure: string | undefined;

  constructor(
    setting: LifecycleRunSetting,
    pair: { readonly hot: Container; readonly warm: Container },
    record: LifecycleRecord,
  ) {
    const { clock, timer, rates, catalog } = setting;
    const { settings } = record;
    this.#setting = setting;
    this.hot = pair.hot;
    this.warm = pair.warm;
    this.#record = record;
    this.#numbers = new WarmNumbers(record.blocks);
    this.unmoved = new UnmovedBook(record.book);
    this.#tally = new LifecycleTally(record.totals);
    this.share = new SharePace(clock, settings.sharePercent, rates?.isLimited === true);
    this.#guard = new HotGuard(termsOf(record), this.watermark, (epk, at) => {
      return at <= this.#follower.positions.of(pointRange(epk));
    });
    const terms = (): HotGuard["terms"] => this.#guard.terms;
    const writer = new PairWriter({
      ...setting,
      ...pair,
      pace: this.share,
      tally: this.#tally,
      numbers: () => this.#numbers,
      marking: () => terms().marking,
      markTtlSeconds: () => this.#record.settings.markTtlSeconds,
      nextEtag: catalog.stamps.nextEtag,
    });
    this.#settling = new Settling({
      clock,
      hot: this.hot,
      writer,
      book: this.unmoved,
      tally: this.#tally,
      terms,
      noteYoung: (date) => this.#noteYoung(date),
    });
    this.#pace = new PairPace({
      timer,
      warm: this.warm,
      share: this.share,
      tally: this.#tally,
      batch: () => this.#record.settings.batch,
    });
    this.#follower = this.#followerFrom(record);
    this.rounds = new Rounds({
      ...setting,
      hot: this.hot,
      unmoved: this.unmoved,
      tally: this.#tally,
      pace: this.#pace,
      settling: this.#settling,
      settings: () => this.#record.settings,
      span: () => ({ from: this.#record.scannedBefore, to: this.cutoff }),
    });
  }

  /** From now on nothing of hot expires that warm does not have. */
  guard(): void {
    this.hot.guard = this.#guard;
  }

  release(): void {
    if (this.hot.guard === this.#guard) this.hot.guard = undefined;
  }

  get id(): string {
    return this.#record.job.id;
  }

  /** As it is on disk, or will be with the next `keep`. */
  get record(): LifecycleRecord {
    return {
      ...this.#record,
      totals: this.#tally.totals,
      book: this.unmoved.stored,
      movedBefore: this.movedBefore,
      positions: storedPositions(this.#follower.positions),
    };
  }

  get follower(): HotFollower {
    return this.#follower;
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  /** Why nothing is moved, if somebody has to do something about it. */
  get obstacle(): string | undefined {
    return this.failure ?? this.#refused ?? this.#obstacle;
  }

  /** Whether warm has this version of an item. */
  isMarked({ body }: StoredItem): boolean {
    return this.#guard.terms.marking.isValid(objectOf(body), body);
  }

  /** Items dated before it are due now. */
  get cutoff(): number {
    return this.#guard.terms.age.cutoff(this.#setting.clock.wallNow());
  }

  /** Nothing that is dated at or after this is in warm alone. */
  get movedBefore(): number {
    return Math.max(this.#record.movedBefore, this.cutoff);
  }

  /** After a kill time may have gone back, and items be young that were scanned as due. */
  #noteYoung(date: number): void {
    const { scannedBefore } = this.#record;
    if (date < scannedBefore) this.#record = { ...this.#record, scannedBefore: date };
  }

  /** Changes what is on record, at once for the work and durable when it resolves. */
  async change(change: Partial<LifecycleRecord>, event: string): Promise<void> {
    const { clock } = this.#setting;
    const before = this.#record;
    this.#record = withEvent({ ...this.record, ...change }, clock.wallNow(), event);
    const { settings } = this.#record;
    this.share.sharePercent = settings.sharePercent;
    this.#guard.terms = termsOf(this.#record);
    if (before.settings.ageProperty !== settings.ageProperty) {
      this.watermark.forget();
      this.#lookAtAll();
    }
    // A cutoff of before is none of the settings of now.
    if (change.settings !== undefined) {
      this.rounds.beginAnew();
      this.#look = undefined;
      const { scannedBefore } = this.#record;
      this.#record = { ...this.#record, scannedBefore: Math.min(scannedBefore, this.cutoff) };
    }
    await this.#keep();
  }

  /** Takes a step; the last one is that in which the lifecycle is found to have ended. */
  async step(isStopped: () => boolean): Promise<JobStep<void>> {
    if (this.#hasEnded) return DONE;
    if (isStopped()) return AGAIN;
    const gone = this.#goneName();
    if (gone !== undefined) return this.#endLost(`The container '${gone}' was deleted.`);
    try {
      const next = await this.#work(isStopped);
      this.#refused = undefined;
      return next;
    } catch (error) {
      if (error instanceof TargetGone) return AGAIN;
      if (isStoreFailure(error)) this.#refused = `Nothing can be written: ${error.message}`;
      throw error;
    }
  }

  /** Ends the lifecycle for good. What it leaves behind is in `lifecycles.ts`. */
  async end(end: "stopped" | "failed", reason: string): Promise<void> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    const { book, clock } = this.#setting;
    const { job } = this.#record;
    const at = clock.wallNow();
    const seconds = Math.max(0, at - job.startedAt) / 1000;
    const state = end === "stopped" ? "cancelled" : "failed";
    const ended = { ...job, outcome: { state, reason, seconds } } as const;
    const last = withEvent({ ...this.record, end, job: ended }, at, reason);
    try {
      await book.end(last, () => this.release());
    } catch (failure) {
      // Whoever asked is told, and the lifecycle goes on as if nobody had.
      this.#hasEnded = false;
      throw failure;
    }
  }

  async #work(isStopped: () => boolean): Promise<JobStep<void>> {
    const { clock } = this.#setting;
    if (this.#record.isPaused) return WAITS;
    await this.#provideNumbers();
    const end = clock.now() + SLICE_MS;
    const isOver = (): boolean =>
      isStopped() || this.#hasEnded || this.#record.isPaused || clock.now() >= end;
    const hasAll = await this.#follow(isOver);
    this.#obstacle = obstacleOf(this.hot, this.#guard.terms.age.segments);
    // While terms are missing, a scan would miss items.
    const isIndexed = this.#obstacle === undefined && this.hot.formerPolicies.length === 0;
    const came = hasAll && isIndexed ? await this.rounds.advance(isOver) : "none";
    if (typeof came === "object") await this.#keepRound(came);
    await this.#keepNowAndThen();
    return hasAll && came !== "underWay" ? WAITS : AGAIN;
  }

  /** Looks at what was written until now. False if it was stopped before that. */
  async #follow(isOver: () => boolean): Promise<boolean> {
    if (this.#look === undefined) {
      this.#look = headsOf(this.hot);
      this.watermark.beginLook();
    }
    const look = this.#look;
    if (!(await this.#follower.follow(look, isOver)) || this.#look !== look) return false;
    this.#look = undefined;
    this.watermark.endLook(Math.min(this.#record.scannedBefore, this.unmoved.lowestDue));
    return true;
  }

  async #keepRound({ startedAt, cutoff }: RoundEnd): Promise<void> {
    const { clock } = this.#setting;
    const { settings, rounds, roundTotals } = this.#record;
    const { totals } = this.#tally;
    const done = sinceTotals(roundTotals, totals);
    const ended = {
      startedAt,
      endedAt: clock.wallNow(),
      cutoff,
      movedCount: done.moved,
      movedBytes: done.movedBytes,
      editedCount: done.edited,
      removedCount: done.removed,
      returnedCount: done.returned,
      setAsideCount: this.unmoved.count,
      ru: done.ru,
    };
    const scannedBefore = Math.max(this.#record.scannedBefore, cutoff);
    const all = withRound(rounds, ended);
    this.#record = { ...this.#record, scannedBefore, rounds: all, roundTotals: totals };
    if (this.unmoved.hasLostDue) this.#lookAtAll();
    if (settings.archiveAfterSeconds !== undefined) {
      this.warmOldestAt = await oldestDateIn(this.#setting, this.warm, this.#guard.terms.age);
    }
    await this.#keep();
  }

  /** Begins with the first entry of the logs again. */
  #lookAtAll(): void {
    this.unmoved.clear();
    this.#look = undefined;
    const { settings } = this.#record;
    const start = fromTheBeginning(settings, this.#setting.clock.wallNow());
    this.#record = { ...this.#record, ...start };
    this.#follower = this.#followerFrom(this.#record);
  }

  #followerFrom({ positions }: LifecycleRecord): HotFollower {
    const { store, clock } = this.#setting;
    return new HotFollower({
      store,
      clock,
      hot: this.hot,
      positions: positionsOf(positions),
      pace: this.#pace,
      settling: this.#settling,
      book: this.unmoved,
      onLost: () => {
        this.#record = withEvent(this.#record, clock.wallNow(), LOST_ENDS);
      },
    });
  }

  async #provideNumbers(): Promise<void> {
    const { catalog, book } = this.#setting;
    const needed = ordinalsUsed(this.hot);
    const first = this.#numbers.end;
    if (needed <= first) return;
    const count = needed - first + SPARE_ORDINALS;
    // Chosen when no split can come in between, which would take the same ones.
    const reservation = (): Reservation => {
      const at = ordinalsUsed(this.warm);
      this.#record = {
        ...this.#record,
        blocks: [...this.#record.blocks, { first, count, at }],
      };
      return { container: this.warm, firstOwnOrdinal: at + count };
    };
    await catalog.reserve(reservation, () => book.updating(this.record));
    this.#numbers = new WarmNumbers(this.#record.blocks);
    // A setting may have changed while the block was put on record.
    await this.#keep();
  }

  async #keepNowAndThen(): Promise<void> {
    if (this.#setting.clock.now() - this.#keptAt < KEEP_MS) return;
    const { tiles } = this.#follower.positions;
    const isUnchanged =
      this.#kept?.tiles === tiles && this.#kept.bookVersion === this.unmoved.version;
    // A lifecycle of a container that nobody writes to writes nothing either.
    if (!isUnchanged) await this.#keep();
  }

  async #keep(): Promise<void> {
    if (this.#hasEnded) return;
    this.#keptAt = this.#setting.clock.now();
    this.#kept = { tiles: this.#follower.positions.tiles, bookVersion: this.unmoved.version };
    await this.#setting.book.update(this.record);
  }

  #goneName(): string | undefined {
    const gone = [this.hot, this.warm].find(({ isDeleted }) => isDeleted);
    return gone?.definition.id;
  }

  async #endLost(reason: string): Promise<JobStep<void>> {
    await this.end("failed", reason);
    return DONE;
  }
}

const LOST_ENDS =
  "The change feed policy of hot was changed before all deletions were looked at. Copies of " +
  "items that were deleted just before may be left in warm.";

function termsOf({ job, settings, formerMarks, givenTtls }: LifecycleRecord): HotGuard["terms"] {
  return {
    age: new ItemAge(settings.ageProperty, settings.ageSeconds),
    marking: new Marking(job.id, [settings.markProperty, ...formerMarks]),
    givenTtls: new Set(givenTtls),
  };
}
