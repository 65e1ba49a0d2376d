/**
 * Sends operations in bulk, each request to the one physical partition that its items belong to.
 * The writer of `orrery/keys` (`keys/client/bulkWriter.ts`) rides on the official client instead,
 * so it cannot know physical partitions and queues by logical partition. Both writers take their
 * waits from `base/retry.ts`.
 *
 * Invariants
 * - Every operation that was added is settled exactly once, unless the writer fails or is stopped.
 * - An item is never under way twice: whoever adds waits for the one before it (`isUnderWay`), so
 *   of two with the same id and key the later one has the last word.
 * - What is held is bounded by whoever adds: `room` is waited for before going on.
 *
 * Throttled operations come again when the server said; a lost answer is followed by another try,
 * until the server was away for too long. Operations whose answer was lost may have been done.
 * Not here: what an answer means for an operation (`verdict.ts`), how much one physical partition
 * is asked for at once (`lane.ts`).
 */
import { type WaitRange, waitAsLong } from "../../base/retry.ts";
import { millis } from "../../base/units.ts";
import type { Clock, Timer } from "../../base/world.ts";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import type { Answer } from "../connect/connection.ts";
import { LostAnswer } from "../connect/connection.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { Lane } from "./lane.ts";
import type { ImportOperation, OperationAnswer, Outcome } from "./operation.ts";
import { decodeAnswers, identityOf } from "./operation.ts";
import type { RangeMap } from "./placement.ts";
import { messageIn } from "./target.ts";
import { type Rules, verdictOf } from "./verdict.ts";

export interface WriterOptions {
  /** One request to one physical partition; throws a `LostAnswer` when nobody knows. */
  readonly post: (rangeId: string, operations: readonly ImportOperation[]) => Promise<Answer>;
  readonly ranges: RangeMap;
  readonly readRanges: () => Promise<RangeMap>;
  /** What is told of a refusal that ends everything. */
  readonly refusalOf: (status: number, body: string) => CommandFailure;
  readonly rules: Rules;
  /** Requests under way at once. */
  readonly concurrency: number;
  /** How long a server may be away. */
  readonly patienceMs: number;
  readonly clock: Clock;
  readonly timer: Timer;
  readonly onSettled: (operation: ImportOperation, outcome: Outcome) => void;
}

interface WriterCounts {
  readonly ru: number;
  readonly throttledCount: number;
  readonly lostCount: number;
  readonly refreshCount: number;
}

/** Back-off while the server is away: as long as it is away already, within these. */
const AWAY_MS: WaitRange = { min: 50, max: 2000 };
/** A physical partition that throttles without saying for how long. */
const THROTTLE_MS = 100;
/** A request that is not full waits so long for more, when nothing else is under way. */
const LINGER_MS = 200;
/** Operations held at most, for each request that can be under way and for each lane. */
const HELD_PER_REQUEST = 200;

export class PartitionWriter {
  readonly #options: WriterOptions;
  #ranges: RangeMap;
  #lanes = new Map<string, Lane>();
  readonly #underWay = new Set<string>();
  #requestCount = 0;
  /** Somebody waits: requests that are not full are sent, too. */
  #isPressed = false;
  #isStopped = false;
  #isRefreshing = false;
  #failure: { readonly error: unknown } | undefined;
  #wake: (() => void) | undefined;
  #awayAt: number | undefined;
  #pausedUntil = 0;
  #cancelTimer: (() => void) | undefined;
  #cancelLinger: (() => void) | undefined;
  #counts = { ru: 0, throttledCount: 0, lostCount: 0, refreshCount: 0 };

  constructor(options: WriterOptions) {
    this.#options = options;
    this.#ranges = options.ranges;
  }

  get counts(): WriterCounts {
    return this.#counts;
  }

  get heldCount(): number {
    return this.#underWay.size;
  }

  get hasRoom(): boolean {
    const lanes = this.#options.concurrency + this.#ranges.rangeIds.length;
    return this.#failure === undefined && this.#underWay.size < lanes * HELD_PER_REQUEST;
  }

  isUnderWay(item: Pick<ImportOperation, "epk" | "id">): boolean {
    return this.#underWay.has(identityOf(item));
  }

