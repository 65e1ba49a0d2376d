/**
 * The engine without sockets: the sources as they are, bundled and loaded into this process, over a
 * store in memory. For what is too small to be seen beside what HTTP costs.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build } from "esbuild";
import { itemTextOf, partitionKeyOf } from "./items.mjs";
import { loadedIdOf } from "./requests.mjs";

/** @typedef {typeof import("./engineParts.ts")} EngineCode the code of the server, as it is loaded */
/** @typedef {import("../src/engine/account.ts").Account} Account */
/** @typedef {Parameters<EngineCode["decodeRequest"]>[0]} WireRequest */

const ACTIVITY_ID = "00000000-0000-0000-0000-000000000000";
/** What one physical partition may have here: more than can be spent. */
export const VAST_RATE = 1_000_000;

/** No request of a benchmark asks for a resource token. */
const NO_TOKENS = {
  /** @returns {string} */
  mint() {
    throw new Error("a benchmark asked for a resource token");
  },
};

/** Who asks, as every request here is asked. */
const CONTEXT = {
  endpoint: "",
  activityId: ACTIVITY_ID,
  tokens: NO_TOKENS,
  program: () => "bench/1",
  isGone: () => false,
  replicaHost: undefined,
};

/**
 * Native code is found from where its package is, not from where the bundle lies.
 * @type {import("esbuild").Plugin}
 */
const NATIVE_PARTS = {
  name: "native parts",
  setup({ onResolve }) {
    onResolve({ filter: /^(lmdb|pg)$/ }, ({ path }) => ({
      path: import.meta.resolve(path),
      external: true,
    }));
  },
};

/**
 * @param {string} entry a file of this folder that exports what `engineParts.ts` does
 * @param {Readonly<Record<string, string>>} define what stands for a name of the sources
 * @returns {Promise<EngineCode>}
 */
export async function loadEngine(entry = "engineParts.ts", define = {}) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-engine-"));
  const outfile = join(folder, "engine.mjs");
  try {
    await build({
      entryPoints: [fileURLToPath(new URL(entry, import.meta.url))],
      bundle: true,
      platform: "node",
      target: "node20",
      format: "esm",
      define: { ORRERY_VERSION: '"bench"', ...define },
      logLevel: "warning",
      plugins: [NATIVE_PARTS],
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
   * @param {EngineCode} code
   * @param {Account} account
   */
  constructor(code, account) {
    this.#code = code;
    this.#account = account;
  }

  /**
   * @param {EngineCode} code
   * @param {{ isLimited: boolean, hasStatistics: boolean }} setting
   */
  static open(code, setting) {
    return Inside.over(code, code.EmbeddedStore.inMemory(code.realTimer), setting);
  }

  /**
   * As `open`, over a store of the caller's.
   * @param {EngineCode} code
   * @param {import("../src/store/partitionStore.ts").PartitionStore} store
   * @param {{ isLimited: boolean, hasStatistics: boolean }} setting
   */
  static async over(code, store, { isLimited, hasStatistics }) {
    const account = await code.Account.open({
      store,
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

  /**
   * @param {string} id
   * @param {number} rate
   */
  async container(id, rate) {
    const body = { id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
    await this.#create("/dbs/d/colls", body, { "x-ms-offer-throughput": String(rate) });
    const container = this.#account.catalog.container("d", id);
    if (container === undefined) throw new Error(`the container ${id} is missing`);
    return container;
  }

  /** @type {(container: string, itemCount: number) => Promise<void>} */
  async load(container, itemCount) {
    for (let index = 0; index < itemCount; index += 1) {
      const body = JSON.parse(itemTextOf(loadedIdOf(index), index, 0));
      await this.#create(`/dbs/d/colls/${container}/docs`, body, keyHeader(index));
    }
  }

  /** @type {(container: string, index: number) => WireRequest} */
  read(container, index) {
    const url = `/dbs/d/colls/${container}/docs/${loadedIdOf(index)}`;
    return this.#request("GET", url, Buffer.alloc(0), keyHeader(index));
  }

  /** @type {(container: string, index: number) => WireRequest} */
  write(container, index) {
    const body = Buffer.from(itemTextOf(loadedIdOf(index), index, 0));
    return this.#request("POST", `/dbs/d/colls/${container}/docs`, body, keyHeader(index));
  }

  /** @param {WireRequest} request */
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

  /** @type {(method: string, url: string, body: Buffer, headers: Record<string, string>) => WireRequest} */
  #request(method, url, body, headers) {
    const path = this.#code.parseResourcePath(url);
    if (path === undefined) throw new Error(`${url} is no path of the protocol`);
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
