/**
 * Power cuts in the middle of absorptions by the real engine, without strace: the files before and
 * after each of them, and any part of the difference. What a store in its right mind leaves is
 * whole; what two others would leave is found to be wrong.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { assert } from "../../src/base/assert.ts";
import { seededRandom } from "../../src/base/world.ts";
import { bundlePrograms, Courtroom } from "./courtroom.ts";
import type { LedgerLine } from "./ledger.ts";
import { Ledger } from "./ledger.ts";
import { makeContainers, openSubject } from "./subject.ts";
import type { Absorption } from "./tableImages.ts";
import { CUT_KINDS, imageOf, isOneStep, watched } from "./tableImages.ts";
import { drive } from "./workload.ts";

const WRITE_COUNT = 120;
const CUTS_PER_KIND = process.env["ORRERY_POWER_CUTS"] === "full" ? 60 : 6;
/** A planted bug must show within so many cuts. */
const PLANTED_CUT_COUNT = 12;

describe("power cuts in the middle of an absorption", () => {
  let programs: string;
  let courtroom: Courtroom;
  let root: string;
  const absorptions: Absorption[] = [];

  beforeAll(async () => {
    programs = await bundlePrograms();
    courtroom = await Courtroom.open(programs);
    root = await mkdtemp(join(tmpdir(), "orrery-images-"));
    const directory = join(root, "data");
    const ledger = new Ledger();
    const { account, close } = await openSubject(directory, (bottom) =>
      watched(
        bottom,
        () => imageOf(directory, ledger.expectation()),
        (absorption) => absorptions.push(absorption),
      ),
    );
    await makeContainers(account);
    ledger.read({ kind: "ready" });
    absorptions.length = 0;
    const note = (line: LedgerLine): void => ledger.read(line);
    await drive(account, { random: seededRandom(1), writeCount: WRITE_COUNT, note });
    await close();
  });

  afterAll(async () => {
    await courtroom?.close();
    for (const directory of [programs, root]) {
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    }
  });

  test("have something to be in the middle of", () => {
    const steps = absorptions.filter(isOneStep);
    expect(steps.length).toBeGreaterThan(5);
    for (const { before, after } of steps) {
      expect(before.tables.equals(after.tables)).toBe(false);
    }
  });

  test.each(CUT_KINDS.filter(({ isPlanted }) => !isPlanted))(
    "$name leave what was promised",
    async ({ stateOf }) => {
      for (let cut = 0; cut < CUTS_PER_KIND; cut++) {
        const { disk, expectation } = stateOf(someStep(cut, CUTS_PER_KIND), seededRandom(cut));
        const problem = await courtroom.problemOf(disk, "data", expectation);
        expect(problem, `cut ${cut}`).toBeUndefined();
      }
    },
  );

  test.each(CUT_KINDS.filter(({ isPlanted }) => isPlanted))(
    "the same judge finds $name",
    async ({ stateOf }) => {
      let problem: string | undefined;
      for (let cut = 0; cut < PLANTED_CUT_COUNT && problem === undefined; cut++) {
        const { disk, expectation } = stateOf(someStep(cut, PLANTED_CUT_COUNT), seededRandom(cut));
        problem = await courtroom.problemOf(disk, "data", expectation);
      }
      expect(problem).toBeDefined();
    },
  );

  /** Spread over all of them. */
  function someStep(cut: number, cutCount: number): Absorption {
    const steps = absorptions.filter(isOneStep);
    const step = steps[Math.floor((cut * steps.length) / cutCount)];
    assert(step !== undefined, "there was no absorption");
    return step;
  }
});
