/** A lifecycle on an account in memory: what becomes of an item, rule by rule. */
import { describe, expect, it } from "vitest";
import { DAY_MS, DAY_SECONDS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { containerIn, LIMITED, stopped } from "../simulatedAccount.fake.ts";
import {
  begun,
  daysAgo,
  entryOf,
  itemsIn,
  type LifecycleStage,
  lifecycleStage,
  patch,
  remove,
  runOf,
  write,
} from "./lifecycleStage.fake.ts";

const STAMP = { by: expect.any(String), etag: expect.any(String), given: DAY_SECONDS };

function marked(item: JsonObject, stamp: JsonObject = {}): JsonObject {
  return { ...item, migrated: true, migratedStamp: { ...STAMP, ...stamp }, ttl: DAY_SECONDS };
}

describe("an item", () => {
  it("moves when it is due, and not before", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    const [old, young] = [daysAgo(stage, 11), daysAgo(stage, 9.9999)];
    await write(account, hot, "old", { date: old });
    await write(account, hot, "young", { date: young });
    await begun(account);
    await time.advance(1000);
    expect(await itemsIn(account, warm)).toEqual({ old: { date: old } });
    expect(await itemsIn(account, hot)).toEqual({
      old: marked({ date: old }),
      young: { date: young },
    });
    await time.advance(15_000);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["old", "young"]);
    expect((await entryOf(account)).totals).toMatchObject({ moved: 2, edited: 0, removed: 0 });
  });

  it("is at work, and does not know what is due, until it has looked at all", async () => {
    const stage = await lifecycleStage({ rates: LIMITED });
    const { account, time, hot } = stage;
    const [count, date] = [40, daysAgo(stage, 11)];
    for (let n = 0; n < count; n++) await write(account, hot, `a${n}`, { date });
    await begun(account, { sharePercent: 5 });
    await time.advance(1000);
    const early = await entryOf(account);
    expect(early.totals.moved).toBeLessThan(count);
    expect(early).toMatchObject({ state: "running", isDueCountExact: false });
    expect(early.nextRoundAt).toBeUndefined();
    // It goes on, though no round has ended yet.
    const { progressedAt } = account.jobs.lifecycles.reportOf(hot)!;
    expect(progressedAt).toBeGreaterThan(early.startedAt);
    await time.advance(60_000);
    const late = await entryOf(account);
    expect(late).toMatchObject({ state: "waiting", dueCount: 0, isDueCountExact: true });
    expect(late.totals.moved).toBe(count);
  });

  it("is found in the rounds, which those that had nothing to do do not push out", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot } = stage;
    await begun(account);
    await time.advance(30_000);
    await write(account, hot, "a", { date: daysAgo(stage, 11) });
    await time.advance(600_000);
    const { rounds, lastRound } = await entryOf(account);
    expect(rounds.map(({ movedCount }) => movedCount)).toEqual([0, 1, 0]);
    expect(lastRound?.endedAt).toBeGreaterThan(time.clock.wallNow() - 6000);
  });

  it("leaves hot when its mark has expired, and stays in warm", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 11) });
    await begun(account);
    await time.advance(1000);
    time.skip(DAY_MS);
    await time.advance(5000);
    expect(await itemsIn(account, hot)).toEqual({});
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
    expect((await entryOf(account)).totals).toMatchObject({ moved: 1, removed: 0 });
  });

  it.each([
    [
      "text with an offset",
      (at: number) => new Date(at + 9 * 3_600_000).toISOString().replace("Z", "+09:00"),
    ],
    [
      "text with a blank and no offset",
      (at: number) => new Date(at).toISOString().slice(0, 19).replace("T", " "),
    ],
    ["a day alone", (at: number) => new Date(at - DAY_MS).toISOString().slice(0, 10)],
    ["seconds", (at: number) => Math.floor(at / 1000)],
    ["milliseconds", (at: number) => at],
  ])("has its date as %s", async (_name, dateOf) => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await begun(account);
    await time.advance(1000);
    // Due in six seconds, so the index has to find it.
    const due = time.clock.wallNow() - 10 * DAY_MS + 6000;
    await write(account, hot, "a", { date: dateOf(due) });
    await time.advance(15_000);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
  });

  it("may have its date further down, and in a text of its own", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    const item = { meta: { at: 5, "odd name": 1 }, n: 12_345_678 };
    await write(account, hot, "a", item);
    await begun(account, { ageProperty: "/meta/at" });
    await time.advance(1000);
    expect(await itemsIn(account, warm)).toEqual({ a: item });
  });

  it("keeps its number, digits and own text, and loses ttl and mark", async () => {
    const { account, time, hot, warm, store } = await lifecycleStage();
    const text =
      '{"id":"a","pk":"pa","date":7,"n":12345678901234567890,"z":-0,"ttl":500,"migrated":0}';
    const parsed = account.parseBody(Buffer.from(text));
    if (!parsed.ok) throw new Error("the item is JSON");
    const sent = account.writeItem(hot, { kind: "upsert", key: ["pa"], body: parsed.value });
    if (sent.ok) await sent.value;
    await begun(account);
    await time.advance(1000);
    const page = await store.scanItems(warm.map.entries[0]!.part, 0, {
      countMax: 9,
      bytesMax: 1e6,
    });
    expect(page.items[0]!.body.toString()).toMatch(
      /^\{"id":"a","pk":"pa","date":7,"n":12345678901234567890,"z":-0,"_rid"/,
    );
    expect(await itemsIn(account, hot)).toMatchObject({ a: { migratedStamp: { ttl: 500 } } });
  });
});

