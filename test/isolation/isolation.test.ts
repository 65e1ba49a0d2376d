/**
 * Sixteen clients and a real server that is killed under them, again and again, and whose physical
 * partitions are split and merged: what clients were told must be what a server would have told
 * them that did one batch after the other, and never died. Small here, 200,000 operations with
 * ORRERY_ISOLATION=full; ORRERY_ISOLATION_COUNT and ORRERY_ISOLATION_SEED choose another number and
 * what clients ask.
 *
 * Kills leave the system's caches alone; what a power cut leaves is for `test/crash`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import { SplitLoop } from "../crash/splitLoop.ts";
import { pick } from "../crash/workload.ts";
import { runCampaign } from "./campaign.ts";
import { ServerTarget } from "./serverTarget.ts";

const IS_FULL = process.env["ORRERY_ISOLATION"] === "full";
const OPERATION_COUNT = Number(process.env["ORRERY_ISOLATION_COUNT"] ?? (IS_FULL ? 200_000 : 2000));
const SEED = Number(process.env["ORRERY_ISOLATION_SEED"] ?? process.pid);
const CLIENT_COUNT = 16;

interface Run {
  readonly name: string;
  /** Of all operations. */
  readonly share: number;
  readonly partitionCount: number;
  readonly operationsPerKill: number;
  readonly operationsPerSplit: number;
}

const RUNS: readonly Run[] = [
  {
    name: "kills",
    share: 0.7,
    partitionCount: 4,
    operationsPerKill: 4000,
    operationsPerSplit: Infinity,
  },
  {
    name: "kills, splits and merges",
    share: 0.3,
    partitionCount: 8,
    operationsPerKill: 6000,
    operationsPerSplit: 400,
  },
];

test.each(RUNS)(
  "what clients are told is serial, under $name",
  async (run) => {
    const data = await mkdtemp(join(tmpdir(), "orrery-isolation-"));
    const site = await Site.open(data, ["--no-rate-limit"]);
    try {
      await attempt(site, run);
    } finally {
      await site.close();
      await rm(data, { recursive: true, force: true });
    }
  },
  3_600_000,
);

async function attempt(site: Site, run: Run): Promise<void> {
  const random = seededRandom(SEED);
  const operationCount = Math.round(OPERATION_COUNT * run.share);
  const crashCount = Math.max(2, Math.round(operationCount / run.operationsPerKill));
  const splitCount = Math.round(operationCount / run.operationsPerSplit);
  using target = await ServerTarget.open(site, CLIENT_COUNT);
  const startedAt = performance.now();
  const campaign = runCampaign({
    target,
    random,
    clientCount: CLIENT_COUNT,
    partitionCount: run.partitionCount,
    operationCount,
    crashCount,
    crash: async () => {
      await delay(pick(random, 30));
      await site.kill();
    },
  });
  const loop = new SplitLoop(site, random, "containers/isolation/lists");
  const splitting = splitCount > 0 ? loop.run({ splitCount, killCount: 0 }) : undefined;
  const [{ flaws, anomalies, ...counts }] = await Promise.all([campaign, splitting]);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  process.stdout.write(
    `isolation under ${run.name}, seed ${SEED}: ${JSON.stringify(counts)}, ` +
      `${loop.splitCount} splits, ${loop.mergeCount} merges in ${seconds} s, ` +
      `longest open ${site.openMsMax.toFixed(0)} ms\n`,
  );
  expect(flaws.slice(0, 5), `seed ${SEED}`).toEqual([]);
  expect(anomalies, `seed ${SEED}`).toEqual([]);
  expect(counts.crashes).toBe(crashCount);
  const all = counts.ok + counts.failed + counts.unknown;
  expect(counts.ok / all).toBeGreaterThan(0.3);
  expect(counts.failed / all).toBeGreaterThan(0.1);
  // A kill leaves each client in doubt about what it waits for, and nothing else does.
  expect(counts.unknown).toBeLessThanOrEqual(2 * crashCount * CLIENT_COUNT);
}
