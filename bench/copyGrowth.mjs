/**
 * Growth of copying: what an item costs a copy job as its source grows, and what memory the server
 * has of its own meanwhile. One fresh server after the other; each copies its container online to
 * another key, and verifies the copy twice. Exits with 1 only when something differs.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { itemTextOf, randomFrom } from "./items.mjs";
import { cpuMicrosOf, memoryOf } from "./procfs.mjs";
import { DATABASE, LOADED_CONTAINER, loadedIdOf } from "./requests.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */
/** @typedef {{ cpuMicros: number, seconds: number, bytesMax: number }} Spent `seconds` without the rest */

const USAGE = `Usage: npm run bench copy-growth -- [options]

  --smoke        200 and 400 items
  --sizes LIST   numbers of items of 1 KB over 100 keys (default 10000,100000,1000000)
  --after WHAT   what the source went through: nothing (the default), updates of all items in
                 another order, or a split
  --mode MODE    online (the default) or offline, which is not verified
`;
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    sizes: { type: "string", default: "10000,100000,1000000" },
    after: { type: "string", default: "nothing" },
    mode: { type: "string", default: "online" },
    help: { type: "boolean", default: false },
  },
});
const cli = join(dirname(fileURLToPath(import.meta.url)), "../dist/cli.js");
const WATCH_MS = 50;
const STEP = 1000;
const REST_MS = 1000;
const REST_MICROS = 100_000;

if (options.help) console.log(USAGE);
else {
  const sizes = options.smoke ? [200, 400] : options.sizes.split(",").map(Number);
  for (const itemCount of sizes) await grow(itemCount);
}

