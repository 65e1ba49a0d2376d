/**
 * What counting costs: servers as shipped beside servers without statistics, in one interleaved
 * run, reported as ratios of throughput and of server CPU. Rate limits are on in both.
 *
 * Three of each, because two processes of the same code differ too, by what the compiler makes of
 * it and by where memory lies: how far apart equal ones are is the noise, and is printed. Because
 * that is easily larger than what is looked for, the same reads are done once more without HTTP,
 * where a fraction of a microsecond can be seen.
 *
 * Nobody is throttled: the rate is far above what one process can serve. It talks to loopback only,
 * ends by itself and removes its files; it exits with 1 only when an answer was wrong.
 */
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { call } from "./client.mjs";
import { CONTESTANTS, expectStatus, start } from "./contestants.mjs";
import { cellsOf, spreadOf } from "./figures.mjs";
import { Inside, loadEngine, measureSteps, VAST_RATE } from "./inside.mjs";
import {
  WORKLOADS as ALL_WORKLOADS,
  CREATED_CONTAINER,
  DATABASE,
  LOADED_CONTAINER,
} from "./requests.mjs";
import { measureSpeed } from "./speed.mjs";

/** @typedef {import("./contestants.mjs").Server} Server */

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "31" },
    count: { type: "string", default: "5000" },
    only: { type: "string", default: "point-read,create,upsert" },
    smoke: { type: "boolean", default: false },
  },
});
const ROUND_COUNT = options.smoke ? 1 : Math.min(200, Math.max(1, Number(options.rounds)));
/** The same for all, however fast one was at first: a longer turn is warmer. */
const TURN_COUNT = options.smoke ? 300 : Math.min(50_000, Math.max(1, Number(options.count)));
const WORKLOADS = options.only.split(",").map(workloadNamed);

/** One physical partition that nothing can overload, as its limits are set here. */
const RATE = VAST_RATE;
const CONNECTION_COUNTS = [16];
const RATIO_MIN = 0.95;

const PLAIN = "without";
const SHIPPED = "as shipped";
const INSTANCE_COUNT = options.smoke ? 1 : 3;

/** What each server is told. A name is that of its kind and a number. */
/** @type {readonly (readonly [string, readonly string[]])[]} */
const SERVERS = Array.from({ length: INSTANCE_COUNT }, (_, index) => index + 1).flatMap(
  (number) => [
    [`${PLAIN} ${number}`, ["--no-statistics"]],
    [`${SHIPPED} ${number}`, []],
  ],
);

const folder = mkdtempSync(join(tmpdir(), "orrery-statistics-"));
process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
// Exit handlers, this one and the one that ends the children, do not run on a plain signal.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));

/** @type {Server[]} */
const servers = [];
try {
  for (const [name, told] of SERVERS) servers.push(await startServer(name, told));
  print(`Node ${process.version}, load ${loadavg()[0]?.toFixed(2)} at the start`);
  const samples = await measureSpeed(
    servers,
    {
      workloads: WORKLOADS,
      connectionCounts: CONNECTION_COUNTS,
      rounds: ROUND_COUNT,
      count: TURN_COUNT,
      seconds: 1,
      itemCount: options.smoke ? 300 : 10_000,
    },
    (line) => process.stderr.write(`… ${line}\n`),
  );
  report(samples);
  reportInside(await measureInside(), samples);
} finally {
  await Promise.all(servers.map((server) => server.stop()));
}

/** @type {(name: string, told: readonly string[]) => Promise<Server>} */
async function startServer(name, told) {
  const data = join(folder, String(servers.length));
  mkdirSync(data);
  const args = [...CONTESTANTS.orrery.argumentsFor(data), "--limit", `partitionRate=${RATE}`];
  const own = args.filter((argument) => argument !== "--no-rate-limit").concat(told);
  const contestant = { ...CONTESTANTS.orrery, name, argumentsFor: () => own };
  const server = await start(contestant, data);
  await expectStatus(201, call(server, "POST", "/dbs", { body: { id: DATABASE } }));
  for (const id of [LOADED_CONTAINER, CREATED_CONTAINER]) {
    const body = { id, partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } };
    const headers = { "x-ms-offer-throughput": String(RATE) };
    await expectStatus(201, call(server, "POST", `/dbs/${DATABASE}/colls`, { body, headers }));
  }
  return server;
}

/**
 * A point read from the parsed request to the finished answer, in microseconds by server.
 * @returns {Promise<Map<string, number[]>>}
 */
async function measureInside() {
  const itemCount = options.smoke ? 100 : 4000;
  const code = await loadEngine();
  const steps = [];
  for (const [name, isCounting] of /** @type {const} */ ([
    [PLAIN, false],
    [SHIPPED, true],
  ])) {
    const setting = { isLimited: true, hasStatistics: isCounting };
    const inside = await Inside.open(code, setting);
    await inside.container("c", VAST_RATE);
    await inside.load("c", itemCount);
    const requests = Array.from({ length: itemCount }, (_, index) => inside.read("c", index));
    const run = (/** @type {number} */ turn) => inside.answer(requests[(turn * 7919) % itemCount]);
    steps.push({ name, run, close: () => inside.account.close() });
  }
  const figures = await measureSteps(steps, { rounds: ROUND_COUNT * 3, count: itemCount });
  for (const { close } of steps) await close();
  return figures;
}

