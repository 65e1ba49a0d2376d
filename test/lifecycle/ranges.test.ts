/**
 * The router against one container, on a real server that moves items and is killed meanwhile.
 * Dozens of ranges here, 1,000 and 25 kills with ORRERY_LIFECYCLE=full; ORRERY_LIFECYCLE_SEED
 * repeats a run as far as real time lets it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import type { RangesSize } from "./rangesCampaign.ts";
import { RangesCampaign } from "./rangesCampaign.ts";

const SMALL: RangesSize = {
  itemCount: 150,
  rangeCount: 50,
  killCount: 2,
  spanSeconds: 5,
  markTtlSeconds: 3,
};
const FULL: RangesSize = {
  itemCount: 500,
  rangeCount: 1000,
  killCount: 25,
  spanSeconds: 100,
  markTtlSeconds: 10,
};
/** Enough to see what is wrong. */
const PROBLEMS_SHOWN = 10;

let data: string | undefined;
let site: Site | undefined;

afterEach(async () => {
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

test("a router answers as one container does, while items move and the server is killed", async () => {
  const size = process.env["ORRERY_LIFECYCLE"] === "full" ? FULL : SMALL;
  const seed = Number(process.env["ORRERY_LIFECYCLE_SEED"] ?? process.pid);
  data = await mkdtemp(join(tmpdir(), "orrery-ranges-"));
  site = await Site.open(join(data, "data"), ["--no-rate-limit"]);
  const campaign = new RangesCampaign(site, seededRandom(seed), size);
  await campaign.run();
  const { problems, done } = campaign;
  const asked = JSON.stringify({ ...done, byTiers: Object.fromEntries(done.byTiers) });
  process.stdout.write(
    `ranges: seed ${seed}, ${size.rangeCount} ranges, ${site.killCount} kills, ` +
      `${problems.length} problems, ${asked}\n`,
  );
  expect(problems.slice(0, PROBLEMS_SHOWN), `${problems.length} problems`).toEqual([]);
  expect(site.killCount).toBe(size.killCount);
  // Otherwise nothing was on its way, and the test would show nothing.
  expect(done.byTiers.get("hot,warm")).toBeGreaterThan(0);
  expect(done.leftOutRows).toBeGreaterThan(0);
}, 1_800_000);
