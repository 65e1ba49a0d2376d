/**
 * The way of a change from its request to its answer. Every change of a store takes it:
 *
 * 1. admitted: what the disk is in the way of is refused at once, and so is what comes too late;
 * 2. gathered: all that wait in one turn of the event loop, or while a frame is written, go on
 *    together;
 * 3. drafted: each is computed on those before it (`draft.ts`), and either is refused or becomes a
 *    record. Here, and nowhere else, LSNs and heads come to be;
 * 4. written: the records become one frame, and the journal makes it durable;
 * 5. published: what the frame says becomes visible, in one synchronous step;
 * 6. answered.
 *
 * Between 3 and 5 nothing is visible, and a frame that fails leaves nothing behind: its changes are
 * drafted anew or refused. On a full disk, changes that make room are tried again out of the
 * reserve. Taking over a part that is there already needs no room at all, because its record can go
 * in front of whatever is written next, so that a server comes up on a full disk: it is published
 * before it is written. Everything else is refused, and so is everything after any other failure.
 */
import type { Timer } from "../../base/world.ts";
import type { StoreRecord } from "../journal/record.ts";
import { frameOf } from "../journal/record.ts";
import type { FrameView } from "../journal/segment.ts";
import type { VisibleState } from "../memory/visibleState.ts";
import { StoreFault } from "../partitionStore.ts";
import type { Draft, DraftChange } from "./draft.ts";
import { draftOn } from "./draft.ts";
import type { Doing, Health } from "./health.ts";

interface PipelineSetting {
  readonly timer: Timer;
  readonly state: VisibleState;
  /** Absent for a store that keeps nothing. */
  readonly journal?: JournalEnd | undefined;
}

/** Where frames are made durable. */
export interface JournalEnd {
  /** What can be written at present, and what a failure means. */
  readonly health: Pick<Health, "refusalOf" | "meet" | "makesRoom" | "deletionRefused" | "fault">;
  /** Resolves when the frame is durable. One at a time. */
  append(frame: FrameView): Promise<void>;
  /** Where the frame went that failed. */
  doing(): Doing;
}

interface ChangeTerms {
  /** It makes room, or at least takes next to none: a full disk has to take it, too. */
  readonly isShrinking: boolean;
}

interface Waiting extends ChangeTerms {
  /** `undefined` if it was refused, and told so. */
  draft(draft: Draft): Drafted | undefined;
  readonly reject: (fault: unknown) => void;
}

interface Drafted {
  readonly waiting: Waiting;
  /** `undefined` if there is nothing to write. */
  readonly record: StoreRecord | undefined;
  readonly isDeferrable: boolean;
  readonly answer: () => void;
}

export class CommitPipeline {
  readonly #setting: PipelineSetting;
  #waiting: Waiting[] = [];
  /** Parts that were taken over while there was no room to say so. */
  #claims: readonly StoreRecord[] = [];
  #running: Promise<void> | undefined;
  #isClosed = false;

  constructor(setting: PipelineSetting) {
    this.#setting = setting;
  }

  /** Resolves with the answer of a change when it is durable and visible. */
  write<T>(change: DraftChange<T>, terms: ChangeTerms): Promise<T> {
    const refusal = this.#refusalOf(terms);
    if (refusal !== undefined) return Promise.reject(refusal);
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        ...terms,
        reject,
        draft: (draft) => {
          try {
            const { record, answer, isDeferrable = false } = change(draft);
            return { waiting, record, isDeferrable, answer: () => resolve(answer) };
          } catch (error) {
            reject(error);
            return undefined;
          }
        },
      };
      this.#waiting.push(waiting);
      this.#running ??= this.#run();
    });
  }

  /** Writes what was put off, now that there is room. */
  writeClaims(): void {
    if (this.#claims.length > 0 && !this.#isClosed) this.#running ??= this.#run();
  }

  /** Takes no more changes; resolves when those that were admitted have been answered. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#running;
  }

  #refusalOf({ isShrinking }: ChangeTerms): StoreFault | undefined {
    const refusal = this.#setting.journal?.health.refusalOf(isShrinking);
    if (refusal !== undefined) return refusal;
    return this.#isClosed ? new StoreFault("the store is closed") : undefined;
  }

  async #run(): Promise<void> {
    const { timer, state } = this.#setting;
    // Everybody whose request arrived in this turn of the event loop joins the first frame.
    await timer.soon();
    do {
      const drafted = this.#draft();
      if (!(await this.#makeDurable(drafted))) continue;
      for (const { answer } of drafted) answer();
      await state.orderOverdueTerms(timer);
    } while (this.#waiting.length > 0);
    this.#running = undefined;
  }

  #draft(): readonly Drafted[] {
    const waiting = this.#waiting;
    this.#waiting = [];
    const draft = draftOn(this.#setting.state);
    return waiting.map((one) => one.draft(draft)).filter((one) => one !== undefined);
  }

  /** Writes and publishes; false if the frame failed, and then everybody has been seen to. */
  async #makeDurable(drafted: readonly Drafted[]): Promise<boolean> {
    const { journal, state } = this.#setting;
    const records = [...this.#claims, ...drafted.flatMap(({ record }) => record ?? [])];
    if (records.length === 0) return true;
    const frame = frameOf(records);
    try {
      await journal?.append(frame);
    } catch (error) {
      await this.#fail(journal!, drafted, error);
      return false;
    }
    this.#claims = [];
    state.publish(frame);
    return true;
  }

  async #fail(journal: JournalEnd, drafted: readonly Drafted[], error: unknown): Promise<void> {
    const { health } = journal;
    const fault = await health.meet(error, journal.doing());
    const isAgain = drafted.some(({ waiting }) => waiting.isShrinking) && health.makesRoom();
    const isPassing = health.fault === undefined;
    const deferred: StoreRecord[] = [];
    const done: Drafted[] = [];
    const again: Waiting[] = [];
    for (const one of drafted) {
      const { waiting, record, isDeferrable } = one;
      if (isAgain && waiting.isShrinking) again.push(waiting);
      else if (isPassing && isDeferrable && record !== undefined) {
        deferred.push(record);
        done.push(one);
      } else waiting.reject(waiting.isShrinking ? health.deletionRefused(fault) : fault);
    }
    this.#waiting = [...again, ...this.#waiting];
    if (deferred.length > 0) this.#setting.state.publishHeads(frameOf(deferred));
    this.#claims = [...this.#claims, ...deferred];
    for (const { answer } of done) answer();
  }
}
