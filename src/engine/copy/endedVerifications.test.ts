/** Offline copies that are compared after their jobs have ended. */
import { describe, expect, it, test } from "vitest";
import { assert } from "../../base/assert.ts";
import type { JsonObject } from "../../json/value.ts";
import type { VerificationReport } from "../../model/copyJob.ts";
import type { Account } from "../account.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, put, stopped } from "../simulatedAccount.fake.ts";
import type { CopyRecord } from "./copyRecord.ts";
import { CopyRun } from "./copyRun.ts";
import { copyStage, remove, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;
const OFFLINE = { mode: "offline", switchBy: "application" } as const;

interface Copied {
  readonly stage: Stage;
  readonly id: string;
  readonly target: Container;
}

async function copied(count: number, more: object = {}): Promise<Copied> {
  const stage = await copyStage(count);
  const run = await started(stage.account, { ...OFFLINE, ...more });
  await stage.time.advance(3000);
  expect(stage.account.jobs.copying.find(run.id)).toMatchObject({ end: "copied" });
  return { stage, id: run.id, target: run.target! };
}

function recordOf({ jobs: { copying } }: Account, id: string): CopyRecord {
  const found = copying.find(id);
  assert(found !== undefined && !(found instanceof CopyRun), "the job has ended");
  return found;
}

async function upsert(account: Account, container: Container, item: JsonObject): Promise<void> {
  const key = [String(item["tenant"])];
  const written = account.writeItem(container, { kind: "upsert", key, body: item });
  assert(written.ok, "an item is taken");
  expect((await written.value).kind).not.toBe("refused");
}

async function verified(
  { time }: Pick<Stage, "time">,
  account: Account,
  id: string,
): Promise<VerificationReport> {
  const { copying } = account.jobs;
  expect(copying.commandEnded(recordOf(account, id), "verify")).toEqual({ ok: true });
  expect(copying.entryOf(recordOf(account, id)).verification.state).toBe("running");
  await time.advance(5000);
  return copying.entryOf(recordOf(account, id)).verification;
}

it("finds a copy equal, and says so after a restart", async () => {
  const { stage, id } = await copied(60);
  const { account } = stage;
  expect(account.jobs.copying.entryOf(recordOf(account, id))).toMatchObject({
    verification: { state: "none" },
    nextSteps: [{ step: "verify" }],
  });
  const report = await verified(stage, account, id);
  expect(report).toMatchObject({ state: "fresh", comparedCount: 60, readCount: 60 });
  await stopped(account);
  const opened = await stage.reopen();
  const entry = opened.jobs.copying.entryOf(recordOf(opened, id));
  expect(entry).toMatchObject({ state: "copied", verification: report });
});

it("finds one changed byte, one missing and one extra item that somebody has made", async () => {
  const { stage, id, target } = await copied(60);
  const { account } = stage;
  await upsert(account, target, { pk: "p0", id: "i7", tenant: "t7", x: 1 });
  await remove(account, target, "t8", "i8");
  await upsert(account, target, { pk: "p", id: "stranger", tenant: "t" });
  const report = await verified(stage, account, id);
  expect(report).toMatchObject({
    state: "differs",
    missingCount: 1,
    extraCount: 1,
    differingCount: 1,
  });
  const named = report.differences!.map((one) => `${one.kind} ${one.id}`).sort();
  expect(named).toEqual(["differs i7", "extra stranger", "missing i8"]);
});

it("reads only what has changed the second time", async () => {
  const { stage, id, target } = await copied(300);
  const { account } = stage;
  await verified(stage, account, id);
  await remove(account, target, "t8", "i8");
  const report = await verified(stage, account, id);
  expect(report).toMatchObject({ state: "differs", missingCount: 1 });
  expect(report.readCount).toBeLessThan(60);
});

it("does not take what a target had before for too much", async () => {
  const stage = await copyStage(30);
  const { account, time, source } = stage;
  const target = await containerIn(account, account.catalog.databaseOf(source), undefined, {
    id: "t",
    partitionKey: { paths: ["/tenant"], kind: "Hash", version: 2 },
  });
  await upsert(account, target, { pk: "own", id: "own", tenant: "own" });
  const run = await started(account, OFFLINE);
  await time.advance(3000);
  expect(await verified(stage, account, run.id)).toMatchObject({
    state: "fresh",
    comparedCount: 30,
  });
});

it("does not take what another copy has put there for too much", async () => {
  const { stage, id } = await copied(30);
  const { account, time, source } = stage;
  const other = await containerIn(account, account.catalog.databaseOf(source), undefined, {
    id: "c2",
  });
  await put(account, other, { pk: "p", id: "merged", tenant: "t" });
  const second = { ...OFFLINE, source: { database: "d", container: "c2" } };
  const run = await started(account, second);
  await time.advance(3000);
  expect(await verified(stage, account, run.id)).toMatchObject({ comparedCount: 1 });
  expect(await verified(stage, account, id)).toMatchObject({ state: "fresh", comparedCount: 30 });
});

it("compares what a filter left, and nothing that was set aside", async () => {
  const { stage, id } = await copied(40, {
    where: "c.tenant != 't3'",
    onMissingKey: "setAside",
  });
  const { account } = stage;
  expect(await verified(stage, account, id)).toMatchObject({ state: "fresh" });
});

describe("nothing is compared", () => {
  test("when one of the containers is gone, and what was found before is out of date", async () => {
    const { stage, id, target } = await copied(20);
    const { account } = stage;
    await verified(stage, account, id);
    await account.catalog.deleteContainer(account.catalog.databaseOf(target), target);
    const { copying } = account.jobs;
    const refused = copying.commandEnded(recordOf(account, id), "verify");
    expect(JSON.stringify(refused)).toContain("is no more");
    expect(copying.entryOf(recordOf(account, id))).toMatchObject({
      verification: { state: "stale" },
      nextSteps: [],
    });
  });

  test("of a job that ended otherwise", async () => {
    const { account, time } = await copyStage(20);
    const run = await started(account, { isDryRun: true });
    await time.advance(2000);
    const refused = account.jobs.copying.commandEnded(recordOf(account, run.id), "verify");
    expect(JSON.stringify(refused)).toContain("has ended");
  });
});

it("also of a source that was written since", async () => {
  const { stage, id } = await copied(20);
  const { account, source } = stage;
  await write(account, source, 3, { since: true });
  await write(account, source, 100);
  expect(await verified(stage, account, id)).toMatchObject({
    state: "differs",
    missingCount: 1,
    differingCount: 1,
  });
});
