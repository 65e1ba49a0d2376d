/**
 * When the page asks the server again. All repeated requests of the page are made here, so that one
 * rule holds for all of them:
 *
 * - While the page is hidden, nothing is asked, however long that lasts. What became due meanwhile
 *   is asked at once when the page is shown.
 * - The same while somebody has paused the updates, except that what was never asked is asked once.
 * - A question is not asked again before its answer is there.
 */
import type { Millis } from "../../base/units.ts";
import type { Timer } from "../../base/world.ts";
import type { Visibility } from "./browserWorld.ts";
import { Observable } from "./observable.ts";

interface Task {
  readonly interval: Millis | undefined;
  readonly run: () => Promise<void>;
  hasRun: boolean;
  isRunning: boolean;
  /** True when it should run as soon as it may. */
  isDue: boolean;
  cancelTimer: () => void;
}

/** A task that runs again and again. */
export interface Repeated {
  /** Runs it as soon as possible, without waiting for its turn. */
  urge(): void;
  stop(): void;
}

export class Schedule {
  readonly #timer: Pick<Timer, "after">;
  readonly #visibility: Visibility;
  readonly #tasks = new Set<Task>();
  readonly isPaused: Observable<boolean> = new Observable(false);

  constructor(setting: { readonly timer: Pick<Timer, "after">; readonly visibility: Visibility }) {
    this.#timer = setting.timer;
    this.#visibility = setting.visibility;
    setting.visibility.onChange(() => this.#runWhatIsDue());
    this.isPaused.subscribe(() => this.#runWhatIsDue());
  }

  /** Runs `run` now, and again `interval` after it has ended; once, if there is no interval. */
  repeat(interval: Millis | undefined, run: () => Promise<void>): Repeated {
    const task: Task = {
      interval,
      run,
      hasRun: false,
      isRunning: false,
      isDue: true,
      cancelTimer: () => undefined,
    };
    this.#tasks.add(task);
    this.#runIfDue(task);
    return {
      urge: () => {
        task.hasRun = false;
        task.isDue = true;
        this.#runIfDue(task);
      },
      stop: () => {
        task.cancelTimer();
        this.#tasks.delete(task);
      },
    };
  }

  #runWhatIsDue(): void {
    for (const task of [...this.#tasks]) this.#runIfDue(task);
  }

  #runIfDue(task: Task): void {
    const isPaused = this.isPaused.value && task.hasRun;
    if (!task.isDue || task.isRunning || isPaused || this.#visibility.isHidden()) return;
    if (!this.#tasks.has(task)) return;
    task.cancelTimer();
    task.isDue = false;
    task.isRunning = true;
    task.hasRun = true;
    void task.run().finally(() => {
      task.isRunning = false;
      // Somebody may have urged it while it ran.
      if (task.isDue) this.#runIfDue(task);
      else this.#wait(task);
    });
  }

  #wait(task: Task): void {
    if (task.interval === undefined || !this.#tasks.has(task)) return;
    task.cancelTimer = this.#timer.after(task.interval, () => {
      task.isDue = true;
      this.#runIfDue(task);
    });
  }
}
