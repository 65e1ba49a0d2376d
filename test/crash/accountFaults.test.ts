/**
 * Power cuts under a whole account: databases, containers and items that were acknowledged are
 * there, with their etags; what was not acknowledged is there whole or not at all; no part of the
 * store is left over; index, tallies and counters are those of the items. 100 cuts, 5,000 with
 * ORRERY_CRASH=full.
 */
import { expect, test } from "vitest";
import { runAccountStorm } from "./accountStorm.ts";
import { PLANTED_BUGS } from "./plantedBugs.ts";

const CUT_COUNT = process.env["ORRERY_CRASH"] === "full" ? 5_000 : 100;
const CUTS_PER_STORM = 10;
/** A long run says every now and then how far it is. */
const PROGRESS_EVERY = 500;

test(`${CUT_COUNT} power cuts leave an account as it was told to be`, async () => {
  let acknowledgedCount = 0;
  let openedCount = 0;
  let reshapedCount = 0;
  for (let seed = 1; seed <= CUT_COUNT / CUTS_PER_STORM; seed++) {
    const report = await runAccountStorm(seed, CUTS_PER_STORM);
    expect(report.violation).toBeUndefined();
    acknowledgedCount += report.acknowledgedCount;
    openedCount += report.openedCount;
    reshapedCount += report.reshapedCount;
    const cutCount = seed * CUTS_PER_STORM;
    if (cutCount % PROGRESS_EVERY === 0) {
      const told = `${cutCount} of ${CUT_COUNT}, ${acknowledgedCount} writes, 0 lost`;
      process.stdout.write(`power cuts of an account: ${told}\n`);
    }
  }
  expect(acknowledgedCount).toBeGreaterThan(10 * CUT_COUNT);
  // Some lives are too short to open; most must not be.
  expect(openedCount).toBeGreaterThan(CUT_COUNT / 2);
  expect(reshapedCount).toBeGreaterThan(CUT_COUNT / 4);
});

const VISIBLE_BUGS = PLANTED_BUGS.filter(({ isHiddenFromAccounts }) => !isHiddenFromAccounts);

test.each(VISIBLE_BUGS)("the same comparison catches $name", async ({ wiring }) => {
  let violation: string | undefined;
  for (let seed = 1; seed <= 20 && violation === undefined; seed++) {
    violation = (await runAccountStorm(seed, CUTS_PER_STORM, wiring)).violation;
  }
  expect(violation).toBeDefined();
});