/** @type {(itemCount: number) => Promise<void>} */
async function grow(itemCount) {
  const folder = mkdtempSync(join(tmpdir(), "orrery-copy-growth-"));
  const server = await start(CONTESTANTS.orrery, join(folder, "data"));
  try {
    await prepare(server);
    const loading = await spent(server, () => load(server, itemCount));
    say("load", itemCount, loading);
    if (options.after === "updates") {
      say("updates", itemCount, await spent(server, () => load(server, itemCount, 1)));
    }
    if (options.after === "split") await split(server);
    /** @type {any} */
    let job;
    const copying = await spent(server, async () => {
      job = await copied(server);
    });
    say("copy", itemCount, copying);
    if (job.progress.copiedCount !== itemCount) complain(`${job.progress.copiedCount} copied`);
    for (const name of options.mode === "online" ? ["verify", "verify again"] : []) {
      say(name, itemCount, await spent(server, () => verified(server, job.id)));
    }
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Every item once; a later revision in another order than that in which they came. */
/** @type {(server: Server, itemCount: number, revision?: number) => Promise<void>} */
async function load(server, itemCount, revision = 0) {
  const place = ["--endpoint", `http://127.0.0.1:${server.port}`, "--key", server.key];
  const what = ["import", `${DATABASE}/${LOADED_CONTAINER}`, "-", "--format", "ndjson"];
  const args = [cli, ...what, ...(revision === 0 ? [] : ["--mode", "upsert"]), ...place];
  const importing = spawn(process.execPath, args, { stdio: ["pipe", "ignore", "pipe"] });
  let told = "";
  importing.stderr.on("data", (chunk) => {
    told = `${told}${chunk}`.slice(-1000);
  });
  const ended = once(importing, "close");
  const order = Array.from({ length: itemCount }, (_, index) => index);
  if (revision > 0) shuffle(order);
  for (let from = 0; from < itemCount; from += STEP) {
    const lines = order
      .slice(from, from + STEP)
      .map((index) => `${itemTextOf(loadedIdOf(index), index, revision)}\n`);
    if (!importing.stdin.write(lines.join(""))) await once(importing.stdin, "drain");
  }
  importing.stdin.end();
  const [code] = await ended;
  if (code !== 0) throw new Error(`the import ended with ${code}: ${told}`);
}

/** @type {(order: number[]) => void} */
function shuffle(order) {
  const random = randomFrom(5);
  for (let last = order.length - 1; last > 0; last--) {
    const at = Math.floor(random() * (last + 1));
    [order[last], order[at]] = [order[at] ?? 0, order[last] ?? 0];
  }
}

/** @type {(server: Server) => Promise<void>} */
async function split(server) {
  const path = `containers/${DATABASE}/${LOADED_CONTAINER}`;
  const { partitions } = await ask(server, `${path}/report`);
  const question = { partitionId: partitions[0].id, at: "median" };
  const { job } = await ask(server, `${path}/split`, question);
  const isOver = (/** @type {any} */ one) => one.id === job.id && one.outcome !== undefined;
  for (;;) {
    const { jobs } = await ask(server, "jobs");
    const found = jobs.find(isOver);
    if (found?.outcome.state === "done") return;
    if (found !== undefined) throw new Error(JSON.stringify(found));
    await delay(WATCH_MS);
  }
}

/** @type {(server: Server) => Promise<any>} */
async function copied(server) {
  const { job } = await ask(server, "copies", {
    source: { database: DATABASE, container: LOADED_CONTAINER },
    target: { database: DATABASE, container: "copy" },
    key: ["/category"],
    mode: options.mode,
    sharePercent: 100,
  });
  return until(server, job.id, ({ state }) => state === "ready" || state === "copied");
}

/** @type {(server: Server, id: string) => Promise<void>} */
async function verified(server, id) {
  const { job: before } = await ask(server, `jobs/${id}`);
  await ask(server, `jobs/${id}/verify`, {});
  const { verification } = await until(
    server,
    id,
    ({ verification: { state, at } }) => state !== "running" && at !== before.verification.at,
  );
  if (verification.state !== "fresh") complain(JSON.stringify(verification));
}

/** @type {(server: Server, id: string, isIt: (job: any) => boolean) => Promise<any>} */
async function until(server, id, isIt) {
  for (;;) {
    const { job } = await ask(server, `jobs/${id}`);
    if (isIt(job)) return job;
    if (["failed", "blocked"].includes(job.state)) throw new Error(job.reason);
    await delay(WATCH_MS);
  }
}

/** @type {(server: Server, path: string, body?: object) => Promise<any>} */
async function ask({ port }, path, body) {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`http://127.0.0.1:${port}/_orrery/v1/${path}`, body && post);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
}

/** What the tables have still to take from the journal is taken before the next thing is measured. */
/** @type {(pid: number) => Promise<void>} */
async function rest(pid) {
  for (;;) {
    const before = cpuMicrosOf(pid) ?? 0;
    await delay(REST_MS);
    if ((cpuMicrosOf(pid) ?? 0) - before < REST_MICROS) return;
  }
}

/** @type {(server: Server, action: () => Promise<void>) => Promise<Spent>} */
async function spent({ pid }, action) {
  let bytesMax = 0;
  const look = () => {
    bytesMax = Math.max(bytesMax, memoryOf(pid)?.anonymous ?? Number.NaN);
  };
  const watch = setInterval(look, WATCH_MS);
  const [before, startedAt] = [cpuMicrosOf(pid) ?? 0, performance.now()];
  try {
    await action();
  } finally {
    clearInterval(watch);
  }
  const seconds = (performance.now() - startedAt) / 1000;
  if (!options.smoke) await rest(pid);
  look();
  return { cpuMicros: (cpuMicrosOf(pid) ?? 0) - before, seconds, bytesMax };
}

/** @type {(name: string, itemCount: number, spent: Spent) => void} */
function say(name, itemCount, { cpuMicros, seconds, bytesMax }) {
  console.log(
    `${String(itemCount).padStart(8)} items, ${name.padEnd(12)} ` +
      `${(cpuMicros / itemCount).toFixed(1).padStart(7)} µs of CPU an item, ` +
      `${String(Math.round(itemCount / seconds)).padStart(6)} items/s, ` +
      `at most ${Math.round(bytesMax / 2 ** 20)} MB of own memory`,
  );
}

/** @type {(problem: string) => void} */
function complain(problem) {
  console.error(`wrong: ${problem}`);
  process.exitCode = 1;
}
