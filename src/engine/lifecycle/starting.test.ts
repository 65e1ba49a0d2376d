/** Which pairs can be hot and warm, what a plan says, and what becomes of settings. */
import { describe, expect, it } from "vitest";
import { assert } from "../../base/assert.ts";
import { DAY_SECONDS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import type { LifecycleSettings } from "../../model/lifecycle.ts";
import type { Refusal } from "../../model/refusal.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import type { CopyRequest } from "../copy/copyRecord.ts";
import { REQUEST as COPY_REQUEST } from "../copy/copyStage.fake.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { containerIn, databaseIn, LIMITED, simulatedAccount } from "../simulatedAccount.fake.ts";
import type { LifecycleRequest } from "./lifecycleRequest.ts";
import {
  begun,
  daysAgo,
  entryOf,
  itemsIn,
  lifecycleStage,
  REQUEST,
  runOf,
  SETTINGS,
  write,
} from "./lifecycleStage.fake.ts";

const HASH_V1 = { paths: ["/pk"], kind: "Hash", version: 1 };
const OTHER_KEY = { paths: ["/tenant"], kind: "Hash", version: 2 };
const NOT_DATES = {
  indexingPolicy: { includedPaths: [{ path: "/*" }], excludedPaths: [{ path: "/date/?" }] },
};
const NO_INDEX = { defaultTtl: null, indexingPolicy: { indexingMode: "none", automatic: false } };

interface Case {
  readonly hot?: JsonObject;
  readonly warm?: JsonObject;
  readonly settings?: Partial<LifecycleSettings>;
  readonly request?: Partial<LifecycleRequest>;
  readonly says: string;
}

const CASES: readonly Case[] = [
  { warm: { partitionKey: OTHER_KEY }, says: "Hot has the partition key /pk and warm /tenant." },
  { warm: { partitionKey: HASH_V1 }, says: "hash it differently (Hash version 2, Hash version 1)" },
  { request: { warm: REQUEST.hot }, says: "Hot and warm are the same container; name two." },
  {
    hot: { defaultTtl: -1 },
    warm: { defaultTtl: 60 },
    says: "Warm deletes items 60 seconds after",
  },
  { hot: { defaultTtl: null }, says: "Hot has its ttl switched off" },
  { hot: { defaultTtl: 5 * DAY_SECONDS }, says: "Items of hot live 5 days, and are due after 10" },
  { hot: NOT_DATES, says: "Add the included path /date/? to its indexing policy." },
  { hot: NO_INDEX, says: "Hot does not index /date." },
  { settings: { ageProperty: "date" }, says: "'date' is no path of a property" },
  { settings: { ageProperty: "/a/*" }, says: "'/a/*' is no path of a property" },
  { settings: { ageProperty: "/tags/[]/at" }, says: "is no path of a property" },
  { settings: { ageProperty: "/_ts" }, says: "which is the database's own" },
  { settings: { markProperty: "ttl" }, says: "The property 'ttl' is the database's own" },
  { settings: { markProperty: "pk" }, says: "The property 'pk' has a meaning already (/pk)" },
  { settings: { markProperty: "date" }, says: "The property 'date' has a meaning already (/date)" },
  { settings: { markProperty: "a b" }, says: "'a b' is no name of a property" },
  {
    warm: NOT_DATES,
    settings: { archiveAfterSeconds: 99 },
    says: "Warm does not index /date, by which it is seen what is to be archived.",
  },
  {
    request: { warm: { database: "d", container: "nobody" } },
    says: "The warm container d/nobody is not there.",
  },
];

describe("a pair", () => {
  it.each(CASES)("is refused: $says", async ({ hot, warm, settings, request, says }) => {
    const { account } = await lifecycleStage({}, { ...(hot && { hot }), ...(warm && { warm }) });
    const asked = { ...REQUEST, ...request, settings: { ...SETTINGS, ...settings } };
    const refused = await account.jobs.lifecycles.start(asked);
    expect(messageOf(refused)).toContain(says);
    const plan = await account.jobs.lifecycles.plan(asked);
    if (plan.ok) expect(plan.value.obstacles.join()).toContain(says);
    if (asked.hot === asked.warm) expect(messageOf(refused)).toBe(says);
    expect(account.jobs.lifecycles.runs).toEqual([]);
  });

  it("has nothing to do with a view", async () => {
    const { account } = await lifecycleStage();
    const body = {
      id: "v",
      partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 },
      materializedViewDefinition: { sourceCollectionId: "hot", definition: "SELECT * FROM c" },
    };
    const definition = parseContainerDefinition(body, undefined, account.limits);
    assert(definition.ok, "a view can be defined");
    const database = account.catalog.database("d")!;
    await account.catalog.createContainer(database, definition.value, { throughput: undefined });
    const warm = { database: "d", container: "v" };
    const refused = await account.jobs.lifecycles.start({ ...REQUEST, warm });
    expect(messageOf(refused)).toContain("'v' is a view of 'hot'");
  });

  it("is made with the whole key of the one that is there, if its paths are named", async () => {
    const { account } = await lifecycleStage({}, { hot: { partitionKey: HASH_V1 } });
    const warm = { database: "d", container: "made" };
    const other = await account.jobs.lifecycles.start({
      ...REQUEST,
      warm,
      create: { partitionKey: ["/tenant"] },
    });
    expect(messageOf(other)).toContain("Hot has the partition key /pk and warm /tenant.");
    const run = await begun(account, {}, { warm, create: { partitionKey: ["/pk"] } });
    expect(run.warm.definition.partitionKey).toMatchObject(HASH_V1);
  });

  it("belongs to one lifecycle, in whichever role", async () => {
    const { account } = await lifecycleStage();
    const database = account.catalog.database("d")!;
    const more = { id: "third", defaultTtl: -1 };
    await containerIn(account, database, undefined, more);
    const run = await begun(account);
    const third = { database: "d", container: "third" };
    for (const request of [
      { hot: third },
      { warm: third },
      { hot: third, warm: REQUEST.hot },
      { hot: REQUEST.warm, warm: third },
    ]) {
      const refused = await account.jobs.lifecycles.start({ ...REQUEST, ...request });
      expect(messageOf(refused)).toContain(`of the lifecycle ${run.id}. Stop that first.`);
    }
    await account.jobs.lifecycles.command(run, "stop", {});
    const started = await account.jobs.lifecycles.start({ ...REQUEST, hot: third });
    expect(started.ok).toBe(true);
  });

  it("is not taken twice by two who ask at once", async () => {
    const { account } = await lifecycleStage();
    const started = await Promise.all([
      account.jobs.lifecycles.start(REQUEST),
      account.jobs.lifecycles.start(REQUEST),
    ]);
    expect(started.map(({ ok }) => ok).toSorted()).toEqual([false, true]);
    expect(account.jobs.lifecycles.runs).toHaveLength(1);
  });

  it("has nothing to do with a copy job, and the other way round", async () => {
    const { account, time } = await lifecycleStage();
    const [hot, warm] = [REQUEST.hot, REQUEST.warm];
    const target = { database: "d", container: "t" };
    const copy = { ...COPY_REQUEST, source: hot, target, key: undefined };
    const job = await account.jobs.copying.start(copy);
    assert(job.ok && "id" in job.value, "the copy is new");
    await time.advance(1000);
    const { id } = job.value;
    const refused = await account.jobs.lifecycles.start(REQUEST);
    expect(messageOf(refused)).toContain(`'hot' belongs to the copy job ${id}.`);
    await account.jobs.copying.command(job.value, "cancel", {});
    await time.advance(2000);
    await begun(account);
    for (const request of [copy, { ...copy, source: target, target: warm }]) {
      expect(messageOf(await account.jobs.copying.start(request))).toContain("of the lifecycle");
    }
    const offline: CopyRequest = {
      ...copy,
      mode: "offline",
      switchBy: "application",
      target: { database: "d", container: "u" },
    };
    expect((await account.jobs.copying.start(offline)).ok).toBe(true);
  });

  it("gets a hot container whose ttl the database has, however long the age", async () => {
    const { account } = await simulatedAccount({ rates: LIMITED });
    await databaseIn(account);
    const create = { partitionKey: ["/pk"] };
    await begun(account, { ageSeconds: 20_000 * DAY_SECONDS }, { create });
    const { defaultTtl } = account.catalog.container("d", "hot")!.definition;
    expect(defaultTtl).toBe(2 ** 31 - 1);
  });

  it("gets its ttl switched on, and its containers made", async () => {
    const { account, time } = await simulatedAccount({ rates: LIMITED });
    await databaseIn(account);
    const create = {
      partitionKey: ["/pk"],
      compositePath: "/provider",
      warmExcludedPaths: ["/content/*"],
    };
    await begun(account, {}, { create });
    const [hot, warm] = ["hot", "warm"].map((name) => account.catalog.container("d", name)!);
    expect(hot!.definition).toMatchObject({ defaultTtl: 45 * DAY_SECONDS });
    expect(hot!.definition.indexingPolicy.compositeIndexes).toEqual([
      [
        { path: "/provider", order: "ascending" },
        { path: "/date", order: "descending" },
      ],
    ]);
    expect(hot!.record.throughput).toMatchObject({ kind: "autoscale", rateMax: 4000 });
    expect(warm!.record.throughput).toMatchObject({ kind: "manual", ratePerSecond: 800 });
    expect(warm!.definition).not.toHaveProperty("defaultTtl");
    const excluded = warm!.definition.indexingPolicy.excludedPaths.map(({ path }) => path);
    expect(excluded).toContain("/content/*");
    await write(account, hot!, "a", { date: 5 });
    await time.advance(3000);
    expect(Object.keys(await itemsIn(account, warm!))).toEqual(["a"]);
    const off = await lifecycleStage({}, { hot: { defaultTtl: null } });
    await begun(off.account, {}, { enableTtl: true });
    expect(off.hot.definition.defaultTtl).toBe(-1);
  });
});