describe("an edit in hot after the copy", () => {
  async function moved(): Promise<LifecycleStage & { readonly date: string }> {
    const stage = await lifecycleStage();
    const date = daysAgo(stage, 11);
    await write(stage.account, stage.hot, "a", { date, n: 1 });
    await begun(stage.account, { intervalSeconds: 3600 });
    await stage.time.advance(1000);
    return { ...stage, date };
  }

  it("arrives in warm at once when it is a patch, and the mark is renewed", async () => {
    const { account, time, hot, warm, date } = await moved();
    await patch(account, hot, "a", { n: 2 });
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({ a: { date, n: 2 } });
    expect(await itemsIn(account, hot)).toEqual({ a: marked({ date, n: 2 }) });
    expect((await entryOf(account)).totals).toMatchObject({ moved: 1, edited: 1 });
  });

  it("arrives in warm at once when it is a replace, which drops the mark", async () => {
    const { account, time, hot, warm, date } = await moved();
    await write(account, hot, "a", { date, n: 3 });
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({ a: { date, n: 3 } });
    expect(await itemsIn(account, hot)).toEqual({ a: marked({ date, n: 3 }) });
  });

  it.each([
    [
      "a patch",
      (stage: LifecycleStage, date: string) => patch(stage.account, stage.hot, "a", { date }),
    ],
    [
      "a replace",
      (stage: LifecycleStage, date: string) => write(stage.account, stage.hot, "a", { date, n: 1 }),
    ],
    [
      "a replace that keeps the short ttl",
      (stage: LifecycleStage, date: string) =>
        write(stage.account, stage.hot, "a", { date, n: 1, ttl: DAY_SECONDS }),
    ],
  ])("makes it young again: %s", async (_name, edit) => {
    const stage = await moved();
    const { account, time, hot, warm } = stage;
    const date = daysAgo(stage, 1);
    await edit(stage, date);
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({});
    expect(await itemsIn(account, hot)).toEqual({ a: { date, n: 1 } });
    expect((await entryOf(account)).totals).toMatchObject({ returned: 1 });
  });

  it("gives a young item the ttl back that it had", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 11), ttl: 7_000_000 });
    await begun(account);
    await time.advance(1000);
    const date = daysAgo(stage, 1);
    await patch(account, hot, "a", { date });
    await time.advance(500);
    expect(await itemsIn(account, hot)).toEqual({ a: { date, ttl: 7_000_000 } });
  });

  it("takes the copy along when it deletes the item", async () => {
    const { account, time, hot, warm } = await moved();
    await remove(account, hot, "a");
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({});
    expect((await entryOf(account)).totals).toMatchObject({ removed: 1 });
  });

  it("takes the copy along after a kill between copy and mark", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm, trouble } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 11) });
    const hotPart = hot.map.entries[0]!.part;
    // The copy arrives, and the mark does not.
    trouble.fault = (operation, part) =>
      operation === "commit" && part === hotPart ? new StoreFault("no mark") : undefined;
    await begun(account);
    await time.advance(300);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
    expect(await itemsIn(account, hot)).toEqual({ a: { date: expect.any(String) } });
    await stopped(account);
    trouble.fault = undefined;
    const again = await stage.reopen();
    const hotAgain = again.catalog.container("d", "hot")!;
    await remove(again, hotAgain, "a");
    await time.advance(1000);
    expect(await itemsIn(again, again.catalog.container("d", "warm")!)).toEqual({});
  });

  /** Hot and warm after the item has left hot and another one was written there under its id. */
  async function anew(item: (stage: LifecycleStage) => JsonObject): Promise<LifecycleStage> {
    const stage = await moved();
    const { account, time, hot } = stage;
    time.skip(2 * DAY_MS);
    await time.advance(5000);
    expect(await itemsIn(account, hot)).toEqual({});
    await write(account, hot, "a", item(stage));
    await time.advance(500);
    return stage;
  }

  it.each<[string, (stage: LifecycleStage) => JsonObject]>([
    ["is young", (stage) => ({ date: daysAgo(stage, 1), n: 9 })],
    ["has no date", () => ({ n: 9 })],
  ])("of an older item of the same id: that one goes when the new one %s", async (_, item) => {
    const { account, hot, warm } = await anew(item);
    expect(await itemsIn(account, hot)).toEqual({ a: expect.objectContaining({ n: 9 }) });
    expect(await itemsIn(account, warm)).toEqual({});
  });

  it("leaves the older item of the same id while the new one may go by itself", async () => {
    const stage = await anew((the) => ({ date: daysAgo(the, 1), n: 9, ttl: DAY_SECONDS }));
    const { account, warm } = stage;
    expect(await itemsIn(account, warm)).toEqual({ a: expect.objectContaining({ n: 1 }) });
  });

  it("leaves the older item of the same id when the new one was deleted before a look", async () => {
    const stage = await moved();
    const { account, time, hot, warm, date } = stage;
    time.skip(2 * DAY_MS);
    await time.advance(5000);
    await write(account, hot, "a", { date: daysAgo(stage, 1), n: 9 });
    await remove(account, hot, "a");
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({ a: { date, n: 1 } });
  });

  it("of a new item of the same id makes it the newer version when it is moved", async () => {
    const stage = await moved();
    const { account, time, hot, warm } = stage;
    time.skip(2 * DAY_MS);
    await time.advance(5000);
    const date = daysAgo(stage, 12);
    await write(account, hot, "a", { date, n: 9 });
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({ a: { date, n: 9 } });
    await remove(account, hot, "a");
    await time.advance(500);
    expect(await itemsIn(account, warm)).toEqual({});
  });
});

