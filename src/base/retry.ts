/**
 * Trying again: how long to wait, and the loop around an attempt. Time and chance are passed in.
 *
 * Not here: pauses of something that goes on meanwhile, as of one lane beside others; those take
 * their waits from here and keep their own timers.
 */
import { type Millis, millis } from "./units.ts";
import type { Timer } from "./world.ts";

export interface WaitRange {
  readonly min: number;
  readonly max: number;
}

/** Twice as long after each failure in a row, within bounds; `failureCount` begins at 1. */
export function growingWait(failureCount: number, { min, max }: WaitRange): number {
  return Math.min(max, min * 2 ** Math.max(0, failureCount - 1));
}

/** As long as something has lasted already, within bounds. */
export function waitAsLong(lastedMs: number, { min, max }: WaitRange): number {
  return Math.min(max, Math.max(min, lastedMs));
}

/** What a server said, if it is a time to wait at all; else `otherwise`. */
export function toldWait(told: unknown, otherwise: number): number {
  const ms = Number(told ?? Number.NaN);
  return Number.isFinite(ms) && ms >= 0 ? ms : otherwise;
}

export function pause(timer: Timer, ms: number): Promise<void> {
  return new Promise((resolve) => {
    timer.after(millis(Math.max(0, ms)), () => resolve());
  });
}

interface Retrying<Outcome> {
  /** How long to wait before the next try; undefined: this outcome is the one. */
  readonly waitAfter: (outcome: Outcome, tryCount: number) => number | undefined;
  /** The outcome of the last try is returned, whatever it is. */
  readonly tryCountMax: number;
  /** Waits; the real one is `pause` with a timer. */
  readonly wait: (ms: Millis) => Promise<void>;
}

export async function retried<Outcome>(
  attempt: () => Promise<Outcome>,
  { waitAfter, tryCountMax, wait }: Retrying<Outcome>,
): Promise<Outcome> {
  for (let tryCount = 1; ; tryCount++) {
    const outcome = await attempt();
    const ms = tryCount < tryCountMax ? waitAfter(outcome, tryCount) : undefined;
    if (ms === undefined) return outcome;
    await wait(millis(ms));
  }
}