describe("a plan", () => {
  it("counts what is due, prices it, and says what would be set aside", async () => {
    const stage = await lifecycleStage({ rates: LIMITED });
    const { account, hot, time } = stage;
    for (let at = 0; at < 20; at++)
      await write(account, hot, `i${at}`, { date: daysAgo(stage, at + 0.5) });
    await write(account, hot, "odd", { date: "x" });
    const plan = await account.jobs.lifecycles.plan(REQUEST);
    assert(plan.ok, "there is a plan");
    const { dueCount, itemCount, setAside, price, obstacles, seconds } = plan.value;
    expect({ dueCount, itemCount, obstacles }).toEqual({
      dueCount: 10,
      itemCount: 21,
      obstacles: [],
    });
    expect(setAside).toMatchObject([{ id: "odd" }]);
    expect(seconds).toBeGreaterThan(0);
    expect(Object.keys(await itemsIn(account, stage.warm))).toEqual([]);
    await begun(account);
    await time.advance(20_000);
    const { totals } = await entryOf(account);
    expect(totals.moved).toBe(10);
    // What else is spent is the look at items that are not due.
    const planned = price.hotRu + price.warmRu;
    expect(totals.ru).toBeGreaterThan(planned * 0.9);
    expect(totals.ru).toBeLessThan(planned * 2);
  });
});

