/**
 * Growth: what a request costs the server as its container grows. One server for each size, all up
 * at once, asked in turn; server CPU per request, and beside it the multiple of a point read of the
 * same server and round. Exits with 1 only when an answer was wrong.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { call, runLoad } from "./client.mjs";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { ONE_KEY_SHAPES, POINT_READ, SPREAD_SHAPES, smallItemTextOf } from "./growthShapes.mjs";
import { itemTextOf, randomFrom } from "./items.mjs";
import { cpuMicrosOf, memoryOf } from "./procfs.mjs";
import { DATABASE, LOADED_CONTAINER, loadedIdOf, packed } from "./requests.mjs";
import { authorizationOf } from "./signing.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {import("./growthShapes.mjs").Shape} Shape */
/** @typedef {import("./growthShapes.mjs").Asked} Asked */
/**
 * @typedef {object} Grown
 * @property {Server} server
 * @property {number} itemCount
 * @property {string} folder
 * @property {string} title what its column is called
 * @property {readonly Shape[]} shapes
 */

const USAGE = `Usage: npm run bench growth -- [options]

  --smoke        1,000 and 2,000 items, 3,000 in one logical partition, once
  --sizes LIST   numbers of items of 1 KB over 100 keys (default 10000,100000,1000000)
  --one-key LIST numbers of items of 300 bytes in one logical partition (default 10000,200000)
  --rounds N     measured rounds; one more is thrown away (default 3)
  --only TEXT    shapes whose name holds this text, and the point read
  --data FOLDER  where the servers keep their items; those of a run before are taken again
  --json FILE    all figures as JSON
`;
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    sizes: { type: "string", default: "10000,100000,1000000" },
    "one-key": { type: "string", default: "10000,200000" },
    rounds: { type: "string", default: "3" },
    only: { type: "string" },
    data: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const CONNECTIONS = 8;
const LOAD_MS_MAX = 300_000;
const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../dist/cli.js");
if (options.help) console.log(USAGE);
else await main();

async function main() {
  const listOf = (/** @type {string} */ text) => text.split(",").filter(Boolean).map(Number);
  const sizes = options.smoke ? [1_000, 2_000] : listOf(options.sizes);
  const oneKeySizes = options.smoke ? [3_000] : listOf(options["one-key"]);
  /** @type {Grown[]} */
  const grown = [];
  try {
    for (const itemCount of sizes) {
      const textOf = (/** @type {number} */ index) => itemTextOf(loadedIdOf(index), index, 0);
      grown.push(await grow(`${itemCount}`, itemCount, textOf, chosen(SPREAD_SHAPES)));
    }
    for (const itemCount of oneKeySizes) {
      grown.push(
        await grow(`${itemCount} of a key`, itemCount, smallItemTextOf, chosen(ONE_KEY_SHAPES)),
      );
    }
    for (const each of grown) for (const shape of each.shapes) await check(each, shape);
    const figures = await measure(grown);
    report(
      grown.filter(({ title, itemCount }) => title === `${itemCount}`),
      figures,
    );
    report(
      grown.filter(({ title, itemCount }) => title !== `${itemCount}`),
      figures,
    );
    if (options.json !== undefined) {
      writeFileSync(options.json, JSON.stringify(Object.fromEntries(figures), undefined, 2));
    }
  } finally {
    for (const { server, folder } of grown) {
      await server.stop();
      if (options.data === undefined) rmSync(folder, { recursive: true, force: true });
    }
  }
}

/** @type {(shapes: readonly Shape[]) => readonly Shape[]} */
function chosen(shapes) {
  const { only } = options;
  return shapes.filter(
    ({ name }) => name === POINT_READ || only === undefined || name.includes(only),
  );
}

/** @type {(title: string, itemCount: number, textOf: (index: number) => string, shapes: readonly Shape[]) => Promise<Grown>} */
async function grow(title, itemCount, textOf, shapes) {
  const folder =
    options.data === undefined
      ? mkdtempSync(join(tmpdir(), "orrery-growth-"))
      : join(options.data, title.replaceAll(" ", "-"));
  const isLoaded = existsSync(folder) && options.data !== undefined;
  const server = await start(CONTESTANTS.orrery, join(folder, "data"));
  const grown = { server, itemCount, folder, title, shapes };
  if (!isLoaded) {
    await prepare(server);
    await load(grown, textOf);
  }
  return grown;
}

/** @type {(grown: Grown, textOf: (index: number) => string) => Promise<void>} */
async function load({ server, itemCount, title }, textOf) {
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
      text += `${textOf(index)}\n`;
    }
    if (!importing.stdin.write(text)) await once(importing.stdin, "drain");
  }
  importing.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const seconds = (performance.now() - startedAt) / 1000;
  const own = (memoryOf(server.pid)?.anonymous ?? Number.NaN) / 2 ** 20;
  console.log(
    `${title} items: ${Math.round(itemCount / seconds)} items/s by import, ` +
      `${own.toFixed(0)} MB of own memory after it`,
  );
}

