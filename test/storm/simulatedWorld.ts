/**
 * Time that passes only when nothing else is left to do: a clock, and timers that fire in its time.
 *
 * The next event is taken when everything that the last one set off has come to rest. What rests
 * waits for an event: for a delay to pass, or for the turn of the event loop that `soon` asks for.
 * So a run is a function of its seed, and an hour of it takes seconds.
 *
 * A machine is not infinitely fast: each look at the clock costs it `lookMs`. On a slow one pages
 * of queries are interrupted, and others have a turn in between.
 */
import { millis } from "../../src/base/units.ts";
import type { Clock, Timer } from "../../src/base/world.ts";
import { ticks } from "../crash/machine.ts";

interface Event {
  readonly at: number;
  readonly action: () => void;
}

/** When simulated worlds begin, in milliseconds since 1970. */
const BEGINNING = 1_700_000_000_000;

export class SimulatedWorld {
  readonly #lookMs: number;
  /** By the instant they are due; those of one instant in the order in which they came. */
  readonly #events: Event[] = [];
  #now = 0;
  #eventCount = 0;

  constructor(lookMs: number) {
    this.#lookMs = lookMs;
  }

  readonly clock: Clock = {
    now: () => {
      this.#now += this.#lookMs;
      return millis(this.#now);
    },
    wallNow: () => BEGINNING + Math.floor(this.#now),
  };

  /** A look that costs nothing. */
  get now(): number {
    return this.#now;
  }

  get eventCount(): number {
    return this.#eventCount;
  }

  /** What a machine has until its power goes; nothing fires after that. */
  timer(isOn: () => boolean): Timer {
    const after = (delay: number, action: () => void): (() => void) =>
      this.#schedule(delay, () => {
        if (isOn()) action();
      });
    return { after, soon: () => new Promise((resolve) => void after(0, resolve)) };
  }

  sleep(delay: number): Promise<void> {
    return new Promise((resolve) => void this.#schedule(delay, resolve));
  }

  /** Lets everything happen until `isEnough`, looked at after each event. */
  async runUntil(isEnough: () => boolean): Promise<void> {
    await rest();
    while (!isEnough()) {
      this.#takeNext();
      await rest();
    }
  }

  /** Begins with the next event, and leaves it after so many steps of what it sets off. */
  async begin(tickCount: number): Promise<void> {
    this.#takeNext();
    await ticks(tickCount);
  }

  #takeNext(): void {
    const event = this.#events.shift();
    if (event === undefined) throw new Error("everybody waits for something that never comes");
    this.#now = Math.max(this.#now, event.at);
    this.#eventCount++;
    event.action();
  }

  #schedule(delay: number, action: () => void): () => void {
    const event = { at: this.#now + delay, action };
    let place = this.#events.length;
    while (place > 0 && this.#events[place - 1]!.at > event.at) place--;
    this.#events.splice(place, 0, event);
    return () => {
      const found = this.#events.indexOf(event);
      if (found >= 0) this.#events.splice(found, 1);
    };
  }
}

/** Promises of a simulated world settle each other until none is left; then this one is next. */
function rest(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}
