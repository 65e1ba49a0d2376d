/**
 * One view, following its source: from the first entry of the source's logs to the last, and then
 * on, for as long as the view is there.
 *
 * Invariants
 * - What the record says is applied is on disk in the view.
 * - A view that lacks more rows than it may stands still, and goes on when it lacks fewer.
 *
 * Not here: how a row is made (`viewMapping.ts`), and how changes are applied (`copyStream.ts`).
 */
import { lsn } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import { positionsOf, storedPositions } from "../copy/copyRecord.ts";
import { CopyStream, streamSettingOf } from "../copy/copyStream.ts";
import { CopyTally } from "../copy/copyTally.ts";
import { TargetGone } from "../copy/copyWriter.ts";
import { Positions } from "../copy/positions.ts";
import { SetAsideBook } from "../copy/setAside.ts";
import { SharePace } from "../copy/sharePace.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import { ProgressLog } from "../jobs/progress.ts";
import type { Container } from "../partition/container.ts";
import { viewMapping } from "./viewMapping.ts";
import type { ViewRecord } from "./viewRecord.ts";

export interface ViewRunSetting {
  readonly store: PartitionStore;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly limits: Limits;
  readonly rates?: RateSetting | undefined;
  readonly book: JobBook;
}

/** A step lasts about as long, and then others have their turn. */
const SLICE_MS = 200;
const KEEP_MS = 1000;
const RETRY_MS = 1000;
const EVENTS_MAX = 100;
/** With more items than these that it cannot have, a view stands still. */
export const SET_ASIDE_MAX = 1000;

export class ViewRun {
  readonly source: Container;
  readonly view: Container;
  readonly stream: CopyStream;
  readonly pace: SharePace;
  readonly progress: ProgressLog;
  readonly setAside: SetAsideBook;
  readonly #setting: ViewRunSetting;
  readonly #tally: CopyTally;
  #record: ViewRecord;
  /** Whether the record is on disk, in whatever state. */
  #isRecorded: boolean;
  #isForgotten = false;
  #keptAt = Number.NEGATIVE_INFINITY;
  #retriedAt = Number.NEGATIVE_INFINITY;
  #kept: { readonly tiles: Positions["tiles"]; readonly setAsideCount: number };
  /** What ended the work until the next start of the server, if something did. */
  failure: string | undefined;

  constructor(
    setting: ViewRunSetting,
    containers: { readonly source: Container; readonly view: Container },
    record: ViewRecord,
    isRecorded: boolean,
  ) {
    const { clock, limits, rates } = setting;
    this.#setting = setting;
    this.source = containers.source;
    this.view = containers.view;
    this.#record = record;
    this.#isRecorded = isRecorded;
    this.pace = new SharePace(clock, record.sharePercent, rates?.isLimited === true);
    this.progress = new ProgressLog(clock);
    this.setAside = new SetAsideBook(record.setAside);
    this.#tally = new CopyTally(record.counts);
    const positions = isRecorded
      ? positionsOf(record.positions)
      : new Positions([{ range: WHOLE_RANGE, lsn: lsn(0) }]);
    this.#kept = { tiles: positions.tiles, setAsideCount: this.setAside.count };
    this.stream = new CopyStream(streamSettingOf(setting), {
      source: this.source,
      target: this.view,
      mapping: viewMapping(limits, this.source, this.view),
      positions,
      began: positionsOf(record.began),
      setAside: this.setAside,
      pace: this.pace,
      tally: this.#tally,
    });
    if (record.isBuilt && this.stream.isCaughtUp) this.#change({ caughtUpAt: clock.wallNow() });
  }

  get store(): PartitionStore {
    return this.#setting.store;
  }

  get id(): string {
    return this.#record.job.id;
  }

  /** As it is on disk, or will be with the next `keep`. */
  get record(): ViewRecord {
    return {
      ...this.#record,
      sharePercent: this.pace.sharePercent,
      counts: this.#tally.counts,
      setAside: this.setAside.entries,
      positions: storedPositions(this.stream.terms.positions),
    };
  }

  /** True once the first look at all items has begun, which is when the view is on record. */
  get hasBegun(): boolean {
    return this.#isRecorded;
  }

