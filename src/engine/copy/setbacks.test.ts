/** What gets in the way of copy jobs, and what they make of it. */
import { expect, it } from "vitest";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { rangeOfKey } from "../../partition/epkRange.ts";
import { LIMITED, put } from "../simulatedAccount.fake.ts";
import { contents, copyStage, REQUEST, remove, started, write } from "./copyStage.fake.ts";

const manual = (ratePerSecond: number) => ({ kind: "manual", ratePerSecond }) as const;

const BAD: readonly (readonly [string, Partial<typeof REQUEST>, RegExp])[] = [
  ["a source that is not there", { source: { database: "d", container: "x" } }, /not there: d\/x/],
  ["a database that is not there", { target: { database: "x", container: "t" } }, /not there/],
  ["the source as its target", { target: { database: "d", container: "c" } }, /same container/],
  ["a key that cannot be read", { key: ["concat(/a"] }, /cannot be read/],
  ["a condition that is none", { where: "c.a = ", switchBy: "application" }, /cannot be used/],
  ["a selection that is none", { select: "c.id,", switchBy: "application" }, /cannot be used/],
  ["a selection with more in it", { select: "TOP 1 c.id", switchBy: "application" }, /more than/],
  ["a part that takes over a name", { where: "c.a = 1" }, /cannot take over/],
  ["an offline copy that takes over a name", { mode: "offline" }, /online/],
  ["a definition with another id", { definition: { id: "x" } }, /by itself/],
  ["a policy that is none", { definition: { indexingPolicy: 1 } }, /./],
  [
    "a rate below the least",
    { throughput: manual(1) },
    /less than required minimum throughput 400/,
  ],
  ["a rate between two steps", { throughput: manual(450) }, /multiple of 100/],
  ["a ceiling below the least", { throughput: { ...manual(900), kind: "autoscale" } }, /from 1000/],
  ["a share of no throughput", { throughput: { kind: "shared" } }, /'d' has no throughput/],
  ["a key written over the id", { key: ["lower(/a)"], keyProperties: ["/id"] }, /over the id/],
];

it.each(BAD)("refuses %s before anything is recorded", async (_says, more, message) => {
  const { account } = await copyStage(3);
  const outcome = await account.jobs.copying.start({ ...REQUEST, ...more });
  expect(outcome.ok).toBe(false);
  expect(JSON.stringify(outcome)).toMatch(message);
  expect(account.jobs.copying.entries).toEqual([]);
});

it("refuses a source or a target that belongs to another job", async () => {
  const { account, time } = await copyStage(3);
  const run = await started(account);
  await time.advance(2000);
  const again = await account.jobs.copying.start({
    ...REQUEST,
    target: { database: "d", container: "u" },
  });
  expect(JSON.stringify(again)).toContain(run.id);
  const chained = await account.jobs.copying.start({
    ...REQUEST,
    source: { database: "d", container: "t" },
    target: { database: "d", container: "u" },
  });
  expect(JSON.stringify(chained)).toContain(run.id);
});

it("takes one job of two that are asked for at once, and of one token the same", async () => {
  const { account } = await copyStage(3);
  const { copying } = account.jobs;
  const answers = await Promise.all([
    copying.start({ ...REQUEST, token: "once" }),
    copying.start({ ...REQUEST, target: { database: "d", container: "other" } }),
    copying.start({ ...REQUEST, token: "once" }),
  ]);
  expect(answers.map(({ ok }) => ok)).toEqual([true, false, true]);
  expect(JSON.stringify(answers[1])).toContain("belongs to the copy job");
  expect(copying.entries).toHaveLength(1);
});

it("answers the same token with the same job", async () => {
  const { account } = await copyStage(3);
  const first = await started(account, { token: "once" });
  const again = await account.jobs.copying.start({ ...REQUEST, token: "once" });
  expect(again).toEqual({ ok: true, value: first });
});

