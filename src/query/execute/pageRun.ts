/**
 * What one page of one query has in hand: the run that its expressions see, the work it has
 * counted, and the clock that tells when other requests should have a turn and when the page has
 * taken long enough.
 *
 * A page whose rows stream ends when its time is up. A page that has to collect before it can give
 * the first row is suspended instead (`pauseOrSuspend`), and goes on when the next request comes.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { UserFunction } from "../bind/binding.ts";
import { Effort } from "../evaluate/effort.ts";
import type { CallFunctions } from "../evaluate/functionCalls.ts";
import { FunctionCalls } from "../evaluate/functionCalls.ts";
import { Held } from "../evaluate/held.ts";
import { PagesAtWork, TURN_MS } from "../evaluate/pagesAtWork.ts";
import type { Run } from "../evaluate/run.ts";
import { QueryFailure } from "../evaluate/run.ts";
import type { CallContext } from "../functions/builtIn.ts";
import type { Gathering } from "./gather.ts";
import type { Source, SourceItem } from "./source.ts";
import type { Visit } from "./work.ts";
import { QueryWork } from "./work.ts";

export interface PageSetting {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  readonly geometry: "Geography" | "Geometry";
  /** After this many milliseconds a page that can be continued ends, or is suspended. */
  readonly timeSliceMs: number;
  /**
   * Called when the time is up before the page can give anything; resolves when the page may go on.
   * Absent where no later request can ask for the page.
   */
  readonly suspend?: ((state: SuspendedState) => Promise<void>) | undefined;
  /**
   * After this many milliseconds the query is refused; absent where the page is suspended instead.
   */
  readonly timeMaxMs?: number | undefined;
  /** What all pages at work share; absent when this page is alone. */
  readonly pages?: PagesAtWork | undefined;
  /** Runs user-defined functions; without it a query that calls any fails. */
  readonly callFunctions?: CallFunctions | undefined;
  /** True when the client has gone away, so that the page can be given up. */
  readonly isGone?: (() => boolean) | undefined;
}

/** What is known of a suspended page. */
export interface SuspendedState {
  readonly work: QueryWork;
  readonly heldBytes: number;
}

/**
 * Number of compiled patterns that are kept at most; patterns may come from the items, so there may
 * be many.
 */
const MEMO_COUNT_MAX = 256;
/** Effort that may go into trying values in the index; beyond it, items are looked at instead. */
const UNITS_OF_TRYING_MAX = 4_000_000;
/** A bound in milliseconds beside `UNITS_OF_TRYING_MAX`, in case the units are wrong. */
const TRYING_MS_MAX = 10_000;
/** Length of all names of kept patterns together, unless a single name is longer. */
const MEMO_UNITS_MAX = 64 * 1024;

const TOO_LONG =
  "The query takes too long to be answered here. Narrow it with a filter, or make its JOINs and " +
  "subqueries run over fewer elements.";

export class PageRun {
  readonly run: Run;
  readonly work: QueryWork = new QueryWork();
  readonly effort: Effort;
  readonly held: Held;
  readonly #pages: PagesAtWork;
  readonly #setting: PageSetting;
  /** Values of items that were rehearsed and not evaluated yet. */
  readonly #values = new Map<SourceItem, JsonObject>();
  readonly #startedAt: number;
  /** When the request that is served now began. */
  #sliceStartedAt: number;
  #turnStartedAt: number;
  /** Milliseconds that the page spent suspended, between requests. */
  #suspendedMs = 0;
  #isUnhurried = false;

  /** `functions` are the user-defined functions that the plan calls. */
  constructor(setting: PageSetting, functions: readonly UserFunction[]) {
    this.#setting = setting;
    this.#startedAt = setting.clock.now();
    this.#sliceStartedAt = this.#startedAt;
    this.#turnStartedAt = this.#startedAt;
    this.#pages = setting.pages ?? new PagesAtWork(setting.timer, setting.clock);
    this.held = new Held(this.#pages);
    this.effort = new Effort(setting.clock);
    this.run = {
      parameters: setting.parameters,
      context: contextOf(setting),
      effort: this.effort,
      calls: functions.length === 0 ? undefined : this.#callsOf(functions),
    };
  }

  #callsOf(functions: readonly UserFunction[]): FunctionCalls | undefined {
    const { callFunctions } = this.#setting;
    if (callFunctions === undefined) return undefined;
    const timed: CallFunctions = async (batch) => {
      const before = this.#setting.clock.now();
      const outcome = await callFunctions(batch);
      const passed = this.#setting.clock.now() - before;
      // The first call may have to start a thread for the functions; the page does not pay for it
      // with its time.
      if (this.work.functionMs === 0) this.#sliceStartedAt += passed;
      this.work.functionMs += passed;
      await this.#turn(true);
      return outcome;
    };
    const pause = (): Promise<void> | undefined => this.pauseOrSuspend();
    return new FunctionCalls({ functions, callFunctions: timed, held: this.held, pause });
  }

  /** Returns the value of an item that is evaluated now; `known` is the same, read before. */
  valueOf(source: Source, item: SourceItem, known?: JsonObject): JsonObject {
    const { calls } = this.run;
    if (calls === undefined) return known ?? source.valueOf(item);
    calls.begin(item);
    const value = this.#values.get(item) ?? source.valueOf(item);
    this.#values.delete(item);
    return value;
  }

  /**
   * Returns the value of an item that is rehearsed. The value is kept until `valueOf` asks for it,
   * because calls are recognised by the very objects that are their arguments.
   */
  keptValueOf(source: Source, item: SourceItem): JsonObject {
    const kept = this.#values.get(item);
    if (kept !== undefined) return kept;
    const value = source.valueOf(item);
    this.#values.set(item, value);
    return value;
  }

