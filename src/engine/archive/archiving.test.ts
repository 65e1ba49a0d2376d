/** Archives and restores on an account in memory: what they come to, and what they report. */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { WHOLE_RANGE } from "../../partition/epkRange.ts";
import type { Account } from "../account.ts";
import { bareEtagOf, ownTextOf, tsOf } from "../item/itemBody.ts";
import type { Container } from "../partition/container.ts";
import { containerIn, LIMITED, stopped } from "../simulatedAccount.fake.ts";
import { read, write } from "../simulatedRequests.fake.ts";
import { archived, archiveStage, MONTHS, putDated, restored } from "./archiveStage.fake.ts";

async function bodies(account: Account, container: Container): Promise<readonly Buffer[]> {
  const page = await account.readItems(container, {
    scope: { order: "creation", range: WHOLE_RANGE },
    position: undefined,
    countMax: 100_000,
  });
  assert(page.ok, "a container can be read");
  return page.value.bodies;
}

/** What clients wrote, in the order of its text. */
async function texts(account: Account, container: Container): Promise<readonly string[]> {
  return (await bodies(account, container)).map((body) => ownTextOf(body).toString()).sort();
}

it("archives what is old, proves it, and deletes it", async () => {
  const stage = await archiveStage();
  const { account, container, shelf } = stage;
  await putDated(account, container, "2023-05", "young");
  const job = await archived(stage, account);
  expect(job).toMatchObject({
    state: "archived",
    progress: { partitionCount: 12, archivedCount: 60, deletedCount: 60, changedCount: 0 },
    leftOut: { youngCount: 1, undatedCount: 0, examples: [{ id: "young", key: ["2023-05"] }] },
    partly: [],
  });
  expect(await texts(account, container)).toHaveLength(1);
  const names = [...shelf.folders.get("old")!.keys()];
  expect(names).toHaveLength(13);
  expect(names).toContain("manifest.json");
});

it("restores everything as it was, apart from system properties", async () => {
  const stage = await archiveStage();
  const { account, container } = stage;
  const odd = '{"id":"odd","pk":"2022-03","date":"2022-03-03","n":12345678901234567890,"m":1.50}';
  const request = { kind: "create", key: ["2022-03"], body: Buffer.from(odd) } as const;
  const put = account.writeItem(container, request);
  assert(put.ok, "an item is taken");
  await put.value;
  const before = await texts(account, container);
  await archived(stage, account);
  expect(await texts(account, container)).toEqual([]);
  const job = await restored(stage, account);
  expect(job).toMatchObject({ state: "restored", progress: { restoredCount: 61 } });
  expect(await texts(account, container)).toEqual(before);
  expect(before.some((text) => text.includes("12345678901234567890"))).toBe(true);
});

it("restores single keys, also into another container that is made for it", async () => {
  const policy = { indexingMode: "consistent", automatic: true, excludedPaths: [{ path: "/*" }] };
  const stage = await archiveStage(
    5,
    {},
    {
      indexingPolicy: policy,
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/text"] }] },
    },
  );
  const { account, container } = stage;
  await archived(stage, account);
  const target = { container: { database: "d", container: "t" } };
  const keys = [["2022-04"], "2022-05"];
  const job = await restored(stage, account, { ...target, create: true, keys });
  expect(job).toMatchObject({ state: "restored", progress: { restoredCount: 10 } });
  const made = account.catalog.container("d", "t")!;
  expect(await texts(account, made)).toHaveLength(10);
  expect(made.definition.indexingPolicy).toEqual(container.definition.indexingPolicy);
  expect(made.definition.uniqueKeyPolicy).toEqual(container.definition.uniqueKeyPolicy);
});

it("does nothing twice: what is there and equal is counted, what differs is reported", async () => {
  const stage = await archiveStage();
  const { account, container } = stage;
  await archived(stage, account);
  await restored(stage, account, { keys: [["2022-01"]] });
  await write(
    account,
    container,
    "replace",
    "i1",
    { date: "2022-01-11", text: "other" },
    "2022-01",
  );
  const job = await restored(stage, account);
  expect(job).toMatchObject({
    state: "restored",
    progress: { restoredCount: 55, presentCount: 4, replacedCount: 0 },
    conflicts: { count: 1, examples: [{ id: "i1", key: ["2022-01"] }] },
  });
  const again = await restored(stage, account, { overwrite: true });
  expect(again).toMatchObject({
    progress: { restoredCount: 0, presentCount: 59, replacedCount: 1 },
    conflicts: { count: 0 },
  });
  expect(await texts(account, container)).toHaveLength(60);
});

