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
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { environmentNow } from "./environment.mjs";
import { ONE_KEY_SHAPES, POINT_READ, SPREAD_SHAPES, smallItemTextOf } from "./growthShapes.mjs";
import { itemTextOf, randomFrom } from "./items.mjs";
import { diskBytesOf } from "./memory.mjs";
import { memoryOf } from "./procfs.mjs";
import { DATABASE, LOADED_CONTAINER, loadedIdOf } from "./requests.mjs";
import { answerTo, cpuOfTurn, skipping } from "./turns.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {import("./growthShapes.mjs").Shape} Shape */
/**
 * What a container was when it had been loaded.
 * @typedef {object} Load
 * @property {string} title
 * @property {number} itemCount
 * @property {number} textBytes of all items
 * @property {number} diskBytes
 * @property {number} ownBytes of the server's own memory
 * @property {number | undefined} itemsPerSecond by import; undefined where it was loaded before
 */
/**
 * @typedef {object} GrowthReport what `--json` writes
 * @property {import("./environment.mjs").Environment} environment
 * @property {Readonly<Record<string, readonly number[]>>} figures by "<shape> at <title>"
 * @property {readonly Load[]} loads
 */
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
/** Time for what was written to be absorbed, and for memory to come to rest. */
const SETTLE_MS = options.smoke ? 0 : 5000;
const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../dist/cli.js");
if (options.help) console.log(USAGE);
else await main();

async function main() {
  const listOf = (/** @type {string} */ text) => text.split(",").filter(Boolean).map(Number);
  const sizes = options.smoke ? [1_000, 2_000] : listOf(options.sizes);
  const oneKeySizes = options.smoke ? [3_000] : listOf(options["one-key"]);
  const environment = environmentNow();
  /** @type {Grown[]} */
  const grown = [];
  /** @type {Load[]} */
  const loads = [];
  try {
    for (const itemCount of sizes) {
      const textOf = (/** @type {number} */ index) => itemTextOf(loadedIdOf(index), index, 0);
      const shapes = chosen(SPREAD_SHAPES);
      await grow({ title: `${itemCount}`, itemCount, shapes, textOf }, grown, loads);
    }
    for (const itemCount of oneKeySizes) {
      const title = `${itemCount} of a key`;
      const shapes = chosen(ONE_KEY_SHAPES);
      await grow({ title, itemCount, shapes, textOf: smallItemTextOf }, grown, loads);
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
      /** @type {GrowthReport} */
      const all = { environment, figures: Object.fromEntries(figures), loads };
      writeFileSync(options.json, JSON.stringify(all, undefined, 2));
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

/** @type {(kind: { title: string, itemCount: number, shapes: readonly Shape[], textOf: (index: number) => string }, grown: Grown[], loads: Load[]) => Promise<void>} */
async function grow({ title, itemCount, shapes, textOf }, grown, loads) {
  const folder =
    options.data === undefined
      ? mkdtempSync(join(tmpdir(), "orrery-growth-"))
      : join(options.data, title.replaceAll(" ", "-"));
  const isLoaded = existsSync(folder) && options.data !== undefined;
  const server = await start(CONTESTANTS.orrery, join(folder, "data"));
  grown.push({ server, itemCount, folder, title, shapes });
  if (!isLoaded) await prepare(server);
  const seconds = isLoaded ? undefined : await load(server, itemCount, textOf);
  await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
  const loaded = {
    title,
    itemCount,
    textBytes: itemCount * textOf(0).length,
    diskBytes: diskBytesOf(folder),
    ownBytes: memoryOf(server.pid)?.anonymous ?? Number.NaN,
    itemsPerSecond: seconds && itemCount / seconds,
  };
  loads.push(loaded);
  console.log(
    `${title} items: ${loaded.itemsPerSecond?.toFixed(0) ?? "n/a"} items/s by import, ` +
      `${(loaded.ownBytes / 2 ** 20).toFixed(0)} MiB of own memory, ` +
      `${(loaded.diskBytes / loaded.textBytes).toFixed(2)} times their bytes on disk`,
  );
}

/** Resolves with how many seconds it took. @type {(server: Server, itemCount: number, textOf: (index: number) => string) => Promise<number>} */
async function load(server, itemCount, textOf) {
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
  return (performance.now() - startedAt) / 1000;
}

/** @type {(grown: Grown, shape: Shape) => Promise<void>} */
async function check(grown, shape) {
  const { itemCount, title } = grown;
  const { name, ask, status = 200, rows, skipsPages = 0 } = shape;
  const asked = ask(itemCount >> 1, itemCount);
  const wanted = typeof rows === "function" ? rows(itemCount) : rows;
  let next = await skipping(grown.server, asked, skipsPages);
  let found = 0;
  for (;;) {
    const { text, headers } = await answerTo(grown.server, next, status);
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
        const count = options.smoke ? 5 : shape.count;
        const micros = await cpuOfTurn(each.server, each.itemCount, shape, { count, random });
        const name = `${shape.name} at ${each.title}`;
        if (round > 0) figures.set(name, [...(figures.get(name) ?? []), micros]);
      }
    }
  }
  return figures;
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
