/**
 * One copy job at work, step by step, from the look at all items to its end.
 *
 * | phase      | what is done                           | what comes next                     |
 * | ---------- | -------------------------------------- | ----------------------------------- |
 * | preparing  | a look at all items; a target is made  | copying, or an end: planned, failed |
 * | copying    | what was there when the job began      | catchingUp                          |
 * | catchingUp | what has changed since                 | ready; of an offline job the end    |
 * | ready      | the same, and little of it             | catchingUp, switched                |
 * | switched   | the old container follows the new one  | completing, or the end: reverted    |
 * | completing | the old container goes                 | the end: completed                  |
 * | cancelling | the target goes, or is left to clients | the end: cancelled                  |
 *
 * A job that is paused or blocked stays in its phase and does nothing. After a crash the phase is
 * begun again where its record says; every one of them may be done twice.
 *
 * Not here: what users ask of a job (`copying.ts`), the switch (`cutOver.ts`), the last two phases
 * (`copyEnding.ts`).
 */

import type { Clock, Timer } from "../../base/world.ts";
import type { CopyEnd } from "../../model/copyJob.ts";
import type { Limits } from "../../model/limits.ts";
import type { RateSetting } from "../../model/throughput.ts";
import type { PartitionStore } from "../../store/partitionStore.ts";
import type { Catalog } from "../catalog/catalog.ts";
import type { JobStep } from "../jobs/job.ts";
import { AGAIN, DONE, WAITS } from "../jobs/job.ts";
import type { JobBook } from "../jobs/jobBook.ts";
import type { SaidInterval, SaidOfJob } from "../jobs/progress.ts";
import { DrainLog, judged, ProgressLog, saidAt, withoutOpen } from "../jobs/progress.ts";
import { oneAfterAnother } from "../jobs/turns.ts";
import type { Container } from "../partition/container.ts";
import { cancelCopy, completeCopy, endedRecord, outdatedBy, withEvent } from "./copyEnding.ts";
import type { CopyPhase, CopyRecord, CutOver } from "./copyRecord.ts";
import { hasSwitched, positionsOf, storedPositions } from "./copyRecord.ts";
import { CopyStream, streamSettingOf } from "./copyStream.ts";
import { CopyTally } from "./copyTally.ts";
import { ownNumbers } from "./copyTerms.ts";
import { wayOf } from "./copyWay.ts";
import { TargetGone } from "./copyWriter.ts";
import type { ItemMove, MoveSetting } from "./itemMove.ts";
import { settleMoves } from "./itemMove.ts";
import { headsOf } from "./positions.ts";
import { prepareCopy } from "./preparing.ts";
import { SetAsideBook, stoppingReason, surplusReason } from "./setAside.ts";
import { SharePace } from "./sharePace.ts";

export interface CopyRunSetting {
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
const RETRY_MS = 1000;
/** A copy that is less behind than this is ready to take over. */
const READY_LAG = 1000;

export class CopyRun {
  readonly setting: CopyRunSetting;
  readonly pace: SharePace;
  readonly progress: ProgressLog;
  readonly drain: DrainLog;
  /** Steps and the switch, one after the other. */
  readonly inTurn: ReturnType<typeof oneAfterAnother> = oneAfterAnother();
  #record: CopyRecord;
  readonly source: Container;
  #target: Container | undefined;
  #tally: CopyTally;
  #setAside: SetAsideBook;
  #stream: CopyStream | undefined;
  #keptAt = Number.NEGATIVE_INFINITY;
  #retriedAt = Number.NEGATIVE_INFINITY;
  /** Present while writes are held for a switch; whoever revokes it makes that end. */
  hold: { isRevoked: boolean } | undefined;
  /** When it last did something, or had nothing to do; milliseconds since 1970. */
  movedAt: number;
  /** Of the look at all items before the first write: how much is done, from 0 to 1. */
  lookedShare: number | undefined;
  /** When a switch may be tried again by itself. */
  nextTryAt = 0;