it("gives items the time of now, or keeps their time and etag", async () => {
  const stage = await archiveStage();
  const { account, container, time } = stage;
  const first = new Map((await bodies(account, container)).map((body) => [tsKey(body), body]));
  await time.advance(3_600_000);
  await archived(stage, account);
  await restored(stage, account, { keys: [["2022-01"]] });
  for (const body of await bodies(account, container)) expect(first.has(tsKey(body))).toBe(false);
  await restored(stage, account, { keepTimestamps: true });
  const kept = (await bodies(account, container)).filter((body) => first.has(tsKey(body)));
  expect(kept).toHaveLength(55);
  // Numbers of items that come later are beyond those that were set aside.
  await putDated(account, container, "2024-01", "later");
  expect(await bodies(account, container)).toHaveLength(61);

  function tsKey(body: Buffer): string {
    return `${tsOf(body)} ${bareEtagOf(body)}`;
  }
});

it("replaces with the stamps of the archive when that is asked for", async () => {
  const stage = await archiveStage(1);
  const { account, container, time } = stage;
  const [original] = await bodies(account, container);
  await archived(stage, account, { keep: true });
  await time.advance(10_000);
  await write(account, container, "replace", "i0", { text: "other" }, "2022-01");
  const job = await restored(stage, account, { keepTimestamps: true, overwrite: true });
  expect(job).toMatchObject({ progress: { replacedCount: 1, presentCount: 11 } });
  const outcome = await read(account, container, "i0", "2022-01");
  assert(outcome.kind === "found", "the item is there");
  expect(outcome.body!.equals(original!)).toBe(true);
});

it("drops the time to live of items, or keeps it", async () => {
  const stage = await archiveStage(1, {}, { defaultTtl: -1 });
  const { account, container } = stage;
  await putDated(account, container, "2022-02", "i0", { ttl: 5000, n: 1 });
  await archived(stage, account);
  await restored(stage, account);
  expect((await texts(account, container)).some((text) => text.includes("ttl"))).toBe(false);
  await archived(stage, account, { folder: "again", keys: [["2022-02"]], keep: true });
  await putDated(account, container, "2022-02", "i0", { ttl: 5000, n: 1 });
  await archived(stage, account, { folder: "third" });
  await restored(stage, account, { folder: "third", ttl: "keep" });
  expect((await texts(account, container)).some((text) => text.includes('"ttl":5000'))).toBe(true);
});

it("leaves out an item without a date and says which", async () => {
  const stage = await archiveStage();
  const { account, container } = stage;
  await putDated(account, container, "2022-07", "odd", { date: "last summer" });
  await putDated(account, container, "2022-08", "none", { date: null });
  const plan = await archived(stage, account, { isDryRun: true });
  expect(plan).toMatchObject({
    state: "planned",
    plan: { partitionCount: 10, itemCount: 50 },
    leftOut: { youngCount: 0, undatedCount: 2 },
  });
  expect(plan.plan!.price.deleteRu).toBeGreaterThan(50);
  const reasons = plan.leftOut!.examples.map(({ id, reason }) => `${id}: ${reason}`).sort();
  expect(reasons).toEqual([
    "none: It has null at /date, which is no date.",
    'odd: It has "last summer" at /date, which is no date.',
  ]);
  const job = await archived(stage, account);
  expect(job.progress.deletedCount).toBe(50);
  expect(await texts(account, container)).toHaveLength(12);
});

