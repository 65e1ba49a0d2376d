/**
 * The two ways in which operations are sent. At their times, whether or not those before were
 * answered: load does not wait for a server, and a machine that cannot keep the pace sends later,
 * which is counted. Or a few at once, as soon as others are answered: where only the sum matters.
 */
import { pause } from "../../base/retry.ts";
import { realClock, realTimer } from "../../server/realWorld.ts";

export interface Timed {
  /** Seconds since the beginning. */
  readonly at: number;
}

/** Nobody waits longer, so that an interruption is seen. */
const STEP_MS = 50;
/** Later than that is late. */
const LATE_MS = 100;

/** Gives the share of those that were late. */
export async function atPace<T extends Timed>(
  events: readonly T[],
  send: (event: T) => Promise<void>,
  isInterrupted: () => boolean,
): Promise<number> {
  const startedAt = realClock.now();
  const flying = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let lateCount = 0;
  let next = 0;
  while (next < events.length && failures.length === 0 && !isInterrupted()) {
    const now = realClock.now() - startedAt;
    for (; next < events.length && events[next]!.at * 1000 <= now; next++) {
      const event = events[next]!;
      if (now - event.at * 1000 > LATE_MS) lateCount++;
      const flight = send(event)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => flying.delete(flight));
      flying.add(flight);
    }
    const due = (events[next]?.at ?? 0) * 1000 - (realClock.now() - startedAt);
    await pause(realTimer, Math.min(STEP_MS, due));
  }
  await Promise.all(flying);
  if (failures.length > 0) throw failures[0];
  return events.length === 0 ? 0 : lateCount / events.length;
}

export async function fewAtOnce<T>(
  events: readonly T[],
  send: (event: T) => Promise<void>,
  { count, isInterrupted }: { readonly count: number; readonly isInterrupted: () => boolean },
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < events.length && !isInterrupted()) {
      const event = events[next++]!;
      await send(event);
    }
  };
  await Promise.all(Array.from({ length: count }, work));
}
