/** Views on an account in memory: what they come to, and what they survive. */
import { expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { ok } from "../../base/result.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { offersOf, replaceOffer } from "../catalog/offers.ts";
import { contents, copyStage, write } from "../copy/copyStage.fake.ts";
import { LIMITED, put, stopped } from "../simulatedAccount.fake.ts";
import { expectedRows, makeView, removeAt, tryView } from "./viewStage.fake.ts";

it("has a row for each item of its source, under its own key", async () => {
  const { account, time, source } = await copyStage(60);
  const view = await makeView(account);
  expect(account.jobs.views.statusOf(view)).toBe("Initializing");
  await time.advance(1000);
  expect(account.jobs.views.statusOf(view)).toBe("Active");
  expect(await contents(account, view)).toEqual(await expectedRows(account, source));
  expect(account.jobs.views.reportOf(view)).toMatchObject({
    source: "c",
    lagCount: 0,
    lagSeconds: 0,
    setAsideCount: 0,
  });
});

it("has the properties that its definition selects, and the id of the item as _id", async () => {
  const { account, time, source } = await copyStage(1);
  await write(account, source, 0, { left: 1, out: 2 });
  const view = await makeView(account, {}, "SELECT c.pk, c.tenant, c.left FROM c");
  await time.advance(1000);
  const [row] = await contents(account, view);
  expect(row).toMatchObject({ pk: "p0", tenant: "t0", left: 1, _id: "i0" });
  expect(row).not.toHaveProperty("out");
});

it("keeps digits that a double does not hold", async () => {
  const { account, time, source, store } = await copyStage(0);
  const text = '{"id":"a","pk":"p","tenant":"t","n":12345678901234567890,"deep":{"z":-0}}';
  const parsed = account.parseBody(Buffer.from(text));
  assert(parsed.ok, "the item is JSON");
  const sent = account.writeItem(source, { kind: "upsert", key: ["p"], body: parsed.value });
  assert(sent.ok, "the item is taken");
  await sent.value;
  const view = await makeView(account);
  await time.advance(1000);
  const [entry] = view.map.entries;
  const page = await store.scanItems(entry!.part, 0, { countMax: 10, bytesMax: 10_000 });
  const body = page.items[0]!.body.toString();
  expect(body).toContain('"n":12345678901234567890');
  expect(body).toContain('{"z":-0}');
});

it("follows writes, deletions, and changes of its own key", async () => {
  const { account, time, source } = await copyStage(60);
  const view = await makeView(account);
  await time.advance(1000);
  await write(account, source, 5, { tenant: "moved" });
  await write(account, source, 100);
  await removeAt(account, source, 6);
  await removeAt(account, source, 7);
  await write(account, source, 7, { again: true });
  expect(account.jobs.views.reportOf(view)!.lagCount).toBeGreaterThan(0);
  await time.advance(1000);
  const rows = await contents(account, view);
  expect(rows).toEqual(await expectedRows(account, source));
  expect(rows.length).toBe(60);
  expect(rows.filter(({ _id }) => _id === "i5")).toHaveLength(1);
});

it("loses the rows of items that have expired", async () => {
  const { account, time, source } = await copyStage(10, {}, { defaultTtl: -1 });
  const view = await makeView(account);
  await write(account, source, 3, { ttl: 5 });
  await time.advance(1000);
  expect(await contents(account, view)).toHaveLength(10);
  await time.advance(12_000);
  const rows = await contents(account, view);
  expect(rows).toEqual(await expectedRows(account, source));
  expect(rows).toHaveLength(9);
});

it("refuses the writes of clients, also right after a restart", async () => {
  const { account, time, reopen } = await copyStage(3);
  await makeView(account);
  await time.advance(1000);
  for (const opened of [account, await stopped(account).then(() => reopen())]) {
    const view = opened.catalog.container("d", "v")!;
    const outcome = await put(opened, view, { pk: "t1", id: "x", tenant: "t1" } as never);
    expect(outcome).toMatchObject({ kind: "refused", refusal: { kind: "forbidden" } });
    const routed = opened.route(view, ["t1"]);
    assert(routed.ok, "the key is one");
    const deleted = await opened.deleteKey(view, routed.value);
    expect(deleted).toMatchObject({ ok: false, error: { kind: "forbidden" } });
  }
});

it("goes on by itself after a restart, wherever it was", async () => {
  const { account, time, reopen } = await copyStage(300);
  await makeView(account);
  let opened = account;
  for (let round = 0; round < 12; round++) {
    await time.advance(7);
    await stopped(opened);
    opened = await reopen();
    const source = opened.catalog.container("d", "c")!;
    await write(opened, source, round, { round });
    await removeAt(opened, source, 100 + round);
  }
  await time.advance(3000);
  const view = opened.catalog.container("d", "v")!;
  expect(opened.jobs.views.statusOf(view)).toBe("Active");
  expect(await contents(opened, view)).toEqual(
    await expectedRows(opened, opened.catalog.container("d", "c")!),
  );
});

it("does not begin anew after a restart", async () => {
  const { account, time, reopen } = await copyStage(300);
  const view = await makeView(account);
  await time.advance(3000);
  const before = account.jobs.views.find(`v${view.record.containerNumber}`)!.record.counts;
  expect(before.copiedCount).toBe(300);
  await stopped(account);
  const opened = await reopen();
  await time.advance(3000);
  const run = opened.jobs.views.find(`v${view.record.containerNumber}`)!;
  expect(run.record.counts).toEqual(before);
  expect(opened.jobs.views.entries[0]).toMatchObject({ kind: "view", state: "ready" });
});

it("has the ends of items kept in the log of its source until it has seen them", async () => {
  const { account, time, source, trouble } = await copyStage(20);
  const view = await makeView(account);
  await time.advance(1000);
  const part = view.map.entries[0]!.part;
  const [partition] = source.partitions.values();
  const seen = partition!.lsn;
  trouble.fault = (operation, asked) =>
    operation === "commit" && asked === part ? new StoreFault("in the way") : undefined;
  await removeAt(account, source, 4);
  await time.advance(130_000);
  expect(partition!.head.sweptLsn).toBe(seen);
  expect(account.jobs.views.reportOf(view)).toMatchObject({ lagCount: 1 });
  expect(account.jobs.views.reportOf(view)!.lagSeconds).toBeGreaterThan(100);
  trouble.fault = undefined;
  await time.advance(130_000);
  expect(partition!.head.sweptLsn).toBe(partition!.lsn);
  expect(await contents(account, view)).toEqual(await expectedRows(account, source));
});

it("follows its source through splits and merges of both", async () => {
  const { account, time, source } = await copyStage(200);
  const view = await makeView(account);
  await time.advance(1000);
  for (const container of [source, view]) {
    const [partition] = container.partitions.values();
    const request = { kind: "split", partitionId: partition!.entry.id, at: "median" } as const;
    const accepted = await account.reshaping.accept(container, request);
    expect(accepted.ok).toBe(true);
    for (let index = 0; index < 40; index++) await write(account, source, index, { split: 1 });
    await removeAt(account, source, 50);
    await time.advance(3000);
    expect(container.partitions.size).toBe(2);
  }
  expect(await contents(account, view)).toEqual(await expectedRows(account, source));
  for (const container of [source, view]) {
    const [left, right] = [...container.partitions.keys()];
    const partitionIds = [left!, right!] as const;
    const accepted = await account.reshaping.accept(container, { kind: "merge", partitionIds });
    expect(accepted.ok).toBe(true);
    for (let index = 0; index < 40; index++) await write(account, source, index, { merge: 1 });
    await removeAt(account, source, 60);
    await time.advance(3000);
    expect(container.partitions.size).toBe(1);
  }
  expect(await contents(account, view)).toEqual(await expectedRows(account, source));
});

it("is forgotten when its container is deleted, and its source can be deleted then", async () => {
  const { account, time, source, reopen } = await copyStage(10);
  const view = await makeView(account);
  await time.advance(1000);
  const { catalog } = account;
  const database = catalog.database("d")!;
  const refused = await catalog.deleteContainer(database, source);
  expect(refused).toMatchObject({ ok: false, error: { kind: "badRequest" } });
  expect(source.isDeleted).toBe(false);
  expect((await catalog.deleteContainer(database, view)).ok).toBe(true);
  await time.advance(1000);
  expect(account.jobs.views.entries).toEqual([]);
  expect((await catalog.deleteContainer(database, source)).ok).toBe(true);
  await stopped(account);
  const opened = await reopen();
  expect(opened.catalog.jobs.atOpening).toEqual([]);
  expect(opened.jobs.views.entries).toEqual([]);
});

it("shows what cannot be a row, and takes it in once it can", async () => {
  const { account, time, source } = await copyStage(5);
  const view = await makeView(account, {
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] },
  });
  for (let index = 0; index < 5; index++) {
    await write(account, source, index, { mail: `m${index}`, tenant: "one" });
  }
  await write(account, source, 3, { mail: "m1", tenant: "one" });
  await time.advance(3000);
  const run = account.jobs.views.find(`v${view.record.containerNumber}`)!;
  expect(run.setAside.count).toBe(1);
  const [aside] = await account.jobs.views.setAsideOf(run);
  expect(aside).toMatchObject({ id: "i3", code: "uniqueKey", document: { mail: "m1" } });
  expect(account.jobs.views.reportOf(view)).toMatchObject({ setAsideCount: 1 });
  await write(account, source, 1, { mail: "other", tenant: "one" });
  await time.advance(3000);
  expect(run.setAside.count).toBe(0);
  expect(await contents(account, view)).toEqual(await expectedRows(account, source));
});

