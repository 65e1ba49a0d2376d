/**
 * The power goes at any moment, again and again: while writing, absorbing, opening, making a
 * segment. Whatever was acknowledged is there afterwards, whole; whatever was not is there whole or
 * not at all; and the store opens every time. 400 cuts here, 20,000 with ORRERY_CRASH=full.
 *
 * A storm names its seed when it fails: `runStorm(seed, CUTS_PER_STORM)` repeats it.
 */
import { describe, expect, test } from "vitest";
import type { Activity } from "./machine.ts";
import { PLANTED_BUGS } from "./plantedBugs.ts";
import { runStorm } from "./storm.ts";

const CUT_COUNT = process.env["ORRERY_CRASH"] === "full" ? 20_000 : 400;
const CUTS_PER_STORM = 10;
/** A long run says every now and then how far it is. */
const PROGRESS_EVERY = 1_000;
const ACTIVITIES: readonly Activity[] = ["open", "create", "append", "remove", "absorb"];

describe("power cuts", () => {
  test(`${CUT_COUNT} of them lose nothing and tear nothing`, async () => {
    const interrupted = new Map<Activity, number>();
    let acknowledgedCount = 0;
    let keptCount = 0;
    for (let seed = 1; seed <= CUT_COUNT / CUTS_PER_STORM; seed++) {
      const report = await runStorm(seed, CUTS_PER_STORM);
      expect(report.violation).toBeUndefined();
      acknowledgedCount += report.acknowledgedCount;
      keptCount += report.keptCount;
      for (const [activity, count] of report.interrupted) {
        interrupted.set(activity, (interrupted.get(activity) ?? 0) + count);
      }
      const cutCount = seed * CUTS_PER_STORM;
      if (cutCount % PROGRESS_EVERY === 0) {
        const told = `${cutCount} of ${CUT_COUNT}, ${acknowledgedCount} writes, 0 lost`;
        process.stdout.write(`simulated power cuts: ${told}\n`);
      }
    }
    // The storm is worth something only if it interrupted everything there is to interrupt.
    for (const activity of ACTIVITIES) {
      expect(interrupted.get(activity) ?? 0, `cuts during ${activity}`).toBeGreaterThan(10);
    }
    expect(acknowledgedCount).toBeGreaterThan(8 * CUT_COUNT);
    expect(keptCount).toBeGreaterThan(CUT_COUNT / 10);
  });

  test("a storm is a function of its seed", async () => {
    expect(await runStorm(7, CUTS_PER_STORM)).toEqual(await runStorm(7, CUTS_PER_STORM));
  });

  test.each(PLANTED_BUGS)("the same comparison catches $name", async ({ wiring }) => {
    let violation: string | undefined;
    for (let seed = 1; seed <= 20 && violation === undefined; seed++) {
      violation = (await runStorm(seed, CUTS_PER_STORM, wiring)).violation;
    }
    expect(violation).toContain("seed");
  });
});
