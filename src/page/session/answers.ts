/**
 * What the server was asked and has answered, by route: whoever watches a route sees the last
 * answer at once, several watchers share one request, and who comes back to a page sees what was
 * there while the new answer is on its way.
 *
 * Always: a failure does not take the last answer away; it says that the answer is old. Answers
 * that nobody watches are kept in a limited number.
 */
import type { Millis } from "../../base/units.ts";
import type { Clock } from "../../base/world.ts";
import { Observable } from "./observable.ts";
import type { Repeated, Schedule } from "./schedule.ts";
import type { AskFailure, ServerReply } from "./server.ts";

/** The last answer to a question, if there was one, and what went wrong since, if anything. */
export interface Watched<T> {
  readonly value?: T | undefined;
  /** When the answer came, in milliseconds since 1970. */
  readonly at?: number | undefined;
  readonly failure?: AskFailure | undefined;
}

interface Entry {
  readonly state: Observable<Watched<unknown>>;
  readonly ask: () => Promise<ServerReply<unknown>>;
  watcherCount: number;
  repeated: Repeated | undefined;
  interval: Millis | undefined;
}

const UNWATCHED_COUNT_MAX = 50;

/** What is watched, until `stop` is called. */
interface Watch<T> {
  readonly state: Observable<Watched<T>>;
  stop(): void;
}

export class Answers {
  readonly #clock: Pick<Clock, "wallNow">;
  readonly #schedule: Schedule;
  /** In the order in which they were last watched. */
  readonly #entries = new Map<string, Entry>();

  constructor(setting: { readonly clock: Pick<Clock, "wallNow">; readonly schedule: Schedule }) {
    this.#clock = setting.clock;
    this.#schedule = setting.schedule;
  }

  /** The last answer to a question, whoever asked it. */
  peek<T>(key: string): Watched<T> {
    return (this.#entries.get(key)?.state.value ?? {}) as Watched<T>;
  }

  /** Asks now and, with an interval, again and again. The shortest of all intervals counts. */
  watch<T>(key: string, ask: () => Promise<ServerReply<T>>, interval?: Millis): Watch<T> {
    const known = this.#entries.get(key);
    const entry: Entry = known ?? {
      state: new Observable<Watched<unknown>>({}),
      ask,
      watcherCount: 0,
      repeated: undefined,
      interval: undefined,
    };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    entry.watcherCount++;
    const isQuicker = (interval ?? Infinity) < (entry.interval ?? Infinity);
    if (entry.repeated === undefined || isQuicker) {
      entry.repeated?.stop();
      entry.interval = interval;
      entry.repeated = this.#schedule.repeat(interval, () => this.#renew(entry));
    }
    let isStopped = false;
    return {
      state: entry.state as Observable<Watched<T>>,
      stop: () => {
        if (isStopped) return;
        isStopped = true;
        if (--entry.watcherCount > 0) return;
        entry.repeated?.stop();
        entry.repeated = undefined;
        entry.interval = undefined;
        this.#dropUnwatched();
      },
    };
  }

  /** Asks again, as soon as may be, everything that is watched and whose key begins so. */
  urge(keyStart: string): void {
    for (const [key, { repeated }] of this.#entries) {
      if (key.startsWith(keyStart)) repeated?.urge();
    }
  }

  /** Forgets all answers: they were given to a session that has ended. */
  clear(): void {
    for (const entry of this.#entries.values()) entry.state.set({});
  }

  async #renew(entry: Entry): Promise<void> {
    const answer = await entry.ask();
    const { value, at } = entry.state.value;
    entry.state.set(
      answer.ok
        ? { value: answer.value, at: this.#clock.wallNow() }
        : { value, at, failure: answer.error },
    );
  }

  #dropUnwatched(): void {
    const unwatched = [...this.#entries].filter(([, { watcherCount }]) => watcherCount === 0);
    for (const [key] of unwatched.slice(0, -UNWATCHED_COUNT_MAX)) this.#entries.delete(key);
  }
}
