/**
 * The web page beside a large container: how long the server takes for what each page asks, and
 * what point reads cost while somebody looks. A real Chromium opens the pages; reads with and
 * without it take turns on one server. Exits with 1 when an answer was wrong, and only then.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { build } from "esbuild";
import { call, runLoad } from "./client.mjs";
import { expectStatus } from "./contestants.mjs";
import { itemTextOf, randomFrom } from "./items.mjs";
import { cpuMicrosOf } from "./procfs.mjs";
import { packed } from "./requests.mjs";
import { authorizationOf } from "./signing.mjs";

/** @typedef {{ endpoint: string, port: number, key: string, pid: number, explorer: string }} Target */

const USAGE = `Usage: npm run bench page -- [options]

  --smoke          1,000 items in 4 physical partitions, once
  --items N        how many items of 1 KB (default 1000000)
  --partitions N   how many physical partitions (default 200)
  --rounds N       turns of point reads with and without an open page (default 6)
`;
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    items: { type: "string", default: "1000000" },
    partitions: { type: "string", default: "200" },
    rounds: { type: "string", default: "6" },
    help: { type: "boolean", default: false },
  },
});
const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../dist/cli.js");
const DATABASE = "bench";
const CONTAINER = "large";
const KEY_COUNT = 50_000;
/** Less than the service has, so that many physical partitions stay within the highest rate. */
const RU_PER_PARTITION = 1_000;
const READ_COUNT = 20_000;
const CONNECTIONS = 16;
/** Longer than any page waits before it asks again. */
const LOOK_MS = 12_000;
const LOAD_MS_MAX = 120_000;

const PAGES = {
  overview: "",
  explorer: `explorer/${DATABASE}/${CONTAINER}`,
  partitions: `partitions/${DATABASE}/${CONTAINER}`,
  lab: "lab",
  jobs: "jobs",
  alerts: "alerts",
  requests: "requests",
  settings: "settings",
};

if (options.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), "orrery-page-"));
  const limits = [
    ["--limit", `partitionRate=${RU_PER_PARTITION}`],
    ["--manual-rate-per-partition", `${RU_PER_PARTITION}`],
    ["--no-rate-limit"],
  ].flat();
  const args = [cli, "start", "--json", "--port", "0", "--data", folder];
  const child = spawn(process.execPath, [...args, ...limits], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    const ready = JSON.parse(line);
    const port = Number(new URL(ready.endpoint).port);
    const explorer = new URL("/_explorer/", ready.endpoint).href;
    await main({ ...ready, port, pid: child.pid ?? 0, explorer });
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param {Target} server */
async function main(server) {
  const itemCount = options.smoke ? 1_000 : Number(options.items);
  const partitionCount = options.smoke ? 4 : Number(options.partitions);
  await fill(server, itemCount, partitionCount);
  const { launchBrowser } = await browserCode();
  const browser = await launchBrowser();
  try {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    for (const [name, path] of Object.entries(PAGES)) await look(page, server, name, path);
    await page.goto("about:blank");
    await compareReads(page, server, itemCount);
  } finally {
    await browser.close();
  }
}

/** @type {(server: Target, itemCount: number, partitionCount: number) => Promise<void>} */
async function fill(server, itemCount, partitionCount) {
  const partitionKey = { paths: ["/pk"], kind: "Hash", version: 2 };
  const headers = { "x-ms-offer-throughput": String(partitionCount * RU_PER_PARTITION) };
  await expectStatus(201, call(server, "POST", "/dbs", { body: { id: DATABASE } }));
  const body = { id: CONTAINER, partitionKey };
  await expectStatus(201, call(server, "POST", `/dbs/${DATABASE}/colls`, { body, headers }));
  const startedAt = performance.now();
  const args = ["import", `${DATABASE}/${CONTAINER}`, "-", "--format", "ndjson"];
  const place = ["--endpoint", server.endpoint, "--key", server.key];
  const importing = spawn(process.execPath, [cli, ...args, ...place], {
    stdio: ["pipe", "ignore", "inherit"],
  });
  const ended = once(importing, "close");
  for (let from = 0; from < itemCount; from += 1000) {
    let text = "";
    for (let index = from; index < Math.min(itemCount, from + 1000); index++) {
      text += `${itemOf(index)}\n`;
    }
    if (!importing.stdin.write(text)) await once(importing.stdin, "drain");
  }
  importing.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`the import ended with ${code}`);
  const ranges = await expectStatus(
    200,
    call(server, "GET", `/dbs/${DATABASE}/colls/${CONTAINER}/pkranges`),
  );
  const count = JSON.parse(ranges).PartitionKeyRanges.length;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(`${itemCount} items in ${count} physical partitions, loaded in ${seconds} s`);
}

