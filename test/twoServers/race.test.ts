/**
 * Several that come at the same moment, again and again, to a directory whose last holder died:
 * exactly one gets it, and nothing but its lock is left behind. The same races find planted faults.
 */
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { loadKernelLock } from "../../src/server/directory/kernelLock.ts";
import type { Rival, RivalKind } from "./rival.ts";
import { bundleRival, endRivals, startRival } from "./rival.ts";

/** Hundreds of races, on machines with much else to do. */
vi.setConfig({ testTimeout: 3_600_000 });

const IS_FULL = process.env["ORRERY_TWO_SERVERS"] === "full";
const ROUND_COUNT = IS_FULL ? 1000 : 20;
/** Without the kernel's lock each round has to settle. */
const SETTLED_ROUND_COUNT = IS_FULL ? 200 : 4;
const HAS_BINDING = (await loadKernelLock()) !== undefined;

let bundle: string;
let root: string;
let directory: string;

beforeAll(() => {
  const folder = mkdtempSync(join(tmpdir(), "orrery-rival-"));
  bundle = bundleRival(folder);
  return () => rmSync(folder, { recursive: true, force: true });
});

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "orrery-race-"));
  directory = join(root, "data");
  mkdirSync(directory);
});

afterEach(() => {
  endRivals();
  rmSync(root, { recursive: true, force: true });
});

describe("of those that come at once to a dead holder's directory, exactly one gets it", () => {
  test.runIf(HAS_BINDING)("three with the kernel's lock", async () => {
    expect(await race(["kernel", "kernel", "kernel"], ROUND_COUNT)).toEqual([]);
  });

  test("three without it", async () => {
    expect(await race(["beats", "beats", "beats"], SETTLED_ROUND_COUNT)).toEqual([]);
  });
});

describe("a race finds", () => {
  test("a lock that takes the kernel's for granted", async () => {
    expect(await race(["forgetful", "forgetful", "forgetful"], 20)).not.toEqual([]);
  });

  test("a lock that takes whom it does not see for dead", async () => {
    expect(await race(["blind", "blind", "blind"], 3)).not.toEqual([]);
  });
});

/** What went wrong, round by round. */
async function race(kinds: readonly RivalKind[], roundCount: number): Promise<readonly string[]> {
  const rivals = await Promise.all(kinds.map((kind) => startRival(bundle, directory, kind)));
  const stale = JSON.stringify({ pid: 2 ** 22 - 1, startedAt: "1", nonce: "x" });
  const problems: string[] = [];
  for (let round = 0; round < roundCount; round++) {
    // A former version's, nobody's, or none at all.
    if (round % 3 < 2) writeFileSync(join(directory, "lock"), round % 3 === 0 ? stale : "");
    const answers = await Promise.all(rivals.map((rival) => rival.ask("lock")));
    const heldCount = answers.filter((answer) => answer === "held").length;
    if (heldCount !== 1) problems.push(`round ${round}: ${heldCount} hold it`);
    await unlocked(rivals);
    const left = readdirSync(directory);
    if (left.length > 0) problems.push(`round ${round}: ${left.join()} left`);
    for (const name of left) rmSync(join(directory, name));
  }
  return problems;
}

async function unlocked(rivals: readonly Rival[]): Promise<void> {
  await Promise.all(rivals.map((rival) => rival.ask("unlock")));
}
