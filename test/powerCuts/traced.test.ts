/**
 * Power cuts rebuilt from the system calls of a real store with real tables: at any point of a
 * traced run, with any part of what was not durable. `npm run campaign power-cuts` cuts 1,000 times;
 * it needs strace, so `npm test` leaves it out.
 */
import { rm } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { bundlePrograms, Courtroom } from "./courtroom.ts";
import { PLANTED_ORDERS } from "./plantedOrders.ts";
import type { TracedRun } from "./tracedRun.ts";
import { cutRun, traceDriver } from "./tracedRun.ts";

const IS_CAMPAIGN = process.env["ORRERY_POWER_CUTS"] === "full";
const CUT_COUNT = Number(process.env["ORRERY_POWER_CUT_COUNT"] ?? 1_000);
const FIRST_SEED = Number(process.env["ORRERY_POWER_CUT_SEED"] ?? 1);
const CUTS_PER_RUN = 100;
const WRITES_PER_RUN = 400;
/** A planted bug must show within so many cuts. */
const PLANTED_CUT_COUNT = 100;
/** The first forty calls, from the empty disk to the first frame of the journal. */
const MAKING_CUT_COUNT = 200;

describe.runIf(IS_CAMPAIGN)("power cuts under real tables", () => {
  let programs: string;
  let courtroom: Courtroom;
  let planted: TracedRun;

  beforeAll(async () => {
    programs = await bundlePrograms();
    courtroom = await Courtroom.open(programs);
    planted = await traceDriver(programs, 999, WRITES_PER_RUN);
  });

  afterAll(async () => {
    await courtroom?.close();
    if (programs !== undefined) await rm(programs, { recursive: true, force: true });
  });

  test(`${CUT_COUNT} of them lose nothing and tear nothing`, async () => {
    let [cutCount, uncertainCount, acknowledgedCount] = [0, 0, 0];
    for (let seed = FIRST_SEED; cutCount < CUT_COUNT; seed++) {
      const run = await traceDriver(programs, seed, WRITES_PER_RUN);
      const left = Math.min(CUTS_PER_RUN, CUT_COUNT - cutCount);
      const report = await cutRun(run, courtroom, { seed, cutCount: left });
      expect(report.violation).toBeUndefined();
      cutCount += report.cutCount;
      uncertainCount += report.uncertainCount;
      acknowledgedCount += report.acknowledgedCount;
      process.stdout.write(`power cuts: ${cutCount} of ${CUT_COUNT}, seed ${seed} is through\n`);
    }
    process.stdout.write(
      `power cuts: ${cutCount}, ${uncertainCount} of them with writes that were not durable, ` +
        `${acknowledgedCount} acknowledged writes, 0 lost, 0 damaged\n`,
    );
    expect(uncertainCount).toBeGreaterThan(cutCount / 4);
  });

  test(`${MAKING_CUT_COUNT} of them while a directory is being made leave one that opens`, async () => {
    const run = await traceDriver(programs, FIRST_SEED, 1);
    const plan = { seed: FIRST_SEED, cutCount: MAKING_CUT_COUNT, isOfMaking: true };
    const report = await cutRun(run, courtroom, plan);
    expect(report.violation).toBeUndefined();
  });

  test("the run that bugs are planted in is in order without them", async () => {
    const report = await cutRun(planted, courtroom, { seed: 1, cutCount: PLANTED_CUT_COUNT });
    expect(report.violation).toBeUndefined();
  });

  test.each(PLANTED_ORDERS)("the same judge finds $name", async ({ replan }) => {
    const run = { ...planted, events: replan(planted.events) };
    const report = await cutRun(run, courtroom, { seed: 1, cutCount: PLANTED_CUT_COUNT });
    expect(report.violation).toBeDefined();
  });
});
