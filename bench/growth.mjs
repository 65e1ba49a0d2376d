/**
 * Growth: what a request costs the server as its container grows. One server for each size, all up
 * at once, asked in turn; server CPU per request, and beside it the multiple of a point read of the
 * same server and round. Exits with 1 only when an answer was wrong.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { call, runLoad } from "./client.mjs";
import { CONTESTANTS, expectStatus, prepare, start } from "./contestants.mjs";
import { itemTextOf, PARTITION_KEY_COUNT, partitionKeyOf, randomFrom } from "./items.mjs";
import { cpuMicrosOf, memoryOf } from "./procfs.mjs";
import {
  CREATED_CONTAINER,
  DATABASE,
  itemsPathOf,
  LOADED_CONTAINER,
  loadedIdOf,
  packed,
} from "./requests.mjs";
import { authorizationOf } from "./signing.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {{ server: Server, itemCount: number, folder: string }} Grown */
/**
 * @typedef {object} Shape
 * @property {string} name
 * @property {number} count requests in one turn
 * @property {number} [status] 200 where it is absent
 * @property {(index: number) => Asked} ask
 * @property {number | ((itemCount: number) => number)} [rows] of one answer, which is checked once
 */
/** @typedef {{ verb: string, path: string, headers?: Record<string, string>, body?: string }} Asked */

const USAGE = `Usage: npm run bench growth -- [options]

  --smoke        1,000 and 2,000 items, once
  --sizes LIST   numbers of items of 1 KB over 100 keys (default 10000,100000,1000000)
  --rounds N     measured rounds; one more is thrown away (default 3)
  --only TEXT    shapes whose name holds this text, and the point read
  --json FILE    all figures as JSON
`;
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    sizes: { type: "string", default: "10000,100000,1000000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const CONNECTIONS = 8;
const LOAD_MS_MAX = 300_000;
const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../dist/cli.js");
const loaded = itemsPathOf(LOADED_CONTAINER);
const itemAt = (/** @type {number} */ index) => JSON.parse(itemTextOf(loadedIdOf(index), index, 0));

/** @type {(text: string, parameters: Record<string, unknown>, index?: number, more?: Record<string, string>) => Asked} */
function query(text, parameters, index, more = {}) {
  const list = Object.entries(parameters).map(([name, value]) => ({ name: `@${name}`, value }));
  return {
    verb: "POST",
    path: loaded,
    headers: {
      "content-type": "application/query+json",
      "x-ms-documentdb-isquery": "true",
      ...(index === undefined
        ? { "x-ms-documentdb-query-enablecrosspartition": "true", "x-orrery-merge-query": "true" }
        : { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]) }),
      ...more,
    },
    body: JSON.stringify({ query: text, parameters: list }),
  };
}

const pageOf100 = { "x-ms-max-item-count": "100" };
let createdCount = 0;

/** @type {readonly Shape[]} */
const SHAPES = [
  {
    name: "point read",
    count: 4000,
    ask: (index) => ({
      verb: "GET",
      path: `${loaded}/${loadedIdOf(index)}`,
      headers: { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]) },
    }),
  },
  {
    name: "equality, no key",
    count: 800,
    rows: 1,
    ask: (index) => query("SELECT * FROM c WHERE c.sku = @s", { s: itemAt(index).sku }),
  },
  {
    name: "equality, key in header",
    count: 800,
    rows: 1,
    ask: (index) => query("SELECT * FROM c WHERE c.sku = @s", { s: itemAt(index).sku }, index),
  },
  {
    name: "equality, key in header and filter",
    count: 800,
    rows: 1,
    ask: (index) =>
      query(
        "SELECT * FROM c WHERE c.pk = @pk AND c.sku = @s",
        { pk: partitionKeyOf(index), s: itemAt(index).sku },
        index,
      ),
  },
  {
    name: "TOP 10 ORDER BY in a key",
    count: 100,
    rows: 10,
    ask: (index) =>
      query(
        "SELECT TOP 10 * FROM c WHERE c.pk = @pk ORDER BY c.price DESC",
        { pk: partitionKeyOf(index) },
        index,
      ),
  },
  {
    name: "COUNT in a key",
    count: 400,
    rows: 1,
    ask: (index) =>
      query("SELECT VALUE COUNT(1) FROM c WHERE c.pk = @pk", { pk: partitionKeyOf(index) }, index),
  },
  {
    name: "first 100 items of a key",
    count: 100,
    rows: (itemCount) => Math.min(100, Math.floor(itemCount / PARTITION_KEY_COUNT)),
    ask: (index) =>
      query("SELECT * FROM c WHERE c.pk = @pk", { pk: partitionKeyOf(index) }, index, pageOf100),
  },
  {
    name: "TOP 10 ORDER BY",
    count: 200,
    rows: 10,
    ask: () => query("SELECT TOP 10 * FROM c ORDER BY c.price DESC", {}),
  },
  {
    name: "COUNT",
    count: 800,
    rows: 1,
    ask: () => query("SELECT VALUE COUNT(1) FROM c", {}),
  },
  {
    name: "feed page of 100",
    count: 100,
    ask: () => ({
      verb: "GET",
      path: loaded,
      headers: { "a-im": "Incremental feed", "x-ms-max-item-count": "100" },
    }),
  },
  {
    name: "create",
    count: 1500,
    status: 201,
    ask: () => {
      const index = createdCount++;
      return {
        verb: "POST",
        path: itemsPathOf(CREATED_CONTAINER),
        headers: { "x-ms-documentdb-partitionkey": JSON.stringify([partitionKeyOf(index)]) },
        body: itemTextOf(`created-${index}`, index, 0),
      };
    },
  },
];