describe("what cannot be moved", () => {
  it("is set aside with a sentence until it is mended", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "none", {});
    await write(account, hot, "text", { date: "soon" });
    await write(account, hot, "ahead", { date: daysAgo(stage, -3) });
    await write(account, hot, "tomorrow", { date: daysAgo(stage, -0.5) });
    const run = await begun(account);
    await time.advance(1000);
    const reasons = run.unmoved.entries.map(({ id, code, reason }) => [id, code, reason]);
    expect(reasons).toEqual([
      ["none", "undated", "It has no /date."],
      ["text", "undated", expect.stringContaining('Its /date is "soon", which is no date')],
      ["ahead", "future", expect.stringContaining("which is in the future")],
    ]);
    await write(account, hot, "none", { date: daysAgo(stage, 1) });
    await write(account, hot, "text", { date: daysAgo(stage, 12) });
    await remove(account, hot, "ahead");
    await time.advance(1000);
    expect(run.unmoved.count).toBe(0);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["text"]);
  });

  it("leaves the book when its time has come", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "ahead", { date: daysAgo(stage, -3) });
    const run = await begun(account);
    await time.advance(1000);
    expect(run.unmoved.count).toBe(1);
    time.skip(14 * DAY_MS);
    await time.advance(10_000);
    expect(run.unmoved.count).toBe(0);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["ahead"]);
  });

  it("waits in hot without a mark while its key in warm is full", async () => {
    const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: 1500 };
    const stage = await lifecycleStage({ limits });
    const { account, time, hot, warm } = stage;
    await write(account, warm, "full", { text: "x".repeat(1000) });
    const date = daysAgo(stage, 11);
    const item = { pk: "pfull", id: "a", date, text: "y".repeat(300) };
    const sent = account.writeItem(hot, { kind: "upsert", key: ["pfull"], body: item });
    if (sent.ok) await sent.value;
    const run = await begun(account);
    await time.advance(1000);
    expect(run.unmoved.entries).toMatchObject([{ id: "a", code: "keyFull", isDue: true }]);
    expect(await itemsIn(account, hot)).toEqual({ a: { date, text: item.text } });
    // What warm lacks is not settled.
    expect(run.watermark.settledBefore).toBe(Date.parse(date));
    await remove(account, warm, "full");
    await time.advance(10_000);
    expect(run.unmoved.count).toBe(0);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
    expect(run.watermark.settledBefore).toBeGreaterThan(Date.parse(date));
  });

  it("loses its mark when an edit of it does not fit into warm", async () => {
    const limits = { ...SERVICE_LIMITS, logicalPartitionBytesMax: 2000 };
    const stage = await lifecycleStage({ limits });
    const { account, time, hot, warm } = stage;
    const date = daysAgo(stage, 11);
    await write(account, hot, "a", { date, text: "y" });
    const run = await begun(account);
    await time.advance(1000);
    const filler = { pk: "pa", id: "filler", text: "x".repeat(1200) };
    const sent = account.writeItem(warm, { kind: "upsert", key: ["pa"], body: filler });
    if (sent.ok) await sent.value;
    const text = "y".repeat(500);
    await patch(account, hot, "a", { text });
    await time.advance(1000);
    expect(run.unmoved.entries).toMatchObject([{ id: "a", code: "keyFull" }]);
    expect(await itemsIn(account, hot)).toEqual({ a: { date, text } });
  });
});

