/**
 * What a stored procedure costs: 1,000 items of one logical partition written by a procedure that
 * goes on where it was told to stop, beside the same items written in transactional batches and one
 * by one, through the official client, in one interleaved run on one server, reported as ratios.
 *
 * It talks to loopback only, ends by itself and removes its files; it exits with 1 only when items
 * are missing.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { CosmosClient } from "@azure/cosmos";
import { startOrrery } from "orrery";

const { values: options } = parseArgs({
  options: {
    items: { type: "string", default: "1000" },
    rounds: { type: "string", default: "7" },
    smoke: { type: "boolean", default: false },
  },
});
const ITEM_COUNT = options.smoke ? 50 : Math.min(100_000, Number(options.items));
const ROUND_COUNT = options.smoke ? 1 : Math.min(100, Number(options.rounds));
const BATCH_COUNT = 100;

/** Runs on the server: takes items until it is told to stop, and says how many it took. */
const PROCEDURE = `function takeAll(items) {
  const collection = getContext().getCollection();
  let count = 0;
  next();
  function next() {
    getContext().getResponse().setBody(count);
    if (count === items.length) return;
    collection.createDocument(collection.getSelfLink(), items[count], (error) => {
      if (error) throw error;
      count++;
      next();
    });
  }
}`;

const data = mkdtempSync(join(tmpdir(), "orrery-procedures-"));
const server = await startOrrery({ data, rateLimit: false });
const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
let isWrong = false;
try {
  const { database } = await client.databases.create({ id: "bench" });
  const { container } = await database.containers.create({ id: "items", partitionKey: "/pk" });
  await container.scripts.storedProcedures.create({ id: "takeAll", body: PROCEDURE });

  /** @type {Record<string, (pk: string) => Promise<void>>} */
  const ways = {
    "procedure, with continuation": async (pk) => {
      const items = itemsOf(pk);
      for (let done = 0, calls = 0; done < items.length; calls++) {
        if (calls > ITEM_COUNT) throw new Error("the procedure takes nothing");
        const { resource } = await container.scripts
          .storedProcedure("takeAll")
          .execute(pk, [items.slice(done, done + 250)]);
        done += Number(resource);
      }
    },
    "transactional batches": async (pk) => {
      const items = itemsOf(pk);
      for (let done = 0; done < items.length; done += BATCH_COUNT) {
        const some = items.slice(done, done + BATCH_COUNT);
        await container.items.batch(
          some.map((resourceBody) => ({ operationType: "Create", resourceBody })),
          pk,
        );
      }
    },
    "one by one": async (pk) => {
      for (const item of itemsOf(pk)) await container.items.create(item);
    },
  };

  /** @type {Map<string, number[]>} */
  const times = new Map(Object.keys(ways).map((name) => [name, []]));
  for (let round = 0; round <= ROUND_COUNT; round++) {
    for (const [name, run] of Object.entries(ways)) {
      const pk = `${name} ${round}`;
      const startedAt = performance.now();
      await run(pk);
      // The first round is for warming up.
      if (round > 0) times.get(name)?.push(performance.now() - startedAt);
      const { resources } = await container.items
        .query("SELECT VALUE COUNT(1) FROM c", { partitionKey: pk })
        .fetchAll();
      if (resources[0] !== ITEM_COUNT) {
        isWrong = true;
        console.error(`${name}: ${resources[0]} of ${ITEM_COUNT} items are there`);
      }
    }
  }
  const base = medianOf(times.get("transactional batches") ?? []);
  console.log(`${ITEM_COUNT} items of one logical partition, median of ${ROUND_COUNT} rounds`);
  for (const [name, taken] of times) {
    const median = medianOf(taken);
    const ratio = (median / base).toFixed(2);
    console.log(`${name.padEnd(30)} ${median.toFixed(0).padStart(7)} ms   ${ratio} × batches`);
  }
} finally {
  client.dispose();
  await server.close();
  rmSync(data, { recursive: true, force: true });
}
process.exit(isWrong ? 1 : 0);

/** @param {string} pk */
function itemsOf(pk) {
  return Array.from({ length: ITEM_COUNT }, (_, index) => ({
    id: `${index}`,
    pk,
    number: index,
    text: "x".repeat(300),
    tags: ["one", "two"],
  }));
}

/** @param {readonly number[]} values */
function medianOf(values) {
  return values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
}
