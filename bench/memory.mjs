/**
 * Memory: what a fresh database process holds before and after loading many 1 KB items.
 *
 * One process at a time, so that none presses on the other. Nothing but the load has happened in it.
 */
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { prepare, start } from "./contestants.mjs";
import { memoryOf } from "./procfs.mjs";
import { RequestSource } from "./requests.mjs";
import { loadItems } from "./speed.mjs";

/** @typedef {{ resident: number, anonymous: number }} Memory */

/**
 * @typedef {object} MemorySample
 * @property {string} contestant its name
 * @property {number} itemCount
 * @property {Memory | undefined} idle
 * @property {Memory | undefined} loaded
 * @property {number} loadSeconds
 * @property {number} diskBytes
 */

/** Time for the collector and for writes in the background to come to rest. */
const SETTLE_MS = 2000;
const BYTES_PER_BLOCK = 512;

/**
 * @param {import("./contestants.mjs").Contestant} contestant
 * @param {{ itemCount: number, dataFolder: string }} plan the folder stays, with the items in it
 * @returns {Promise<MemorySample>}
 */
export async function measureMemory(contestant, { itemCount, dataFolder }) {
  mkdirSync(dataFolder, { recursive: true });
  const server = await start(contestant, dataFolder);
  try {
    await prepare(server);
    const idle = memoryOf(server.pid);
    const startedAt = performance.now();
    await loadItems(server, new RequestSource({ ...server, itemCount }), itemCount);
    const loadSeconds = (performance.now() - startedAt) / 1000;
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    const loaded = memoryOf(server.pid);
    const diskBytes = diskBytesOf(dataFolder);
    return { contestant: contestant.name, itemCount, idle, loaded, loadSeconds, diskBytes };
  } finally {
    await server.stop();
  }
}

/**
 * Bytes really allocated: a sparse file counts for what it holds.
 * @param {string} folder
 */
export function diskBytesOf(folder) {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((path) => statSync(join(folder, path)))
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + entry.blocks * BYTES_PER_BLOCK, 0);
}