it("ends when the target is deleted in the middle, and leaves the source alone", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  const before = await contents(account, source);
  const { catalog } = account;
  await catalog.deleteContainer(catalog.databaseOf(source), run.target!);
  await write(account, source, 5000);
  await time.advance(2000);
  const entry = account.jobs.copying.entryOf(account.jobs.copying.find(run.id)!);
  expect(entry).toMatchObject({ state: "failed", reason: "The target was deleted." });
  expect((await contents(account, source)).length).toBe(before.length + 1);
});

it("ends when the source is deleted", async () => {
  const { account, time, source } = await copyStage(20);
  const run = await started(account);
  await time.advance(2000);
  await account.catalog.deleteContainer(account.catalog.databaseOf(source), source);
  await time.advance(2000);
  expect(account.jobs.copying.find(run.id)).toMatchObject({ end: "failed" });
});

it("says which key would be too large, and which are when it happens all the same", async () => {
  const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: 3000 };
  const { account, time, source } = await copyStage(60, { limits });
  const refused = await started(account, { key: ["lower(/missing)"], onMissingKey: "none" });
  await time.advance(1000);
  const failed = account.jobs.copying.entryOf(account.jobs.copying.find(refused.id)!);
  expect(failed.state).toBe("failed");
  expect(failed.plan!.fullKeys.length).toBe(1);
  const run = await started(account, { onRefused: "setAside" });
  await time.advance(2000);
  expect(run.record.phase).toBe("ready");
  for (let index = 0; index < 30; index++) {
    await write(account, source, 1000 + index, { tenant: "t1" });
  }
  await time.advance(4000);
  const { setAside } = run.record;
  expect(setAside.length).toBeGreaterThan(0);
  expect(setAside.every(({ code }) => code === "keyFull")).toBe(true);
  expect(run.record.blockedFor).toBeUndefined();
});