describe("settings", () => {
  it("are changed while it runs, and stay so after a restart", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 5), other: daysAgo(stage, 50) });
    const run = await begun(account);
    await time.advance(1000);
    const { lifecycles } = account.jobs;
    expect(messageOf(await lifecycles.command(run, "change", { ageSeconds: 864_000 }))).toContain(
      "That changes nothing.",
    );
    const tooLong = await lifecycles.command(run, "change", { ageSeconds: 99 * DAY_SECONDS });
    expect(messageOf(tooLong)).toContain("Items of hot live 45 days");
    await lifecycles.command(run, "change", { ageSeconds: 4 * DAY_SECONDS });
    await time.advance(1000);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
    expect(runOf(account).record.settings.ageSeconds).toBe(4 * DAY_SECONDS);
  });

  it("may name another date, and then all items are looked at again", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 5), other: daysAgo(stage, 50) });
    const run = await begun(account);
    await time.advance(1000);
    await account.jobs.lifecycles.command(run, "change", { ageProperty: "/other" });
    expect(run.watermark.settledBefore).toBeUndefined();
    await time.advance(1000);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
  });

  it("may name another mark, and the marks of before hold", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot, warm } = stage;
    await write(account, hot, "a", { date: daysAgo(stage, 50) });
    const run = await begun(account);
    await time.advance(1000);
    await account.jobs.lifecycles.command(run, "change", { markProperty: "moved" });
    await write(account, hot, "b", { date: daysAgo(stage, 50) });
    await time.advance(1000);
    const { a, b } = await itemsIn(account, hot);
    expect([a!["migrated"], b!["moved"]]).toEqual([true, true]);
    expect(run.record.totals).toMatchObject({ moved: 2, edited: 0 });
    expect(await itemsIn(account, warm)).toEqual({
      a: { date: expect.any(String) },
      b: { date: expect.any(String) },
    });
  });
});