/** @param {number} index */
function itemOf(index) {
  const item = JSON.parse(itemTextOf(idOf(index), index, 0));
  return JSON.stringify({ ...item, pk: keyOf(index) });
}

/** @param {number} index */
function idOf(index) {
  return `i${index}`;
}

/** @param {number} index */
function keyOf(index) {
  return `k${index % KEY_COUNT}`;
}

/**
 * Opens a page, stays as long as it takes until everything was asked again, and says what the
 * server took longest for.
 * @type {(page: import("playwright-core").Page, server: Target, name: string, path: string) => Promise<void>}
 */
async function look(page, server, name, path) {
  /** @type {{ path: string, ms: number }[]} */
  const answers = [];
  /** @param {import("playwright-core").Request} request */
  const note = (request) => {
    const { requestStart, responseEnd } = request.timing();
    const { pathname } = new URL(request.url());
    const isAsked = responseEnd >= 0 && !pathname.includes("/assets/");
    if (isAsked) answers.push({ path: pathname, ms: responseEnd - requestStart });
  };
  page.on("requestfinished", note);
  const before = cpuMicrosOf(server.pid) ?? 0;
  await page.goto(`${server.explorer}${path}`);
  await page.locator("main.main h1").waitFor();
  await delay(options.smoke ? 500 : LOOK_MS);
  page.off("requestfinished", note);
  const cpuMs = ((cpuMicrosOf(server.pid) ?? 0) - before) / 1000;
  const longest = answers.toSorted((a, b) => b.ms - a.ms)[0];
  if (longest === undefined) throw new Error(`${name} asked nothing`);
  console.log(
    `${name.padEnd(12)} ${String(answers.length).padStart(3)} answers, longest ` +
      `${longest.ms.toFixed(0)} ms (${longest.path}), server CPU ${cpuMs.toFixed(0)} ms`,
  );
}

/** @type {(page: import("playwright-core").Page, server: Target, itemCount: number) => Promise<void>} */
async function compareReads(page, server, itemCount) {
  const rounds = options.smoke ? 1 : Number(options.rounds);
  const random = randomFrom(7);
  /** @type {number[]} */
  const ratios = [];
  await readMany(server, itemCount, random);
  for (let round = 0; round < rounds; round++) {
    const alone = await readMany(server, itemCount, random);
    await page.goto(`${server.explorer}${PAGES.partitions}`);
    await page.locator("main.main h1").waitFor();
    const beside = await readMany(server, itemCount, random);
    await page.goto("about:blank");
    ratios.push(beside / alone);
    const micros = `${alone.toFixed(1)} µs alone, ${beside.toFixed(1)} µs beside the open page`;
    console.log(`point read     ${micros}, ratio ${(beside / alone).toFixed(3)}`);
  }
  const sorted = ratios.toSorted((a, b) => a - b);
  console.log(`median ratio   ${sorted[sorted.length >> 1]?.toFixed(3)} (server CPU per read)`);
}

/**
 * Server CPU per point read, all that the server does meanwhile included.
 * @type {(server: Target, itemCount: number, random: () => number) => Promise<number>}
 */
async function readMany(server, itemCount, random) {
  const keyBytes = Buffer.from(server.key, "base64");
  const count = options.smoke ? 500 : READ_COUNT;
  const date = new Date().toUTCString();
  const turns = options.smoke ? 1 : 8;
  const before = cpuMicrosOf(server.pid) ?? 0;
  for (let turn = 0; turn < turns; turn++) {
    const pool = packed(count, () => {
      const index = Math.floor(random() * itemCount);
      const path = `/dbs/${DATABASE}/colls/${CONTAINER}/docs/${idOf(index)}`;
      return (
        `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nx-ms-date: ${date}\r\n` +
        `authorization: ${authorizationOf(keyBytes, "GET", path, date)}\r\n` +
        `x-ms-version: 2020-07-15\r\nx-ms-documentdb-partitionkey: ["${keyOf(index)}"]\r\n\r\n`
      );
    });
    const { port } = server;
    const load = { port, pool, connections: CONNECTIONS, status: 200, timeoutMs: LOAD_MS_MAX };
    await runLoad(load);
  }
  return ((cpuMicrosOf(server.pid) ?? 0) - before) / (count * turns);
}

/**
 * The browser of the tests.
 * @returns {Promise<typeof import("../test/browser/chromium.ts")>}
 */
async function browserCode() {
  const folder = mkdtempSync(join(here, "../node_modules/.orrery-browser-"));
  const outfile = join(folder, "chromium.mjs");
  // It stays until the end: the code asks where it lies when it unpacks the browser.
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    entryPoints: [join(here, "../test/browser/chromium.ts")],
    bundle: true,
    packages: "external",
    platform: "node",
    target: "node20",
    format: "esm",
    logLevel: "warning",
    outfile,
  });
  return await import(pathToFileURL(outfile).href);
}