/** @type {(grown: Grown, shape: Shape) => Promise<void>} */
async function check(grown, shape) {
  const { itemCount, title } = grown;
  const { name, ask, status = 200, rows, skipsPages = 0 } = shape;
  const asked = ask(itemCount >> 1, itemCount);
  const wanted = typeof rows === "function" ? rows(itemCount) : rows;
  let next = await skipping(grown, asked, skipsPages);
  let found = 0;
  for (;;) {
    const { text, headers } = await answerTo(grown, next, status);
    found += JSON.parse(text).Documents?.length ?? 0;
    const continuation = headers["x-ms-continuation"];
    // On a busy machine the time of a page may be up before it is full.
    if (wanted === undefined || found >= wanted || typeof continuation !== "string") break;
    next = { ...asked, headers: { ...asked.headers, "x-ms-continuation": continuation } };
  }
  if (wanted === undefined || found === wanted) return;
  console.error(`wrong: ${name} gave ${found} rows of ${wanted} at ${title} items`);
  process.exitCode = 1;
}

/** @type {(grown: Grown, asked: Asked, status: number) => Promise<{ text: string, headers: import("node:http").IncomingHttpHeaders }>} */
async function answerTo({ server }, { verb, path, headers = {}, body }, status) {
  const sent = body === undefined ? { headers } : { headers, body: JSON.parse(body) };
  const answer = await call(server, verb, path, sent);
  if (answer.status === status) return answer;
  throw new Error(`expected ${status}, got ${answer.status}: ${answer.text}`);
}

/**
 * What asks for the page that comes after so many pages.
 * @type {(grown: Grown, asked: Asked, pageCount: number) => Promise<Asked>}
 */
async function skipping(grown, asked, pageCount) {
  let next = asked;
  for (let count = 0; count < pageCount; count++) {
    const { headers } = await answerTo(grown, next, 200);
    const continuation = headers["x-ms-continuation"];
    if (typeof continuation !== "string") throw new Error("there are fewer pages");
    next = { ...asked, headers: { ...asked.headers, "x-ms-continuation": continuation } };
  }
  return next;
}

/**
 * Server CPU per request in microseconds, by size and shape, a figure for each round.
 * @type {(grown: readonly Grown[]) => Promise<Map<string, number[]>>}
 */
async function measure(grown) {
  const rounds = options.smoke ? 1 : Number(options.rounds);
  const random = randomFrom(11);
  /** @type {Map<string, number[]>} */
  const figures = new Map();
  const shapeCount = Math.max(...grown.map(({ shapes }) => shapes.length));
  for (let round = 0; round <= rounds; round++) {
    for (let at = 0; at < shapeCount; at++) {
      for (const each of grown) {
        const shape = each.shapes[at];
        if (shape === undefined) continue;
        const micros = await turn(each, shape, random);
        const name = `${shape.name} at ${each.title}`;
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), micros]);
      }
    }
  }
  return figures;
}

/** @type {(grown: Grown, shape: Shape, random: () => number) => Promise<number>} */
async function turn(grown, shape, random) {
  const { server, itemCount } = grown;
  const { ask, count, status = 200, skipsPages = 0 } = shape;
  const keyBytes = Buffer.from(server.key, "base64");
  const date = new Date().toUTCString();
  const many = options.smoke ? 5 : count;
  const later = skipsPages === 0 ? undefined : await skipping(grown, ask(0, itemCount), skipsPages);
  const pool = packed(many, () => {
    const asked = later ?? ask(Math.floor(random() * itemCount), itemCount);
    const { verb, path, headers = {}, body } = asked;
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

/** @type {(grown: readonly Grown[], figures: Map<string, number[]>) => void} */
function report(grown, figures) {
  if (grown[0] === undefined) return;
  const median = (/** @type {readonly number[]} */ list) =>
    list.toSorted((a, b) => a - b)[list.length >> 1] ?? Number.NaN;
  const at = (/** @type {string} */ name, /** @type {string} */ title) =>
    figures.get(`${name} at ${title}`) ?? [];
  const titles = grown.map(({ title }) => title);
  console.log(`\n${"server CPU, µs".padEnd(42)}${titles.map((n) => n.padStart(18)).join("")}`);
  for (const { name } of grown[0].shapes) {
    const cells = titles.map((title) => {
      const micros = at(name, title);
      const reads = at(POINT_READ, title);
      const ratio = median(micros.map((one, round) => one / (reads[round] ?? Number.NaN)));
      return `${median(micros).toFixed(0)} (${ratio.toFixed(1)} x)`.padStart(18);
    });
    console.log(`${name.padEnd(42)}${cells.join("")}`);
  }
}
