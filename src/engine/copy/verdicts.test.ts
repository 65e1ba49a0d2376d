/** What a verification is about, for how long, and what it keeps of the logs. */

import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { CopyRun } from "./copyRun.ts";
import { copyStage, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;

async function verified({ account, time }: Stage, run: CopyRun): Promise<void> {
  await time.advance(2000);
  await account.jobs.copying.command(run, "verify", {});
  await time.advance(3000);
  expect(account.jobs.copying.entryOf(run).verification.state).toBe("fresh");
}

it("a verdict about the way forth says nothing about the way back, and holds no log", async () => {
  const stage = await copyStage(40);
  const { account, time } = stage;
  const { copying } = account.jobs;
  const run = await started(account);
  await verified(stage, run);
  expect(await copying.command(run, "cutOver", {})).toMatchObject({ ok: true });
  expect(copying.entryOf(run).verification).toEqual({ state: "none" });
  const now = run.target!;
  for (let index = 0; index < 20; index++) await write(account, now, index, { since: true });
  await time.advance(2000);
  const head = [...now.partitions.values()][0]!.lsn;
  // The way back has applied everything, so nobody has to read the log again.
  expect(copying.heldFrom(now, WHOLE_RANGE)).toBe(head);
  expect(copying.heldFrom(run.source, WHOLE_RANGE)).toBeUndefined();
  await copying.command(run, "verify", {});
  await time.advance(3000);
  expect(copying.entryOf(run).verification).toMatchObject({ state: "fresh", comparedCount: 40 });
});

it("a log is kept for the next run for as long as that reads only what has changed", async () => {
  const stage = await copyStage(40);
  const { account, time, source } = stage;
  const { copying } = account.jobs;
  const run = await started(account);
  await verified(stage, run);
  const head = (): number => [...source.partitions.values()][0]!.lsn;
  const verifiedAt = head();
  for (let index = 0; index < 5; index++) await write(account, source, index, { since: true });
  await time.advance(2000);
  expect(copying.heldFrom(source, WHOLE_RANGE)).toBe(verifiedAt);
  for (let index = 0; index < 40; index++) await write(account, source, index, { again: true });
  await time.advance(2000);
  expect(copying.heldFrom(source, WHOLE_RANGE)).toBe(head());
  await copying.command(run, "verify", {});
  await time.advance(3000);
  const { verification } = copying.entryOf(run);
  expect(verification).toMatchObject({ state: "fresh", wholeBecause: "most items have changed" });
});

it("what was left behind for good is not verified, and it is said why", async () => {
  const stage = await copyStage(20);
  const { account, time } = stage;
  const { copying } = account.jobs;
  const run = await started(account, { where: "c.tenant != 't3'", switchBy: "application" });
  await verified(stage, run);
  assert((await copying.command(run, "cutOver", {})).ok, "the copy takes over");
  await time.advance(2000);
  const refused = await copying.command(run, "verify", {});
  expect(JSON.stringify(refused)).toMatch(/not compared. Only some of the items were copied/);
  const steps = copying.entryOf(run).nextSteps.map(({ step }) => step);
  expect(steps).not.toContain("verify");
  expect(steps).not.toContain("revert");
});
