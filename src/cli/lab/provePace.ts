/**
 * The two ways in which operations are sent. At their times, whether or not those before were
 * answered: load does not wait for a server, and a machine that cannot keep the pace sends later,
 * or takes in later what was sent, which is counted. Or a few at once, as soon as others are
 * answered: where only the sum matters.
 */
import { pause } from "../../base/retry.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";

interface Timed {
  /** Seconds since the beginning. */
  readonly at: number;
}

/** Nobody waits longer, so that an interruption is seen. */
const STEP_MS = 50;
/** What leaves later than that is late. */
const LATE_MS = 100;
/** As is what is answered later than that: with which balance it was met is open. */
const ANSWER_LATE_MS = 500;

/** Milliseconds since the beginning. */
export interface Flight {
  readonly dueAt: number;
  readonly leftAt: number;
  readonly answeredAt: number;
}

/** Of all that were sent, those that came to the server at another time than they should have. */
export function lateShareOf(flights: readonly Flight[]): number {
  const late = flights.filter(
    ({ dueAt, leftAt, answeredAt }) =>
      leftAt - dueAt > LATE_MS || answeredAt - dueAt > ANSWER_LATE_MS,
  );
  return flights.length === 0 ? 0 : late.length / flights.length;
}

/** Gives the share of those that were late. */
export async function atPace<T extends Timed>(
  events: readonly T[],
  send: (event: T) => Promise<void>,
  isInterrupted: () => boolean,
): Promise<number> {
  const startedAt = realClock.now();
  const flying = new Set<Promise<void>>();
  const failures: unknown[] = [];
  const flights: Flight[] = [];
  const passed = (): number => realClock.now() - startedAt;
  let next = 0;
  while (next < events.length && failures.length === 0 && !isInterrupted()) {
    const now = passed();
    for (; next < events.length && events[next]!.at * 1000 <= now; next++) {
      const event = events[next]!;
      const [dueAt, leftAt] = [event.at * 1000, now];
      const flight = send(event)
        .then(() => void flights.push({ dueAt, leftAt, answeredAt: passed() }))
        .catch((error: unknown) => void failures.push(error))
        .finally(() => flying.delete(flight));
      flying.add(flight);
    }
    const due = (events[next]?.at ?? 0) * 1000 - passed();
    await pause(realTimer, Math.min(STEP_MS, due));
  }
  await Promise.all(flying);
  if (failures.length > 0) throw failures[0];
  return lateShareOf(flights);
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
