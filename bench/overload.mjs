/**
 * Overload: twice the provisioned rate for a minute, by callers who wait as they are told and then
 * by callers who do not; what is served meanwhile, what a neighbour notices, what memory does, and
 * what a 429 costs beside a point read.
 *
 * One server process, real sockets, loopback only. It ends by itself, removes its files, and exits
 * with 1 only when an answer was wrong: a status that nobody should get, or a 429 for the
 * neighbour. How to read the figures is in README.md beside this file.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { call } from "./client.mjs";
import { CONTESTANTS, expectStatus, start } from "./contestants.mjs";
import { measureEngine } from "./overload/engine.mjs";
import { Line } from "./overload/line.mjs";
import { startNeighbour } from "./overload/neighbour.mjs";
import { askPatiently, Operations, offerPolitely, offerRudely } from "./overload/offering.mjs";
import { measurePrices } from "./overload/price.mjs";
import { engineReport, loadReport, priceReport, verdict } from "./overload/report.mjs";
import { Asking, CONTAINERS_PATH } from "./overload/requests.mjs";
import { lookAt, reportedRu, watchMemory } from "./overload/watching.mjs";
import { DATABASE } from "./requests.mjs";

/** @typedef {import("./overload/offering.mjs").Tally} Tally */
/** @typedef {import("./overload/neighbour.mjs").Heard} Heard */

const { values: options } = parseArgs({
  options: {
    seconds: { type: "string", default: "60" },
    rounds: { type: "string", default: "15" },
    only: { type: "string", default: "load,price" },
    smoke: { type: "boolean", default: false },
  },
});
const SECONDS = options.smoke ? 1.5 : Math.min(600, Math.max(1, Number(options.seconds)));
const ROUND_COUNT = options.smoke ? 1 : Math.min(100, Math.max(1, Number(options.rounds)));
const PARTS = options.only.split(",");

/** Twice of it is easily offered by one client process beside the server. */
const RATE = options.smoke ? 400 : 3000;
const FACTOR = 2;
/** Serves all that is offered to the other, and in one physical partition as well. */
const AMPLE_RATE = 10_000;
/** More than one process can serve. */
const VAST_RATE = 100_000;
const SMALL_RATE = 400;
const NEIGHBOUR_RATE = 1000;
const ITEM_COUNT = options.smoke ? 50 : 500;
const CONNECTIONS = 16;
const RIGHT_STATUSES = new Set([200, 201, 429]);

/**
 * @typedef {object} Phase
 * @property {string} name
 * @property {number} rate provisioned
 * @property {Heard} heard by the neighbour
 * @property {Tally} [tally]
 * @property {number} [ruOffered]
 * @property {number} [ruCounted] by the server
 * @property {number} [ruReported] by its statistics
 * @property {number} [seconds] between the two looks at its counters
 * @property {number} [busyShare] of its event loop
 * @property {number | undefined} [cpuShare] of one core
 * @property {import("./overload/watching.mjs").MemoryFigures | undefined} [memory]
 */