it("keeps to its share of the rates, and to another one when it is told so", async () => {
  const { account, time } = await copyStage(200, { rates: LIMITED });
  const view = await makeView(account);
  const run = account.jobs.views.find(`v${view.record.containerNumber}`)!;
  await account.jobs.views.command(run, "throttle", 5);
  await time.advance(1000);
  expect(run.stream.lag).toBeGreaterThan(0);
  expect(run.pace.bound).toBe("share");
  const slow = run.record.counts.copiedCount;
  await account.jobs.views.command(run, "throttle", 100);
  await time.advance(1000);
  expect(run.record.counts.copiedCount - slow).toBeGreaterThan(2 * slow);
  const refused = await account.jobs.views.command(run, "cancel", undefined);
  expect(refused.ok).toBe(false);
});

it("is made of a source that is there, is no view, and has few", async () => {
  const { account } = await copyStage(1);
  await makeView(account);
  const of = (sourceCollectionId: string, more: JsonObject = {}): JsonObject => ({
    id: "w",
    materializedViewDefinition: { sourceCollectionId, definition: "SELECT * FROM c", ...more },
  });
  const refused = async (body: JsonObject): Promise<string> => {
    const refusal = await tryView(account, body);
    assert("kind" in refusal && refusal.kind === "badRequest", "the view is refused");
    return refusal.message;
  };
  expect(await refused(of("nobody"))).toContain("'nobody', is not in the database");
  expect(await refused(of("v"))).toContain("is a view");
  expect(await refused(of("w"))).toContain("of itself");
  expect(await refused(of("c", { sourceCollectionRid: "x" }))).toContain("rid");
  for (let count = 1; count < SERVICE_LIMITS.viewsMax; count++) {
    await makeView(account, { ...of("c"), id: `w${count}` });
  }
  expect(await refused(of("c"))).toContain("5 views");
});

