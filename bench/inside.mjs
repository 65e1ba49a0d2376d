/**
 * The engine without sockets: the sources as they are, bundled and loaded into this process, over a
 * store in memory. For what is too small to be seen beside what HTTP costs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { itemTextOf, partitionKeyOf } from "./items.mjs";
import { loadedIdOf } from "./requests.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const ACTIVITY_ID = "00000000-0000-0000-0000-000000000000";
const CONTEXT = { endpoint: "", activityId: ACTIVITY_ID, isGone: () => false };
/** What one physical partition may have here: more than can be spent. */
export const VAST_RATE = 1_000_000;

const ENTRY = `
export { Account } from "../src/engine/account.ts";
export { SERVICE_LIMITS } from "../src/model/limits.ts";
export { HIGH_CALLER } from "./src/model/caller.ts";
export { parseResourcePath } from "../src/protocol/request/resourcePath.ts";
export { decodeRequest } from "../src/protocol/request/decodeRequest.ts";
export { realClock, realRandom, realTimer } from "../src/server/realWorld.ts";
export { answer } from "../src/server/routes/gateway.ts";
export { EmbeddedStore } from "../src/store/embeddedStore.ts";
`;

/** @returns {Promise<any>} the exports named above */
export async function loadEngine() {
  const folder = mkdtempSync(join(tmpdir(), "orrery-engine-"));
  const outfile = join(folder, "engine.mjs");
  try {
    await build({
      stdin: { contents: ENTRY, resolveDir: root, loader: "ts" },
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      define: { ORRERY_VERSION: '"bench"' },
      logLevel: "warning",
      outfile,
    });
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** An account of that code, and requests to it as they are after HTTP. */
export class Inside {
  #code;
  #account;

  /**
   * @param {any} code
   * @param {any} account
   */
  constructor(code, account) {
    this.#code = code;
    this.#account = account;
  }

  /**
   * @param {any} code
   * @param {{ isLimited: boolean, hasStatistics: boolean }} setting
   */
  static async open(code, { isLimited, hasStatistics }) {
    const account = await code.Account.open({
      store: code.EmbeddedStore.inMemory(code.realTimer),
      clock: code.realClock,
      timer: code.realTimer,
      random: code.realRandom,
      limits: { ...code.SERVICE_LIMITS, partitionRateMax: VAST_RATE },
      rates: {
        isLimited,
        isServerless: false,
        hasBurst: false,
        manualRatePerPartition: VAST_RATE,
      },
      hasStatistics,
    });
    const inside = new Inside(code, account);
    await inside.#create("/dbs", { id: "d" }, {});
    return inside;
  }

  get account() {
    return this.#account;
  }

  /** @type {(id: string, rate: number) => Promise<any>} */
  async container(id, rate) {
    const body = { id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
    await this.#create("/dbs/d/colls", body, { "x-ms-offer-throughput": String(rate) });
    return this.#account.catalog.container("d", id);
  }

  /** @type {(container: string, itemCount: number) => Promise<void>} */
  async load(container, itemCount) {
    for (let index = 0; index < itemCount; index += 1) {
      const body = JSON.parse(itemTextOf(loadedIdOf(index), index, 0));
      await this.#create(`/dbs/d/colls/${container}/docs`, body, keyHeader(index));
    }
  }

  /** @type {(container: string, index: number) => any} */
  read(container, index) {
    const url = `/dbs/d/colls/${container}/docs/${loadedIdOf(index)}`;
    return this.#request("GET", url, Buffer.alloc(0), keyHeader(index));
  }

  /** @type {(container: string, index: number) => any} */
  write(container, index) {
    const body = Buffer.from(itemTextOf(loadedIdOf(index), index, 0));
    return this.#request("POST", `/dbs/d/colls/${container}/docs`, body, keyHeader(index));
  }

  /** @param {any} request */
  answer(request) {
    const decoded = this.#code.decodeRequest(request, this.#account);
    return this.#code.answer(this.#account, CONTEXT, decoded);
  }

  /** @type {(url: string, body: unknown, headers: Record<string, string>) => Promise<void>} */
  async #create(url, body, headers) {
    const bytes = Buffer.from(JSON.stringify(body));
    const { status, body: text } = await this.answer(this.#request("POST", url, bytes, headers));
    if (status !== 201) throw new Error(`expected 201, got ${status}: ${text}`);
  }

  /** @type {(method: string, url: string, body: Buffer, headers: Record<string, string>) => any} */
  #request(method, url, body, headers) {
    const path = this.#code.parseResourcePath(url);
    return { method, path, headers, body };
  }
}

/**
 * Processor time of each step in microseconds, round by round, in another order each round. The
 * first round is thrown away.
 * @param {readonly { name: string, run: (turn: number) => unknown }[]} steps
 * @param {{ rounds: number, count: number }} plan
 * @returns {Promise<Map<string, number[]>>}
 */
export async function measureSteps(steps, { rounds, count }) {
  /** @type {Map<string, number[]>} */
  const samples = new Map(steps.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round += 1) {
    for (let place = 0; place < steps.length; place += 1) {
      const { name, run } = steps[(place + round) % steps.length];
      const before = process.cpuUsage();
      for (let turn = 0; turn < count; turn += 1) {
        const outcome = run(turn);
        if (outcome instanceof Promise) await outcome;
      }
      const { user, system } = process.cpuUsage(before);
      if (round > 0) samples.get(name)?.push((user + system) / count);
    }
  }
  return samples;
}

/** @param {number} index */
function keyHeader(index) {
  return { "x-ms-documentdb-partitionkey": `["${partitionKeyOf(index)}"]` };
}
