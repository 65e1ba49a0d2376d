/**
 * The same server on several versions of Node, in one interleaved run: a start to the first answer,
 * and server CPU of a point read and a create. `ORRERY_BENCH_NODES` names the programs, with commas
 * between them; npm's package `node` carries each version as `node_modules/node/bin/node`.
 */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { call, runLoad } from "./client.mjs";
import { CONTESTANTS, expectStatus, prepare, start } from "./contestants.mjs";
import { spreadOf } from "./figures.mjs";
import { cpuMicrosOf } from "./procfs.mjs";
import { RequestSource } from "./requests.mjs";
import { loadItems } from "./speed.mjs";

const { values: options } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    count: { type: "string", default: "5000" },
    smoke: { type: "boolean", default: false },
    json: { type: "string" },
  },
});
/**
 * @typedef {object} NodesReport what `--json` writes
 * @property {readonly string[]} versions
 * @property {Readonly<Record<string, readonly (readonly number[])[]>>} rows by name: samples of each version
 */
const CONNECTIONS = 16;
const LOAD_MS_MAX = 120_000;
const rounds = options.smoke ? 1 : Number(options.rounds);
const count = options.smoke ? 100 : Number(options.count);
const programs = (process.env["ORRERY_BENCH_NODES"] ?? process.execPath).split(",");
const ROWS = ["start, ms", "start, ms of CPU", "point read, µs of CPU", "create, µs of CPU"];
const folder = mkdtempSync(join(tmpdir(), "orrery-nodes-"));
/** @type {Map<string, number[]>} by program and row */
const samples = new Map();
try {
  for (let round = 0; round <= rounds; round += 1) {
    for (const program of programs) {
      const figures = await measure(program, join(folder, `${round}-${programs.indexOf(program)}`));
      if (round === 0) continue;
      for (const [index, row] of ROWS.entries()) {
        const cell = `${program} ${row}`;
        samples.set(cell, [...(samples.get(cell) ?? []), figures[index]]);
      }
    }
  }
  report();
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** @type {(program: string, data: string) => Promise<readonly number[]>} */
async function measure(program, data) {
  mkdirSync(data);
  const startedAt = performance.now();
  const server = await start(CONTESTANTS.orrery, data, program);
  try {
    await expectStatus(200, call(server, "GET", "/"));
    const elapsedMs = performance.now() - startedAt;
    const startMs = (cpuMicrosOf(server.pid) ?? Number.NaN) / 1000;
    await prepare(server);
    const source = new RequestSource({ ...server, itemCount: count });
    await loadItems(server, source, count);
    const costs = [];
    for (const workload of /** @type {const} */ (["point-read", "create"])) {
      const { pool } = source.pool(workload, count);
      const status = CONTESTANTS.orrery.statusOf(workload);
      const before = cpuMicrosOf(server.pid) ?? Number.NaN;
      const { port } = server;
      await runLoad({ port, pool, connections: CONNECTIONS, status, timeoutMs: LOAD_MS_MAX });
      costs.push(((cpuMicrosOf(server.pid) ?? Number.NaN) - before) / count);
    }
    return [elapsedMs, startMs, ...costs];
  } finally {
    await server.stop();
    rmSync(data, { recursive: true, force: true });
  }
}

function report() {
  const versions = programs.map((program) =>
    execFileSync(program, ["--version"], { encoding: "utf8" }).trim(),
  );
  console.log(`${"".padEnd(24)}${versions.map((version) => version.padStart(12)).join("")}`);
  /** @type {Record<string, number[][]>} */
  const rows = {};
  for (const row of ROWS) {
    rows[row] = programs.map((program) => samples.get(`${program} ${row}`) ?? []);
    const cells = rows[row].map((list) =>
      (spreadOf(list)?.median.toFixed(0) ?? "n/a").padStart(12),
    );
    console.log(`${row.padEnd(24)}${cells.join("")}`);
  }
  if (options.json !== undefined) {
    writeFileSync(options.json, JSON.stringify({ versions, rows }, undefined, 2));
  }
}