  /**
   * Makes the calls of these subjects ahead. Each subject is evaluated later, after `begin` of the
   * run's calls has been called with it.
   */
  async rehearse<T extends object>(
    subjects: readonly T[],
    evaluate: (subject: T) => MaybePromise<void>,
  ): Promise<void> {
    await this.run.calls?.rehearse(subjects, evaluate);
  }

  /**
   * Makes the page ignore its time slice, for work that has to be finished before it can give a
   * row.
   */
  unhurried(): PageRun {
    this.#isUnhurried = true;
    return this;
  }

  isTimeUp(): boolean {
    return !this.#isUnhurried && this.#isSliceOver();
  }

  #isSliceOver(): boolean {
    return this.#setting.clock.now() - this.#sliceStartedAt >= this.#setting.timeSliceMs;
  }

  /** Milliseconds that the page has been at work, over all its requests. */
  #elapsedMs(): number {
    return this.#setting.clock.now() - this.#startedAt - this.#suspendedMs;
  }

  /** Lets other requests have a turn, if it is time. The caller ends the page when `isTimeUp`. */
  pause(): Promise<void> | undefined {
    return this.#isTurnOver() ? this.#turn(this.#isUnhurried) : undefined;
  }

  /**
   * Lets other requests have a turn where the page cannot give a row yet: when its time is up the
   * page is suspended here. With `isCollecting`, what was looked at is counted first.
   */
  pauseOrSuspend(isCollecting = false): Promise<void> | undefined {
    if (!this.#isTurnOver()) return undefined;
    if (isCollecting) this.work.reach();
    return this.#turn(true);
  }

  #isTurnOver(): boolean {
    return this.#setting.clock.now() - this.#turnStartedAt >= TURN_MS;
  }

  async #turn(maySuspend: boolean): Promise<void> {
    const { isGone, suspend, timeMaxMs = Number.POSITIVE_INFINITY } = this.#setting;
    const isLeaving = (): boolean => maySuspend && suspend !== undefined && this.#isSliceOver();
    let mayGoOn = (await this.#pages.next(this.held, isLeaving)) && !isLeaving();
    while (!mayGoOn) {
      await this.#suspend(suspend!);
      // The slice begins when the page gets its turn, so every request makes progress, however long
      // it waited, unless memory is short.
      mayGoOn = await this.#pages.next(this.held, isLeaving);
      this.#sliceStartedAt = this.#setting.clock.now();
    }
    if (isGone?.() === true) throw new QueryFailure("Nobody waits for the answer.");
    if (this.#elapsedMs() > timeMaxMs) throw new QueryFailure(TOO_LONG);
    this.#turnStartedAt = this.#setting.clock.now();
    this.effort.goOn();
  }

  async #suspend(suspend: NonNullable<PageSetting["suspend"]>): Promise<void> {
    const { clock } = this.#setting;
    const since = clock.now();
    this.#pages.sleep(this.held);
    try {
      await suspend({ work: this.work, heldBytes: this.held.bytes });
    } finally {
      this.#pages.wake(this.held);
    }
    this.#sliceStartedAt = clock.now();
    this.#suspendedMs += this.#sliceStartedAt - since;
  }

  /**
   * Returns what `candidatesOf` needs for a source. Without a visit, nobody pays for what it reads.
   */
  gathering(source: Source, visit?: Visit): Gathering {
    const until = this.effort.spent + UNITS_OF_TRYING_MAX;
    return {
      source,
      visit,
      run: this.run,
      work: this.work,
      pause: () => this.pauseOrSuspend(),
      // The price of a query must not depend on the machine, so effort decides; time is the last
      // resort.
      isLate: (hadTurn) =>
        this.effort.spent > until || (hadTurn && this.#elapsedMs() >= TRYING_MS_MAX),
    };
  }

  async timedIndex<T>(source: Source, read: () => MaybePromise<T>): Promise<T> {
    const before = this.#elapsedMs();
    const result = await read();
    this.work.countIndexMs(source, this.#elapsedMs() - before);
    return result;
  }

  async timedLoad<T>(source: Source, read: () => MaybePromise<T>): Promise<T> {
    const before = this.#elapsedMs();
    const result = await read();
    this.work.countLoadMs(source, this.#elapsedMs() - before);
    return result;
  }

  /** Releases the memory that the page holds; called whether the page succeeded or failed. */
  leave(): void {
    this.held.releaseAll();
  }

  finish(): QueryWork {
    this.work.totalMs = this.#elapsedMs();
    return this.work;
  }
}

interface ContextSetting {
  readonly clock: Pick<Clock, "wallNow">;
  readonly random: Pick<Random, "next">;
  readonly geometry: "Geography" | "Geometry";
}

export function contextOf({ clock, random, geometry }: ContextSetting): CallContext {
  const memory = new Map<string, unknown>();
  let units = 0;
  return {
    wallNow: () => clock.wallNow(),
    startedAt: clock.wallNow(),
    random: () => random.next(),
    geometry,
    memo: <T>(kind: string, key: string, make: () => T): T => {
      const name = `${kind}/${key}`;
      if (memory.has(name)) return memory.get(name) as T;
      const made = make();
      units += name.length;
      if (memory.size >= MEMO_COUNT_MAX || units > MEMO_UNITS_MAX) {
        memory.clear();
        units = name.length;
      }
      memory.set(name, made);
      return made;
    },
  };
}