/** @type {(figures: Map<string, number[]>, samples: import("./speed.mjs").Sample[]) => void} */
function reportInside(figures, samples) {
  const plain = figures.get(PLAIN) ?? [];
  const shipped = figures.get(SHIPPED) ?? [];
  const more = spreadOf(shipped.map((micros, round) => micros - plain[round]))?.median ?? NaN;
  const whole = kindFigures(samples, "point-read", PLAIN).cpu;
  const median = (/** @type {number[]} */ list) => spreadOf(list)?.median.toFixed(2) ?? "n/a";
  print(
    `\nWithout HTTP a point read takes ${median(plain)} µs, and ${median(shipped)} µs with ` +
      `statistics: ${more.toFixed(2)} µs more.` +
      (whole ? ` That is ${((more / whole) * 100).toFixed(1)} % of what it takes with HTTP.` : ""),
  );
}

/** @param {import("./speed.mjs").Sample[]} samples */
function report(samples) {
  print(`\n${ROUND_COUNT} rounds, ${INSTANCE_COUNT} servers of each kind, 16 connections.`);
  print("Ratios are taken inside each round, over all servers of a kind: median (least–greatest).");
  print("| workload | server | req/s | ÷ without | CPU µs/req | ÷ without | CPU of each server |");
  print("| --- | --- | ---: | ---: | ---: | ---: | --- |");
  for (const workload of WORKLOADS) {
    for (const kind of [PLAIN, SHIPPED]) {
      const { perSecond, cpu, each } = kindFigures(samples, workload, kind);
      const texts = [
        workload,
        kind,
        Math.round(perSecond).toLocaleString("en"),
        spread(kindRatio(samples, workload, "throughput", kind)),
        cpu?.toFixed(1) ?? "n/a",
        spread(kindRatio(samples, workload, "cpu", kind)),
        each.map((micros) => micros?.toFixed(1) ?? "n/a").join(", "),
      ];
      print(`| ${texts.join(" | ")} |`);
    }
  }
  if (!options.smoke && WORKLOADS.includes("point-read")) print(`\n${verdict(samples)}`);
}

/** @type {(samples: import("./speed.mjs").Sample[], workload: string, kind: string) => { perSecond: number, cpu: number | undefined, each: (number | undefined)[] }} */
function kindFigures(samples, workload, kind) {
  const cells = cellsOf(samples.filter((one) => one.workload === workload)).filter((cell) => {
    return cell.contestant.startsWith(kind);
  });
  const cpu = cells.flatMap(({ cpuMicrosPerRequest: micros }) => micros ?? []);
  return {
    perSecond: spreadOf(cells.map((cell) => cell.requestsPerSecond))?.median ?? 0,
    cpu: spreadOf(cpu)?.median,
    each: cells.map((cell) => cell.cpuMicrosPerRequest),
  };
}

/**
 * How many times as fast a kind is as the plain one: the time that its servers took together, round
 * by round.
 * @type {(samples: import("./speed.mjs").Sample[], workload: string, measure: "throughput" | "cpu", kind: string) => import("./figures.mjs").Spread | undefined}
 */
function kindRatio(samples, workload, measure, kind) {
  const timeOf = (/** @type {string} */ name, /** @type {number} */ round) => {
    const turns = samples.filter((one) => {
      return one.workload === workload && one.round === round && one.contestant.startsWith(name);
    });
    return turns.reduce((sum, { requestsPerSecond, cpuMicrosPerRequest }) => {
      return sum + (measure === "cpu" ? (cpuMicrosPerRequest ?? NaN) : 1 / requestsPerSecond);
    }, 0);
  };
  const rounds = [...new Set(samples.map((one) => one.round))];
  const ratios = rounds.map((round) => timeOf(PLAIN, round) / timeOf(kind, round));
  return spreadOf(ratios.filter((ratio) => Number.isFinite(ratio)));
}

/** @type {(name: string) => import("./requests.mjs").Workload} */
function workloadNamed(name) {
  const known = /** @type {import("./requests.mjs").Workload[]} */ (Object.keys(ALL_WORKLOADS));
  const found = known.find((one) => one === name);
  if (found === undefined) throw new Error(`--only takes ${known.join(", ")}, not "${name}"`);
  return found;
}

/** @param {import("./speed.mjs").Sample[]} samples */
function verdict(samples) {
  const judged = /** @type {const} */ (["throughput", "cpu"]).map((measure) => {
    const ratio = kindRatio(samples, "point-read", measure, SHIPPED)?.median;
    const answer = (ratio ?? 0) >= RATIO_MIN ? "holds" : "does not hold";
    return `by ${measure} ${ratio?.toFixed(3) ?? "n/a"} ${answer}`;
  });
  const rule = `Verdict: point reads with statistics, at least ${RATIO_MIN} of those without`;
  return `${rule}: ${judged.join(", ")}.`;
}

/** @param {import("./figures.mjs").Spread | undefined} ratio */
function spread(ratio) {
  if (ratio === undefined) return "n/a";
  return `${ratio.median.toFixed(3)} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}
