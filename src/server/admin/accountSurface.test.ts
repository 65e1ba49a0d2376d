/** The admin surface of a running account. */

import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  simulatedAccount,
  spend,
} from "../../engine/simulatedAccount.fake.ts";
import type { Throughput } from "../../model/throughput.ts";
import { accountSurface } from "./accountSurface.ts";
import { Recordings } from "./recordings.ts";
import { NO_LAB } from "./simulatedSurface.fake.ts";

const HOUR = 3_600_000;

describe("what is not there", () => {
  const span = { from: 0, to: HOUR };
  test.each<[string, (surface: Surface, database: string, name: string) => unknown]>([
    ["report", (surface, ...names) => surface.report(...names)],
    ["heat", (s, ...n) => s.heat(...n, { ...span, metric: "ru", rows: 4, columns: 4 })],
    ["history", (surface, ...names) => surface.history(...names, span)],
    ["topKeys", (surface, ...names) => surface.topKeys(...names, { by: "size", count: 5 })],
    ["locate", (surface, ...names) => surface.locate(...names, ["a"])],
    ["split", (surface, ...names) => surface.split(...names, {})],
    ["merge", (surface, ...names) => surface.merge(...names, { partitionIds: ["0", "1"] })],
    ["suggestMerges", (surface, ...names) => surface.suggestMerges(...names)],
    ["setBuckets", (surface, ...names) => surface.setBuckets(...names, [])],
  ])("is not found by `%s`", async (_name, ask) => {
    const { surface } = await stage();
    const notFound = { ok: false, error: { kind: "notFound" } };
    expect(await ask(surface, "d", "other")).toEqual(notFound);
    expect(await ask(surface, "other", "c")).toEqual(notFound);
  });

  test.each<[string, (surface: Surface) => unknown]>([
    ["report", (surface) => surface.report("d", "c")],
    ["history", (surface) => surface.history("d", "c", span)],
    ["topKeys", (surface) => surface.topKeys("d", "c", { by: "load", count: 5 })],
  ])("because nobody counts is told by `%s`", async (_name, ask) => {
    const { surface } = await stage({ hasStatistics: false });
    const answer = (await ask(surface)) as { error: { message: string } };
    expect(answer.error.message).toMatch(/without statistics/);
    expect(await surface.overview()).toEqual([]);
    expect((await surface.counters()).length).toBe(1);
  });

  test("because it is deleted while the answer is made is not found", async () => {
    const { surface, account, container, database, trouble } = await stage({
      shared: manual(1000),
    });
    await put(account, container, { pk: "a", id: "i" });
    trouble.isDistant = true;
    const deleted = account.catalog.deleteDatabase(database);
    const asked = [surface.report("d", "c"), surface.topKeys("d", "c", { by: "size", count: 5 })];
    const overview = surface.overview();
    const counters = surface.counters();
    await deleted;
    for (const answer of asked) {
      expect(await answer).toEqual({ ok: false, error: { kind: "notFound" } });
    }
    expect(await overview).toEqual([]);
    await counters;
    expect(surface.containers()).toEqual([]);
  });
});

test("the price of deleting is what deleting an item costs then", async () => {
  const { surface, account, container } = await stage();
  expect(await surface.deletePrice("d", "c")).toEqual({ ok: true, value: { sampledCount: 0 } });
  const { charge } = await put(account, container, { pk: "a", id: "i", n: [1, 2, 3] });
  expect(await surface.deletePrice("d", "c")).toEqual({
    ok: true,
    value: { sampledCount: 1, meanRu: charge, lowRu: charge, highRu: charge },
  });
});

