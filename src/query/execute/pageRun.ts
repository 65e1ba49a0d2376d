/**
 * What one page of one query has in hand: the run its expressions see, the work it has counted, and
 * the clock that tells when others should have a turn and when the page has taken long enough.
 */
import type { MaybePromise } from "../../base/result.ts";
import type { Clock, Random, Timer } from "../../base/world.ts";
import type { JsonValue } from "../../json/value.ts";
import type { CallContext } from "../functions/builtIn.ts";
import type { Gathering } from "./candidates.ts";
import { Effort } from "./effort.ts";
import { Held } from "./held.ts";
import type { Run } from "./run.ts";
import type { Source, SourceItem } from "./source.ts";
import { Work } from "./work.ts";

export interface PageSetting {
  readonly clock: Clock;
  readonly timer: Timer;
  readonly random: Random;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  readonly geometry: "Geography" | "Geometry";
  /** After this many milliseconds a page that can be continued ends. */
  readonly timeSliceMs: number;
}

/** How long others wait at most while a page is at work. */
const TURN_MS = 8;
/** Compiled patterns kept at most: a pattern may come from the items. */
const MEMO_COUNT_MAX = 256;

export class PageRun {
  readonly run: Run;
  readonly work: Work = new Work();
  readonly effort: Effort;
  readonly held: Held = new Held();
  readonly #setting: PageSetting;
  readonly #startedAt: number;
  #turnStartedAt: number;
  #isUnhurried = false;

  constructor(setting: PageSetting) {
    this.#setting = setting;
    this.#startedAt = setting.clock.now();
    this.#turnStartedAt = this.#startedAt;
    this.effort = new Effort(setting.clock);
    this.run = {
      parameters: setting.parameters,
      context: contextOf(setting),
      effort: this.effort,
    };
  }

  /** For what has to be finished before the page can give anything. */
  unhurried(): PageRun {
    this.#isUnhurried = true;
    return this;
  }

  isTimeUp(): boolean {
    if (this.#isUnhurried) return false;
    return this.#setting.clock.now() - this.#startedAt >= this.#setting.timeSliceMs;
  }

  /** Lets others have a turn, if it is time. */
  pause(): Promise<void> | undefined {
    if (this.#setting.clock.now() - this.#turnStartedAt < TURN_MS) return undefined;
    return this.#setting.timer.soon().then(() => {
      this.#turnStartedAt = this.#setting.clock.now();
    });
  }

  gathering(source: Source): Gathering {
    return { source, run: this.run, work: this.work, pause: () => this.pause() };
  }

  async timedIndex<T>(read: () => MaybePromise<T>): Promise<T> {
    const before = this.#setting.clock.now();
    const result = await read();
    this.work.indexMs += this.#setting.clock.now() - before;
    return result;
  }

  async timedLoad<T>(read: () => MaybePromise<T>): Promise<T> {
    const before = this.#setting.clock.now();
    const result = await read();
    this.work.loadMs += this.#setting.clock.now() - before;
    return result;
  }

  countItems(items: readonly SourceItem[]): void {
    this.work.itemCount += items.length;
    for (const { body } of items) this.work.itemBytes += body.length;
  }

  finish(): Work {
    this.work.totalMs = this.#setting.clock.now() - this.#startedAt;
    return this.work;
  }
}

export interface ContextSetting {
  readonly clock: Pick<Clock, "wallNow">;
  readonly random: Pick<Random, "next">;
  readonly geometry: "Geography" | "Geometry";
}

export function contextOf({ clock, random, geometry }: ContextSetting): CallContext {
  const memory = new Map<string, unknown>();
  return {
    wallNow: () => clock.wallNow(),
    startedAt: clock.wallNow(),
    random: () => random.next(),
    geometry,
    memo: <T>(kind: string, key: string, make: () => T): T => {
      const name = `${kind}/${key}`;
      if (memory.has(name)) return memory.get(name) as T;
      const made = make();
      if (memory.size >= MEMO_COUNT_MAX) memory.clear();
      memory.set(name, made);
      return made;
    },
  };
}