const folder = mkdtempSync(join(tmpdir(), "orrery-overload-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// Exit handlers, this one and the one that ends the children, do not run on a plain signal.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));

const contestant = {
  ...CONTESTANTS.orrery,
  argumentsFor: (/** @type {string} */ data) =>
    CONTESTANTS.orrery.argumentsFor(data).filter((argument) => argument !== "--no-rate-limit"),
};
const server = await start(contestant, folder);
try {
  print(`Node ${process.version}, load ${loadavg()[0]?.toFixed(2)} at the start`);
  if (options.smoke) print("Smoke run: answers are checked, the figures mean nothing, no verdict.");
  await expectStatus(201, call(server, "POST", "/dbs", { body: { id: DATABASE } }));
  const phases = PARTS.includes("load") ? await measureLoad() : [];
  if (phases.length > 0) print(`\n${loadReport(phases)}`);
  const prices = PARTS.includes("price") ? await measurePrice() : [];
  if (prices.length > 0) print(`\n${priceReport(prices)}`);
  const engine = PARTS.includes("price") ? await measureInside() : [];
  if (engine.length > 0) print(`\n${engineReport(engine)}`);
  if (!options.smoke) print(`\n${verdict({ phases, prices, engine })}`);
  check(phases);
} finally {
  await server.stop();
}

/** @returns {Promise<Phase[]>} */
async function measureLoad() {
  const neighbourAsking = await createContainer("neighbour", NEIGHBOUR_RATE);
  await neighbourAsking.load();
  const about = { port: server.port, key: server.key, itemCount: ITEM_COUNT };
  const overloaded = await createContainer("overloaded", RATE);
  const ample = await createContainer("ample", AMPLE_RATE);
  await overloaded.load();
  await ample.load();
  const chargeMean = await meanCharge(ample);
  const perSecond = (RATE * FACTOR) / chargeMean;
  const neighbour = await startNeighbour({ ...about, container: "neighbour" });
  const short = SECONDS / 6;
  /** @type {(name: string, seconds: number) => Promise<Phase>} */
  const alone = async (name, seconds) => {
    progress(name);
    await neighbour.hear();
    await pause(seconds * 1000);
    return { name, rate: 0, heard: await neighbour.hear() };
  };
  /** @type {(name: string, of: { container: string, rate: number }, operations: Operations, offer: (operations: Operations) => Promise<Tally>) => Promise<Phase>} */
  const beside = async (name, { container, rate }, operations, offer) => {
    progress(name);
    // Budgets fill up and seconds end before anything is counted.
    await pause(options.smoke ? 100 : 2500);
    const reportedBefore = await reportedRu(server, container);
    await neighbour.hear();
    const stopWatching = watchMemory(server.pid);
    const before = await lookAt(server);
    const tally = await offer(operations);
    const after = await lookAt(server);
    const memory = stopWatching();
    const heard = await neighbour.hear();
    await pause(options.smoke ? 100 : 1500);
    const ruReported = (await reportedRu(server, container)) - reportedBefore;
    const seconds = (after.at - before.at) / 1000;
    const cpuShare =
      before.cpuMicros === undefined || after.cpuMicros === undefined
        ? undefined
        : (after.cpuMicros - before.cpuMicros) / 1e6 / seconds;
    return {
      name,
      rate,
      heard,
      tally,
      ruOffered: tally.asked * (operations.hasWrites ? chargeMean : 1),
      ruCounted: after.ruOf(container) - before.ruOf(container),
      ruReported,
      seconds,
      busyShare: (after.busySeconds - before.busySeconds) / seconds,
      cpuShare,
      memory,
    };
  };
  const { port } = server;
  const polite = { port, perSecond, connections: CONNECTIONS };
  const rude = { port, seconds: SECONDS / 3, connections: CONNECTIONS };
  const amply = (/** @type {Operations} */ operations) =>
    offerPolitely({ ...polite, operations, seconds: short });
  const politely = (/** @type {Operations} */ operations) =>
    offerPolitely({ ...polite, operations, seconds: SECONDS });
  const rudely = (/** @type {Operations} */ operations) => offerRudely({ ...rude, operations });
  const mixed = new Operations(overloaded.asking, { hasWrites: true });
  const reads = new Operations(overloaded.asking, { hasWrites: false });
  const control = new Operations(ample.asking, { hasWrites: true });
  try {
    await alone("warm-up", Math.min(3, short));
    return [
      await alone("neighbour alone", short),
      await beside("the same load, served", ample, control, amply),
      await beside("2×, waiting as told", overloaded, mixed, politely),
      await alone("neighbour alone, again", short),
      await beside("the same load, served, again", ample, control, amply),
      await beside("without waiting", overloaded, mixed, rudely),
      await beside("without waiting, reads only", overloaded, reads, rudely),
    ];
  } finally {
    await neighbour.end();
  }
}

async function measurePrice() {
  progress("the price of a 429, end to end");
  const served = await createContainer("served", VAST_RATE);
  await served.load();
  const dry = await createContainer("dry", SMALL_RATE);
  const absent = new Asking({ ...server, container: "absent", itemCount: ITEM_COUNT });
  return measurePrices(server, {
    served: served.asking,
    dry: dry.asking,
    absent,
    rounds: ROUND_COUNT,
    count: options.smoke ? 100 : 4000,
  });
}

function measureInside() {
  progress("the price of a 429, inside");
  const count = options.smoke ? 200 : 5000;
  return measureEngine({ rounds: ROUND_COUNT * 2, count, itemCount: count });
}

/**
 * @param {string} container
 * @param {number} rate
 */
async function createContainer(container, rate) {
  const body = { id: container, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
  const headers = { "x-ms-offer-throughput": String(rate) };
  await expectStatus(201, call(server, "POST", CONTAINERS_PATH, { body, headers }));
  const asking = new Asking({ ...server, container, itemCount: ITEM_COUNT });
  const load = async () => {
    const line = new Line(server.port);
    for (let index = 0; index < ITEM_COUNT; index += 1) {
      const { status } = await askPatiently(line, asking.upsert());
      if (status !== 201) throw new Error(`loading ${container}: ${status}`);
    }
    line.close();
  };
  return { container, rate, asking, load };
}

/** What an operation costs on average. @param {{ asking: Asking }} of */
async function meanCharge({ asking }) {
  const operations = new Operations(asking, { hasWrites: true });
  const line = new Line(server.port);
  const count = 200;
  let ru = 0;
  for (let turn = 0; turn < count; turn += 1) {
    ru += (await askPatiently(line, operations.next())).charge;
  }
  line.close();
  return ru / count;
}

/** @param {readonly Phase[]} phases */
function check(phases) {
  const refused = phases.reduce((sum, { tally }) => sum + (tally?.refused ?? 0), 0);
  if (phases.length > 0 && refused === 0) throw new Error("nobody was refused: no overload");
  for (const { name, tally, heard } of phases) {
    const wrong = Object.keys(tally?.statuses ?? {}).filter((one) => !RIGHT_STATUSES.has(+one));
    if (wrong.length > 0) throw new Error(`${name}: answers with ${wrong.join(", ")}`);
    if (heard.refusedCount > 0) {
      throw new Error(`${name}: the neighbour was refused ${heard.refusedCount} times`);
    }
  }
}

/** @param {number} ms */
function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} line */
function progress(line) {
  process.stderr.write(`… ${line}\n`);
}
