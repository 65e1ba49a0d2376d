/**
 * Splits and merges of a real server on a real disk, under applications that use the official
 * client, and kills in the middle of it. Nothing is lost, nothing is there twice, and applications
 * see no error but for the time in which there is no server. A few here, 200 splits and 20 kills
 * with ORRERY_CRASH=full.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { CosmosClient } from "@azure/cosmos";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "./site.ts";
import type { SplitTarget } from "./splitLoop.ts";
import { SplitLoop } from "./splitLoop.ts";
import { SplitWorkers } from "./splitWorkers.ts";

const IS_FULL = process.env["ORRERY_CRASH"] === "full";
const LIMITS = ["--limit", "physicalPartitionBytes=60KB", "--limit", "logicalPartitionBytes=50KB"];

let data: string | undefined;
let site: Site | undefined;

afterEach(async () => {
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

async function runLoop(name: string, args: readonly string[], target: SplitTarget): Promise<void> {
  data = await mkdtemp(join(tmpdir(), "orrery-splits-"));
  site = await Site.open(data, [...args, ...LIMITS]);
  const { endpoint, key } = site;
  const random = seededRandom(process.pid);
  const startedAt = performance.now();
  // Rates are shared by a dozen at once: some wait for longer than clients do by default.
  const retryOptions = { maxRetryAttemptCount: 1000, maxWaitTimeInSeconds: 300 };
  const connectionPolicy = { retryOptions };
  const plain = new CosmosClient({ endpoint, key, connectionPolicy });
  const inSession = new CosmosClient({
    endpoint,
    key,
    connectionPolicy,
    consistencyLevel: "Session",
  });
  await plain.databases.create({ id: "crash" });
  await plain.database("crash").containers.create({
    id: "splits",
    partitionKey: { paths: ["/pk"] },
    throughput: 5000,
  });
  const containerOf = (client: CosmosClient) => client.database("crash").container("splits");
  const containers = [containerOf(plain), containerOf(inSession)] as const;
  const workers = new SplitWorkers({ site, random, containers });
  await workers.loadSamples();
  const loop = new SplitLoop(site, random, "containers/crash/splits");

  const working = workers.run();
  await Promise.race([loop.run(target), working]);
  // Some of them are slow, and are to have seen a little of it.
  const isSeenByAll = (): boolean => {
    const { lost: _, ...counts } = workers.counts;
    return Object.values(counts).every((count) => count > 0);
  };
  while (!isSeenByAll()) await Promise.race([delay(10), working]);
  workers.stop();
  await working;

  for (const container of containers) await workers.verify(container);
  expect(await site.restart(), "it ends in good order").toBe(0);
  const afresh = new CosmosClient({ endpoint, key, connectionPolicy });
  await workers.verify(containerOf(afresh));
  const { partitions, figures } = await loop.report();
  expect(figures.itemCount).toBe(workers.itemCount);
  expect(partitions.reduce((sum, { itemCount }) => sum + itemCount, 0)).toBe(workers.itemCount);
  for (const client of [plain, inSession, afresh]) client.dispose();

  const { splitCount, mergeCount, bySizeCount, killedJobCount } = loop;
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `split kills, ${name}: ${splitCount} splits (${bySizeCount} by size), ${mergeCount} merges, ` +
      `${site.killCount} kills (${killedJobCount} in one of them) in ${seconds} s, ` +
      `${JSON.stringify(workers.counts)}, longest open ${site.openMsMax.toFixed(0)} ms\n`,
  );
  expect(splitCount).toBeGreaterThanOrEqual(target.splitCount);
  expect(site.killCount).toBe(target.killCount);
  for (const [what, count] of Object.entries(workers.counts)) {
    if (what !== "lost") expect(count, what).toBeGreaterThan(0);
  }
}

test("splits, merges and kills under load", async () => {
  const target = IS_FULL ? { splitCount: 200, killCount: 20 } : { splitCount: 6, killCount: 2 };
  await runLoop("rates off", ["--no-rate-limit"], target);
}, 3_600_000);

test("the same while applications are throttled", async () => {
  const target = IS_FULL ? { splitCount: 40, killCount: 4 } : { splitCount: 3, killCount: 1 };
  await runLoop("rates on", [], target);
}, 3_600_000);