it("has autoscale throughput, and never a manual rate", async () => {
  const { account } = await copyStage(1);
  const view = await makeView(account);
  expect(view.record.throughput).toMatchObject({ kind: "autoscale", rateMax: 1000 });
  const manual = { kind: "manual", ratePerSecond: 400 } as const;
  const database = account.catalog.database("d")!;
  const definition = { ...view.definition, id: "w" };
  const made = await account.catalog.createContainer(database, definition, { throughput: manual });
  expect(made).toMatchObject({ ok: false, error: { kind: "badRequest" } });
  const offer = offersOf(account.catalog, account).find(({ owner }) => owner === view)!;
  const changed = await replaceOffer(account.catalog, account, offer.rid, () =>
    ok({ kind: "toManual" }),
  );
  expect(changed).toMatchObject({ ok: false, error: { kind: "badRequest" } });
});

it("must select the key of its source, and its own", async () => {
  const { account } = await copyStage(1);
  const without = await tryView(account, {}, "SELECT c.tenant FROM c");
  expect(without).toMatchObject({
    kind: "badRequest",
    message: expect.stringContaining("'/pk', the partition key"),
  });
  const unkeyed = await tryView(account, {}, "SELECT c.pk FROM c");
  expect(unkeyed).toMatchObject({
    kind: "badRequest",
    message: expect.stringContaining("'/tenant', the partition key"),
  });
});

it("is what a naive model says, whatever happens", async () => {
  for (const seed of [1, 2, 3, 4]) await compareWithModel(seed);
});

async function compareWithModel(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const draw = (count: number): number => Math.floor(random.next() * count);
  const { account, time, reopen } = await copyStage(30);
  await makeView(account);
  let opened = account;
  for (let step = 0; step < 120; step++) {
    const source = opened.catalog.container("d", "c")!;
    const index = draw(40);
    const kind = draw(20);
    if (kind < 12) await write(opened, source, index, { tenant: `t${draw(4)}`, step });
    else if (kind < 16) await removeAt(opened, source, index);
    else if (kind < 19) await time.advance(draw(150));
    else {
      await stopped(opened);
      opened = await reopen();
    }
  }
  await time.advance(2000);
  const [source, view] = ["c", "v"].map((name) => opened.catalog.container("d", name)!);
  expect(await contents(opened, view!), `seed ${seed}`).toEqual(
    await expectedRows(opened, source!),
  );
}
