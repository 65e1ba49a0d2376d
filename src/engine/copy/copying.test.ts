/** Copy jobs on an account in memory: what they come to, and what they survive. */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import { objectOf } from "../item/itemBody.ts";
import { epkOfKey } from "../item/itemKey.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, LIMITED, put, stopped } from "../simulatedAccount.fake.ts";
import type { CopyRun } from "./copyRun.ts";
import { contents, copyStage, remove, started, write } from "./copyStage.fake.ts";

it("copies what is there to another key, and keeps etags and time stamps", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  expect(run.record.phase).toBe("ready");
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
  expect(run.target!.definition.partitionKey.paths).toEqual(["/tenant"]);
});

it("follows writes, deletions and changes of the new key", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  await write(account, source, 5, { tenant: "moved" });
  await write(account, source, 1000);
  await remove(account, source, "p6", "i6");
  await time.advance(2000);
  const copy = await contents(account, run.target!);
  expect(copy).toEqual(await contents(account, source));
  expect(copy.length).toBe(300);
});

it("goes on after a restart, wherever it was", async () => {
  const { account, time, reopen } = await copyStage();
  await started(account);
  let opened = account;
  for (let round = 0; round < 12; round++) {
    await time.advance(7);
    await stopped(opened);
    opened = await reopen();
    await write(opened, opened.catalog.container("d", "c")!, round, { round });
  }
  await time.advance(3000);
  const [run] = opened.jobs.copying.runs;
  expect(run!.record.phase).toBe("ready");
  expect(await contents(opened, run!.target!)).toEqual(
    await contents(opened, opened.catalog.container("d", "c")!),
  );
});

it("refuses writes of clients to a target that is being filled", async () => {
  const { account, time } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  const outcome = await put(account, run.target!, { pk: "x", id: "x", tenant: "x" });
  expect(outcome).toMatchObject({ kind: "refused", refusal: { kind: "forbidden" } });
});

it("gives the name of the source to the copy, and leads on who came meanwhile", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  const late = write(account, source, 2000);
  const done = await account.jobs.copying.command(run, "cutOver", { isForced: true });
  expect(done).toEqual({ ok: true, value: undefined });
  expect((await late).kind).toBe("created");
  const now = account.catalog.container("d", "c")!;
  expect(now).toBe(run.target);
  expect(account.catalog.container("d", "c-former")).toBe(source);
  const after = await write(account, now, 2001);
  expect(after.kind).toBe("created");
  await time.advance(2000);
  const old = await contents(account, source);
  expect(old).toEqual(await contents(account, now));
  expect(old.length).toBe(302);
});

it("goes back to the old container without losing what was written since", async () => {
  const { account, time, source, reopen } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const now = account.catalog.container("d", "c")!;
  for (let index = 0; index < 50; index++) await write(account, now, index, { since: true });
  await remove(account, now, "t9", "i9");
  await stopped(account);
  const opened = await reopen();
  const again = opened.jobs.copying.runs[0]!;
  const before = await contents(opened, opened.catalog.container("d", "c")!);
  const done = await opened.jobs.copying.command(again, "revert", {});
  expect(done.ok).toBe(true);
  const back = opened.catalog.container("d", "c")!;
  expect(back.rid).toBe(source.rid);
  expect(await contents(opened, back)).toEqual(before);
  expect((await write(opened, back, 3000)).kind).toBe("created");
  expect(opened.jobs.copying.find(run.id)).toMatchObject({ end: "reverted" });
});

it("leaves a container alone that got the name of the copy meanwhile", async () => {
  const { account, time, source } = await copyStage(20);
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const { catalog } = account;
  const database = catalog.databaseOf(source);
  const other = await containerIn(account, database, undefined, { id: "t" });
  expect(await account.jobs.copying.command(run, "revert", {})).toMatchObject({ ok: true });
  expect(catalog.container("d", "t")).toBe(other);
  expect(catalog.container("d", "c")).toBe(source);
  expect(catalog.container("d", `t-${run.id}`)).toBe(run.target);
});

it("does not take over with a target that was deleted just before", async () => {
  const { account, time, source, reopen } = await copyStage(20);
  const run = await started(account);
  await time.advance(2000);
  const { catalog } = account;
  const [, done] = await Promise.all([
    catalog.deleteContainer(catalog.databaseOf(source), run.target!),
    account.jobs.copying.command(run, "cutOver", { isForced: true }),
  ]);
  expect(done).toMatchObject({ ok: false });
  expect(catalog.container("d", "c")).toBe(source);
  expect((await write(account, source, 100)).kind).toBe("created");
  await stopped(account);
  const opened = await reopen();
  expect(opened.catalog.container("d", "c")!.rid).toBe(source.rid);
  expect(opened.catalog.container("d", "c-former")).toBeUndefined();
});

