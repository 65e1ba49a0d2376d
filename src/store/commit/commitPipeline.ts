/**
 * Changes that wait to be made durable: all that wait at once become one frame of the journal.
 * Each is computed on those before it in the frame, and all become true together.
 *
 * What a frame that failed comes to: on a full disk, what makes room is tried again out of the
 * reserve; taking over a part that is there already needs no room at all, because it can go in
 * front of whatever is written next, so that a server comes up on a full disk; everything else is
 * refused, and so is everything after any other failure.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Timer } from "../../base/world.ts";
import type { StoreRecord } from "../journal/record.ts";
import { frameOf } from "../journal/record.ts";
import type { FrameView } from "../journal/segment.ts";
import { StoreFault } from "../partitionStore.ts";
import type { Change, Draft } from "./draft.ts";
import type { Doing, Health } from "./health.ts";

export interface GroupCommitSetting {
  readonly timer: Timer;
  /** Absent for a store that keeps nothing. */
  readonly durable?: Durable | undefined;
  newDraft(): Draft;
  /** Makes visible what is durable. */
  publish(frame: FrameView): void;
  /** Takes over heads that are not durable yet. */
  publishClaims(frame: FrameView): void;
  /** Called between two frames. */
  rest(): MaybePromise<void>;
}

export interface Durable {
  readonly health: Health;
  append(frame: FrameView): Promise<void>;
  /** Where the frame went that failed. */
  doing(): Doing;
}

export interface ChangeTerms {
  /** It makes room, or at least takes next to none: a full disk has to take it, too. */
  readonly isShrinking: boolean;
}

interface Waiting extends ChangeTerms {
  prepare(draft: Draft): Prepared | undefined;
  readonly reject: (fault: unknown) => void;
}

interface Prepared {
  readonly waiting: Waiting;
  readonly record: StoreRecord | undefined;
  readonly isDeferrable: boolean;
  readonly resolve: () => void;
}

export class GroupCommit {
  readonly #setting: GroupCommitSetting;
  #waiting: Waiting[] = [];
  /** Parts taken over while there was no room to say so. */
  #claims: readonly StoreRecord[] = [];
  #flushing: Promise<void> | undefined;
  #isClosed = false;

  constructor(setting: GroupCommitSetting) {
    this.#setting = setting;
  }

  /** Queues a change for the next frame. Resolves when it is durable and visible. */
  write<T>(change: Change<T>, terms: ChangeTerms): Promise<T> {
    const refusal = this.#setting.durable?.health.refusalOf(terms.isShrinking);
    if (refusal !== undefined) return Promise.reject(refusal);
    if (this.#isClosed) return Promise.reject(new StoreFault("the store is closed"));
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...terms,
        reject,
        prepare: (draft) => {
          try {
            const { record, answer, isDeferrable = false } = change(draft);
            return { waiting, record, isDeferrable, resolve: () => resolve(answer) };
          } catch (error) {
            reject(error);
            return undefined;
          }
        },
      };
      this.#waiting.push(waiting);
      this.#flushing ??= this.#flush();
    });
  }

  /** Writes what was put off, now that there is room. */
  writeClaims(): void {
    if (this.#claims.length > 0 && !this.#isClosed) this.#flushing ??= this.#flush();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#flushing;
  }

  async #flush(): Promise<void> {
    const { timer, durable, newDraft, publish, rest } = this.#setting;
    // Everybody whose request arrived in this turn of the event loop joins the first frame.
    await timer.soon();
    do {
      const waiting = this.#waiting;
      this.#waiting = [];
      const draft = newDraft();
      const batch = waiting.map((one) => one.prepare(draft)).filter((one) => one !== undefined);
      const records = [...this.#claims, ...batch.flatMap(({ record }) => record ?? [])];
      if (records.length > 0) {
        const frame = frameOf(records);
        try {
          await durable?.append(frame);
        } catch (error) {
          await this.#fail(durable!, batch, error);
          continue;
        }
        this.#claims = [];
        publish(frame);
      }
      for (const { resolve } of batch) resolve();
      await rest();
    } while (this.#waiting.length > 0);
    this.#flushing = undefined;
  }

  async #fail(
    { health, doing }: Durable,
    batch: readonly Prepared[],
    error: unknown,
  ): Promise<void> {
    const fault = await health.meet(error, doing());
    const isAgain = batch.some(({ waiting }) => waiting.isShrinking) && health.makesRoom();
    const isPassing = health.fault === undefined;
    const deferred: StoreRecord[] = [];
    const done: Prepared[] = [];
    const again: Waiting[] = [];
    for (const prepared of batch) {
      const { waiting, record, isDeferrable } = prepared;
      if (isAgain && waiting.isShrinking) again.push(waiting);
      else if (isPassing && isDeferrable && record !== undefined) {
        deferred.push(record);
        done.push(prepared);
      } else waiting.reject(waiting.isShrinking ? health.deletionRefused(fault) : fault);
    }
    this.#waiting = [...again, ...this.#waiting];
    if (deferred.length > 0) this.#setting.publishClaims(frameOf(deferred));
    this.#claims = [...this.#claims, ...deferred];
    for (const { resolve } of done) resolve();
  }
}