it("goes on after a kill, and does nothing twice", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot } = stage;
  const ids = Array.from({ length: 40 }, (_, at) => `i${at}`);
  for (const id of ids) await write(account, hot, id, { date: daysAgo(stage, 11) });
  await begun(account, { batch: 7 });
  await time.advance(2000);
  await stopped(account);
  const again = await stage.reopen();
  await time.advance(2000);
  const warm = again.catalog.container("d", "warm")!;
  expect(Object.keys(await itemsIn(again, warm)).toSorted()).toEqual(ids.toSorted());
  expect(runOf(again).record.totals.moved).toBe(40);
});

it("does not take the mark of another lifecycle for its own", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot, warm } = stage;
  await write(account, hot, "a", { date: daysAgo(stage, 11) });
  const first = await begun(account);
  await time.advance(1000);
  await account.jobs.lifecycles.command(first, "stop", {});
  const database = account.catalog.database("d")!;
  const other = await containerIn(account, database, undefined, { id: "other" });
  const second = await begun(account, {}, { warm: { database: "d", container: "other" } });
  await time.advance(1000);
  expect(Object.keys(await itemsIn(account, other))).toEqual(["a"]);
  await account.jobs.lifecycles.command(second, "stop", {});
  // Back to the first one, whose copy has the number of another lifecycle.
  await begun(account);
  await time.advance(1000);
  await remove(account, hot, "a");
  await time.advance(1000);
  expect(await itemsIn(account, warm)).toEqual({});
});

it("keeps to its share of the rates, and comes to its end all the same", async () => {
  const stage = await lifecycleStage({ rates: LIMITED });
  const { account, time, hot, warm } = stage;
  for (let at = 0; at < 60; at++) {
    await write(account, hot, `i${at}`, { date: daysAgo(stage, 20) });
    await time.advance(100);
  }
  const { totals } = [...warm.partitions.values()][0]!.spending;
  await begun(account, { sharePercent: 10 });
  const before = totals.ru;
  await time.advance(2000);
  // Two seconds at a tenth of 400 RU/s, and what one step may cost beyond.
  expect(totals.ru - before).toBeLessThan(130);
  expect((await entryOf(account)).throttle).toMatchObject({ sharePercent: 10, bound: "share" });
  await account.jobs.lifecycles.command(runOf(account), "change", { sharePercent: 100 });
  await time.advance(20_000);
  expect(Object.keys(await itemsIn(account, warm))).toHaveLength(60);
});

it("lets a copy take the place of an older item that holds its unique value", async () => {
  const uniqueKeyPolicy = { uniqueKeys: [{ paths: ["/name"] }] };
  const stage = await lifecycleStage({}, { warm: { uniqueKeyPolicy } });
  const { account, time, hot, warm } = stage;
  await write(account, warm, "a", { name: "n", n: 1 });
  const date = daysAgo(stage, 20);
  await write(account, hot, "a", { name: "n", n: 2, date });
  const run = await begun(account);
  await time.advance(1000);
  expect(await itemsIn(account, warm)).toEqual({ a: { name: "n", n: 2, date } });
  expect(run.unmoved.count).toBe(0);
  const other = { pk: "pa", id: "b", name: "n", date };
  const sent = account.writeItem(hot, { kind: "upsert", key: ["pa"], body: other });
  if (sent.ok) await sent.value;
  await time.advance(1000);
  expect(run.unmoved.entries).toMatchObject([{ id: "b", code: "uniqueKey" }]);
  expect(Object.keys(await itemsIn(account, hot))).toContain("b");
});