it("archives named keys whatever their age, and hierarchical ones", async () => {
  const stage = await archiveStage();
  const { account } = stage;
  const partitionKey = { paths: ["/tenant", "/pk"], kind: "MultiHash", version: 2 };
  const database = account.catalog.database("d")!;
  const container = await containerIn(account, database, undefined, { id: "h", partitionKey });
  for (const tenant of ["a", "b"]) {
    const body = { id: "1", tenant, pk: "x", n: 1 };
    const put = account.writeItem(container, { kind: "create", key: [tenant, "x"], body });
    assert(put.ok, "an item is taken");
    await put.value;
  }
  const job = await archived(stage, account, {
    container: { database: "d", container: "h" },
    keys: [
      ["b", "x"],
      ["nobody", "y"],
    ],
    before: undefined,
    ageProperty: undefined,
  });
  expect(job).toMatchObject({ state: "archived", progress: { archivedCount: 1 } });
  expect(await texts(account, container)).toHaveLength(1);
  const refused = await account.jobs.archiving.start({
    container: { database: "d", container: "h" },
    folder: "prefix",
    keys: [["b"]],
    keep: false,
    isDryRun: false,
    sharePercent: 50,
  });
  expect(refused).toMatchObject({ ok: false, error: { kind: "badRequest" } });
});

it("keeps the items when that is asked for", async () => {
  const stage = await archiveStage();
  const { account, container } = stage;
  const job = await archived(stage, account, { keep: true });
  expect(job).toMatchObject({ state: "kept", progress: { archivedCount: 60, deletedCount: 0 } });
  expect(await texts(account, container)).toHaveLength(60);
  const listed = await account.jobs.archiving.list();
  expect(listed).toMatchObject({ ok: true, value: [{ folder: "old", state: "kept" }] });
});

it("leaves nothing behind when there is nothing old", async () => {
  const stage = await archiveStage();
  const job = await archived(stage, stage.account, { before: Date.UTC(2000, 0, 1) });
  expect(job).toMatchObject({ state: "empty", leftOut: { youngCount: 12 } });
  expect(stage.shelf.folders.size).toBe(0);
});

it("keeps what changed or came after it was archived, and says so", async () => {
  const stage = await archiveStage();
  const { account, container, shelf } = stage;
  let isDone = false;
  shelf.before = (operation, _folder, file) => {
    // After the manifest is there, and before anything is deleted.
    if (isDone || operation !== "remove" || file !== "ledger.ndjson") return;
    isDone = true;
    void putDated(account, container, "2022-01", "i1", { text: "changed" });
    void putDated(account, container, "2022-01", "new");
    void write(account, container, "delete", "i2", {}, "2022-01");
  };
  const job = await archived(stage, account);
  expect(job).toMatchObject({
    state: "archived",
    progress: { archivedCount: 60, deletedCount: 59, changedCount: 1, newCount: 1 },
    partly: [{ key: ["2022-01"], changedCount: 1, newCount: 1 }],
  });
  expect([...job.partly![0]!.examples].sort()).toEqual(["i1", "new"]);
  expect(await texts(account, container)).toHaveLength(2);
  const listed = await account.jobs.archiving.list();
  expect(listed).toMatchObject({ ok: true, value: [{ state: "partly", itemCount: 60 }] });
});

it("knows its archives after a restart, and finds those of others and those that are gone", async () => {
  const stage = await archiveStage();
  const { account, shelf, reopen } = stage;
  await archived(stage, account, { keys: MONTHS.slice(0, 6).map((month) => [month]) });
  await archived(stage, account, { folder: "rest" });
  await stopped(account);
  shelf.folders.set("foreign", new Map(shelf.folders.get("rest")!));
  shelf.folders.delete("rest");
  const opened = await reopen();
  const listed = await opened.jobs.archiving.list();
  assert(listed.ok, "archives can be listed");
  const states = listed.value.map(({ folder, state, partitionCount }) => [
    folder,
    state,
    partitionCount,
  ]);
  expect(states).toEqual([
    ["rest", "missing", 6],
    ["old", "archived", 6],
    ["foreign", "found", 6],
  ]);
  expect(listed.value[1]).toMatchObject({ dateMin: Date.UTC(2022, 0, 10) });
  const contents = await opened.jobs.archiving.contents("foreign");
  assert(contents.ok, "an archive can be looked into");
  expect(contents.value.files).toHaveLength(6);
});

