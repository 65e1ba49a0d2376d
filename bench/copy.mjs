/**
 * An offline copy job to another key beside what one would do without it: a loop of the official
 * client that reads all items and writes them in bulk. Both on one server, in turn, from the same
 * source; the server serves as fast as it can. Exits with 1 only when an item is missing.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { itemTextOf } from "./items.mjs";
import { cpuMicrosOf, memoryOf } from "./procfs.mjs";

const USAGE = `Usage: npm run bench copy -- [options]

  --smoke      300 items, once
  --items N    how many items of 1 KB (default 20000)
  --rounds N   how often each is run, in turn (default 2)
`;
const { values: options } = parseArgs({
  options: {
    smoke: { type: "boolean", default: false },
    items: { type: "string", default: "20000" },
    rounds: { type: "string", default: "2" },
    help: { type: "boolean", default: false },
  },
});
const cli = join(dirname(fileURLToPath(import.meta.url)), "../dist/cli.js");
const PAGE = 1000;
const DATABASE = "bench";

if (options.help) console.log(USAGE);
else {
  const folder = mkdtempSync(join(tmpdir(), "orrery-copy-"));
  const args = [cli, "start", "--json", "--port", "0", "--data", folder, "--no-rate-limit"];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  try {
    const [line] = await once(createInterface({ input: child.stdout }), "line");
    await main(JSON.parse(line), child.pid ?? 0);
  } finally {
    child.kill("SIGTERM");
    await once(child, "close");
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @type {(server: { endpoint: string, key: string }, pid: number) => Promise<void>} */
async function main({ endpoint, key }, pid) {
  const itemCount = options.smoke ? 300 : Number(options.items);
  const client = new CosmosClient({ endpoint, key });
  const { database } = await client.databases.create({ id: DATABASE });
  const source = await made(database, "source", "/pk");
  await fill(source, itemCount);
  for (let round = 0; round < (options.smoke ? 1 : Number(options.rounds)); round++) {
    const job = await measured(pid, () => copyByJob(endpoint, `job${round}`));
    const target = await made(database, `loop${round}`, "/category");
    const loop = await measured(pid, () => copyByLoop(source, target));
    for (const name of [`job${round}`, `loop${round}`]) await check(database, name, itemCount);
    report("copy job", itemCount, job);
    report("client's loop", itemCount, loop);
    console.log(`ratio          ${(loop.seconds / job.seconds).toFixed(2)} times as fast`);
  }
  client.dispose();
}

/** @type {(database: import("@azure/cosmos").Database, id: string, path: string) => Promise<import("@azure/cosmos").Container>} */
async function made(database, id, path) {
  const partitionKey = { paths: [path], version: 2 };
  const { container } = await database.containers.create({ id, partitionKey, throughput: 20_000 });
  return container;
}

/** @type {(source: import("@azure/cosmos").Container, itemCount: number) => Promise<void>} */
async function fill(source, itemCount) {
  for (let from = 0; from < itemCount; from += PAGE) {
    const count = Math.min(PAGE, itemCount - from);
    await writeAll(
      source,
      Array.from({ length: count }, (_, at) =>
        JSON.parse(itemTextOf(`i${from + at}`, from + at, 0)),
      ),
      "pk",
    );
  }
}

/** @type {(into: import("@azure/cosmos").Container, items: any[], key: string) => Promise<void>} */
async function writeAll(into, items, key) {
  const answers = await into.items.executeBulkOperations(
    items.map((resourceBody) => ({
      operationType: "Create",
      partitionKey: resourceBody[key],
      resourceBody,
    })),
  );
  const failed = answers.find(({ response }) => response?.statusCode !== 201);
  if (failed !== undefined) throw new Error(`not written: ${JSON.stringify(failed)}`);
}

/** Pages are read while the one before is written. */
/** @type {(source: import("@azure/cosmos").Container, target: import("@azure/cosmos").Container) => Promise<void>} */
async function copyByLoop(source, target) {
  const pages = source.items.readAll({ maxItemCount: PAGE });
  /** @type {Promise<void>} */
  let writing = Promise.resolve();
  while (pages.hasMoreResults()) {
    const { resources = [] } = await pages.fetchNext();
    await writing;
    if (resources.length > 0) writing = writeAll(target, resources, "category");
  }
  await writing;
}

/** @type {(endpoint: string, container: string) => Promise<void>} */
async function copyByJob(endpoint, container) {
  const question = {
    source: { database: DATABASE, container: "source" },
    target: { database: DATABASE, container },
    key: ["/category"],
    mode: "offline",
    sharePercent: 100,
  };
  let job = await ask(endpoint, "copies", question);
  while (job.state !== "copied") {
    if (["failed", "blocked"].includes(job.state)) throw new Error(job.reason);
    await delay(20);
    job = await ask(endpoint, `jobs/${job.id}`);
  }
}

/** @type {(endpoint: string, path: string, body?: object) => Promise<any>} */
async function ask(endpoint, path, body) {
  const headers = { "content-type": "application/json" };
  const post = { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(`${endpoint}/_orrery/v1/${path}`, body && post);
  if (!answer.ok) throw new Error(await answer.text());
  const { job } = /** @type {any} */ (await answer.json());
  return job;
}

/** @type {(database: import("@azure/cosmos").Database, name: string, itemCount: number) => Promise<void>} */
async function check(database, name, itemCount) {
  const query = database.container(name).items.query("SELECT VALUE COUNT(1) FROM c");
  const { resources } = await query.fetchAll();
  if (resources[0] === itemCount) return;
  console.error(`wrong: ${name} has ${resources[0]} of ${itemCount} items`);
  process.exitCode = 1;
}

/** @type {(pid: number, action: () => Promise<void>) => Promise<{ seconds: number, cpuSeconds: number, own: number, bytes: number }>} */
async function measured(pid, action) {
  const [before, own, startedAt] = [cpuMicrosOf(pid) ?? 0, process.cpuUsage(), performance.now()];
  await action();
  const { user, system } = process.cpuUsage(own);
  return {
    seconds: (performance.now() - startedAt) / 1000,
    cpuSeconds: ((cpuMicrosOf(pid) ?? 0) - before) / 1e6,
    own: (user + system) / 1e6,
    bytes: memoryOf(pid)?.anonymous ?? Number.NaN,
  };
}

/** @type {(name: string, itemCount: number, measured: { seconds: number, cpuSeconds: number, own: number, bytes: number }) => void} */
function report(name, itemCount, { seconds, cpuSeconds, own, bytes }) {
  const micros = (/** @type {number} */ cpu) => ((cpu * 1e6) / itemCount).toFixed(0);
  console.log(
    `${name.padEnd(14)} ${seconds.toFixed(2)} s, ${Math.round(itemCount / seconds)} items/s; ` +
      `CPU an item: server ${micros(cpuSeconds)} µs, client ${micros(own)} µs; ` +
      `server has ${Math.round(bytes / 1024 / 1024)} MB`,
  );
}