  add(operation: ImportOperation): void {
    this.#underWay.add(identityOf(operation));
    const lane = this.#laneOf(operation);
    lane.add(operation);
    this.#sendFrom(lane, this.#options.clock.now());
    if (this.#requestCount === 0) this.#linger();
  }

  /** Whoever adds may have nothing more for a long time, as at the end of a pipe. */
  #linger(): void {
    this.#cancelLinger ??= this.#options.timer.after(millis(LINGER_MS), () => {
      this.#cancelLinger = undefined;
      if (this.#requestCount > 0) return;
      const isPressed = this.#isPressed;
      this.#isPressed = true;
      this.#sendAll();
      this.#isPressed = isPressed;
    });
  }

  /** Waits until `isEnough`; throws when the writer cannot go on. */
  async until(isEnough: () => boolean): Promise<void> {
    this.#isPressed = true;
    try {
      this.#sendAll();
      while (this.#failure === undefined && !isEnough()) {
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      this.#isPressed = false;
    }
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Lets whoever waits look again. */
  wake(): void {
    const wake = this.#wake;
    this.#wake = undefined;
    wake?.();
  }

  /** Sends nothing more; resolves when what is under way was answered. Never throws. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancelTimer?.();
    this.#cancelLinger?.();
    while (this.#requestCount > 0) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #laneOf({ epk }: ImportOperation): Lane {
    const rangeId = this.#ranges.rangeIdOf(epk);
    let lane = this.#lanes.get(rangeId);
    if (lane === undefined) {
      lane = new Lane(rangeId, this.#options.concurrency);
      this.#lanes.set(rangeId, lane);
    }
    return lane;
  }

  /** All of it as of one moment: a pause that ends in between would be waited for by nobody. */
  #sendAll(): void {
    const now = this.#options.clock.now();
    for (const lane of this.#lanes.values()) this.#sendFrom(lane, now);
    this.#setTimer(now);
  }

  #sendFrom(lane: Lane, now: number): void {
    while (this.#mayBegin(now) && lane.mayTake(now, this.#isPressed)) {
      const operations = lane.take();
      // Behind all others, so that each has its turn.
      this.#lanes.delete(lane.rangeId);
      this.#lanes.set(lane.rangeId, lane);
      void this.#send(lane, operations);
    }
  }

  #mayBegin(now: number): boolean {
    if (this.#isStopped || this.#isRefreshing || this.#failure !== undefined) return false;
    return this.#requestCount < this.#options.concurrency && now >= this.#pausedUntil;
  }

  /** Pauses end without anybody's answer. */
  #setTimer(now: number): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    if (this.#isStopped || this.#failure !== undefined) return;
    const ends = [...this.#lanes.values()]
      .filter(({ waitingCount }) => waitingCount > 0)
      .map(({ pausedUntil }) => Math.max(pausedUntil, this.#pausedUntil))
      .filter((until) => until > now);
    if (ends.length === 0) return;
    const delay = millis(Math.ceil(Math.min(...ends) - now));
    this.#cancelTimer = this.#options.timer.after(delay, () => this.#sendAll());
  }

  async #send(lane: Lane, operations: readonly ImportOperation[]): Promise<void> {
    this.#requestCount++;
    lane.begin();
    try {
      const answer = await this.#options.post(lane.rangeId, operations);
      this.#onAnswer(lane, operations, answer);
    } catch (error) {
      if (error instanceof LostAnswer) this.#onLost(operations, error.message);
      else this.#fail(error);
    } finally {
      this.#requestCount--;
      lane.release();
      this.#onProgress();
    }
  }

  #onProgress(): void {
    this.#sendAll();
    this.wake();
  }

  #onAnswer(lane: Lane, operations: readonly ImportOperation[], answer: Answer): void {
    const { status, body, headers } = answer;
    if (status === 200 || status === 207) {
      const answers = decodeAnswers(body, operations.length);
      if (answers === undefined) {
        this.#fail(new CommandFailure("The server's answer is not one to a bulk request."));
      } else this.#onAnswers(lane, operations, answers);
      return;
    }
    if (status === 429) {
      this.#counts.throttledCount += operations.length;
      this.#throttle(lane, operations, Number(headers[HEADER.retryAfter]), 0);
    } else if (status === 410) this.#onGone(operations);
    else if (status === 400 || status === 413) this.#onRefused(lane, operations, answer);
    else if (status >= 500 || status === 408 || status === 449) {
      this.#onLost(operations, `it answered ${status}: ${messageIn(body)}`);
    } else this.#fail(this.#options.refusalOf(status, body));
  }

  /** One bad operation spoils a whole request: it is found by halving. */
  #onRefused(lane: Lane, operations: readonly ImportOperation[], answer: Answer): void {
    if (operations.length === 1) {
      this.#settle(operations[0]!, { kind: "refused", reason: messageIn(answer.body) });
      return;
    }
    const middle = operations.length >> 1;
    for (const half of [operations.slice(0, middle), operations.slice(middle)]) {
      void this.#send(lane, half);
    }
  }

  #onAnswers(
    lane: Lane,
    operations: readonly ImportOperation[],
    answers: readonly OperationAnswer[],
  ): void {
    this.#awayAt = undefined;
    const again: ImportOperation[] = [];
    let isGone = false;
    let [throttledCount, retryAfterMs] = [0, 0];
    for (const [index, operation] of operations.entries()) {
      const answer = answers[index]!;
      this.#counts.ru += answer.charge;
      const verdict = verdictOf(operation, answer, this.#options.rules);
      if (verdict.kind === "again") {
        again.push(operation);
        if (verdict.why === "gone") isGone = true;
        if (verdict.why !== "throttled") continue;
        throttledCount++;
        retryAfterMs = Math.max(retryAfterMs, answer.retryAfterMs);
      } else this.#settle(operation, verdict);
    }
    this.#counts.throttledCount += throttledCount;
    const takenCount = operations.length - throttledCount;
    if (throttledCount > 0) this.#throttle(lane, again, retryAfterMs, takenCount);
    else {
      lane.onTaken();
      this.#putBack(again);
    }
    if (isGone) this.#refresh();
  }

  #settle(operation: ImportOperation, outcome: Outcome): void {
    this.#underWay.delete(identityOf(operation));
    this.#options.onSettled(operation, outcome);
  }

  #throttle(
    lane: Lane,
    operations: readonly ImportOperation[],
    retryAfterMs: number,
    takenCount: number,
  ): void {
    const wait = retryAfterMs > 0 ? retryAfterMs : THROTTLE_MS;
    lane.onThrottled(takenCount, this.#options.clock.now() + wait);
    this.#putBack(operations);
  }

  /** To the lanes that they belong to by now, before all that wait there, in the same order. */
  #putBack(operations: readonly ImportOperation[]): void {
    const byLane = new Map<Lane, ImportOperation[]>();
    for (const operation of operations) {
      const lane = this.#laneOf(operation);
      const those = byLane.get(lane);
      if (those === undefined) byLane.set(lane, [operation]);
      else those.push(operation);
    }
    for (const [lane, those] of byLane) lane.addFirst(those);
  }

  #onGone(operations: readonly ImportOperation[]): void {
    this.#putBack(operations);
    this.#refresh();
  }

  /** Physical partitions were split or merged: everything that waits is sorted anew. */
  #refresh(): void {
    if (this.#isRefreshing || this.#isStopped) return;
    this.#isRefreshing = true;
    this.#counts.refreshCount++;
    void this.#readRanges().then(() => this.#onProgress());
  }

  async #readRanges(): Promise<void> {
    try {
      const before = this.#ranges.rangeIds.join();
      this.#ranges = await this.#options.readRanges();
      if (this.#ranges.rangeIds.join() === before) this.#away("its physical partitions move");
      const waiting = [...this.#lanes.values()].flatMap((lane) => lane.takeAll());
      this.#lanes = new Map();
      for (const operation of waiting) this.#laneOf(operation).add(operation);
    } catch (error) {
      // The lanes stay as they are; whoever sends by them is told again that they are gone.
      this.#away(error instanceof Error ? error.message : String(error));
    } finally {
      this.#isRefreshing = false;
    }
  }

  #onLost(operations: readonly ImportOperation[], why: string): void {
    this.#counts.lostCount++;
    for (const operation of operations) operation.mayBeDone = true;
    this.#putBack(operations);
    this.#away(why);
  }

  #away(why: string): void {
    const now = this.#options.clock.now();
    this.#awayAt ??= now;
    const awayMs = now - this.#awayAt;
    if (awayMs >= this.#options.patienceMs) {
      const seconds = Math.round(this.#options.patienceMs / 1000);
      this.#fail(
        new CommandFailure(
          `The server has not answered for ${seconds} s (${why}). --wait makes this longer.`,
        ),
      );
      return;
    }
    this.#pausedUntil = Math.max(this.#pausedUntil, now + waitAsLong(awayMs, AWAY_MS));
  }

  #fail(error: unknown): void {
    this.#failure ??= { error };
  }
}
