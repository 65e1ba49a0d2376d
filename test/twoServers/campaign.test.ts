/**
 * Rounds of servers that race for one directory: from namespaces, by links, with and without the
 * kernel's lock, while the holder runs, dies or has just died. In each round at most one gets it;
 * the one that has it then has everything that was ever acknowledged.
 *
 * One round here, 100 with ORRERY_TWO_SERVERS=full; ORRERY_TWO_SERVERS_SEED repeats a run.
 */
import { mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Random } from "../../src/base/world.ts";
import { seededRandom } from "../../src/base/world.ts";
import type { ContenderOptions, Winner } from "./contender.ts";
import {
  CAN_MAKE_NAMESPACES,
  contend,
  endContenders,
  installWithoutKernelLock,
  winner,
} from "./contender.ts";
import { Writer } from "./writer.ts";

const ROUND_COUNT = process.env["ORRERY_TWO_SERVERS"] === "full" ? 100 : 1;
const SEED = Number(process.env["ORRERY_TWO_SERVERS_SEED"] ?? process.pid);
const WRITES_PER_ROUND = 30;
/** Looked for after each round; all are in the end. */
const LATEST_COUNT = 500;

const root = mkdtempSync(join(tmpdir(), "orrery-campaign-"));
const data = join(root, "data");

afterAll(() => {
  endContenders();
  rmSync(root, { recursive: true, force: true });
});

/** What becomes of the holder before others ask. */
const FATES = ["runs", "dies", "isDead", "ends"] as const;

test(`${ROUND_COUNT} rounds of racing servers, seed ${SEED}`, async () => {
  const random = seededRandom(SEED);
  const cli = installWithoutKernelLock(join(root, "app"));
  const writer = new Writer();
  let holder = await winner(data);
  symlinkSync(data, join(root, "link"));
  await Writer.makeContainer(holder);
  for (let round = 0; round < ROUND_COUNT; round++) {
    const fate = FATES[round % FATES.length]!;
    const writing = writer.writeOn(holder);
    const goal = writer.acknowledgedCount + WRITES_PER_ROUND;
    await expect.poll(() => writer.acknowledgedCount).toBeGreaterThan(goal);
    const gone = fate === "runs" ? undefined : fate === "ends" ? holder.end() : holder.kill();
    if (fate === "isDead") await gone;
    const next = await raced(random, { cli, round });
    await gone;
    const told = `round ${round}: the holder ${fate}`;
    // One that ends in good order may take longer than others are patient.
    const possible = { runs: [0], dies: [1], isDead: [1], ends: [0, 1] }[fate];
    expect(possible, told).toContain(next.length);
    if (fate === "runs") await holder.kill();
    await writing;
    holder = next[0] ?? (await winner(data));
    expect(await writer.lostOn(holder, LATEST_COUNT), told).toEqual([]);
  }
  expect(await writer.lostOn(holder), "in the end").toEqual([]);
  process.stdout.write(
    `two servers: ${ROUND_COUNT} rounds, ${writer.acknowledgedCount} acknowledged writes, 0 lost\n`,
  );
}, 3_600_000);

/** Two to four at once; those that got the directory. */
async function raced(
  random: Random,
  { cli, round }: { readonly cli: string; readonly round: number },
): Promise<readonly Winner[]> {
  const count = 2 + Math.floor(random.next() * 3);
  const asking = Array.from({ length: count }, () => {
    const path = random.next() < 0.3 ? join(root, "link") : data;
    return contend(path, optionsOf(random, cli));
  });
  const outcomes = await Promise.all(asking);
  for (const outcome of outcomes) {
    if (outcome.kind === "ready") continue;
    expect(outcome.code, `round ${round}: ${outcome.complaints}`).toBe(2);
  }
  return outcomes.filter((outcome) => outcome.kind === "ready");
}

function optionsOf(random: Random, cliWithoutKernelLock: string): ContenderOptions {
  const cli = random.next() < 0.25 ? { cli: cliWithoutKernelLock } : {};
  const chance = CAN_MAKE_NAMESPACES ? random.next() : 1;
  if (chance < 0.3) return { ...cli, isApart: true };
  if (chance < 0.5) return { ...cli, isBehindShell: true };
  return cli;
}
