/**
 * `orrery import` beside a bare `JSON.parse` of every line of the same file, in the same run: items of
 * about 1 KB into a container with the default indexing policy, on a server with its data on disk.
 *
 * The data is made from a seed and written to a temporary folder, which is removed at the end. Parsing
 * is what no import of JSON can do without; the ratio says how much the rest adds. CPU times are beside
 * the elapsed ones, because importer, server and parser share the machine with whoever else is there.
 * Exits with 1 only when an item is missing; a ratio never fails a run.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  closeSync,
  mkdtempSync,
  openSync,
  readSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { text } from "node:stream/consumers";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { environmentNow } from "./environment.mjs";
import { cpuMicrosOf, memoryOf } from "./procfs.mjs";

const USAGE = `Usage: npm run bench import -- [options]

  --smoke          2 MB
  --bytes SIZE     how much to import, such as 100mb or 1gb (default 200mb)
  --concurrency N  as of \`orrery import\`
  --json FILE      the figures as JSON
`;

const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    bytes: { type: "string" },
    concurrency: { type: "string" },
    json: { type: "string" },
    help: { type: "boolean", default: false },
  },
});
const CHUNK_BYTES = 1024 * 1024;
const WATCH_MS = 50;
const SEED = 20_240_101;
const WORDS = "north wind and sun were disputing which was stronger when a traveller came".split(
  " ",
);
/** @type {import("node:child_process").ChildProcess[]} */
const children = [];
const cli = join(dirname(fileURLToPath(import.meta.url)), "../dist/cli.js");

/**
 * @typedef {object} ImportReport what `--json` writes
 * @property {import("./environment.mjs").Environment} environment
 * @property {number} itemCount
 * @property {number} fileBytes
 * @property {{ seconds: number, cpuSeconds: number }} parse
 * @property {{ seconds: number, cpuSeconds: number | undefined }} importer
 * @property {{ cpuSeconds: number | undefined }} server
 */
if (options.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), "orrery-import-"));
  for (const signal of ["SIGINT", "SIGTERM"]) process.once(signal, () => abandon(folder));
  try {
    await main(folder, bytesOf(options.bytes ?? (options.smoke ? "2mb" : "200mb")));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {(folder: string, bytes: number) => Promise<void>} */
async function main(folder, bytes) {
  const environment = environmentNow();
  const file = join(folder, "items.ndjson");
  const { itemCount, fileBytes } = writeItems(file, bytes);
  console.log(
    `${count(itemCount)} items, ${mb(fileBytes)}, ${Math.round(fileBytes / itemCount)} B each`,
  );
  const parse = parseAll(file, itemCount);
  console.log(
    `bare JSON.parse     ${parse.seconds.toFixed(2)} s (${parse.cpuSeconds.toFixed(2)} s of CPU), ` +
      `${count(itemCount / parse.seconds)} items/s`,
  );
  const { imported, importer, server } = await importAll(folder, file);
  if (imported !== itemCount) fail(`${imported} of ${itemCount} items are there`);
  console.log(
    `orrery import       ${importer.seconds.toFixed(2)} s, ${count(itemCount / importer.seconds)} items/s, ` +
      `${mb(fileBytes / importer.seconds)}/s`,
  );
  for (const [name, { cpuSeconds, peakBytes }] of Object.entries({ importer, server })) {
    const cpu = cpuSeconds === undefined ? "n/a" : `${cpuSeconds.toFixed(2)} s of CPU`;
    const each =
      cpuSeconds === undefined ? "" : `, ${((cpuSeconds * 1e6) / itemCount).toFixed(1)} µs an item`;
    const peak = peakBytes === undefined ? "n/a" : mb(peakBytes);
    console.log(`  ${name.padEnd(17)} ${cpu}${each}, at most ${peak} of memory`);
  }
  console.log(
    `ratio               ${(importer.seconds / parse.seconds).toFixed(2)} times the time of parsing` +
      (importer.cpuSeconds === undefined || server.cpuSeconds === undefined
        ? ""
        : `; in CPU: importer ${(importer.cpuSeconds / parse.cpuSeconds).toFixed(2)}, ` +
          `server ${(server.cpuSeconds / parse.cpuSeconds).toFixed(2)}`),
  );
  if (options.json !== undefined) {
    const all = { environment, itemCount, fileBytes, parse, importer, server };
    writeFileSync(options.json, JSON.stringify(all, undefined, 2));
  }
}

/**
 * Reads the file in chunks, and parses each line.
 * @param {string} file
 * @param {number} itemCount
 */
function parseAll(file, itemCount) {
  const startedAt = performance.now();
  const before = process.cpuUsage();
  const handle = openSync(file, "r");
  let [items, rest] = [0, Buffer.alloc(0)];
  for (;;) {
    const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
    const read = readSync(handle, chunk, 0, CHUNK_BYTES, null);
    if (read === 0) break;
    const bytes = Buffer.concat([rest, chunk.subarray(0, read)]);
    let from = 0;
    for (let end = bytes.indexOf(10); end !== -1; end = bytes.indexOf(10, from)) {
      if (JSON.parse(bytes.toString("utf8", from, end)).id !== undefined) items++;
      from = end + 1;
    }
    rest = bytes.subarray(from);
  }
  closeSync(handle);
  if (items !== itemCount) fail(`${items} of ${itemCount} items were parsed`);
  const { user, system } = process.cpuUsage(before);
  return { seconds: (performance.now() - startedAt) / 1000, cpuSeconds: (user + system) / 1e6 };
}

/**
 * Starts a server, imports the file into it and counts what is there.
 * @param {string} folder
 * @param {string} file
 */
async function importAll(folder, file) {
  const data = join(folder, "data");
  const child = launch(["start", "--json", "--port", "0", "--data", data, "--no-rate-limit"]);
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const { endpoint } = JSON.parse(line);
    const place = ["bench/items", "--endpoint", endpoint];
    const serverWatch = watch(child.pid);
    const startedAt = performance.now();
    const importing = launch([
      ...["import", ...place, file, "--create", "--partition-key", "/tenantId"],
      ...(options.concurrency === undefined ? [] : ["--concurrency", options.concurrency]),
    ]);
    const importerWatch = watch(importing.pid);
    const said = Promise.all([text(importing.stdout), text(importing.stderr)]);
    await once(importing, "close");
    const seconds = (performance.now() - startedAt) / 1000;
    const [importer, server] = [importerWatch(), serverWatch()];
    if (importing.exitCode !== 0) fail((await said).join(""));
    const query = ["query", "SELECT VALUE COUNT(1) FROM c", "--container", ...place];
    const counting = launch(query);
    const imported = Number(await text(counting.stdout));
    return { imported, importer: { ...importer, seconds }, server };
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
  }
}

