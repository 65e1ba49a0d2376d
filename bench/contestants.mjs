/**
 * Who takes part, and how each is started, prepared and stopped. Every contestant is a child process
 * that prints one JSON line when it is ready: `{"ready":true,"endpoint":…,"key":…,"pid":…}`.
 *
 * Only children started here are ever signalled, and none outlives the bench.
 */
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { call } from "./client.mjs";
import { CREATED_CONTAINER, DATABASE, LOADED_CONTAINER, WORKLOADS } from "./requests.mjs";

/** @typedef {import("./requests.mjs").Workload} Workload */
/** @typedef {"hello" | "signature" | "peer" | "cosmium" | "former" | "orrery"} ContestantName */

/**
 * @typedef {object} Contestant
 * @property {string} name one of `ContestantName`, or what a benchmark calls a server of its own
 * @property {boolean} isDatabase stores items, so needs a container and can be read back
 * @property {boolean} checksSignature answers 401 to a wrong one
 * @property {(workload: Workload) => number} statusOf what it rightly answers
 * @property {(dataFolder: string) => string[]} argumentsFor of `node`
 * @property {() => string | undefined} whyAbsent
 */

/** @typedef {{ contestant: Contestant, port: number, key: string, pid: number, stop: () => Promise<void> }} Server */

const READY_MS_MAX = 60_000;
const STOP_MS_MAX = 20_000;
const STDERR_CHARACTERS_KEPT = 4000;

const benchFolder = dirname(fileURLToPath(import.meta.url));
const orreryCommand = join(benchFolder, "..", "dist", "cli.js");
/** `dist/cli.js` of another version, to see what a change costs. */
const formerCommand = process.env["ORRERY_BENCH_FORMER"];

/** @type {Readonly<Record<ContestantName, Contestant>>} */
export const CONTESTANTS = {
  hello: {
    name: "hello",
    isDatabase: false,
    checksSignature: false,
    statusOf: () => 200,
    argumentsFor: () => [join(benchFolder, "contestants", "hello.mjs")],
    whyAbsent: () => undefined,
  },
  signature: {
    name: "signature",
    isDatabase: false,
    checksSignature: true,
    statusOf: (workload) => (WORKLOADS[workload].verb === "POST" ? 201 : 200),
    argumentsFor: () => [join(benchFolder, "contestants", "signature.mjs")],
    whyAbsent: () => undefined,
  },
  peer: {
    name: "peer",
    isDatabase: true,
    checksSignature: false,
    statusOf: (workload) => WORKLOADS[workload].status,
    argumentsFor: () => [join(benchFolder, "contestants", "peer.mjs")],
    whyAbsent: () => (isInstalled("@vercel/cosmosdb-server") ? undefined : "it is not installed"),
  },
  cosmium: {
    name: "cosmium",
    isDatabase: true,
    checksSignature: true,
    // It answers every write with 201, whether or not the item was there.
    statusOf: (workload) => (WORKLOADS[workload].verb === "GET" ? 200 : 201),
    argumentsFor: () => [join(benchFolder, "contestants", "cosmium.mjs")],
    whyAbsent: () =>
      process.env["ORRERY_BENCH_COSMIUM"] === undefined
        ? "ORRERY_BENCH_COSMIUM names no program"
        : undefined,
  },
  former: {
    name: "former",
    isDatabase: true,
    checksSignature: true,
    statusOf: (workload) => WORKLOADS[workload].status,
    argumentsFor: (dataFolder) => [formerCommand ?? "", ...startArguments(`${dataFolder}-former`)],
    whyAbsent: () => (formerCommand === undefined ? "ORRERY_BENCH_FORMER names none" : undefined),
  },
  orrery: {
    name: "orrery",
    isDatabase: true,
    checksSignature: true,
    statusOf: (workload) => WORKLOADS[workload].status,
    argumentsFor: (dataFolder) => [orreryCommand, ...startArguments(dataFolder)],
    whyAbsent: () => (existsSync(orreryCommand) ? undefined : "dist/cli.js does not exist"),
  },
};

/** @type {(dataFolder: string) => string[]} */
function startArguments(dataFolder) {
  return ["start", "--json", "--port", "0", "--data", dataFolder, "--no-rate-limit"];
}

