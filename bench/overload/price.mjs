/**
 * What an answer costs the server end to end, in processor time per request: a point read that is
 * served, a point read and a write that are refused with 429, and the least this server can be asked
 * for at all, a container that does not exist. That last one is the floor: HTTP, the signature, the
 * path and a refusal with a body, before anything is looked for.
 *
 * All four in turns of a fraction of a second, in another order each round, over the same
 * connections' worth of load. The refusing container is in debt from one large write on, and every
 * answer of its turns is checked to be a 429.
 */
import { runLoad } from "../client.mjs";
import { spreadOf } from "../figures.mjs";
import { cpuMicrosOf } from "../procfs.mjs";
import { Line } from "./line.mjs";
import { askPatiently } from "./offering.mjs";

const CONNECTIONS = 16;
const TURN_MS_MAX = 30_000;
/** How much debt must be left for a round, on a slow machine too. */
const DEBT_MS_MIN = 20_000;

/** @typedef {import("./requests.mjs").Asking} Asking */
/** @typedef {{ name: string, asking: Asking, kind: "read" | "upsert", status: number }} Turn */
/** @typedef {{ name: string, micros: number | undefined, perSecond: number, ratio: import("../figures.mjs").Spread | undefined, above: number | undefined }} Price */

const READ = "point read, served";
const FLOOR = "no such container, 404";

/**
 * @param {{ port: number, pid: number }} server
 * @param {{ served: Asking, dry: Asking, absent: Asking, rounds: number, count: number }} plan
 * @returns {Promise<Price[]>}
 */
export async function measurePrices({ port, pid }, { served, dry, absent, rounds, count }) {
  /** @type {readonly Turn[]} */
  const turns = [
    { name: READ, asking: served, kind: "read", status: 200 },
    { name: "point read, 429", asking: dry, kind: "read", status: 429 },
    { name: "write, 429", asking: dry, kind: "upsert", status: 429 },
    { name: FLOOR, asking: absent, kind: "read", status: 404 },
  ];
  /** @type {Map<string, { micros: (number | undefined)[], perSecond: number[] }>} */
  const samples = new Map(turns.map(({ name }) => [name, { micros: [], perSecond: [] }]));
  const line = new Line(port);
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const order = turns.map((_, place) => turns[(place + round) % turns.length]);
      const pools = order.map(({ asking, kind }) => asking.pool(kind, count));
      await putIntoDebt(line, dry);
      for (const [place, { name, status }] of order.entries()) {
        const figure = await turn({ port, pid, pool: pools[place], status });
        if (round === 0) continue;
        samples.get(name)?.micros.push(figure.micros);
        samples.get(name)?.perSecond.push(figure.perSecond);
      }
    }
  } finally {
    line.close();
  }
  return pricesOf(samples);
}

/** @type {(line: Line, dry: Asking) => Promise<void>} */
async function putIntoDebt(line, dry) {
  const { status, retryAfterMs } = await line.ask(dry.read());
  if (status === 429 && retryAfterMs > DEBT_MS_MIN) return;
  const answer = await askPatiently(line, dry.largeUpsert());
  if (answer.status >= 300) throw new Error(`the large write got ${answer.status}`);
}

/** @param {{ port: number, pid: number, pool: import("../client.mjs").RequestPool, status: number }} turn */
async function turn({ port, pid, pool, status }) {
  /** @type {number | undefined} */
  let before;
  const onStart = () => {
    before = cpuMicrosOf(pid);
  };
  const load = { port, pool, status, connections: CONNECTIONS, timeoutMs: TURN_MS_MAX, onStart };
  const elapsedMs = await runLoad(load);
  const after = cpuMicrosOf(pid);
  const micros =
    before === undefined || after === undefined ? undefined : (after - before) / pool.count;
  return { micros, perSecond: (pool.count / elapsedMs) * 1000 };
}

/**
 * Ratios are taken inside each round: to the served read as they are, and with the floor taken off
 * both.
 * @param {Map<string, { micros: (number | undefined)[], perSecond: number[] }>} samples
 * @returns {Price[]}
 */
function pricesOf(samples) {
  const microsOf = (/** @type {string} */ name) => samples.get(name)?.micros ?? [];
  const floors = spreadOf(microsOf(FLOOR).flatMap((micros) => micros ?? []))?.median ?? 0;
  const reads = microsOf(READ);
  return [...samples].map(([name, { micros, perSecond }]) => {
    const known = micros.flatMap((one) => one ?? []);
    const ratios = micros.flatMap((one, round) => {
      const read = reads[round];
      return one === undefined || read === undefined || read === 0 ? [] : one / read;
    });
    const median = spreadOf(known)?.median;
    const readMedian = spreadOf(reads.flatMap((one) => one ?? []))?.median;
    const above =
      median === undefined || readMedian === undefined
        ? undefined
        : (median - floors) / (readMedian - floors);
    return {
      name,
      micros: median,
      perSecond: spreadOf(perSecond)?.median ?? 0,
      ratio: spreadOf(ratios),
      above,
    };
  });
}