  constructor(
    setting: CopyRunSetting,
    record: CopyRecord,
    source: Container,
    target: Container | undefined,
  ) {
    this.setting = setting;
    this.#record = { ...record, ...withoutOpen(record) };
    this.source = source;
    this.#target = target;
    this.pace = new SharePace(
      setting.clock,
      record.sharePercent,
      setting.rates?.isLimited === true,
    );
    this.progress = new ProgressLog(setting.clock);
    this.drain = new DrainLog(setting.clock);
    this.movedAt = setting.clock.wallNow();
    this.#tally = new CopyTally(record.counts);
    this.#setAside = new SetAsideBook(record.setAside);
    if (target !== undefined) this.#openStream(target);
  }

  get id(): string {
    return this.#record.job.id;
  }

  /** As it is on disk, or will be with the next `keep`. */
  get record(): CopyRecord {
    return {
      ...this.#record,
      sharePercent: this.pace.sharePercent,
      counts: this.#tally.counts,
      setAside: this.#setAside.entries,
      ...(this.#stream && {
        positions: storedPositions(this.#stream.terms.positions),
        mustPrune: this.#stream.mustPrune,
      }),
    };
  }

  get target(): Container | undefined {
    return this.#target;
  }

  /** Forth until the switch, and back after it; absent where there is no way. */
  get stream(): CopyStream | undefined {
    return this.#stream;
  }

  get setAside(): SetAsideBook {
    return this.#setAside;
  }

  get isAtRest(): boolean {
    return this.#record.isPaused || this.#record.blockedFor !== undefined;
  }

  /** Takes over what is decided; it is on disk after the next `keep`. */
  change(change: Partial<CopyRecord>, event?: string): void {
    this.#record = { ...(event === undefined ? this.#record : this.#withEvent(event)), ...change };
    if (change.sharePercent !== undefined) this.pace.sharePercent = change.sharePercent;
  }

  async keep(): Promise<void> {
    this.#keptAt = this.setting.clock.now();
    await this.setting.book.update(this.record);
  }

  async enter(phase: CopyPhase, event: string): Promise<void> {
    this.change({ phase }, event);
    this.forgetPace();
    await this.keep();
  }

  /** The target is there; from now on only the job writes to it. */
  begin(target: Container): void {
    this.#target = target;
    this.#openStream(target);
  }

