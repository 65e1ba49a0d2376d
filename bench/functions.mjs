/**
 * What a user-defined function costs in a query: a filter over all items of a container that calls
 * one, beside the same condition without it, in one interleaved run on one server, reported as
 * ratios. No index has any of the conditions: every item is read for each.
 *
 * Pages are followed to the end, and every answer is checked. It talks to loopback only, ends by
 * itself and removes its files; it exits with 1 only when an answer was wrong.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { startOrrery } from "orrery";

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "100000" },
    rounds: { type: "string", default: "5" },
    smoke: { type: "boolean", default: false },
  },
});
const ITEM_COUNT = options.smoke ? 500 : Math.min(1_000_000, Number(options.items));
const ROUND_COUNT = options.smoke ? 1 : Math.min(100, Number(options.rounds));
const IN_FLIGHT = 50;

const FUNCTIONS = {
  gross: "function gross(price, rate) { return price * (1 + rate); }",
  isCheap: "function isCheap(item) { return item.price * (1 + item.rate) < 10; }",
};

/** Pairs: without a function, and with one. */
const QUESTIONS = {
  "two numbers": [
    "SELECT VALUE c.id FROM c WHERE c.price * (1 + c.rate) < 10",
    "SELECT VALUE c.id FROM c WHERE udf.gross(c.price, c.rate) < 10",
  ],
  "a whole item": [
    "SELECT VALUE c.id FROM c WHERE c.price * (1 + c.rate) < 10",
    "SELECT VALUE c.id FROM c WHERE udf.isCheap(c)",
  ],
  "an aggregate": [
    "SELECT VALUE SUM(c.price * (1 + c.rate)) FROM c",
    "SELECT VALUE SUM(udf.gross(c.price, c.rate)) FROM c",
  ],
};

const data = mkdtempSync(join(tmpdir(), "orrery-functions-"));
const server = await startOrrery({ data, rateLimit: false });
const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
let isWrong = false;
try {
  const { database } = await client.databases.create({ id: "bench" });
  const { container } = await database.containers.create({ id: "items", partitionKey: "/pk" });
  for (const [id, body] of Object.entries(FUNCTIONS)) {
    await container.scripts.userDefinedFunctions.create({ id, body });
  }
  console.log(`loading ${ITEM_COUNT} items …`);
  await load(container);
  /** @type {Map<string, [number[], number[]]>} */
  const times = new Map(Object.keys(QUESTIONS).map((name) => [name, [[], []]]));
  for (let round = 0; round <= ROUND_COUNT; round++) {
    for (const [name, [plain, calling]] of Object.entries(QUESTIONS)) {
      const without = await timed(container, plain);
      const withCalls = await timed(container, calling);
      if (!isAlike(without.rows, withCalls.rows)) {
        isWrong = true;
        console.error(`${name}: the answers are not the same`);
      }
      // The first round is for warming up.
      if (round === 0) continue;
      times.get(name)?.[0].push(without.ms);
      times.get(name)?.[1].push(withCalls.ms);
    }
  }
  console.log(`a filter over ${ITEM_COUNT} items, median of ${ROUND_COUNT} rounds`);
  for (const [name, [plain, calling]] of times) {
    const [without, withCalls] = [medianOf(plain), medianOf(calling)];
    const each = (1_000 * (withCalls - without)) / ITEM_COUNT;
    console.log(
      `${name.padEnd(14)} ${without.toFixed(0).padStart(6)} ms without, ` +
        `${withCalls.toFixed(0).padStart(6)} ms with a function: ` +
        `${(withCalls / without).toFixed(2)} ×, ${each.toFixed(1)} µs a call`,
    );
  }
} finally {
  client.dispose();
  await server.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit(isWrong ? 1 : 0);

/** @param {import("@azure/cosmos").Container} container */
async function load(container) {
  let next = 0;
  const writer = async () => {
    while (next < ITEM_COUNT) {
      const first = next;
      next += 100;
      const pk = `p${(first / 100) % 500}`;
      const some = Array.from({ length: Math.min(100, ITEM_COUNT - first) }, (_, n) =>
        itemOf(first + n, pk),
      );
      await container.items.batch(
        some.map((resourceBody) => ({ operationType: "Create", resourceBody })),
        pk,
      );
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, writer));
}

/**
 * @param {number} index
 * @param {string} pk
 */
function itemOf(index, pk) {
  const text = `item ${index} `.repeat(30);
  return { id: `${index}`, pk, price: (index * 7919) % 1_000, rate: (index % 4) / 8, text };
}

/**
 * @param {import("@azure/cosmos").Container} container
 * @param {string} text
 */
async function timed(container, text) {
  const options = { maxItemCount: 1_000, initialHeaders: { "x-orrery-merge-query": "true" } };
  const startedAt = performance.now();
  const { resources } = await container.items.query(text, options).fetchAll();
  return { ms: performance.now() - startedAt, rows: resources };
}

/**
 * @param {readonly unknown[]} left
 * @param {readonly unknown[]} right
 */
function isAlike(left, right) {
  return left.length > 0 && JSON.stringify(left) === JSON.stringify(right);
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
