/**
 * A hot and a warm container on a real server, under clients that write and kills: at every restart
 * each item is in hot or in warm, and in the end each is where it belongs, once. A few hundred
 * items here, ten thousand and fifty kills with ORRERY_LIFECYCLE=full; ORRERY_LIFECYCLE_SEED
 * repeats a run as far as real time lets it.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { Site } from "../crash/site.ts";
import type { CampaignSize } from "./campaign.ts";
import { Campaign } from "./campaign.ts";

const SMALL: CampaignSize = { itemCount: 400, killCount: 2, spanSeconds: 6, pauseMs: 5 };
const FULL: CampaignSize = { itemCount: 10_000, killCount: 50, spanSeconds: 120, pauseMs: 3 };
/** Enough to see what is wrong; more are mostly the same. */
const PROBLEMS_SHOWN = 20;

let data: string | undefined;
let site: Site | undefined;

afterEach(async () => {
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

test("nothing is lost or doubled on the way from hot to warm under load and kills", async () => {
  const size = process.env["ORRERY_LIFECYCLE"] === "full" ? FULL : SMALL;
  const seed = Number(process.env["ORRERY_LIFECYCLE_SEED"] ?? process.pid);
  data = await mkdtemp(join(tmpdir(), "orrery-lifecycle-"));
  site = await Site.open(join(data, "data"), ["--no-rate-limit"]);
  const say = (line: string): void => void process.stdout.write(`lifecycle: ${line}\n`);
  say(`seed ${seed}`);
  const campaign = new Campaign(site, seededRandom(seed), size, say);
  await campaign.run();
  const { problems, done } = campaign;
  say(`${problems.length} problems after ${site.killCount} kills`);
  expect(problems.slice(0, PROBLEMS_SHOWN), `${problems.length} problems`).toEqual([]);
  expect(site.killCount).toBe(size.killCount);
  expect(done.edits).toBeGreaterThan(0);
  expect(done.deletions).toBeGreaterThan(0);
}, 1_800_000);