it("ends when one of its containers is deleted", async () => {
  const { account, time, warm } = await lifecycleStage();
  await begun(account);
  await time.advance(1000);
  await account.catalog.deleteContainer(account.catalog.database("d")!, warm);
  await time.advance(1000);
  expect(account.jobs.lifecycles.runs).toEqual([]);
  expect(account.jobs.lifecycles.ended).toMatchObject([{ end: "failed" }]);
  expect(account.catalog.container("d", "hot")!.guard).toBeUndefined();
});

it("says what is in its way when the date is not indexed any more", async () => {
  const { account, time, hot } = await lifecycleStage();
  await begun(account);
  await time.advance(1000);
  const definition = { ...hot.definition, indexingPolicy: { ...hot.definition.indexingPolicy } };
  const excludedPaths = [...definition.indexingPolicy.excludedPaths, { path: "/date/?" }];
  await account.catalog.replaceContainer(hot, {
    ...definition,
    indexingPolicy: { ...definition.indexingPolicy, excludedPaths },
  });
  await time.advance(1000);
  expect(await entryOf(account)).toMatchObject({
    state: "blocked",
    reason: expect.stringContaining("does not index /date any more"),
  });
});

it("says that the disk is full, and goes on when there is room", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot, warm, trouble } = stage;
  await write(account, hot, "a", { date: daysAgo(stage, 20) });
  const [{ part } = { part: 0 }] = warm.map.entries;
  trouble.fault = (operation, at) =>
    operation === "commit" && at === part ? new StoreFault("The disk is full.") : undefined;
  await begun(account);
  await time.advance(1000);
  expect(await entryOf(account)).toMatchObject({
    state: "blocked",
    reason: "Nothing can be written: The disk is full.",
  });
  trouble.fault = undefined;
  await time.advance(20_000);
  const { reason, state } = await entryOf(account);
  expect([state, reason]).toEqual(["waiting", undefined]);
  expect(Object.keys(await itemsIn(account, warm))).toEqual(["a"]);
});

function messageOf(result: { readonly ok: boolean; readonly error?: Refusal }): string {
  return result.error !== undefined && "message" in result.error
    ? String(result.error.message)
    : JSON.stringify(result);
}
