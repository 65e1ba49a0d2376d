/**
 * A container on a real server that is copied to another key, switched and switched back, while
 * four clients write and the server is killed: nothing that was told is lost, and nothing that is
 * gone comes back. A few thousand items here, a million with ORRERY_COPIES=full;
 * ORRERY_COPIES_COUNT is another number of them, ORRERY_COPIES_SEED repeats a run as far as real
 * time lets it.
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
  itemCount: 2_000,
  key: "/tenant",
  kills: { preparing: 0, copying: 1, ready: 0, cutOver: 1, switched: 1, revert: 1 },
  splits: 1,
  pauseMs: 2,
  ttlMax: 2,
  laterWrites: 300,
  measuredRounds: 1,
};
const FULL: CampaignSize = {
  itemCount: 1_000_000,
  key: "/tenant",
  kills: { preparing: 2, copying: 9, ready: 3, cutOver: 2, switched: 3, revert: 1 },
  splits: 6,
  pauseMs: 6,
  ttlMax: 30,
  laterWrites: 10_000,
  measuredRounds: 2,
};
const MADE_UP = "concat(/tenant, '-', hash(/id) % 4)";
/** Enough to see what is wrong; more are mostly the same. */
const PROBLEMS_SHOWN = 20;

let data: string | undefined;
let site: Site | undefined;

afterEach(async () => {
  await site?.close();
  if (data !== undefined) await rm(data, { recursive: true, force: true });
});

function sizeOf({ ORRERY_COPIES, ORRERY_COPIES_COUNT }: NodeJS.ProcessEnv): CampaignSize {
  const size = ORRERY_COPIES === "full" ? FULL : SMALL;
  const itemCount = Number(ORRERY_COPIES_COUNT ?? size.itemCount);
  if (!(itemCount >= 100)) throw new Error("ORRERY_COPIES_COUNT has to be a number from 100 on");
  return { ...size, itemCount };
}

test.each(["/tenant", MADE_UP])(
  "nothing is lost when a container gets the key %s under load and kills, nor on the way back",
  async (key) => {
    const size = { ...sizeOf(process.env), key };
    const seed = Number(process.env["ORRERY_COPIES_SEED"] ?? process.pid);
    data = await mkdtemp(join(tmpdir(), "orrery-copies-"));
    site = await Site.open(join(data, "data"), ["--no-rate-limit"]);
    const say = (line: string): void => void process.stdout.write(`copies, ${key}: ${line}\n`);
    say(`seed ${seed}`);
    const campaign = new Campaign(site, seededRandom(seed), size, say);
    await campaign.run(data);
    const { problems, kills, writers } = campaign;
    say(`${problems.length} problems after ${site.killCount} kills`);
    expect(problems.slice(0, PROBLEMS_SHOWN), `${problems.length} problems`).toEqual([]);
    expect(kills).toEqual(size.kills);
    for (const what of ["writeCount", "movedCount", "deletedCount", "expiringCount"] as const) {
      expect(
        writers.map((writer) => writer[what]).reduce((sum, one) => sum + one),
        what,
      ).toBeGreaterThan(0);
    }
  },
  3 * 3_600_000,
);
