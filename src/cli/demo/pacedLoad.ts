/**
 * Requests at a steady pace, whether or not they are answered well: what a server that is too slow
 * for its users gets. Nothing is tried again. Counted is who asked, which physical partition
 * answered, what it charged and what it refused.
 *
 * Users do not keep step, so gaps between requests are drawn by chance. A machine that cannot keep
 * the pace sends less, and the counts say so: requests of one sender beyond a number that wait for
 * an answer are not sent.
 */
import type { Random } from "../../base/world.ts";
import type { Stage } from "./stage.ts";
import { billOf, type DemoAnswer } from "./stage.ts";

export interface Sender {
  readonly name: string;
  readonly perSecond: number;
  /** One request of the official client; `count` is how many there were before. */
  send(count: number): Promise<DemoAnswer>;
}

/** What one sender got from one physical partition. */
export interface SenderTally {
  readonly sender: string;
  readonly rangeId: string;
  servedCount: number;
  throttledCount: number;
  /** Spent by those that were served. */
  ru: number;
}

export interface LoadResult {
  /** How long it was counted. */
  readonly seconds: number;
  readonly tallies: readonly SenderTally[];
}

interface LoadTerms {
  readonly seconds: number;
  /** Not counted, at the beginning: what a rested partition has saved is spent in it. */
  readonly warmUpSeconds?: number | undefined;
  /** So much longer at most, until it is enough: a slow machine gets more time. */
  readonly overtime?: Overtime | undefined;
}

interface Overtime {
  readonly seconds: number;
  isEnough(tallies: readonly SenderTally[]): boolean;
}

/** What it needs of a stage. */
export type LoadStage = Pick<Stage, "random" | "elapsedSeconds" | "pause" | "refusalOf">;

const STEP_MS = 10;
const NO_OVERTIME: Overtime = { seconds: 0, isEnough: () => true };
const WAITING_MAX = 40;
const TOO_MANY_REQUESTS = 429;

export async function pacedLoad(
  stage: LoadStage,
  senders: readonly Sender[],
  { seconds, warmUpSeconds = 0, overtime = NO_OVERTIME }: LoadTerms,
): Promise<LoadResult> {
  const tallies = new Map<string, SenderTally>();
  const startedAt = stage.elapsedSeconds;
  const passed = (): number => stage.elapsedSeconds - startedAt;
  const isOver = (): boolean => {
    if (failures.length > 0) return true;
    if (passed() < seconds) return false;
    return passed() >= seconds + overtime.seconds || overtime.isEnough([...tallies.values()]);
  };
  const failures: unknown[] = [];
  const flights = new Map(senders.map((sender) => [sender, new Set<Promise<void>>()]));

  const fly = async (sender: Sender, count: number): Promise<void> => {
    const isCounted = passed() >= warmUpSeconds;
    const outcome = await sender
      .send(count)
      .then(served, (error: unknown) => refused(stage, error));
    if (isCounted) book(tallies, sender.name, outcome);
  };
  const arrivals = arrivalsOf(stage.random, senders);
  let next = arrivals.next().value;
  while (!isOver()) {
    for (const now = passed(); next.at <= now; next = arrivals.next().value) {
      const flying = flights.get(next.sender)!;
      if (flying.size >= WAITING_MAX) continue;
      const flight = fly(next.sender, next.count)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => flying.delete(flight));
      flying.add(flight);
    }
    await stage.pause(STEP_MS);
  }
  const counted = passed() - warmUpSeconds;
  await Promise.all([...flights.values()].flatMap((flying) => [...flying]));
  if (failures.length > 0) throw failures[0];
  return { seconds: counted, tallies: [...tallies.values()] };
}

interface Arrival {
  readonly sender: Sender;
  /** How many of its requests there were before. */
  readonly count: number;
  /** Seconds since the beginning. */
  readonly at: number;
}

/** All requests of all senders in the order of time, without an end. */
export function* arrivalsOf(random: Random, senders: readonly Sender[]): Generator<Arrival, never> {
  const gap = ({ perSecond }: Sender): number => -Math.log(1 - random.next()) / perSecond;
  const waiting = senders.map((sender): Arrival => ({ sender, count: 0, at: gap(sender) }));
  for (;;) {
    const first = waiting.reduce((soonest, other) => (other.at < soonest.at ? other : soonest));
    const { sender, count, at } = first;
    waiting[waiting.indexOf(first)] = { sender, count: count + 1, at: at + gap(sender) };
    yield first;
  }
}

interface Outcome {
  readonly rangeId: string;
  readonly ru: number;
  readonly isServed: boolean;
}

function served(answer: DemoAnswer): Outcome {
  return { ...billOf(answer), isServed: true };
}

/** Throttling is what these loads are about; any other refusal ends them. */
function refused(stage: LoadStage, error: unknown): Outcome {
  const refusal = stage.refusalOf(error);
  if (refusal.code !== TOO_MANY_REQUESTS) throw error;
  return { ...billOf(refusal), isServed: false };
}

function book(tallies: Map<string, SenderTally>, sender: string, outcome: Outcome): void {
  const { rangeId, ru, isServed } = outcome;
  const place = `${sender} ${rangeId}`;
  const tally = tallies.get(place) ?? {
    sender,
    rangeId,
    servedCount: 0,
    throttledCount: 0,
    ru: 0,
  };
  tallies.set(place, tally);
  if (isServed) {
    tally.servedCount++;
    tally.ru += ru;
  } else tally.throttledCount++;
}

export interface Sum {
  readonly servedCount: number;
  readonly throttledCount: number;
  readonly throttledShare: number;
  readonly ruPerSecond: number;
}

/** Of all that the choice is true of. */
export function sumOf(
  { seconds, tallies }: LoadResult,
  isMeant: (tally: SenderTally) => boolean,
): Sum {
  const meant = tallies.filter(isMeant);
  const servedCount = meant.reduce((sum, tally) => sum + tally.servedCount, 0);
  const throttledCount = meant.reduce((sum, tally) => sum + tally.throttledCount, 0);
  const all = servedCount + throttledCount;
  const ru = meant.reduce((sum, tally) => sum + tally.ru, 0);
  return {
    servedCount,
    throttledCount,
    throttledShare: all === 0 ? 0 : throttledCount / all,
    ruPerSecond: ru / seconds,
  };
}