it("writes a made-up key into the copies, and not into the old container", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account, { key: ["concat(/tenant, '-', hash(/id) % 4)"] });
  await time.advance(2000);
  const copies = await contents(account, run.target!);
  expect(copies[0]!["partitionKey"]).toMatch(/^t0-[0-3]$/);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const now = run.target!;
  await put(account, now, { pk: "n", id: "n", tenant: "t", partitionKey: "t-1" });
  await time.advance(2000);
  const old = await contents(account, source);
  expect(old.every((item) => item["partitionKey"] === undefined)).toBe(true);
  expect(old.some(({ id }) => id === "n")).toBe(true);
});

it("verifies, finds what is wrong, and does not take over before it is right", async () => {
  const { account, time, store, source } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  const { copying } = account.jobs;
  expect(await copying.command(run, "cutOver", {})).toMatchObject({ ok: false });
  const { part } = [...run.target!.partitions.values()][0]!.entry;
  const { items } = await store.scanItems(part, 0, { countMax: 1, bytesMax: 1 });
  const [victim] = items;
  const key = run.target!.readKey(objectOf(victim!.body));
  assert(key.ok, "a copy has a key");
  const epk = epkOfKey(victim!.key);
  const id = String(objectOf(victim!.body)["id"]);
  await run.target!.ownerOf(epk).submitCopy({ kind: "delete", epk, key: key.value, id });
  await copying.command(run, "verify", {});
  await time.advance(5000);
  const { verification } = copying.entryOf(run);
  expect(verification).toMatchObject({ state: "differs", missingCount: 1 });
  expect(await copying.command(run, "cutOver", {})).toMatchObject({ ok: false });
  expect(account.catalog.container("d", "c")).toBe(source);
});

it("takes over by itself when it is told so", async () => {
  const { account, time } = await copyStage();
  const run = await started(account, { cutOver: "automatic" });
  await time.advance(10_000);
  expect(run.record.phase).toBe("switched");
  expect(account.catalog.container("d", "c")).toBe(run.target);
});

it("finds clashes, missing keys and the price before the first write", async () => {
  const { account, time, source } = await copyStage(50);
  await put(account, source, { pk: "x", id: "i1", tenant: "t1" });
  await put(account, source, { pk: "x", id: "keyless" });
  const run = await started(account, { isDryRun: true });
  await time.advance(1000);
  const entry = account.jobs.copying.entryOf(account.jobs.copying.find(run.id)!);
  expect(entry.state).toBe("planned");
  expect(entry.plan).toMatchObject({ itemCount: 52, clashCount: 1, missingKeyCount: 1 });
  expect(entry.plan!.clashes[0]).toMatchObject({ id: "i1" });
  expect(entry.plan!.obstacles.length).toBe(2);
  expect(entry.plan!.price.writeRu).toBeGreaterThan(50 * 5);
  expect(account.catalog.container("d", "t")).toBeUndefined();
});

it("keeps one dry run of a source and a target, and none after a copy", async () => {
  const { account, time, reopen } = await copyStage(20);
  const { copying } = account.jobs;
  const other = { target: { database: "d", container: "u" } };
  const ids: string[] = [];
  for (const more of [{}, other, {}, { key: ["/pk"] }]) {
    ids.push((await started(account, { ...more, isDryRun: true })).id);
    await time.advance(1000);
  }
  expect(copying.entries.map(({ id }) => id)).toEqual([ids[3], ids[1]]);
  // Who has just asked for one still finds it; a minute later the next end takes it away.
  expect(copying.find(ids[0]!)).toMatchObject({ end: "planned" });
  await time.advance(60_000);
  await started(account, { mode: "offline", switchBy: "application" });
  await time.advance(3000);
  expect(copying.entries.map(({ state }) => state)).toEqual(["copied", "planned"]);
  await stopped(account);
  const opened = await reopen();
  expect(opened.jobs.copying.ended.map(({ end }) => end)).toEqual(["copied", "planned"]);
});

it("stops before the first write when items clash, unless they may be set aside", async () => {
  const { account, time, source } = await copyStage(50);
  await put(account, source, { pk: "x", id: "i1", tenant: "t1" });
  const refused = await started(account);
  await time.advance(1000);
  expect(account.jobs.copying.find(refused.id)).toMatchObject({ end: "failed" });
  const run = await started(account, { onClash: "setAside" });
  await time.advance(3000);
  expect(run.record.phase).toBe("ready");
  expect(run.record.setAside).toMatchObject([{ id: "i1", code: "clash" }]);
  await remove(account, source, "p1", "i1");
  await time.advance(3000);
  expect(run.record.setAside).toEqual([]);
  expect(await contents(account, run.target!)).toEqual(await contents(account, source));
});

it("takes a copy away whose item has got a time to live and has expired already", async () => {
  const { account, time, source } = await copyStage(300, {}, { defaultTtl: -1 });
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "pause", {});
  await write(account, source, 5, { ttl: 1 });
  await time.advance(1500);
  await account.jobs.copying.command(run, "resume", {});
  // At once: before anybody has swept the item away.
  expect(await run.caughtUp()).toBe(true);
  const copy = await contents(account, run.target!);
  expect(copy.some(({ id }) => id === "i5")).toBe(false);
  expect(copy.length).toBe(299);
});