/** @type {Set<import("node:child_process").ChildProcess>} */
const running = new Set();

process.on("exit", () => {
  for (const child of running) child.kill("SIGKILL");
});

/**
 * Starts a contestant and waits for its ready line.
 * @param {Contestant} contestant
 * @param {string} dataFolder used by those that store on disk
 * @param {string} [program] of Node, if not the one that runs the bench
 * @returns {Promise<Server>}
 */
export async function start(contestant, dataFolder, program = process.execPath) {
  const child = spawn(program, contestant.argumentsFor(dataFolder), {
    stdio: ["pipe", "pipe", "pipe"],
  });
  running.add(child);
  const ended = new Promise((resolve) => child.once("exit", resolve)).then(() => {
    running.delete(child);
  });
  let complaints = "";
  child.stderr.on("data", (chunk) => {
    complaints = (complaints + chunk).slice(-STDERR_CHARACTERS_KEPT);
  });
  try {
    const ready = await readyLineOf(child);
    const port = Number(new URL(ready.endpoint).port);
    const stop = () => stopChild(child, ended);
    return { contestant, port, key: ready.key, pid: ready.pid ?? Number(child.pid), stop };
  } catch (error) {
    child.kill("SIGKILL");
    throw new Error(`${contestant.name} did not start: ${complaints}`, { cause: error });
  }
}

/**
 * Creates database and containers and checks that signatures are verified where they should be.
 * @param {Server} server
 */
export async function prepare(server) {
  const { contestant } = server;
  if (contestant.isDatabase) {
    await expectStatus(201, call(server, "POST", "/dbs", { body: { id: DATABASE } }));
    for (const id of [LOADED_CONTAINER, CREATED_CONTAINER]) {
      const partitionKey = { paths: ["/pk"], kind: "Hash", version: 2 };
      const body = { id, partitionKey };
      await expectStatus(201, call(server, "POST", `/dbs/${DATABASE}/colls`, { body }));
    }
  }
  const stranger = { port: server.port, key: Buffer.alloc(64, 1).toString("base64") };
  const path = contestant.isDatabase ? `/dbs/${DATABASE}` : "/";
  // Whoever skips the check would win the rounds for it.
  await expectStatus(contestant.checksSignature ? 401 : 200, call(stranger, "GET", path));
  await expectStatus(200, call(server, "GET", path));
}

/**
 * @param {number} status
 * @param {Promise<{ status: number, text: string }>} answer
 * @returns {Promise<string>} the body
 */
export async function expectStatus(status, answer) {
  const got = await answer;
  if (got.status !== status) throw new Error(`expected ${status}, got ${got.status}: ${got.text}`);
  return got.text;
}

/**
 * @param {import("node:child_process").ChildProcessByStdio<import("node:stream").Writable, import("node:stream").Readable, import("node:stream").Readable>} child
 * @returns {Promise<{ endpoint: string, key: string, pid?: number }>} `pid` where another one serves
 */
function readyLineOf(child) {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error("no ready line in time")), READY_MS_MAX);
    const fail = (/** @type {unknown} */ cause) => {
      clearTimeout(timer);
      reject(new Error("it ended before it was ready", { cause }));
    };
    child.once("exit", fail).once("error", fail);
    let text = "";
    child.stdout.on("data", (chunk) => {
      text += chunk;
      const ready = text.split("\n").slice(0, -1).find(isReadyLine);
      if (ready === undefined) return;
      clearTimeout(timer);
      child.off("exit", fail);
      child.stdout.removeAllListeners("data").resume();
      resolve(JSON.parse(ready));
    });
  });
}

/** @param {string} line */
function isReadyLine(line) {
  try {
    return JSON.parse(line).ready === true;
  } catch {
    return false;
  }
}

/** @type {(child: import("node:child_process").ChildProcess, ended: Promise<void>) => Promise<void>} */
async function stopChild(child, ended) {
  const timer = setTimeout(() => child.kill("SIGKILL"), STOP_MS_MAX);
  child.kill("SIGTERM");
  await ended;
  clearTimeout(timer);
}

/** @param {string} packageName */
function isInstalled(packageName) {
  try {
    createRequire(import.meta.url).resolve(packageName);
    return true;
  } catch {
    return false;
  }
}
