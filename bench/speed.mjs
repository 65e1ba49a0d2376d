/**
 * The rounds: every contestant in turn, cell by cell, in another order each round.
 *
 * A cell is one workload at one connection count. All contestants stay up the whole time and are
 * measured one directly after the other, so that a slow minute of the machine hits all of them and
 * the ratios inside one round stay meaningful. The first round is thrown away.
 */
import { isDeepStrictEqual } from "node:util";
import { call, runLoad } from "./client.mjs";
import { expectStatus } from "./contestants.mjs";
import { cpuMicrosOf } from "./procfs.mjs";
import { RequestSource } from "./requests.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {import("./requests.mjs").Workload} Workload */

/**
 * One contestant in one cell of one round.
 * @typedef {object} Sample
 * @property {string} contestant its name
 * @property {Workload} workload
 * @property {number} connections
 * @property {number} round
 * @property {number} requestCount
 * @property {number} requestsPerSecond
 * @property {number | undefined} cpuMicrosPerRequest of the server
 */

/**
 * @typedef {object} SpeedPlan
 * @property {readonly Workload[]} workloads
 * @property {readonly number[]} connectionCounts
 * @property {number} rounds measured ones, after the one thrown away
 * @property {number | undefined} count requests per cell; when absent, `seconds` decides
 * @property {number} seconds
 * @property {number} itemCount loaded before the rounds
 */

const CALIBRATION_COUNT = 1000;
const COUNT_MIN = 100;
const COUNT_MAX = 60_000;
const LOAD_CHUNK_COUNT = 5000;
const LOAD_CONNECTIONS = 16;
const CELL_MS_MAX = 300_000;

/**
 * @param {readonly Server[]} servers already prepared
 * @param {SpeedPlan} plan
 * @param {(line: string) => void} progress
 * @returns {Promise<Sample[]>}
 */
export async function measureSpeed(servers, plan, progress) {
  const runners = servers.map((server) => new Runner(server, plan));
  for (const runner of runners) await runner.load(progress);
  /** @type {Sample[]} */
  const samples = [];
  for (let round = 0; round <= plan.rounds; round += 1) {
    progress(round === 0 ? "warm-up round" : `round ${round} of ${plan.rounds}`);
    const order = runners.map((_, place) => runners[(place + round) % runners.length]);
    for (const workload of plan.workloads) {
      for (const connections of plan.connectionCounts) {
        for (const runner of order) {
          const sample = await runner.measure({ workload, connections, round });
          if (round > 0) samples.push(sample);
        }
      }
    }
  }
  return samples;
}

/**
 * Creates the loaded items of a container, from 0 on.
 * @param {Server} server
 * @param {RequestSource} source
 * @param {number} itemCount
 */
export async function loadItems(server, source, itemCount) {
  for (let from = 0; from < itemCount; from += LOAD_CHUNK_COUNT) {
    await runLoad({
      port: server.port,
      pool: source.loadPool(from, Math.min(LOAD_CHUNK_COUNT, itemCount - from)),
      connections: LOAD_CONNECTIONS,
      status: 201,
      timeoutMs: CELL_MS_MAX,
    });
  }
}

/** One contestant during the rounds: its requests so far, and how fast each cell went last time. */
class Runner {
  #server;
  #plan;
  #source;
  /** @type {Map<string, number>} */
  #rates = new Map();

  /**
   * @param {Server} server
   * @param {SpeedPlan} plan
   */
  constructor(server, plan) {
    this.#server = server;
    this.#plan = plan;
    this.#source = new RequestSource({ ...server, itemCount: plan.itemCount });
  }

  /** @param {(line: string) => void} progress */
  async load(progress) {
    const { contestant } = this.#server;
    if (!contestant.isDatabase) return;
    progress(`loading ${contestant.name}`);
    await loadItems(this.#server, this.#source, this.#plan.itemCount);
  }

  /**
   * @param {{ workload: Workload, connections: number, round: number }} cell
   * @returns {Promise<Sample>}
   */
  async measure({ workload, connections, round }) {
    const { contestant } = this.#server;
    try {
      const rateKey = `${workload} ${connections}`;
      const isFirst = !this.#rates.has(rateKey);
      if (isFirst && this.#plan.count === undefined) {
        const { requestsPerSecond } = await this.#run(workload, connections, CALIBRATION_COUNT);
        this.#rates.set(rateKey, requestsPerSecond);
      }
      const count = this.#plan.count ?? countFor(this.#rates.get(rateKey) ?? 0, this.#plan.seconds);
      const measured = await this.#run(workload, connections, count);
      this.#rates.set(rateKey, measured.requestsPerSecond);
      return { contestant: contestant.name, workload, connections, round, ...measured };
    } catch (cause) {
      const cell = `${contestant.name}, ${workload}, connections: ${connections}`;
      throw new Error(`wrong answer from ${cell}`, { cause });
    }
  }

  /** @type {(workload: Workload, connections: number, count: number) => Promise<Pick<Sample, "requestCount" | "requestsPerSecond" | "cpuMicrosPerRequest">>} */
  async #run(workload, connections, count) {
    const { contestant, port, pid } = this.#server;
    const { pool, lastWritten } = this.#source.pool(workload, count);
    /** @type {number | undefined} */
    let cpuBefore;
    const elapsedMs = await runLoad({
      port,
      pool,
      connections,
      status: contestant.statusOf(workload),
      timeoutMs: CELL_MS_MAX,
      onStart: () => {
        cpuBefore = cpuMicrosOf(pid);
      },
    });
    const cpuAfter = cpuMicrosOf(pid);
    if (contestant.isDatabase && lastWritten !== undefined) await this.#readBack(lastWritten);
    const cpuMicros =
      cpuBefore === undefined || cpuAfter === undefined ? undefined : cpuAfter - cpuBefore;
    return {
      requestCount: count,
      requestsPerSecond: (count / elapsedMs) * 1000,
      cpuMicrosPerRequest: cpuMicros === undefined ? undefined : cpuMicros / count,
    };
  }

  /**
   * A status says that a write was accepted; this says that it was done.
   * @param {import("./requests.mjs").Written} written
   */
  async #readBack({ path, partitionKey, text }) {
    const headers = { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKey]) };
    const stored = JSON.parse(
      await expectStatus(200, call(this.#server, "GET", path, { headers })),
    );
    for (const [name, sent] of Object.entries(JSON.parse(text))) {
      if (!isDeepStrictEqual(stored[name], sent))
        throw new Error(`${path}: ${name} is not as sent`);
    }
  }
}

/** @type {(rate: number, seconds: number) => number} */
function countFor(rate, seconds) {
  return Math.min(Math.max(Math.round(rate * seconds), COUNT_MIN), COUNT_MAX);
}
