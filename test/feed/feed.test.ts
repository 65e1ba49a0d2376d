/**
 * The change feed of a real server on a real disk, while it is written to, split, merged and
 * killed: whoever follows it sees every change of a logical partition once and in order, wherever
 * he goes on from. A few thousand changes here, a million with ORRERY_FEED=full; ORRERY_FEED_COUNT
 * is another number of them, ORRERY_FEED_SEED repeats a run as far as real time lets it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import type { CampaignSize } from "./campaign.ts";
import { Campaign } from "./campaign.ts";

const SMALL: CampaignSize = {
  changes: 4_000,
  keyCount: 60,
  idCount: 8,
  bulkCount: 40,
  pageCount: 80,
  followedCount: 1,
  resumeShare: 0.05,
  splits: 4,
  merges: 1,
  kills: 2,
};
const FULL: CampaignSize = {
  changes: 1_000_000,
  keyCount: 600,
  idCount: 40,
  bulkCount: 100,
  pageCount: 1_000,
  followedCount: 6,
  resumeShare: 0.005,
  splits: 50,
  merges: 12,
  kills: 20,
};
/** Enough to see what is wrong; more are mostly the same. */
const PROBLEMS_SHOWN = 20;

let data: string | undefined;
let site: Site | undefined;

afterEach(async () => {
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

function sizeOf({ ORRERY_FEED, ORRERY_FEED_COUNT }: NodeJS.ProcessEnv): CampaignSize {
  const size = ORRERY_FEED === "full" ? FULL : SMALL;
  const changes = Number(ORRERY_FEED_COUNT ?? size.changes);
  if (!(changes >= SMALL.changes)) {
    throw new Error(`ORRERY_FEED_COUNT has to be a number from ${SMALL.changes} on`);
  }
  return { ...size, changes };
}

test("everybody who follows the change feed sees everything once and in order", async () => {
  const size = sizeOf(process.env);
  const seed = Number(process.env["ORRERY_FEED_SEED"] ?? process.pid);
  data = await mkdtemp(join(tmpdir(), "orrery-feed-"));
  site = await Site.open(data, ["--no-rate-limit"]);
  await using campaign = new Campaign(site, seededRandom(seed), size);
  const startedAt = performance.now();
  const problems = await campaign.run();
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);

  const { ledger, disturbances, counts } = campaign;
  const { done, killedJobCount } = disturbances;
  process.stdout.write(
    `change feed, seed ${seed}: ${ledger.changeCount} changes, ${ledger.doubtfulCount} in doubt, ` +
      `${done.split} splits, ${done.merge} merges, ${done.kill} kills (${killedJobCount} in a ` +
      `split) in ${seconds} s, ${JSON.stringify({ ...counts, ...campaign.readCounts })}\n`,
  );
  expect(problems.slice(0, PROBLEMS_SHOWN), `${problems.length} problems`).toEqual([]);
  expect(ledger.changeCount).toBeGreaterThanOrEqual(size.changes);
  expect(done).toEqual({ split: size.splits, merge: size.merges, kill: size.kills });
  for (const [what, count] of Object.entries({ ...counts, ...campaign.readCounts })) {
    if (what !== "lost" && what !== "endless") expect(count, what).toBeGreaterThan(0);
  }
}, 3_600_000);