it("pauses, goes on, and is cancelled without a trace before anything is deleted", async () => {
  const stage = await archiveStage();
  const { account, container, shelf, time } = stage;
  const { archiving } = account.jobs;
  const started = await archiving.start({
    container: { database: "d", container: "c" },
    folder: "old",
    before: Date.UTC(2023, 0, 1),
    ageProperty: "/date",
    keep: false,
    isDryRun: false,
    sharePercent: 50,
  });
  assert(started.ok, "the job is taken");
  const { id } = started.value;
  expect(await archiving.command(id, "pause", undefined)).toMatchObject({ ok: true });
  await time.advance(5000);
  expect(archiving.entry(id)).toMatchObject({ state: "paused" });
  expect(await archiving.command(id, "cancel", undefined)).toMatchObject({ ok: true });
  await time.advance(1000);
  expect(archiving.entry(id)).toMatchObject({ state: "cancelled" });
  expect(shelf.folders.size).toBe(0);
  expect(await texts(account, container)).toHaveLength(60);
  expect(await archiving.command(id, "resume", undefined)).toMatchObject({ ok: false });
});

it("archives keys that share a hash together, each in a file of its own", async () => {
  const stage = await archiveStage(1);
  const { account } = stage;
  const partitionKey = { paths: ["/pk"], kind: "Hash", version: 1 };
  const database = account.catalog.database("d")!;
  const container = await containerIn(account, database, undefined, { id: "v1", partitionKey });
  // The first version of the hash looks at the beginning of a key only.
  const [one, other] = ["a", "b"].map((end) => "k".repeat(120) + end);
  for (const key of [one!, other!]) {
    for (const id of ["1", "2"]) {
      await putDated(account, container, key, key === one ? id : `${id}0`, { date: "2022-01-01" });
    }
  }
  const named = { container: { database: "d", container: "v1" }, folder: "long" };
  await putDated(account, container, other!, "young", { date: "2023-05-01" });
  expect(await archived(stage, account, named)).toMatchObject({ state: "empty" });
  await write(account, container, "delete", "young", {}, other!);
  const job = await archived(stage, account, named);
  expect(job).toMatchObject({ progress: { partitionCount: 2, deletedCount: 4 }, partly: [] });
  expect(await texts(account, container)).toEqual([]);
  await restored(stage, account, { ...named, keys: [[other!]] });
  expect(await texts(account, container)).toHaveLength(2);
});

it("goes on over splits of the container", async () => {
  const stage = await archiveStage();
  const { account, container, shelf, time } = stage;
  const before = await texts(account, container);
  let count = 0;
  shelf.before = (operation) => {
    if (operation !== "create" || ++count % 5 !== 2) return;
    const [partitionId] = container.partitions.keys();
    const split = { kind: "split", partitionId: partitionId!, at: "middle" } as const;
    void account.reshaping.accept(container, split);
  };
  const job = await archived(stage, account);
  expect(container.partitions.size).toBeGreaterThan(1);
  expect(job).toMatchObject({ state: "archived", progress: { deletedCount: 60 }, partly: [] });
  await time.advance(1000);
  await restored(stage, account);
  expect(await texts(account, container)).toEqual(before);
});

it("loses nothing by a pause, whenever it comes", async () => {
  for (let at = 0; at < 60; at += 7) {
    const stage = await archiveStage(2);
    const { account, container, shelf, time } = stage;
    const { archiving } = account.jobs;
    let count = 0;
    shelf.before = () => {
      const [run] = archiving.runs;
      if (run === undefined || ++count !== at + 1) return;
      void archiving.command(run.id, "pause", undefined);
    };
    const paused = await archived(stage, account);
    expect(paused.state).toBe("paused");
    await archiving.command(paused.id, "resume", undefined);
    await time.advance(2000);
    const job = archiving.entry(paused.id);
    expect(job).toMatchObject({ state: "archived", progress: { deletedCount: 24 } });
    expect(await texts(account, container)).toEqual([]);
  }
});

it("keeps to its share of the rate, and goes faster when it may", async () => {
  const stage = await archiveStage(5, { rates: LIMITED });
  const { account, time } = stage;
  const slow = await archived(stage, account, { sharePercent: 1 });
  expect(slow.state).toBe("writing");
  expect(slow.progress.readRu).toBeLessThan(4 * 3);
  expect(slow.throttle.bound).toBe("share");
  await account.jobs.archiving.command(slow.id, "throttle", 100);
  await time.advance(10_000);
  expect(account.jobs.archiving.entry(slow.id)).toMatchObject({ state: "archived" });
});