  /** How long ago the view had everything that its source had. */
  get behindSeconds(): number {
    if (this.stream.lag === 0) return 0;
    return Math.max(0, this.#setting.clock.wallNow() - this.#record.caughtUpAt) / 1000;
  }

  /** Why the view stands still, if it does. */
  get blockedFor(): string | undefined {
    if (this.failure !== undefined) return this.failure;
    const { count } = this.setAside;
    return count > SET_ASIDE_MAX
      ? `${count} items of the source cannot be rows of the view, and ${SET_ASIDE_MAX} may be ` +
          "missing. It goes on when they were changed or deleted."
      : undefined;
  }

  async throttle(sharePercent: number): Promise<void> {
    this.pace.sharePercent = sharePercent;
    this.#change({}, `The share is ${sharePercent} % of the rates now.`);
    await this.#keep();
  }

  /** Takes a step; the last one is that in which the view is found to be gone. */
  async step(isStopped: () => boolean): Promise<JobStep<void>> {
    if (isStopped()) return AGAIN;
    if (this.#isGone()) return this.#forget();
    if (!this.#isRecorded) await this.#keep();
    try {
      return await this.#follow(isStopped);
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error;
      return this.#forget();
    }
  }

  async #follow(isStopped: () => boolean): Promise<JobStep<void>> {
    const { clock } = this.#setting;
    const end = clock.now() + SLICE_MS;
    const mustStop = (): boolean => isStopped() || this.#isGone();
    const isOver = (): boolean =>
      mustStop() || clock.now() >= end || this.setAside.count > SET_ASIDE_MAX;
    const at = clock.wallNow();
    const hasAll = await this.stream.catchUp(isOver, true);
    const isPruned = !this.stream.mustPrune || (hasAll && (await this.stream.prune(mustStop)));
    if (hasAll && isPruned) this.#becomeCaughtUp(at);
    const { copiedCount, changeCount, copiedBytes } = this.#tally.counts;
    this.progress.note(copiedCount + changeCount, copiedBytes);
    const isBlocked = this.blockedFor !== undefined;
    if ((hasAll || isBlocked) && !mustStop()) await this.#retry();
    await this.#keepNowAndThen();
    return hasAll || isBlocked ? WAITS : AGAIN;
  }

  #becomeCaughtUp(at: number): void {
    if (this.#record.isBuilt) {
      this.#change({ caughtUpAt: at });
      return;
    }
    this.#change({ isBuilt: true, caughtUpAt: at }, "The view was built, and follows its source.");
    this.#keptAt = Number.NEGATIVE_INFINITY;
  }

  /** What could not be a row may be one by now, because there is room or another one has left. */
  async #retry(): Promise<void> {
    const { clock } = this.#setting;
    if (this.setAside.count === 0 || clock.now() - this.#retriedAt < RETRY_MS) return;
    this.#retriedAt = clock.now();
    await this.stream.retrySetAside();
  }

  async #keepNowAndThen(): Promise<void> {
    if (this.#setting.clock.now() - this.#keptAt < KEEP_MS || this.#isGone()) return;
    const { tiles, setAsideCount } = this.#kept;
    const isUnchanged =
      tiles === this.stream.terms.positions.tiles && setAsideCount === this.setAside.count;
    // A view of a source that nobody writes to writes nothing either.
    if (isUnchanged && Number.isFinite(this.#keptAt)) return;
    await this.#keep();
  }

  async #keep(): Promise<void> {
    if (this.#isForgotten) return;
    this.#keptAt = this.#setting.clock.now();
    const { tiles } = this.stream.terms.positions;
    const setAsideCount = this.setAside.count;
    const { book } = this.#setting;
    if (this.#isRecorded) await book.update(this.record);
    else await book.accept(this.record, () => undefined);
    this.#isRecorded = true;
    this.#kept = { tiles, setAsideCount };
  }

  #isGone(): boolean {
    return this.view.isDeleted || this.source.isDeleted;
  }

  async #forget(): Promise<JobStep<void>> {
    this.#isForgotten = true;
    await this.#setting.book.drop(this.#record);
    return DONE;
  }

  #change(change: Partial<ViewRecord>, event?: string): void {
    const { events } = this.#record;
    const at = this.#setting.clock.wallNow();
    const more = event === undefined ? events : [...events, { at, text: event }];
    this.#record = { ...this.#record, ...change, events: more.slice(-EVENTS_MAX) };
  }
}