if (options.help) console.log(USAGE);
else await main();

async function main() {
  const sizes = options.smoke ? [1_000, 2_000] : options.sizes.split(",").map(Number);
  const shapes = SHAPES.filter(
    ({ name }, at) => at === 0 || options.only === undefined || name.includes(options.only),
  );
  /** @type {Grown[]} */
  const grown = [];
  try {
    for (const itemCount of sizes) grown.push(await grow(itemCount));
    for (const each of grown) for (const shape of shapes) await check(each, shape);
    const figures = await measure(grown, shapes);
    report(grown, shapes, figures);
  } finally {
    for (const { server, folder } of grown) {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** @type {(itemCount: number) => Promise<Grown>} */
async function grow(itemCount) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-growth-"));
  const server = await start(CONTESTANTS.orrery, join(folder, "data"));
  await prepare(server);
  const startedAt = performance.now();
  const place = ["--endpoint", `http://127.0.0.1:${server.port}`, "--key", server.key];
  const args = ["import", `${DATABASE}/${LOADED_CONTAINER}`, "-", "--format", "ndjson", ...place];
  const importing = spawn(process.execPath, [cli, ...args], {
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = once(importing, "close");
  for (let from = 0; from < itemCount; from += 1000) {
    let text = "";
    for (let index = from; index < Math.min(itemCount, from + 1000); index++) {
      text += `${itemTextOf(loadedIdOf(index), index, 0)}\n`;
    }
    if (!importing.stdin.write(text)) await once(importing.stdin, "drain");
  }
  importing.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const own = (memoryOf(server.pid)?.anonymous ?? Number.NaN) / 2 ** 20;
  console.log(
    `${itemCount} items: ${Math.round(itemCount / seconds)} items/s by import, ` +
      `${own.toFixed(0)} MB of own memory after it`,
  );
  return { server, itemCount, folder };
}

/** @type {(grown: Grown, shape: Shape) => Promise<void>} */
async function check({ server, itemCount }, { name, ask, status = 200, rows }) {
  const { verb, path, headers = {}, body } = ask(itemCount >> 1);
  const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
  const { "content-type": type, ...others } = headers;
  const text = await expectStatus(
    status,
    call(
      server,
      verb,
      path,
      type === undefined ? sent : { ...sent, headers: { ...others, "content-type": type } },
    ),
  );
  const wanted = typeof rows === "function" ? rows(itemCount) : rows;
  const found = JSON.parse(text).Documents?.length;
  if (wanted === undefined || found === wanted) return;
  console.error(`wrong: ${name} gave ${found} rows of ${wanted} at ${itemCount} items`);
  process.exitCode = 1;
}

/**
 * Server CPU per request in microseconds, by size and shape, a figure for each round.
 * @type {(grown: readonly Grown[], shapes: readonly Shape[]) => Promise<Map<string, number[]>>}
 */
async function measure(grown, shapes) {
  const rounds = options.smoke ? 1 : Number(options.rounds);
  const random = randomFrom(11);
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  for (let round = 0; round <= rounds; round++) {
    for (const shape of shapes) {
      for (const each of grown) {
        const micros = await turn(each, shape, random);
        const name = `${shape.name} at ${each.itemCount}`;
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), micros]);
      }
    }
  }
  return figures;
}

/** @type {(grown: Grown, shape: Shape, random: () => number) => Promise<number>} */
async function turn({ server, itemCount }, { ask, count, status = 200 }, random) {
  const keyBytes = Buffer.from(server.key, "base64");
  const date = new Date().toUTCString();
  const many = options.smoke ? 5 : count;
  const pool = packed(many, () => {
    const { verb, path, headers = {}, body } = ask(Math.floor(random() * itemCount));
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head =
      `${verb} ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nx-ms-date: ${date}\r\n` +
      `authorization: ${authorizationOf(keyBytes, verb, path, date)}\r\n` +
      `x-ms-version: 2020-07-15\r\n${lines.join("")}`;
    return body === undefined
      ? `${head}\r\n`
      : `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  });
  const { port, pid } = server;
  const before = cpuMicrosOf(pid) ?? 0;
  await runLoad({ port, pool, connections: CONNECTIONS, status, timeoutMs: LOAD_MS_MAX });
  return ((cpuMicrosOf(pid) ?? 0) - before) / many;
}

/** @type {(grown: readonly Grown[], shapes: readonly Shape[], figures: Map<string, number[]>) => void} */
function report(grown, shapes, figures) {
  const median = (/** @type {readonly number[]} */ list) =>
    list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
  const at = (/** @type {string} */ name, /** @type {number} */ itemCount) =>
    figures.get(`${name} at ${itemCount}`) ?? [];
  const sizes = grown.map(({ itemCount }) => itemCount);
  console.log(
    `\n${"server CPU, µs".padEnd(36)}${sizes.map((n) => String(n).padStart(18)).join("")}`,
  );
  for (const { name } of shapes) {
    const cells = sizes.map((itemCount) => {
      const micros = at(name, itemCount);
      const reads = at("point read", itemCount);
      const ratio = median(micros.map((one, round) => one / (reads[round] ?? Number.NaN)));
      return `${median(micros).toFixed(0)} (${ratio.toFixed(1)} x)`.padStart(18);
    });
    console.log(`${name.padEnd(36)}${cells.join("")}`);
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, JSON.stringify(Object.fromEntries(figures), undefined, 2));
  }
}