describe("a job", () => {
  test("is answered as it is, and listed until it is over and after that", async () => {
    const { surface, settle } = await stage();
    const started = await surface.split("d", "c", { at: "middle" });
    expect(started).toMatchObject({
      ok: true,
      value: { id: "1-1", database: "d", container: "c", kind: "split", state: "waiting" },
    });
    expect(surface.jobs()).toMatchObject([{ id: "1-1", partitionIds: ["0"] }]);
    await settle();
    expect(surface.jobs()).toMatchObject([
      { id: "1-1", outcome: { state: "done", newPartitionIds: ["1", "2"] } },
    ]);
  });

  test("keeps its names when the container and its database are gone", async () => {
    const { surface, account, database, settle } = await stage();
    await surface.split("d", "c", { at: "middle" });
    await account.catalog.deleteDatabase(database);
    await settle();
    expect(surface.jobs()).toMatchObject([
      { database: "d", container: "c", outcome: { state: "cancelled" } },
    ]);
    expect(JSON.stringify(surface.jobs())).not.toMatch(/partitions"|record/);
  });

  test("that cannot be is refused before it begins", async () => {
    const { surface } = await stage();
    expect(await surface.split("d", "c", { partitionId: "9" })).toMatchObject({
      ok: false,
      error: { kind: "badRequest" },
    });
    expect(await surface.merge("d", "c", { partitionIds: ["0", "1"] })).toMatchObject({
      ok: false,
      error: { kind: "badRequest" },
    });
    expect(surface.jobs()).toEqual([]);
  });

  test.each([
    ["the one with most bytes", {}, "2"],
    ["the one that holds the key", { at: "0A".padEnd(32, "0") }, "1"],
    ["the one that is named", { partitionId: "1", at: "middle" }, "1"],
  ])("splits %s", async (_rule, question, expected) => {
    const { surface, account, container, settle } = await stage();
    await surface.split("d", "c", { at: "middle" });
    await settle();
    for (let n = 0; n < 40; n++) {
      const item = { pk: `k${n}`, id: "i" };
      const routed = account.route(container, [item.pk]);
      const isRight = routed.ok && routed.value.partition.entry.id === "2";
      await put(account, container, { ...item, pad: "x".repeat(isRight ? 300 : 1) });
    }
    const started = await surface.split("d", "c", question);
    expect(started.ok && started.value.partitionIds).toEqual([expected]);
    await settle();
  });
});

describe("an answer", () => {
  test("to `locate` says where a key lives and how full it is", async () => {
    const { surface, account, container } = await stage();
    await put(account, container, { pk: "a", id: "i" });
    const located = await surface.locate("d", "c", ["a"]);
    const { itemBytes } = container.partitions.get("0")!.head;
    expect(located).toMatchObject({
      ok: true,
      value: { partitionId: "0", itemCount: 1, itemBytes, limitShare: itemBytes / (20 * 2 ** 30) },
    });
    expect((await surface.locate("d", "c", ["a", "b"])).ok).toBe(false);
  });

  test("to `topKeys` is by size or by load", async () => {
    const { surface, account, container, time } = await stage();
    await put(account, container, { pk: "large", id: "i", pad: "x".repeat(2000) });
    for (let n = 0; n < 9; n++) await put(account, container, { pk: "busy", id: "i" });
    await time.advance(2000);
    const first = async (by: "size" | "load") => {
      const answer = await surface.topKeys("d", "c", { by, count: 1 });
      return answer.ok && answer.value.map(({ partitionKey }) => partitionKey);
    };
    expect(await first("size")).toEqual([["large"]]);
    expect(await first("load")).toEqual([["busy"]]);
  });

  test("with counters has every purse once", async () => {
    const { surface, account, database, container } = await stage({ shared: manual(1000) });
    await containerIn(account, database, undefined, { id: "narrow" });
    await account.reshaping.request(container, SPLIT);
    spend(container, "1", 12);
    const [wide] = await surface.counters();
    expect(wide).toMatchObject({ database: "d", container: "c", ratePerSecond: 1000 });
    expect(wide!.partitions.map(({ id, ru }) => [id, ru])).toEqual([
      ["1", 12],
      ["2", 0],
    ]);
  });

  test("with all containers has a line for each", async () => {
    const { surface, account, database } = await stage();
    await containerIn(account, database, undefined, { id: "second" });
    expect(surface.containers().map((entry) => entry.container)).toEqual(["c", "second"]);
    expect((await surface.overview()).map((row) => row.container)).toEqual(["c", "second"]);
  });

  test("to `setBuckets` is what holds now", async () => {
    const { surface, container } = await stage();
    const buckets = [{ id: 1, percent: 20 }];
    expect(await surface.setBuckets("d", "c", buckets)).toEqual({ ok: true, value: buckets });
    expect(container.record.throughput?.buckets).toEqual(buckets);
    expect(await surface.setBuckets("d", "c", [])).toEqual({ ok: true, value: [] });
  });
});

const SPLIT = { kind: "split", partitionId: "0", at: "middle" } as const;

type Surface = ReturnType<typeof accountSurface>;

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

async function stage(more: { hasStatistics?: boolean; shared?: Throughput } = {}) {
  const { shared, ...setting } = more;
  const simulated = await simulatedAccount({ rates: LIMITED, ...setting });
  const { account, time } = simulated;
  const database = await databaseIn(account, shared);
  const container = await containerIn(account, database);
  const { clock } = time;
  const random = seededRandom(1);
  const recordings = new Recordings({ account, clock, random, log: () => undefined });
  const surface = accountSurface({
    account,
    clock,
    alerts: () => ({ alerts: [], history: [], rules: [], settings: {} }),
    requests: () => [],
    recordings,
    lab: NO_LAB,
  });
  /** When no job is under way any more. */
  const settle = (): Promise<void> => time.advance(500);
  return { ...simulated, database, container, surface, settle };
}
