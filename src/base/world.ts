/**
 * The three things a program cannot compute: time, chance and waiting. They are passed in
 * wherever they matter, so that a test is a function of its seed. The real ones are made once,
 * in `server/surroundings/realWorld.ts`.
 */
import type { Millis } from "./units.ts";

export interface Clock {
  /** Monotonic time: for waits, rates and deadlines. */
  now(): Millis;
  /** Milliseconds since 1970, for stamps that users see; this clock may jump. */
  wallNow(): number;
}

export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** `count` unpredictable bytes. */
  bytes(count: number): Uint8Array;
}

export interface Timer {
  /** Calls `action` once, after at least `delay`. The returned function cancels it. */
  after(delay: Millis, action: () => void): () => void;
  /** Resolves when the events that have already arrived have been dealt with. */
  soon(): Promise<void>;
}

/** A small seeded generator (mulberry32), for tests and simulated worlds only. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
  const bytes = (count: number): Uint8Array =>
    Uint8Array.from({ length: count }, () => Math.floor(next() * 256));
  return { next, bytes };
}
