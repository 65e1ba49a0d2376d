/** What expires in the hot container of a lifecycle, and up to where warm is said to have all. */
import { describe, expect, it } from "vitest";
import { DAY_MS, DAY_SECONDS } from "../../base/units.ts";
import type { JsonObject } from "../../json/value.ts";
import { stopped } from "../simulatedAccount.fake.ts";
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

/** A paused lifecycle: nothing is moved, and the guard alone decides. */
async function paused(): Promise<LifecycleStage> {
  const stage = await lifecycleStage();
  const run = await begun(stage.account);
  await stage.time.advance(1000);
  await stage.account.jobs.lifecycles.command(run, "pause", {});
  return stage;
}

/** The age is ten days, the default ttl 45, and 46 days pass. */
describe.each<[string, JsonObject, number | undefined, "stays" | "goes"]>([
  ["that lives as long as the container says", {}, 0, "stays"],
  ["without a date", {}, undefined, "stays"],
  ["whose own ttl ended before it was due", { ttl: 9 * DAY_SECONDS }, 0, "goes"],
  ["that was due before its own ttl ended", { ttl: 11 * DAY_SECONDS }, 0, "stays"],
  ["that was due when its own ttl began", { ttl: 5 }, 30, "stays"],
  ["with a ttl of its own and no date", { ttl: 5 }, undefined, "goes"],
])("an item %s", (_name, more, age, expected) => {
  it(`${expected} when its time is over`, async () => {
    const stage = await paused();
    const { account, time, hot } = stage;
    const dated = age === undefined ? {} : { date: daysAgo(stage, age) };
    await write(account, hot, "a", { ...dated, ...more });
    time.skip(46 * DAY_MS);
    await time.advance(5000);
    expect(Object.keys(await itemsIn(account, hot))).toEqual(expected === "stays" ? ["a"] : []);
    // What the sweep removed is gone for good, and what was held is there when the guard ends.
    const kept = [...hot.partitions.values()][0]!.head.itemCount;
    expect(kept).toBe(expected === "stays" ? 1 : 0);
  });
});

it("loses nothing when the server was off for months", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot } = stage;
  const ids = Array.from({ length: 30 }, (_, at) => `i${at}`);
  for (const [at, id] of ids.entries()) {
    await write(account, hot, id, {
      date: daysAgo(stage, at / 2),
      ...(at % 3 === 0 && { ttl: 999_999 }),
    });
  }
  await begun(account);
  await stopped(account);
  time.skip(200 * DAY_MS);
  const again = await stage.reopen();
  await time.advance(10_000);
  const warm = again.catalog.container("d", "warm")!;
  expect(Object.keys(await itemsIn(again, warm)).toSorted()).toEqual(ids.toSorted());
});

it("holds what a client replaced with the short ttl until it was looked at", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot } = stage;
  await write(account, hot, "a", { date: daysAgo(stage, 11) });
  const run = await begun(account);
  await time.advance(1000);
  await account.jobs.lifecycles.command(run, "pause", {});
  const date = daysAgo(stage, 1);
  await write(account, hot, "a", { date, ttl: DAY_SECONDS });
  time.skip(3 * DAY_MS);
  await time.advance(5000);
  expect(await itemsIn(account, hot)).toEqual({ a: { date, ttl: DAY_SECONDS } });
  await account.jobs.lifecycles.command(run, "resume", {});
  await time.advance(1000);
  expect(await itemsIn(account, hot)).toEqual({ a: { date } });
});

it("does not read again in each sweep what is held", async () => {
  const stage = await lifecycleStage();
  const { account, time, hot, trouble } = stage;
  const run = await begun(account);
  await time.advance(1000);
  await account.jobs.lifecycles.command(run, "pause", {});
  for (let at = 0; at < 200; at++) {
    await write(account, hot, `i${at}`, { date: daysAgo(stage, 20), ttl: 1000 });
  }
  time.skip(DAY_MS);
  await time.advance(5000);
  let scanCount = 0;
  const part = hot.map.entries[0]!.part;
  trouble.fault = (operation, of) => {
    if (operation === "scanTerms" && of === part) scanCount++;
    return undefined;
  };
  await time.advance(20_000);
  // A look at what is new, once in each round of two seconds.
  expect(scanCount).toBeLessThanOrEqual(10);
  trouble.fault = undefined;
  await account.jobs.lifecycles.command(run, "resume", {});
  await time.advance(5000);
  time.skip(2 * DAY_MS);
  await time.advance(20_000);
  expect(await itemsIn(account, hot)).toEqual({});
});

it("lets items expire as before once it was stopped", async () => {
  const stage = await paused();
  const { account, time, hot } = stage;
  await write(account, hot, "a", { date: daysAgo(stage, 20) });
  time.skip(46 * DAY_MS);
  expect(Object.keys(await itemsIn(account, hot))).toEqual(["a"]);
  await account.jobs.lifecycles.command(runOf(account), "stop", {});
  expect(await itemsIn(account, hot)).toEqual({});
});