/** @param {readonly string[]} args */
function launch(args) {
  const child = spawn(process.execPath, [cli, ...args], { stdio: ["ignore", "pipe", "pipe"] });
  children.push(child);
  return child;
}

/**
 * Ends the run early: neither a process nor a file of it is left.
 * @param {string} folder
 */
function abandon(folder) {
  for (const child of children) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
  process.exit(1);
}

/**
 * Looks at a process again and again; the function that is returned ends it and says what was seen. Memory
 * is what the process took for itself: pages of the tables that the system maps come and go with the cache.
 * @param {number | undefined} pid nothing for a process that did not start
 */
function watch(pid) {
  if (pid === undefined) throw new Error("the process did not start");
  const before = cpuMicrosOf(pid) ?? 0;
  /** @type {number | undefined} */
  let peakBytes;
  /** @type {number | undefined} */
  let cpuMicros;
  const look = () => {
    const own = memoryOf(pid)?.anonymous ?? NaN;
    if (Number.isFinite(own)) peakBytes = Math.max(peakBytes ?? 0, own);
    const cpu = cpuMicrosOf(pid);
    if (cpu !== undefined && cpu > 0) cpuMicros = cpu;
  };
  const timer = setInterval(look, WATCH_MS);
  return () => {
    clearInterval(timer);
    look();
    return {
      peakBytes,
      cpuSeconds: cpuMicros === undefined ? undefined : (cpuMicros - before) / 1e6,
    };
  };
}

/**
 * Writes items until there are enough bytes.
 * @param {string} file
 * @param {number} bytes
 */
function writeItems(file, bytes) {
  const random = randomOf(SEED);
  const handle = openSync(file, "w");
  let [text, fileBytes, itemCount] = ["", 0, 0];
  while (fileBytes + text.length < bytes) {
    text += `${JSON.stringify(itemOf(itemCount++, random))}\n`;
    if (text.length < CHUNK_BYTES) continue;
    fileBytes += writeSync(handle, text);
    text = "";
  }
  fileBytes += writeSync(handle, text);
  closeSync(handle);
  return { itemCount, fileBytes };
}

/** @param {number} seed */
function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

/** @param {number} index @param {() => number} random */
function itemOf(index, random) {
  const upTo = (/** @type {number} */ most) => Math.floor(random() * most);
  const one = (/** @type {string[]} */ ...values) => values[upTo(values.length)];
  const words = (/** @type {number} */ length) =>
    Array.from({ length }, () => one(...WORDS)).join(" ");
  const tenant = upTo(2_000);
  return {
    id: `order-${index.toString(36).padStart(8, "0")}`,
    tenantId: `tenant-${tenant}`,
    userId: `user-${tenant * 1_000 + upTo(500)}`,
    type: one("order", "invoice", "refund"),
    status: one("new", "paid", "shipped", "closed"),
    createdAt: new Date(Date.UTC(2024, 0, 1) + index * 2_600 + upTo(5_000)).toISOString(),
    amount: upTo(100_000) / 100,
    quantity: 1 + upTo(20),
    isPaid: random() < 0.5,
    currency: one("EUR", "USD", "GBP"),
    address: { street: `Street ${upTo(100_000)}`, zip: String(10_000 + upTo(90_000)) },
    customer: { name: `Customer ${upTo(30_000)}`, tier: one("gold", "silver", "bronze") },
    lines: Array.from({ length: 3 }, () => ({ sku: `SKU-${upTo(20_000)}`, count: upTo(9) })),
    tags: ["a", "b", "c"].slice(0, 1 + upTo(3)),
    note: words(70),
  };
}

/** @param {string} text such as 100mb */
function bytesOf(text) {
  const [, amount, unit = ""] = /^(\d+)(kb|mb|gb)$/i.exec(text) ?? [];
  const bytes = Number(amount) * 1024 ** (1 + ["kb", "mb", "gb"].indexOf(unit.toLowerCase()));
  if (bytes > 0 && bytes <= 8 * 1024 ** 3) return bytes;
  throw new Error(`--bytes is "${text}"; it must be such as 100mb, up to 8gb\n\n${USAGE}`);
}

/** @param {number} bytes */
function mb(bytes) {
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

/** @param {number} number */
function count(number) {
  return Math.round(number).toLocaleString("en-US");
}

/** @param {string} what */
function fail(what) {
  console.error(`wrong: ${what}`);
  process.exitCode = 1;
}
