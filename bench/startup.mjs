/**
 * Start-up: from spawning the process to the first 200 on a signed `GET /`, and the CPU spent on it.
 *
 * Starts are interleaved like the speed rounds, and the first start of each kind is thrown away: it
 * pays for reading the program from disk, and the client for compiling itself.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { call } from "./client.mjs";
import { CONTESTANTS, expectStatus, start } from "./contestants.mjs";
import { cpuMicrosOf } from "./procfs.mjs";

/** @typedef {{ label: string, contestant: import("./contestants.mjs").Contestant, existingFolder?: string }} StartKind */
/** @typedef {{ label: string, elapsedMs: number, cpuMs: number | undefined }} StartSample */

/**
 * @param {readonly StartKind[]} kinds
 * @param {{ startCount: number, scratchFolder: string }} plan
 * @returns {Promise<StartSample[]>}
 */
export async function measureStarts(kinds, { startCount, scratchFolder }) {
  /** @type {StartSample[]} */
  const samples = [];
  for (let round = 0; round <= startCount; round += 1) {
    for (const [place] of kinds.entries()) {
      const kind = kinds[(place + round) % kinds.length];
      const folder = kind.existingFolder ?? join(scratchFolder, `start-${round}-${place}`);
      mkdirSync(folder, { recursive: true });
      const sample = await startOnce(kind, folder);
      if (round > 0) samples.push(sample);
    }
  }
  return samples;
}

/**
 * @param {import("./contestants.mjs").ContestantName[]} names those that take part
 * @param {{ folder: string, label: string } | undefined} existing a data folder to start on
 * @returns {StartKind[]}
 */
export function startKindsFor(names, existing) {
  /** @type {StartKind[]} */
  const kinds = names
    .filter((name) => name !== "signature")
    .map((name) => ({ label: name, contestant: CONTESTANTS[name] }));
  if (names.includes("orrery") && existing !== undefined) {
    const label = `orrery, ${existing.label}`;
    kinds.push({ label, contestant: CONTESTANTS.orrery, existingFolder: existing.folder });
  }
  return kinds;
}

/** @type {(kind: StartKind, folder: string) => Promise<StartSample>} */
async function startOnce(kind, folder) {
  const startedAt = performance.now();
  const server = await start(kind.contestant, folder);
  try {
    await expectStatus(200, call(server, "GET", "/"));
    const elapsedMs = performance.now() - startedAt;
    const cpuMicros = cpuMicrosOf(server.pid);
    return {
      label: kind.label,
      elapsedMs,
      cpuMs: cpuMicros === undefined ? undefined : cpuMicros / 1000,
    };
  } finally {
    await server.stop();
  }
}
