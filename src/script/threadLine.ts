/**
 * Threads for one purpose, and the callers that wait for one.
 *
 * Always: there are at most `countMax` threads, each started when it is needed. Callers are served
 * in the order of arrival, and only by a thread that is loaded: the time of a script does not begin
 * before that. No owner has more than half of the threads, and no script has all threads of its
 * owner, so scripts that run for ever leave room for others. A caller whose client is gone before
 * its turn is passed over. While some thread has been busy for a while and none is idle, a spare
 * thread is started, so that the next caller need not wait for its start. Idle threads beyond the
 * first end after a while.
 *
 * Not here: what threads do (`scriptWorker.ts`).
 */
import { millis } from "../base/units.ts";
import type { Clock, Timer } from "../base/world.ts";
import type { Borrower } from "./scriptRunner.ts";
import { ScriptWorker } from "./scriptWorker.ts";

/** Runs that are shorter than this are over before a spare thread could be loaded. */
const SPARE_AFTER = millis(20);
const IDLE_MAX = millis(10_000);

interface Caller {
  readonly borrower: Borrower;
  readonly resolve: (worker: ScriptWorker | undefined) => void;
  readonly reject: (error: unknown) => void;
}

export class ThreadLine {
  readonly #clock: Clock;
  readonly #timer: Timer;
  readonly #countMax: number;
  readonly #workers = new Set<ScriptWorker>();
  /** Idle threads, each with the function that cancels its end. */
  readonly #idle = new Map<ScriptWorker, () => void>();
  readonly #waiting: Caller[] = [];
  readonly #lentCounts = new Map<string, number>();
  /** Number of threads that are loading or clearing up. */
  #comingCount = 0;
  #isClosed = false;

  constructor(clock: Clock, timer: Timer, countMax: number) {
    this.#clock = clock;
    this.#timer = timer;
    this.#countMax = countMax;
  }

  /**
   * Lends a thread to `action`. Resolves with undefined when the line is closed, or the client is
   * gone, before its turn.
   */
  async lend<T>(
    borrower: Borrower,
    action: (worker: ScriptWorker) => Promise<T>,
  ): Promise<T | undefined> {
    const worker = await this.#take(borrower);
    if (worker === undefined) return undefined;
    const calm = this.#timer.after(SPARE_AFTER, () => {
      if (this.#idle.size === 0 && this.#comingCount === 0) this.#start();
    });
    try {
      return await action(worker);
    } finally {
      calm();
      this.#count(borrower, -1);
      this.#serve();
      this.#await(worker);
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const calm of this.#idle.values()) calm();
    this.#idle.clear();
    for (const caller of this.#waiting.splice(0)) caller.resolve(undefined);
    await Promise.all([...this.#workers].map((worker) => worker.end()));
  }

  #take(borrower: Borrower): Promise<ScriptWorker | undefined> {
    if (this.#isClosed) return Promise.resolve(undefined);
    return new Promise((resolve, reject) => {
      this.#waiting.push({ borrower, resolve, reject });
      this.#serve();
      const isWaiting = this.#waiting.some((caller) => caller.resolve === resolve);
      if (!isWaiting || !this.#mayBorrow(borrower)) return;
      if (this.#comingCount < this.#waiting.length) this.#start();
    });
  }

  /** Gives idle threads to waiting callers that may have one, first come, first served. */
  #serve(): void {
    this.#passOver();
    for (const [worker, calm] of this.#idle) {
      const next = this.#waiting.findIndex(({ borrower }) => this.#mayBorrow(borrower));
      if (next < 0) return;
      calm();
      this.#idle.delete(worker);
      if (worker.isLost) {
        this.#workers.delete(worker);
        continue;
      }
      const [caller] = this.#waiting.splice(next, 1);
      this.#count(caller!.borrower, 1);
      caller!.resolve(worker);
    }
  }

  #passOver(): void {
    if (!this.#waiting.some(({ borrower }) => borrower.isGone?.() === true)) return;
    const all = this.#waiting.splice(0);
    for (const caller of all) {
      if (caller.borrower.isGone?.() === true) caller.resolve(undefined);
      else this.#waiting.push(caller);
    }
  }

  #mayBorrow(borrower: Borrower): boolean {
    const half = Math.ceil(this.#countMax / 2);
    return namesOf(borrower).every(
      (name, depth) => (this.#lentCounts.get(name) ?? 0) < Math.max(1, half - depth),
    );
  }

  #count(borrower: Borrower, change: number): void {
    for (const name of namesOf(borrower)) {
      const count = (this.#lentCounts.get(name) ?? 0) + change;
      if (count === 0) this.#lentCounts.delete(name);
      else this.#lentCounts.set(name, count);
    }
  }

  #start(): void {
    if (this.#isClosed || this.#workers.size >= this.#countMax) return;
    const worker = new ScriptWorker(this.#clock, this.#timer);
    this.#workers.add(worker);
    this.#await(worker);
  }

  /** Waits until a thread has loaded or cleared up; it is lent to nobody meanwhile. */
  #await(worker: ScriptWorker): void {
    this.#comingCount++;
    worker.ready().then(
      () => {
        this.#comingCount--;
        this.#giveBack(worker);
      },
      (error: unknown) => {
        this.#comingCount--;
        this.#workers.delete(worker);
        this.#waiting.shift()?.reject(error);
      },
    );
  }

  #giveBack(worker: ScriptWorker): void {
    if (worker.isLost) {
      this.#workers.delete(worker);
      if (this.#waiting.length > this.#comingCount) this.#start();
      return;
    }
    const calm = this.#timer.after(IDLE_MAX, () => this.#retire(worker));
    this.#idle.set(worker, calm);
    this.#serve();
  }

  #retire(worker: ScriptWorker): void {
    if (this.#workers.size === 1) return;
    this.#idle.delete(worker);
    this.#workers.delete(worker);
    void worker.end();
  }
}

/** The names under which lent threads are counted: by owner, and by script of this owner. */
function namesOf({ owner, script }: Borrower): readonly string[] {
  const all = `all of ${owner}`;
  return script === undefined ? [all] : [all, `${script} of ${owner}`];
}
