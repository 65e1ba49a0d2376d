/** What a restart makes of a copy job, by the phase in which the server was killed. */
import { assert, expect, it } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { Account } from "../account.ts";
import { CATALOG_PART } from "../catalog/catalogRecords.ts";
import { routeKey } from "../partition/itemRouting.ts";
import { put, stopped } from "../simulatedAccount.fake.ts";
import { contents, copyStage, started, write } from "./copyStage.fake.ts";

type Stage = Awaited<ReturnType<typeof copyStage>>;

/** The account as the next start finds it; its jobs cannot end before `release` is called. */
async function restarted(
  { reopen, trouble }: Stage,
  account: Account,
): Promise<{ readonly opened: Account; release(): void }> {
  await stopped(account);
  const busy = new StoreFault("busy");
  trouble.fault = (operation, part) =>
    operation === "commit" && part === CATALOG_PART ? busy : undefined;
  const opened = await reopen();
  const release = (): void => {
    trouble.fault = undefined;
  };
  return { opened, release };
}

it("a container that took over stays open while its job is completed after a restart", async () => {
  const stage = await copyStage();
  const { account, time } = stage;
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  await account.jobs.copying.command(run, "complete", {});
  const { opened, release } = await restarted(stage, account);
  await time.advance(300);
  const now = opened.catalog.container("d", "c")!;
  const old = opened.catalog.container("d", "c-former")!;
  expect(opened.jobs.copying.runs[0]!.record.phase).toBe("completing");
  // By the old key, as clients send it that were not restarted.
  expect((await write(opened, now, 5, { since: true })).kind).toBe("replaced");
  expect((await write(opened, now, 5000)).kind).toBe("created");
  expect((await put(opened, old, { pk: "x", id: "x" })).kind).toBe("refused");
  // What is written now goes back to the old container until that is deleted.
  expect(await now.former!.caughtUp()).toBe(true);
  expect(await contents(opened, old)).toEqual(await contents(opened, now));
  release();
  await time.advance(5000);
  expect(opened.jobs.copying.find(run.id)).toMatchObject({ end: "completed" });
  expect(opened.catalog.container("d", "c-former")).toBeUndefined();
  expect((await contents(opened, now)).length).toBe(301);
});

it("an application's switch holds over a restart, also while its job is completed", async () => {
  const stage = await copyStage();
  const { account, time } = stage;
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const first = await restarted(stage, account);
  const item = { pk: "x", id: "x", tenant: "t" };
  const outcomes = async (opened: Account): Promise<readonly string[]> => {
    const kinds: string[] = [];
    for (const [id, key] of [
      ["c", "x"],
      ["t", "t"],
    ]) {
      const container = opened.catalog.container("d", id!)!;
      const written = opened.writeItem(container, { kind: "upsert", key: [key!], body: item });
      kinds.push(written.ok ? (await written.value).kind : "not taken");
    }
    return kinds;
  };
  expect(await outcomes(first.opened)).toEqual(["refused", "created"]);
  first.release();
  const [again] = first.opened.jobs.copying.runs;
  await first.opened.jobs.copying.command(again!, "complete", { keepOld: true });
  const second = await restarted(stage, first.opened);
  expect(await outcomes(second.opened)).toEqual(["refused", "replaced"]);
  second.release();
  await time.advance(5000);
  expect(second.opened.jobs.copying.find(run.id)).toMatchObject({ end: "completed" });
});

it("mirrors no reads for a job that is about to end", async () => {
  const stage = await copyStage();
  const { account, time } = stage;
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "mirror", { percent: 50 });
  expect(account.mirroring.active?.size).toBe(1);
  await account.jobs.copying.command(run, "cancel", {});
  const { opened, release } = await restarted(stage, account);
  await time.advance(300);
  expect(opened.mirroring.active).toBeUndefined();
  const target = opened.catalog.container("d", "t")!;
  expect((await put(opened, target, { pk: "t", id: "x", tenant: "t" })).kind).toBe("refused");
  release();
  await time.advance(5000);
  expect(opened.jobs.copying.find(run.id)).toMatchObject({ end: "cancelled" });
});

it("a verification outlives a restart, and goes on from where it was", async () => {
  const stage = await copyStage(300);
  const { account, time } = stage;
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "verify", {});
  await time.advance(3000);
  const before = account.jobs.copying.entryOf(run).verification;
  expect(before).toMatchObject({ state: "fresh", readCount: 300 });
  await stopped(account);
  const opened = await stage.reopen();
  const { copying } = opened.jobs;
  const [again] = copying.runs;
  expect(copying.entryOf(again!).verification).toEqual(before);
  const source = opened.catalog.container("d", "c")!;
  await write(opened, source, 7, { since: true });
  const target = again!.target!;
  const found = target.readKey({ tenant: "t8" });
  const routed = found.ok ? routeKey(target, found.value, SERVICE_LIMITS) : undefined;
  assert(found.ok && routed?.ok, "the copy has a place");
  const { epk, partition } = routed.value;
  await partition.submitCopy({ kind: "delete", epk, key: found.value, id: "i8" });
  await time.advance(2000);
  await copying.command(again!, "verify", {});
  await time.advance(3000);
  const after = copying.entryOf(again!).verification;
  expect(after).toMatchObject({ state: "differs", missingCount: 1 });
  expect(after.readCount).toBeLessThan(60);
});

const GONE = [
  ["cancelling", "t", "cancelled"],
  ["completing", "c", "completed"],
  ["ready", "t", "failed"],
  ["ready", "c", "failed"],
] as const;

it.each(GONE)("a job in the phase %s that finds %s gone has %s", async (phase, id, end) => {
  const { account, time, reopen, source } = await copyStage(30);
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  await run.inTurn(async () => {
    run.change({ phase, dropsTarget: phase === "cancelling" });
    await run.keep();
    const { catalog } = account;
    await catalog.deleteContainer(catalog.databaseOf(source), catalog.container("d", id)!);
    await account.jobs.stop().catch(() => undefined);
  });
  await account.catalog.close();
  const opened = await reopen();
  await time.advance(1000);
  expect(opened.jobs.copying.find(run.id)).toMatchObject({ end });
  expect(opened.jobs.copying.runs).toEqual([]);
  const left = opened.catalog.container("d", id === "t" ? "c" : "t")!;
  expect(left.closedFor).toBeUndefined();
});