it("understands a write by the old key that comes while the old container comes back", async () => {
  const { account, time } = await copyStage();
  const run = await started(account);
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const now = account.catalog.container("d", "c")!;
  await write(account, now, 1000);
  const reverting = account.jobs.copying.command(run, "revert", {});
  const late = [2000, 2001, 2002].map((index) => write(account, now, index));
  expect(await reverting).toEqual({ ok: true, value: undefined });
  const outcomes = await Promise.all(late);
  expect(outcomes.map(({ kind }) => kind)).toEqual(["created", "created", "created"]);
  const back = await contents(account, account.catalog.container("d", "c")!);
  expect(back.filter(({ id }) => String(id).startsWith("i200") && id !== "i200").length).toBe(3);
});

it("sends writers back to the old container that waited while the application is led back", async () => {
  const { account, time, source } = await copyStage();
  const run = await started(account, { switchBy: "application" });
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  const target = run.target!;
  const send = (): ReturnType<typeof account.writeItem> => {
    const item = { pk: "p", id: "late", tenant: "t" };
    return account.writeItem(target, { kind: "upsert", key: ["t"], body: item });
  };
  let late = send();
  let isBack = false;
  const reverting = account.jobs.copying.command(run, "revert", {}).finally(() => {
    isBack = true;
  });
  for (; !isBack; late = send()) await Promise.resolve();
  expect(await reverting).toEqual({ ok: true, value: undefined });
  assert(late.ok, "a write is taken in");
  expect(await late.value).toMatchObject({
    kind: "refused",
    refusal: { kind: "forbidden", message: expect.stringMatching(/Write to 'c'/) },
  });
  // Every write that was acknowledged is in the old container.
  expect(await contents(account, source)).toEqual(await contents(account, target));
});

const RELEASES = [
  ["revert by name", "names", (copying, run) => copying.command(run, "revert", {})],
  [
    "revert by the application",
    "application",
    (copying, run) => copying.command(run, "revert", {}),
  ],
  [
    "complete, and is kept",
    "application",
    (copying, run) => copying.command(run, "complete", { keepOld: true }),
  ],
  [
    "loss of the copy",
    "application",
    (_copying, run) => {
      const { catalog } = run.setting;
      return catalog.deleteContainer(catalog.databaseOf(run.source), run.target!);
    },
  ],
] as readonly (readonly [
  string,
  "names" | "application",
  (copying: Account["jobs"]["copying"], run: CopyRun) => Promise<unknown>,
])[];

it.each(RELEASES)("gives no number twice after a %s", async (_says, switchBy, release) => {
  const { account, time, source } = await copyStage(60);
  const [partition] = source.partitions.keys();
  const split = { kind: "split", partitionId: partition!, at: "median" } as const;
  expect((await account.reshaping.accept(source, split)).ok).toBe(true);
  await time.advance(3000);
  const run = await started(account, { switchBy });
  await time.advance(2000);
  await account.jobs.copying.command(run, "cutOver", { isForced: true });
  for (let index = 1000; index < 1030; index++) {
    const body = { pk: `p${index % 7}`, id: `i${index}`, tenant: "t" };
    const made = account.writeItem(run.target!, { kind: "create", key: ["t"], body });
    assert(made.ok && (await made.value).kind === "created", "the item is made");
  }
  await time.advance(2000);
  await release(account.jobs.copying, run);
  await time.advance(2000);
  expect(account.jobs.copying.runs).toEqual([]);
  for (let index = 2000; index < 2030; index++) await write(account, source, index);
  const numbers = await rids(account, source);
  expect(new Set(numbers).size).toBe(numbers.length);
  const again = await started(account, {
    source: { database: "d", container: source.definition.id },
    target: { database: "d", container: "again" },
  });
  await time.advance(4000);
  expect(again.record.phase).toBe("ready");
  expect(await contents(account, again.target!)).toEqual(await contents(account, source));
});

async function rids(account: Account, container: Container): Promise<readonly string[]> {
  const page = await account.readItems(container, {
    scope: { order: "creation", range: WHOLE_RANGE },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  return page.value.bodies.map((body) => String(objectOf(body)["_rid"]));
}

it("says when it will have copied, and how that came", async () => {
  const { account, time } = await copyStage(60, { rates: LIMITED });
  const { copying } = account.jobs;
  const run = await started(account, { sharePercent: 2 });
  const until = async (isIt: () => boolean): Promise<void> => {
    for (let turn = 0; turn < 200 && !isIt(); turn++) {
      await time.advance(1000);
    }
    expect(isIt()).toBe(true);
  };
  await until(() => run.record.said !== undefined);
  await copying.command(run, "pause", {});
  expect(run.record.said).toBeUndefined();
  await copying.command(run, "resume", {});
  await until(() => run.record.phase === "ready");
  expect(run.record.said?.wasInside).toBe(true);
  const texts = run.record.events.map(({ text }) => text);
  expect(texts).toContainEqual(expect.stringMatching(/^It took \d+ s, as was said: /));
});
