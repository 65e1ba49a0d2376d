/**
 * The bench: this server beside two floors and a peer, in one interleaved run, reported as ratios.
 *
 * Everything happens on loopback between this process (the client) and the children it starts. It
 * ends by itself, removes its files, and exits with 1 only when an answer was wrong. How to read
 * the figures is in README.md beside this file.
 */
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { CONTESTANTS, prepare, start } from "./contestants.mjs";
import { environmentNow } from "./environment.mjs";
import { cellsOf } from "./figures.mjs";
import { measureMemory } from "./memory.mjs";
import { parseOptions, USAGE } from "./options.mjs";
import { memoryReport, speedReport, startupReport, verdict } from "./report.mjs";
import { measureSpeed } from "./speed.mjs";
import { measureStarts, startKindsFor } from "./startup.mjs";

/** @typedef {import("./contestants.mjs").ContestantName} ContestantName */
/** @typedef {import("./options.mjs").BenchOptions} BenchOptions */

/** What Linux calls a file system that lives in memory; syncing it costs nothing. */
const TMPFS_TYPE = 0x01021994;

try {
  const options = parseOptions(process.argv.slice(2));
  if (options === undefined) print(USAGE);
  else await bench(options, createScratchFolder());
} catch (error) {
  process.stderr.write(`${explain(error)}\n`);
  process.exitCode = 1;
}

/**
 * @param {BenchOptions} options
 * @param {string} scratchFolder
 */
async function bench(options, scratchFolder) {
  const environment = describeEnvironment(scratchFolder);
  if (options.isSmoke)
    print("Smoke run: answers are checked, the figures mean nothing, no verdict.");
  const names = presentContestants();
  const speedFolder = join(scratchFolder, "speed");
  const speed = await benchSpeed(options, names, speedFolder);
  if (speed.length > 0) print(`\n${speedReport(speed)}`);

  const memoryFolder = join(scratchFolder, "memory");
  const memory = await benchMemory(options, names, memoryFolder);
  if (memory.length > 0) print(`\n${memoryReport(memory)}`);

  const existing = existingData(options, { speedFolder, memoryFolder });
  const kinds = options.hasStartup ? startKindsFor(names, existing) : [];
  if (kinds.length > 0) progress("starts");
  const starts = await measureStarts(kinds, { startCount: options.startCount, scratchFolder });
  if (starts.length > 0) print(`\n${startupReport(starts)}`);

  if (speed.length > 0 && !options.isSmoke) print(`\n${verdict(speed)}`);
  if (options.jsonFile !== undefined) {
    const cells = cellsOf(speed);
    const report = { environment, options, cells, speed, memory, starts };
    mkdirSync(dirname(options.jsonFile), { recursive: true });
    writeFileSync(options.jsonFile, `${JSON.stringify(report, undefined, 2)}\n`);
  }
}

/** @type {(options: BenchOptions, names: ContestantName[], folder: string) => Promise<import("./speed.mjs").Sample[]>} */
async function benchSpeed(options, names, folder) {
  if (options.workloads.length === 0) return [];
  mkdirSync(folder);
  /** @type {import("./contestants.mjs").Server[]} */
  const servers = [];
  try {
    for (const name of names) {
      const server = await start(CONTESTANTS[name], folder);
      servers.push(server);
      progress(`${name} is up`);
      await prepare(server);
    }
    return await measureSpeed(servers, options, progress);
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** @type {(options: BenchOptions, names: ContestantName[], folder: string) => Promise<import("./memory.mjs").MemorySample[]>} */
async function benchMemory(options, names, folder) {
  const samples = [];
  for (const name of names) {
    if (!options.hasMemory || !CONTESTANTS[name].isDatabase) continue;
    progress(`memory of ${name}`);
    const plan = { itemCount: options.memoryItemCount, dataFolder: join(folder, name) };
    samples.push(await measureMemory(CONTESTANTS[name], plan));
  }
  return samples;
}

/**
 * The fullest data folder that this run has written, to start on once more.
 * @param {BenchOptions} options
 * @param {{ speedFolder: string, memoryFolder: string }} folders
 */
function existingData(options, { speedFolder, memoryFolder }) {
  if (options.hasMemory) {
    const label = `${options.memoryItemCount.toLocaleString("en")} items`;
    return { folder: join(memoryFolder, "orrery"), label };
  }
  if (options.workloads.length > 0) return { folder: speedFolder, label: "after the rounds" };
  return undefined;
}

/** A folder that goes when this process goes, however it goes. */
function createScratchFolder() {
  const folder = mkdtempSync(join(tmpdir(), "orrery-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // Exit handlers, this one and the one that ends the children, do not run on a plain signal.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => process.exit(130));
  return folder;
}

/** @returns {ContestantName[]} */
function presentContestants() {
  const all = /** @type {ContestantName[]} */ (Object.keys(CONTESTANTS));
  return all.filter((name) => {
    const reason = CONTESTANTS[name].whyAbsent();
    if (reason !== undefined) print(`${name}: skipped, ${reason}`);
    return reason === undefined;
  });
}

/** @param {string} scratchFolder */
function describeEnvironment(scratchFolder) {
  const environment = environmentNow();
  const { node, machine, loadAverage } = environment;
  const isInMemory = statfsSync(scratchFolder).type === TMPFS_TYPE;
  print(`Node ${node}, ${machine}, load ${loadAverage.toFixed(2)} at the start`);
  if (isInMemory) {
    print(
      `Note: ${tmpdir()} is in memory, so a durable commit costs nothing; set TMPDIR to a disk.`,
    );
  }
  return { ...environment, isInMemory };
}

/**
 * An error and what caused it, innermost last.
 * @param {unknown} error
 * @returns {string}
 */
function explain(error) {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message}\n  ${explain(error.cause)}`;
}

/** @param {string} line */
function print(line) {
  process.stdout.write(`${line}\n`);
}

/** @param {string} line */
function progress(line) {
  process.stderr.write(`… ${line}\n`);
}
