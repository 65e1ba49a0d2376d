/**
 * Hostile scripts beside a client that only reads: 70 stored procedures that try to escape, to run for ever or
 * to fill the memory, eight at a time, while somebody else reads an item again and again. Reported is
 * how long that reader waits, with them and without.
 *
 * It talks to loopback only, ends by itself and keeps nothing; it exits with 1 when a script got hold of
 * something of the host, when the server stopped serving, or when a script was not ended in time.
 */
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { startOrrery } from "orrery";
import { ESCAPES, FLOODS } from "./hostile.mjs";

const { values: options } = parseArgs({ options: { smoke: { type: "boolean", default: false } } });
const PROBES = options.smoke
  ? [...ESCAPES.slice(0, 3), ...FLOODS.slice(0, 5)]
  : [...ESCAPES, ...FLOODS];
const AT_ONCE = 8;
const TIME_MS = options.smoke ? 500 : 5000;
const QUIET_MS = options.smoke ? 300 : 5000;

// Reader, callers and server share one process: what the reader waits for is all of them.
const server = await startOrrery({
  memory: true,
  rateLimit: false,
  limits: { scriptTimeMs: TIME_MS },
});
const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
/** @type {string[]} */
const faults = [];
try {
  const { database } = await client.databases.create({ id: "probes" });
  const { container } = await database.containers.create({ id: "items", partitionKey: "/pk" });
  await container.items.create({ id: "a", pk: "a" });
  const quiet = await readWhile(container, wait(QUIET_MS));
  const hostile = await readWhile(container, runAll(container));
  const { resource } = await container.item("a", "a").read();
  if (resource?.id !== "a") faults.push("the item is gone");
  console.log(`${PROBES.length} hostile scripts, ${AT_ONCE} at a time, ${TIME_MS} ms each at most`);
  for (const [name, waits] of Object.entries({ "without them": quiet, "beside them": hostile })) {
    const [p50, p99, max] = [0.5, 0.99, 1].map((share) => quantile(waits, share).toFixed(1));
    console.log(
      `point reads ${name.padEnd(13)} ${waits.length} reads, p50 ${p50} ms, p99 ${p99} ms, longest ${max} ms`,
    );
  }
} finally {
  client.dispose();
  await server.close();
}
for (const fault of faults) console.error(fault);
process.exit(faults.length > 0 ? 1 : 0);

/** @param {import("@azure/cosmos").Container} container */
async function runAll(container) {
  const waiting = PROBES.map((body, index) => ({ body, id: `probe${index}` }));
  const work = async () => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { body, id } = next;
      await container.scripts.storedProcedures.create({ id, body });
      const startedAt = performance.now();
      const outcome = await container.scripts
        .storedProcedure(id)
        .execute("h", [])
        .then(({ resource }) => resource)
        .catch((error) => ({ code: error.code }));
      const tookMs = performance.now() - startedAt;
      if (ESCAPES.includes(body) && outcome !== "undefined" && outcome !== "no") {
        faults.push(`got out: ${body} answered ${JSON.stringify(outcome)}`);
      }
      // It may have waited for a thread; twice its time is too long all the same.
      if (tookMs > 2 * TIME_MS + 2000) faults.push(`took ${tookMs.toFixed(0)} ms: ${body}`);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

/**
 * @param {import("@azure/cosmos").Container} container
 * @param {Promise<unknown>} work
 */
async function readWhile(container, work) {
  let isOver = false;
  const ending = work.finally(() => {
    isOver = true;
  });
  /** @type {number[]} */
  const waits = [];
  while (!isOver) {
    const startedAt = performance.now();
    await container.item("a", "a").read();
    waits.push(performance.now() - startedAt);
    await wait(2);
  }
  await ending;
  return waits;
}

/** @param {number} ms */
function wait(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/**
 * @param {readonly number[]} values
 * @param {number} share
 */
function quantile(values, share) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
}