it("stops at an item that the key does not fit, and goes on when it is mended", async () => {
  const { account, time, source } = await copyStage(20);
  const run = await started(account);
  await time.advance(2000);
  await put(account, source, { pk: "p", id: "keyless" });
  await time.advance(3000);
  const entry = account.jobs.copying.entryOf(run);
  expect(entry.state).toBe("blocked");
  expect(entry.reason).toMatch(/'keyless'.*no value for \/tenant/);
  const [row] = await account.jobs.copying.setAsideOf(run);
  expect(row).toMatchObject({ id: "keyless", code: "missingKey", document: { id: "keyless" } });
  await remove(account, source, "p", "keyless");
  await account.jobs.copying.command(run, "resume", {});
  await time.advance(3000);
  expect(account.jobs.copying.entryOf(run).state).toBe("ready");
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("stops when more items than allowed would be set aside", async () => {
  const { account, time, source } = await copyStage(20);
  const run = await started(account, { onMissingKey: "setAside", setAsideMax: 2 });
  await time.advance(2000);
  for (const id of ["a", "b", "c"]) await put(account, source, { pk: "p", id });
  await time.advance(3000);
  expect(account.jobs.copying.entryOf(run).state).toBe("blocked");
});

it("settles clashes that are passing by itself", async () => {
  const { account, time, source } = await copyStage(0);
  await put(account, source, { pk: "a", id: "same", tenant: "one" });
  await put(account, source, { pk: "b", id: "same", tenant: "two" });
  const run = await started(account);
  await time.advance(2000);
  await put(account, source, { pk: "b", id: "same", tenant: "three" });
  await put(account, source, { pk: "a", id: "same", tenant: "two" });
  await time.advance(3000);
  expect(run.record.setAside).toEqual([]);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("keeps to its share of the rate", async () => {
  const { account, time, source } = await copyStage(300, { rates: LIMITED });
  const [partition] = source.partitions.values();
  const rate = partition!.spending.purse.ratePerSecond;
  const run = await started(account, { sharePercent: 10 });
  await time.advance(10_000);
  const { readRu, writeRu } = run.record.counts;
  // What a step may cost beyond the share comes on top.
  expect(writeRu).toBeLessThanOrEqual(rate * 0.1 * 12);
  expect(readRu + writeRu).toBeGreaterThan(0);
  await account.jobs.copying.command(run, "throttle", { sharePercent: 100 });
  await time.advance(20_000);
  expect(run.record.phase).toBe("ready");
});

it("says what it needs when more changes come than it may apply, and when it will be done", async () => {
  const { account, time, source } = await copyStage(100, { rates: LIMITED });
  const run = await started(account, { sharePercent: 100 });
  const entry = (): ReturnType<typeof account.jobs.copying.entryOf> =>
    account.jobs.copying.entryOf(run);
  await time.advance(20_000);
  expect(entry().state).toBe("ready");
  await account.jobs.copying.command(run, "throttle", { sharePercent: 1 });
  let index = 0;
  const writing = async (seconds: number, perSecond: number): Promise<void> => {
    for (let end = seconds; end > 0; end--) {
      for (let count = 0; count < perSecond; count++) await write(account, source, index++);
      await time.advance(1000);
    }
  };
  for (let round = 0; entry().state !== "catchingUp" && round < 40; round++) await writing(5, 50);
  await writing(10, 50);
  const behind = entry();
  expect(behind.state).toBe("catchingUp");
  expect(behind.progress.remaining).toBeUndefined();
  const { appliedPerSecond, arrivingPerSecond, needed } = behind.progress.lag;
  expect(arrivingPerSecond).toBeGreaterThan(40);
  expect(appliedPerSecond).toBeLessThan(arrivingPerSecond!);
  expect(needed!.ruPerSecond).toBeGreaterThan(arrivingPerSecond!);
  expect(needed!.sharePercent).toBeGreaterThan(1);
  // With what it says, it catches up, and says when.
  const sharePercent = Math.min(100, Math.ceil(needed!.sharePercent!) * 4);
  await account.jobs.copying.command(run, "throttle", { sharePercent });
  run.forgetPace();
  await writing(6, 1);
  const { remaining, lag } = entry().progress;
  expect(lag.needed).toBeUndefined();
  expect(remaining!.to).toBeGreaterThan(0);
  await time.advance(remaining!.to * 1000 + 5000);
  expect(entry().state).toBe("ready");
});

it("leaves expired items behind, and removes those that expire", async () => {
  const { account, time, source } = await copyStage(10, {}, { defaultTtl: -1 });
  await put(account, source, { pk: "p", id: "short", tenant: "t", ttl: 30 });
  const run = await started(account);
  await time.advance(2000);
  expect((await contents(account, run.target!)).length).toBe(11);
  await time.advance(60_000);
  expect((await contents(account, run.target!)).length).toBe(10);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("copies what a filter, a sample and a selection leave", async () => {
  const { account, time } = await copyStage(200);
  const run = await started(account, {
    mode: "offline",
    switchBy: "application",
    where: "c.tenant = 't3' OR c.tenant = 't4'",
    select: "c.id, c.tenant",
    samplePercent: 50,
  });
  await time.advance(3000);
  expect(account.jobs.copying.find(run.id)).toMatchObject({ end: "copied" });
  const copies = await contents(account, account.catalog.container("d", "t")!);
  expect(copies.length).toBeGreaterThan(5);
  expect(copies.length).toBeLessThan(30);
  expect(copies.every(({ pk, tenant }) => pk === undefined && /^t[34]$/.test(String(tenant)))).toBe(
    true,
  );
});

it("keeps the ends it has not seen when their log is merged with one that was swept further", async () => {
  const { account, time, source } = await copyStage(60);
  const [whole] = source.partitions.values();
  const half = { kind: "split", partitionId: whole!.entry.id, at: "median" } as const;
  expect((await account.reshaping.accept(source, half)).ok).toBe(true);
  await time.advance(3000);
  const [far, near] = [...source.partitions.values()];
  const indexesIn = (partition: typeof far): readonly number[] =>
    Array.from({ length: 60 }, (_, index) => index).filter((index) => {
      const key = rangeOfKey(source.definition.partitionKey, [`p${index % 7}`]);
      return source.ownerOf(key.min) === partition;
    });
  for (let round = 0; round < 10; round++) {
    for (const index of indexesIn(far)) await write(account, source, index, { round });
  }
  const run = await started(account);
  await time.advance(3000);
  await account.jobs.copying.command(run, "pause", {});
  const [gone] = indexesIn(near);
  await remove(account, source, `p${gone! % 7}`, `i${gone}`);
  await time.advance(70_000);
  expect(far!.head.sweptLsn).toBeGreaterThan(near!.lsn);
  const partitionIds = [far!.entry.id, near!.entry.id] as const;
  const merge = { kind: "merge", partitionIds } as const;
  expect((await account.reshaping.accept(source, merge)).ok).toBe(true);
  await time.advance(3000);
  expect(source.partitions.size).toBe(1);
  await account.jobs.copying.command(run, "resume", {});
  await time.advance(3000);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("merges a second container into the copy of the first", async () => {
  const { account, time, source } = await copyStage(40);
  await started(account, { mode: "offline", switchBy: "application" });
  await time.advance(2000);
  const { catalog } = account;
  const database = catalog.databaseOf(source);
  const { id: _id, ...rest } = source.definition;
  const other = await catalog.createContainer(
    database,
    { ...rest, id: "o" },
    { throughput: undefined },
  );
  if (!other.ok) throw new Error("the stage could not be set");
  for (let index = 0; index < 40; index++) {
    await put(account, other.value, { pk: "p", id: `o${index}`, tenant: `t${index % 3}` });
  }
  const run = await started(account, {
    source: { database: "d", container: "o" },
    mode: "offline",
    switchBy: "application",
  });
  await time.advance(3000);
  expect(account.jobs.copying.find(run.id)).toMatchObject({ end: "copied" });
  const both = await contents(account, catalog.container("d", "t")!);
  expect(both.length).toBe(80);
});

it("does not delete a target with its job that was there before it", async () => {
  const { account, time, source } = await copyStage(10);
  const { catalog } = account;
  const partitionKey = { ...source.definition.partitionKey, paths: ["/tenant"] };
  const definition = { ...source.definition, id: "t", partitionKey };
  const database = catalog.databaseOf(source);
  const made = await catalog.createContainer(database, definition, { throughput: undefined });
  expect(made.ok).toBe(true);
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  expect(run.record.phase).toBe("ready");
  const refused = await account.jobs.copying.command(run, "cancel", { dropTarget: true });
  expect(JSON.stringify(refused)).toMatch(/'t' was there before the job/);
  expect(await account.jobs.copying.command(run, "cancel", {})).toMatchObject({ ok: true });
});

it("copies a container whose log was swept before, and all of it once", async () => {
  const { account, time, source } = await copyStage(600);
  for (let index = 0; index < 50; index++)
    await remove(account, source, `p${index % 7}`, `i${index}`);
  await time.advance(65_000);
  expect([...source.partitions.values()][0]!.head.sweptLsn).toBeGreaterThan(600);
  const run = await started(account);
  await time.advance(5000);
  expect(run.record.phase).toBe("ready");
  expect(run.record.counts.copiedCount).toBe(550);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("takes away copies of items whose ends the log has lost", async () => {
  const { account, time, source } = await copyStage(60);
  const run = await started(account);
  await time.advance(3000);
  await account.jobs.copying.command(run, "pause", {});
  await time.advance(500);
  await remove(account, source, "p5", "i5");
  const definition = { ...source.definition, changeFeedPolicy: { retentionDuration: 10 } };
  await account.catalog.replaceContainer(source, definition);
  await account.jobs.copying.command(run, "resume", {});
  await time.advance(3000);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("waits while the tables of the store are behind, so that clients find room", async () => {
  const { account, time, source, store } = await copyStage(60);
  let ease = (): void => undefined;
  const eased = (): Promise<void> => new Promise((resolve) => (ease = resolve));
  const run = await started(account);
  Object.defineProperty(store, "pressure", { configurable: true, value: 2 / 3 });
  Object.defineProperty(store, "eased", { configurable: true, value: eased });
  await time.advance(5000);
  expect(run.record.counts.copiedCount).toBe(0);
  expect(account.jobs.copying.entryOf(run).throttle.bound).toBe("tables");
  Object.defineProperty(store, "pressure", { configurable: true, value: 1 / 3 });
  ease();
  await time.advance(2000);
  expect(run.record.phase).toBe("ready");
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});
