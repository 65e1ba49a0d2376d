/**
 * Two kinds of callers that want more than there is.
 *
 * The polite ones come at a steady pace, whatever is answered. Who is refused waits as long as he
 * was told and asks again, up to nine times and thirty seconds, as the official clients do. The
 * rude ones ask again at once, each over a connection of its own.
 *
 * Every answer is counted by its status; which are right is for the caller to say.
 */
import { Line } from "./line.mjs";

const RETRIES_MAX = 9;
const WAIT_MS_MAX = 30_000;
const TICK_MS = 5;
/** Every fourth request writes. */
const WRITE_EVERY = 4;

/** @typedef {import("./requests.mjs").Asking} Asking */

/**
 * @typedef {object} Tally
 * @property {number} asked operations, each counted once however often it was tried
 * @property {number} served
 * @property {number} refused answers with 429
 * @property {number} givenUp operations
 * @property {number} ru as the answers told of what was served
 * @property {number} seconds
 * @property {Record<number, number>} statuses
 * @property {number} triesMean of the operations that were served
 */

/** What both kinds of callers ask for: point reads of 1 KB and, if told so, some upserts. */
export class Operations {
  #asking;
  #count = 0;

  /**
   * @param {Asking} asking
   * @param {{ hasWrites: boolean }} mix
   */
  constructor(asking, { hasWrites }) {
    this.#asking = asking;
    this.hasWrites = hasWrites;
  }

  next() {
    this.#count += 1;
    const isWrite = this.hasWrites && this.#count % WRITE_EVERY === 0;
    return isWrite ? this.#asking.upsert() : this.#asking.read();
  }
}

/**
 * @param {{ port: number, operations: Operations, perSecond: number, seconds: number, connections: number }} load
 * @returns {Promise<Tally>}
 */
export async function offerPolitely({ port, operations, perSecond, seconds, connections }) {
  const tally = newTally();
  const free = Array.from({ length: connections }, () => new Line(port));
  const lines = [...free];
  /** @type {{ request: string, tries: number, waited: number }[]} */
  const ready = [];
  /** @type {Set<NodeJS.Timeout>} */
  const waiting = new Set();
  let isOver = false;
  /** @type {(error: unknown) => void} */
  let fail = () => {};
  const failed = new Promise((_, reject) => {
    fail = reject;
  });

  const pump = () => {
    while (!isOver && ready.length > 0 && free.length > 0) {
      const line = /** @type {Line} */ (free.pop());
      const one = /** @type {(typeof ready)[number]} */ (ready.shift());
      line.ask(one.request).then((answer) => {
        free.push(line);
        if (!isOver) hear(one, answer);
        pump();
      }, fail);
    }
  };
  /** @type {(one: (typeof ready)[number], answer: import("./line.mjs").Answer) => void} */
  const hear = (one, answer) => {
    count(tally, answer);
    one.tries += 1;
    if (answer.status !== 429) tally.triesMean += (one.tries - tally.triesMean) / tally.served;
    else if (one.tries > RETRIES_MAX || one.waited + answer.retryAfterMs > WAIT_MS_MAX) {
      tally.givenUp += 1;
    } else {
      one.waited += answer.retryAfterMs;
      const timer = setTimeout(() => {
        waiting.delete(timer);
        ready.push(one);
        pump();
      }, answer.retryAfterMs);
      waiting.add(timer);
    }
  };

  const startedAt = performance.now();
  const ticking = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    for (; tally.asked < due; tally.asked += 1) {
      ready.push({ request: operations.next(), tries: 0, waited: 0 });
    }
    pump();
  }, TICK_MS);
  try {
    await Promise.race([failed, new Promise((resolve) => setTimeout(resolve, seconds * 1000))]);
    tally.seconds = (performance.now() - startedAt) / 1000;
    return tally;
  } finally {
    isOver = true;
    clearInterval(ticking);
    for (const timer of waiting) clearTimeout(timer);
    for (const line of lines) line.close();
  }
}

/**
 * @param {{ port: number, operations: Operations, seconds: number, connections: number }} load
 * @returns {Promise<Tally>}
 */
export async function offerRudely({ port, operations, seconds, connections }) {
  const tally = newTally();
  const startedAt = performance.now();
  const endAt = startedAt + seconds * 1000;
  // Made beforehand, and asked again and again: this side must not be what slows it down.
  const requests = Array.from({ length: 4000 }, () => Buffer.from(operations.next(), "latin1"));
  const ask = async () => {
    const line = new Line(port);
    try {
      while (performance.now() < endAt) {
        const request = requests[tally.asked % requests.length];
        tally.asked += 1;
        count(tally, await line.ask(request));
      }
    } finally {
      line.close();
    }
  };
  await Promise.all(Array.from({ length: connections }, ask));
  tally.seconds = (performance.now() - startedAt) / 1000;
  return tally;
}

/**
 * Asks until it is served.
 * @param {Line} line
 * @param {string} request
 * @returns {Promise<import("./line.mjs").Answer>}
 */
export async function askPatiently(line, request) {
  for (;;) {
    const answer = await line.ask(request);
    if (answer.status !== 429) return answer;
    await new Promise((resolve) => setTimeout(resolve, answer.retryAfterMs));
  }
}

/** @returns {Tally} */
function newTally() {
  const counts = { asked: 0, served: 0, refused: 0, givenUp: 0 };
  return { ...counts, ru: 0, seconds: 0, statuses: {}, triesMean: 0 };
}

/** @type {(tally: Tally, answer: import("./line.mjs").Answer) => void} */
function count(tally, { status, charge }) {
  tally.statuses[status] = (tally.statuses[status] ?? 0) + 1;
  if (status === 429) {
    // It names a charge, as the service does, but nothing is debited.
    tally.refused += 1;
    return;
  }
  tally.ru += charge;
  tally.served += 1;
}