describe("the watermark", () => {
  async function settled(): Promise<LifecycleStage> {
    const stage = await lifecycleStage();
    const { account, hot, time } = stage;
    await write(account, hot, "old", { date: daysAgo(stage, 20) });
    await begun(account, { intervalSeconds: 3600 });
    await time.advance(1000);
    return stage;
  }

  it("rises to the cutoff when everything older was moved", async () => {
    const stage = await lifecycleStage();
    const { account, time, hot } = stage;
    await write(account, hot, "old", { date: daysAgo(stage, 20) });
    const run = await begun(account);
    expect(run.watermark.settledBefore).toBeUndefined();
    await time.advance(1000);
    const before = run.watermark.settledBefore!;
    expect(Math.abs(before - Date.parse(daysAgo(stage, 10)))).toBeLessThan(2000);
    await time.advance(6000);
    expect(run.watermark.settledBefore).toBeGreaterThan(before);
  });

  const writes: readonly [string, number, (stage: LifecycleStage) => Promise<unknown>][] = [
    [
      "a new old item",
      30,
      (stage) => write(stage.account, stage.hot, "late", { date: daysAgo(stage, 30) }),
    ],
    ["an edit of a moved item", 20, (stage) => patch(stage.account, stage.hot, "old", { n: 1 })],
    [
      "an edit to an older date",
      50,
      (stage) => patch(stage.account, stage.hot, "old", { date: daysAgo(stage, 50) }),
    ],
    [
      "an edit to a young date",
      20,
      (stage) => patch(stage.account, stage.hot, "old", { date: daysAgo(stage, 1) }),
    ],
    ["an edit that takes the date away", 20, (stage) => write(stage.account, stage.hot, "old", {})],
    ["a deletion", 20, (stage) => remove(stage.account, stage.hot, "old")],
  ];

  it.each(writes)(
    "falls before %s is answered, and rises when it is settled",
    async (_, days, act) => {
      const stage = await settled();
      const { account, time } = stage;
      const run = runOf(account);
      const high = run.watermark.settledBefore!;
      await account.jobs.lifecycles.command(run, "pause", {});
      const fallen = Date.parse(daysAgo(stage, days));
      await act(stage);
      // The date was that many days before a moment one second ago.
      expect(Math.abs(run.watermark.settledBefore! - fallen)).toBeLessThan(2000);
      await account.jobs.lifecycles.command(run, "resume", {});
      await time.advance(1000);
      expect(run.watermark.settledBefore).toBeGreaterThanOrEqual(high);
    },
  );

  it("does not fall with a young write", async () => {
    const stage = await settled();
    const { account, hot } = stage;
    const high = runOf(account).watermark.settledBefore;
    await write(account, hot, "young", { date: daysAgo(stage, 5) });
    await patch(account, hot, "young", { n: 1 });
    await remove(account, hot, "young");
    expect(runOf(account).watermark.settledBefore).toBe(high);
  });

  it("is unknown after a restart until everything was looked at", async () => {
    const stage = await settled();
    await stopped(stage.account);
    const again = await stage.reopen();
    expect(runOf(again).watermark.settledBefore).toBeUndefined();
    await stage.time.advance(1000);
    expect(runOf(again).watermark.settledBefore).toBeDefined();
  });

  it("falls to the cutoff when the age becomes longer, and what was moved is known", async () => {
    const stage = await settled();
    const { account, time } = stage;
    const { settledBefore: before } = await entryOf(account);
    await account.jobs.lifecycles.command(runOf(account), "change", {
      ageSeconds: 30 * DAY_SECONDS,
    });
    await time.advance(1000);
    const { settledBefore, movedBefore } = await entryOf(account);
    expect(Math.abs(settledBefore! - Date.parse(daysAgo(stage, 30)))).toBeLessThan(3000);
    expect(movedBefore).toBeGreaterThanOrEqual(before!);
  });
});

describe("after a clock that was ahead, a kill, and a clock that is right", () => {
  /** The clock was twenty days ahead, and everything was moved; the kill came within a minute. */
  async function setRight(): Promise<LifecycleStage> {
    const stage = await lifecycleStage();
    const { account, time, hot } = stage;
    await write(account, hot, "before", { date: daysAgo(stage, 1) });
    await begun(account);
    time.setWall(20 * DAY_MS);
    await time.advance(3000);
    time.setWall(-20 * DAY_MS);
    const again = await stage.reopen();
    const [hotNow, warm] = ["hot", "warm"].map((name) => again.catalog.container("d", name)!);
    return { ...stage, account: again, hot: hotNow!, warm: warm! };
  }

  it("is not settled what is written from then on", async () => {
    const stage = await setRight();
    const { account, time, hot, warm } = stage;
    const date = daysAgo(stage, 0);
    await write(account, hot, "after", { date });
    await time.advance(20_000);
    expect(Object.keys(await itemsIn(account, warm))).toEqual(["before"]);
    expect(runOf(account).watermark.settledBefore).toBeLessThanOrEqual(Date.parse(date));
  });

  it("moves when it is due", async () => {
    const stage = await setRight();
    const { account, time, hot, warm } = stage;
    const ids = ["after", "later", "latest"];
    for (const id of ids) {
      await write(account, hot, id, { date: daysAgo(stage, 0) });
      await time.advance(7000);
    }
    for (let days = 0; days < 11; days++) {
      time.skip(DAY_MS);
      await time.advance(7000);
    }
    expect(Object.keys(await itemsIn(account, warm)).toSorted()).toEqual(["before", ...ids].sort());
  });

  it("is known how young the items are that were moved", async () => {
    const stage = await setRight();
    const moved = Date.parse(daysAgo(stage, 1));
    expect((await entryOf(stage.account)).movedBefore).toBeGreaterThan(moved);
  });
});