  /** The record of the job once the copy is what clients write to. */
  switchedRecord(cutOver: CutOver, event: string): CopyRecord {
    const stored = storedPositions(headsOf(this.#target!));
    const turned = { positions: stored, began: stored, setAside: [], cutOver, verified: undefined };
    return { ...this.#withEvent(event), phase: "switched", ...turned };
  }

  /** Takes over a record that is on disk: the way back begins, if there is one. */
  turnBack(record: CopyRecord): void {
    this.#record = record;
    this.#setAside = new SetAsideBook([]);
    this.#openStream(this.#target!);
    this.forgetPace();
  }

  /** After a pause or a change of what is done, what was before tells nothing. */
  forgetPace(): void {
    this.progress.forget();
    this.drain.forget();
    this.change(withoutOpen(this.#record));
  }

  async block(reason: string): Promise<void> {
    this.change({ blockedFor: reason }, `Stopped: ${reason}`);
    await this.keep();
  }

  async end(end: CopyEnd, reason?: string): Promise<void> {
    const at = this.setting.clock.wallNow();
    const record = endedRecord(this.record, { at, end, reason });
    const onKept = (): void => {
      this.#release();
      this.becomeEnded(record);
    };
    const { book, catalog } = this.setting;
    const old = this.source;
    const isReleased = hasSwitched(record) && old.rid === record.sourceRid && !old.isDeleted;
    if (!isReleased) return book.end(record, onKept, outdatedBy(record));
    await catalog.reserve(
      () => ownNumbers(old),
      () => book.ending(record, onKept, outdatedBy(record)),
    );
  }

  /** Takes over a record that is on disk. */
  becomeEnded(record: CopyRecord): void {
    [this.#record, this.#stream] = [record, undefined];
  }

  get hasEnded(): boolean {
    return this.#record.end !== undefined;
  }

  /** Resolves when the target has what the source had at the call; false if that cannot be. */
  async caughtUp(): Promise<boolean> {
    const stream = this.#stream;
    if (stream === undefined || this.isAtRest) return false;
    if (stream.isCaughtUp && this.#setAside.count === 0) return true;
    return this.inTurn(async () => {
      if (this.#stream !== stream) return false;
      return stream.catchUp(() => this.hasEnded, false);
    });
  }

  /** Lets clients write to the containers of the job again, as far as they are still there. */
  #release(): void {
    this.#target?.closeToClients(undefined);
    this.source.closeToClients(undefined);
    if (this.#target !== undefined) this.#target.former = undefined;
  }

  /** At most how many of the items that were there at the beginning are not copied. */
  get leftCount(): number {
    const { startCount } = this.#record;
    if (this.#stream === undefined) return startCount;
    const { copiedCount } = this.#tally.counts;
    return Math.max(0, Math.min(startCount - copiedCount, this.#stream.leftCount));
  }

  /** How items of a container that has taken over a name get another key; see `itemMove.ts`. */
  movesIn(container: Container): MoveSetting {
    const { store, limits } = this.setting;
    const moves = (): readonly ItemMove[] => this.#record.moves ?? [];
    return {
      store,
      limits,
      container,
      hasEnded: () => this.hasEnded,
      inTurn: this.inTurn,
      begin: async (move) => {
        this.change({ moves: [...moves(), move] });
        await this.keep();
      },
      end: (move) => this.change({ moves: moves().filter((one) => one !== move) }),
    };
  }

  /** Takes a step in turn with whatever else is done to the job. */
  step(isStopped: () => boolean): Promise<JobStep<void>> {
    return this.inTurn(() => this.#step(isStopped));
  }

  async #step(isStopped: () => boolean): Promise<JobStep<void>> {
    if (this.hasEnded || isStopped()) return this.hasEnded ? DONE : AGAIN;
    const gone = this.#goneReason();
    if (gone !== undefined) {
      await this.end("failed", gone);
      return DONE;
    }
    try {
      return await this.#phaseStep(isStopped);
    } catch (error) {
      if (!(error instanceof TargetGone)) throw error;
      await this.end("failed", "The target was deleted.");
      return DONE;
    }
  }

  #goneReason(): string | undefined {
    const { phase } = this.#record;
    if (phase === "completing" || phase === "cancelling") return undefined;
    if (this.source.isDeleted) {
      return phase === "switched" ? "The old container was deleted." : "The source was deleted.";
    }
    return this.#target?.isDeleted === true ? "The target was deleted." : undefined;
  }

  async #phaseStep(isStopped: () => boolean): Promise<JobStep<void>> {
    const { phase, moves = [] } = this.#record;
    if (this.#target !== undefined) await settleMoves(this.movesIn(this.#target), moves);
    if (phase === "completing") return completeCopy(this);
    if (phase === "cancelling") return cancelCopy(this);
    if (this.isAtRest) return WAITS;
    if (phase === "preparing") return prepareCopy(this, isStopped);
    if (this.#stream === undefined) return WAITS;
    return this.#follow(this.#stream, isStopped);
  }

  async #follow(stream: CopyStream, isStopped: () => boolean): Promise<JobStep<void>> {
    const { clock } = this.setting;
    const end = clock.now() + SLICE_MS;
    const isOver = (): boolean => isStopped() || clock.now() >= end || this.isAtRest;
    const { readRu } = this.#tally.counts;
    const isCaughtUp = await stream.catchUp(isOver, true);
    const { copiedCount, changeCount, copiedBytes } = this.#tally.counts;
    if (isCaughtUp || this.#tally.counts.readRu > readRu) this.movedAt = clock.wallNow();
    this.progress.note(copiedCount + changeCount, copiedBytes);
    this.drain.note(stream.appliedCount, stream.lag);
    const surplus = surplusReason(this.#record.request, this.#setAside);
    if (surplus !== undefined && this.#record.phase !== "switched") {
      await this.block(surplus);
      return WAITS;
    }
    await this.#proceed(stream, isStopped);
    if (clock.now() - this.#keptAt >= KEEP_MS && !this.hasEnded) await this.keep();
    if (this.hasEnded) return DONE;
    return isCaughtUp ? WAITS : AGAIN;
  }

  async #proceed(stream: CopyStream, isStopped: () => boolean): Promise<void> {
    const { phase } = this.#record;
    if (phase === "copying") {
      const left = this.leftCount;
      const isHalfDone = left * 2 <= this.#record.startCount;
      if (isHalfDone) this.#sayOnce("said", this.progress.remaining(left));
      if (stream.leftCount > 0) return;
      this.#judge("said");
      await this.enter("catchingUp", "Everything is copied that was there at the beginning.");
    }
    if (phase === "catchingUp") this.#sayOnce("saidOfChanges", this.drain.remaining(stream.lag));
    if (phase === "ready" && stream.lag > 2 * READY_LAG) {
      await this.enter("catchingUp", "More changes than the job can apply at its share.");
    }
    if (!stream.isCaughtUp) {
      if (phase === "catchingUp" && stream.lag <= READY_LAG && !stream.mustPrune) {
        await this.#confirm(stream, false);
      }
      return;
    }
    if (stream.mustPrune && !(await stream.prune(isStopped))) return;
    await this.#confirm(stream, true);
  }

  /** What was set aside is tried again, and what fails for good stops the job if it was so told. */
  async #confirm(stream: CopyStream, isCaughtUp: boolean): Promise<void> {
    const { clock } = this.setting;
    if (this.#setAside.count > 0 && clock.now() - this.#retriedAt >= RETRY_MS) {
      this.#retriedAt = clock.now();
      await stream.retrySetAside();
    }
    if (this.#record.phase === "switched") return;
    const stopping = stoppingReason(this.#record.request, this.#setAside);
    if (stopping !== undefined) return this.block(stopping);
    if (isCaughtUp && this.#record.request.mode === "offline") {
      const isSettled = this.#setAside.confirmed.length === this.#setAside.count;
      if (isSettled) await this.end("copied");
      return;
    }
    if (this.#record.phase === "catchingUp") {
      this.#judge("saidOfChanges");
      await this.enter("ready", "The copy has caught up.");
    }
  }

  #withEvent(text: string): CopyRecord {
    return withEvent(this.record, this.setting.clock.wallNow(), text);
  }

  #openStream(target: Container): void {
    const way = wayOf(this.setting, this.#record, this.source, target);
    if (!way.ok) {
      this.#stream = undefined;
      return;
    }
    this.#stream = new CopyStream(streamSettingOf(this.setting), {
      ...way.value,
      positions: positionsOf(this.#record.positions),
      began: positionsOf(this.#record.began),
      setAside: this.#setAside,
      pace: this.pace,
      tally: this.#tally,
      mustPrune: this.#record.mustPrune,
    });
  }

  #sayOnce(part: keyof SaidOfJob, interval: SaidInterval | undefined): void {
    if (interval === undefined || interval.to === 0 || this.#record[part] !== undefined) return;
    this.change({ [part]: saidAt(this.setting.clock.wallNow(), interval) });
  }

  #judge(part: keyof SaidOfJob): void {
    const found = judged(this.#record[part], this.setting.clock.wallNow());
    if (found !== undefined) this.change({ [part]: found.said }, found.text);
  }
}
