/** What a router asks, and of whom; when it stops; what it refuses to begin. */
import { describe, expect, test } from "vitest";
import { DAY_MS } from "../../src/base/units.ts";
import { strategyOf } from "../../src/keys/strategy.ts";
import { BadRoute, RouteTooSlow } from "../../src/router/badRoute.ts";
import type { HotWarmOptions } from "../../src/router/hotWarmRouter.ts";
import { hotWarmRouter } from "../../src/router/hotWarmRouter.ts";
import { routeOver } from "../../src/router/routeOver.ts";
import type { RouteQuery } from "../../src/router/routeTypes.ts";
import type { SettledState } from "../../src/router/watermark.ts";
import { FakeTier, type Stored } from "./fakeTier.ts";

const NOW = Date.UTC(2026, 6, 1);
const AGE_DAYS = 30;
const at = (daysAgo: number): string => new Date(NOW - daysAgo * DAY_MS).toISOString();

/** An item for each of a hundred days: the older than 30 in warm, of those up to 32 also in hot. */
function stage(options: Partial<HotWarmOptions> = {}) {
  const [hot, warm] = [new FakeTier(), new FakeTier()];
  for (let days = 1; days <= 100; days++) {
    const item = { id: `d${days}`, pk: `p${days % 2}`, date: at(days), n: days % 10 };
    if (days > AGE_DAYS) warm.put({ ...item, _ts: 20 });
    if (days <= AGE_DAYS) hot.put({ ...item, _ts: 10 });
    else if (days <= AGE_DAYS + 2) {
      hot.put({ ...item, migrated: true, migratedStamp: { given: 60 }, ttl: 60, _ts: 21 });
    }
  }
  const router = hotWarmRouter({
    hot: hot.container,
    warm: warm.container,
    ageProperty: "date",
    isoDigits: 3,
    ageSeconds: AGE_DAYS * 86_400,
    clock: { now: () => NOW },
    paths: ["/pk"],
    ...options,
  });
  return { hot, warm, router };
}

const told = (state: SettledState) => ({ watermark: async () => state });
const SETTLED = { settledBefore: NOW - 31 * DAY_MS };

describe("which containers are asked", () => {
  test.each<[string, RouteQuery, Partial<HotWarmOptions>, string[], number]>([
    ["young: hot", { from: at(10) }, {}, ["hot"], 10],
    ["young up to the threshold: hot", { from: at(29), to: at(1) }, {}, ["hot"], 29],
    ["old, watermark unknown: both", { from: at(90), to: at(80) }, {}, ["hot", "warm"], 11],
    ["old and settled: warm", { from: at(90), to: at(80) }, told(SETTLED), ["warm"], 11],
    ["near the watermark: both", { from: at(40), to: at(31) }, told(SETTLED), ["hot", "warm"], 10],
    ["across: both", { from: at(60), to: at(5) }, told(SETTLED), ["hot", "warm"], 56],
    ["everything, without ends", {}, told(SETTLED), ["hot", "warm"], 100],
    ["a watermark of nothing: both", { to: at(80) }, told({}), ["hot", "warm"], 21],
  ])("%s", async (_what, query, options, asked, rowCount) => {
    const { router, hot, warm } = stage(options);
    const { rows, report } = await router.query(query).all();
    expect(rows).toHaveLength(rowCount);
    expect(report.asked).toEqual(asked);
    expect(report.planned).toEqual(asked);
    expect(hot.asked.length > 0).toBe(asked.includes("hot"));
    expect(warm.asked.length > 0).toBe(asked.includes("warm"));
    expect(report.requestCount).toBe(hot.asked.length + warm.asked.length);
    expect(report.ru).toBe(2 * report.requestCount);
  });

  test("the newest of everything cost one page of hot", async () => {
    const { router, hot, warm } = stage();
    const order = { direction: "descending" } as const;
    const { rows, report } = await router.query<Stored>({ order, limit: 20 }).all();
    expect(rows.map(({ id }) => id)).toEqual(Array.from({ length: 20 }, (_, n) => `d${n + 1}`));
    expect([report.planned, report.asked]).toEqual([["hot", "warm"], ["hot"]]);
    expect([hot.asked.length, warm.asked.length]).toEqual([1, 0]);
  });

  test("who stops reading stops asking", async () => {
    const { router, warm } = stage(told(SETTLED));
    for await (const _ of router.query({ limit: 1000, pageSize: 5 })) break;
    expect(warm.asked).toHaveLength(1);
  });

  test("no date is read outside of its container's part", async () => {
    const { router, hot, warm } = stage(told(SETTLED));
    await router.query({ pageSize: 1000 }).all();
    const rowCounts = ({ asked }: FakeTier): readonly number[] =>
      asked.filter((one) => !isCheck(one)).map(({ rowCount }) => rowCount);
    // 69 settled days; the days of watermark and threshold in both; 29 young days.
    expect(rowCounts(warm)).toEqual([69, 1]);
    expect(rowCounts(hot)).toEqual([2, 29]);
  });

  test("items that are not edited need no second look", async () => {
    const edited = stage();
    const immutable = stage({ isImmutable: true });
    const query = { from: at(90), to: at(31) };
    const { report: dear } = await edited.router.query(query).all();
    const { rows, report } = await immutable.router.query(query).all();
    expect(rows).toHaveLength(60);
    expect([dear.byTier.hot?.checkCount, dear.byTier.warm?.checkCount]).toEqual([1, 1]);
    expect([report.byTier.hot?.checkCount, report.byTier.warm?.checkCount]).toEqual([0, 0]);
    expect(report.leftOutCount).toBe(2);
  });
});

const isCheck = ({ text }: { readonly text: string }): boolean => text.includes("@routeIds");

describe("which keys are asked", () => {
  const strategy = strategyOf("concat(/car, '-', month(/date))");
  const cars = ["a", "b"].flatMap((car) =>
    Array.from({ length: 150 }, (_, days) => {
      const item = { id: `${car}${days}`, car, date: at(days) };
      return { ...strategy.withKey(item), _ts: 10 } as Stored;
    }),
  );

  test("of one container: those of the months and cars, in turn", async () => {
    const tier = new FakeTier("partitionKey");
    for (const item of cars) tier.put(item);
    const router = routeOver({
      container: tier.container,
      dateProperty: "/date",
      isoDigits: 3,
      strategy,
    });
    const range = { from: "2026-04-10", to: "2026-06-10" };
    const one = await router.query<Stored>({ ...range, values: { "/car": "a" } }).all();
    expect(one.report.byKey.map(({ key }) => String(key))).toEqual([
      "a-2026-04",
      "a-2026-05",
      "a-2026-06",
    ]);
    expect([one.report.fanOut, one.report.plannedKeyCount]).toEqual(["keys", 3]);
    expect(one.report.asked).toEqual(["only"]);
    expect(one.rows).toHaveLength(62);

    const order = { direction: "descending" } as const;
    const values = { "/car": ["a", "b"] };
    const newest = await router.query<Stored>({ ...range, values, order, limit: 4 }).all();
    expect(newest.rows.map(({ id }) => id)).toEqual(["a21", "b21", "a22", "b22"]);
    expect(newest.report.byKey.map(({ key }) => String(key))).toEqual(["a-2026-06", "b-2026-06"]);
    expect(newest.report.plannedKeyCount).toBe(6);

    const all = await router.query<Stored>(range).all();
    expect(all.rows).toHaveLength(124);
    expect(all.report.fanOut).toBe("all");
    expect(all.report.fanOutReason).toMatch(/without values for \/car/);
    expect(all.report.byKey.map(({ key }) => key)).toEqual([undefined]);

    const { count, report } = await router.count({ ...range, values: { "/car": "b" } });
    expect([count, report.requestCount, report.byTier.only?.rowCount]).toEqual([62, 3, 3]);
  });

  test("of hot and warm: each container those of its part", async () => {
    const [hot, warm] = [new FakeTier("partitionKey"), new FakeTier("partitionKey")];
    for (const item of cars) (String(item["date"]) < at(AGE_DAYS) ? warm : hot).put(item);
    const router = hotWarmRouter({
      hot: hot.container,
      warm: warm.container,
      ageProperty: "date",
      isoDigits: 3,
      ageSeconds: AGE_DAYS * 86_400,
      clock: { now: () => NOW },
      strategy,
      watermark: async () => ({ settledBefore: NOW - AGE_DAYS * DAY_MS }),
    });
    const query = { from: at(70), to: at(1), values: { "/car": "a" } };
    const { rows, report } = await router.query(query).all();
    expect(rows).toHaveLength(70);
    const asked = report.byKey.map(({ tier, key }) => `${tier} ${key}`).toSorted();
    expect(asked).toEqual(["hot a-2026-06", "warm a-2026-04", "warm a-2026-05", "warm a-2026-06"]);
  });
});

describe("what a router does about", () => {
  test("a watermark that fails: it asks both, and says why", async () => {
    const watermark = async (): Promise<SettledState> => {
      throw new Error("nobody answers");
    };
    const { router } = stage({ watermark });
    const { rows, report } = await router.query({ from: at(90), to: at(80) }).all();
    expect([rows.length, report.asked]).toEqual([11, ["hot", "warm"]]);
    expect(report.watermarkProblem).toBe("nobody answers");
  });

  test("a young range: it does not ask for the watermark", async () => {
    const watermark = () => expect.unreachable();
    const { router } = stage({ watermark });
    expect((await router.query({ from: at(5) }).all()).rows).toHaveLength(5);
  });

  test("a lifecycle that does something else than it was told", async () => {
    const query = { from: at(90) };
    for (const [state, message] of [
      [{ ageSeconds: 86_400 }, /moves items after 86400 s/],
      [{ ageProperty: "/other" }, /goes by \/other/],
      [{ markProperty: "moved" }, /marks by moved/],
    ] as const) {
      await expect(stage(told(state)).router.query(query).all()).rejects.toThrow(message);
    }
    const same = { ageSeconds: AGE_DAYS * 86_400, ageProperty: "date", markProperty: "migrated" };
    await expect(stage(told(same)).router.query(query).all()).resolves.toBeDefined();
  });

  test("a lifecycle that once moved younger items: both are asked for their dates", async () => {
    const { router, hot, warm } = stage(told({ movedBefore: NOW - 20 * DAY_MS }));
    warm.put({ id: "early", pk: "p0", date: at(25), _ts: 20 });
    const { rows, report } = await router.query<Stored>({ from: at(31), to: at(22) }).all();
    expect(rows.some(({ id }) => id === "early")).toBe(true);
    expect(report.threshold).toBe(NOW - 20 * DAY_MS - 1);
    expect(hot.asked.length).toBeGreaterThan(0);
  });

  test("an item that leaves hot just before hot is read: warm is read after hot", async () => {
    const { router, hot, warm } = stage();
    const item = { id: "last", pk: "p0", date: at(40), _ts: 5 };
    hot.put(item);
    hot.turnsPerPage = 50;
    hot.beforePage = () => {
      warm.put({ ...item, _ts: 6 });
      hot.delete(item);
    };
    const { rows } = await router.query<Stored>({ from: at(41), to: at(39) }).all();
    expect(rows.map(({ id }) => id).toSorted()).toEqual(["d39", "d40", "d41", "last"]);
  });

  test("a page of hot that fails: warm does not wait for it for ever", async () => {
    const { router, hot } = stage();
    hot.beforePage = () => {
      throw new Error("hot is gone");
    };
    for (const concurrency of [1, 8]) {
      const rows = router.query({ from: at(41), to: at(39), concurrency });
      await expect(rows.all()).rejects.toThrow("hot is gone");
    }
  });

  test("marks: they are not shown, and neither is their time to live", async () => {
    const { router, hot } = stage();
    const { rows } = await router.query<Stored>({ from: at(32), to: at(30) }).all();
    expect(rows.map((row) => Object.keys(row))).toEqual(
      rows.map(() => ["id", "pk", "date", "n", "_ts"]),
    );
    // The time to live of an item that is not marked is its owner's.
    hot.put({ id: "own", pk: "p0", date: at(3), ttl: 5, migrated: false, _ts: 9 });
    const own = await router.query<Stored>({ from: at(3), to: at(3), where: "c.id = 'own'" }).all();
    expect(own.rows).toMatchObject([{ ttl: 5, migrated: false }]);
  });

  test("a projection: rows are what was asked for, and nothing for items without it", async () => {
    const { router, warm } = stage();
    warm.put({ id: "x", pk: "p0", date: at(85), _ts: 1 });
    const query = { from: at(90), to: at(80), select: "c.n", order: { by: "/n" } };
    expect((await router.query(query).all()).rows).toEqual([0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });

  test("a query that is read too slowly: it stops rather than miss something", async () => {
    let now = NOW;
    const { router } = stage({ clock: { now: () => now }, markTtlSeconds: 60 });
    const read = async (): Promise<void> => {
      for await (const _ of router.query({ from: at(90), to: at(31), pageSize: 5 })) now += 20_000;
    };
    await expect(read()).rejects.toThrow(RouteTooSlow);
    // Without a page of both containers nothing can be missed.
    const young = async (): Promise<void> => {
      for await (const _ of router.query({ from: at(20), pageSize: 5 })) now += 1;
    };
    await expect(young()).resolves.toBeUndefined();
  });

  test("a signal: nothing more is asked, and its reason is thrown", async () => {
    const { router, hot } = stage();
    const stop = new AbortController();
    const read = async (): Promise<void> => {
      const query = { from: at(28), pageSize: 5, limit: 1000, signal: stop.signal };
      for await (const _ of router.query(query)) stop.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    expect(hot.asked).toHaveLength(1);
    await expect(router.count({ from: at(3), signal: stop.signal })).rejects.toThrow("enough");
  });

  test("counts: the server counts where it can", async () => {
    const { router, hot, warm } = stage(told(SETTLED));
    const { count, report } = await router.count({ where: "c.n < 5" });
    expect(count).toBe(50);
    expect(hot.asked.filter(({ text }) => text.includes("COUNT(1)"))).toHaveLength(1);
    expect(warm.asked.filter(({ text }) => text.includes("COUNT(1)"))).toHaveLength(1);
    // The days between watermark and threshold are read: of each container at most two rows.
    expect(report.byTier.hot!.rowCount + report.byTier.warm!.rowCount).toBeLessThan(8);
  });

  test("a second reading", async () => {
    const query = stage().router.query({ from: at(5) });
    await query.all();
    await expect(query.all()).rejects.toThrow(BadRoute);
  });
});

describe("what is refused before anything is asked", () => {
  const never = { items: { query: () => expect.unreachable() } } as never;
  const other = { items: { query: () => expect.unreachable() } } as never;
  const options: HotWarmOptions = {
    hot: never,
    warm: other,
    ageProperty: "date",
    ageSeconds: 60,
    clock: { now: () => NOW },
    paths: ["/pk"],
  };

  test.each<[Partial<Record<keyof HotWarmOptions, unknown>>, RegExp]>([
    [{ warm: never }, /hot and warm are the same container/],
    [{ warm: {} }, /warm: a container is needed/],
    [{ ageSeconds: 0 }, /ageSeconds: 0 is no number of seconds above 0/],
    [{ markTtlSeconds: Number.NaN }, /markTtlSeconds: NaN/],
    [{ ageProperty: "" }, /ageProperty: a property is expected/],
    [{ ageProperty: "/a//b" }, /ageProperty: "\/a\/\/b" is no path/],
    [{ dateFormat: "ticks" }, /dateFormat: "ticks" is unknown/],
    [{ isoDigits: 12 }, /isoDigits: 12/],
    [{ isoDigits: 3, dateFormat: "epochMillis" }, /isoDigits is about texts/],
    [{ paths: [] }, /paths: the partition key paths of both containers are needed/],
    [{ strategy: strategyOf("concat(/a, /b)") }, /the strategy keeps its keys at \/partitionKey/],
    [{ clock: undefined }, /clock: something with now\(\) is needed/],
    [{ markTtl: 60 } as never, /markTtl: hotWarmRouter knows no such name\. It has hot, warm, age/],
  ])("a router with %j", (changed, message) => {
    const make = () => hotWarmRouter({ ...options, ...changed } as HotWarmOptions);
    expect(make).toThrow(BadRoute);
    expect(make).toThrow(message);
  });

  test("two objects for one container of one client", () => {
    const database = { client: {} };
    const named = (url: string) => ({ ...(never as object), url, database }) as never;
    const same = { ...options, hot: named("dbs/d/colls/c"), warm: named("dbs/d/colls/c") };
    expect(() => hotWarmRouter(same)).toThrow(/are the same container/);
    const two = { ...options, hot: named("dbs/d/colls/c"), warm: named("dbs/d/colls/w") };
    expect(() => hotWarmRouter(two)).not.toThrow();
  });

  test("definitions that do not fit", async () => {
    const read = (path: string) => ({
      ...(never as object),
      read: async () => ({ resource: { partitionKey: { paths: [path] } } }),
    });
    const router = (warm: object) =>
      hotWarmRouter({ ...options, hot: read("/pk") as never, warm: warm as never });
    await expect(router(read("/pk")).check()).resolves.toBeUndefined();
    await expect(router(read("/id")).check()).rejects.toThrow(/warm: its partition key is \/id/);
    await expect(router(other).check()).rejects.toThrow(/cannot read its definition/);
  });

  test.each<[Record<string, unknown>, RegExp]>([
    [{ from: at(1), to: at(2) }, /the range ends before it begins/],
    [{ from: "yesterday" }, /from: yesterday is no date/],
    [{ to: new Date(Number.NaN) }, /to: Invalid Date is no date/],
    [{ limit: 0 }, /limit: 0 is not a whole number from 1/],
    [{ limit: 1.5 }, /limit: 1\.5/],
    [{ pageSize: 0 }, /pageSize: 0/],
    [{ concurrency: -1 }, /concurrency: -1/],
    [{ where: "SELECT * FROM c" }, /where: SELECT begins a clause/],
    [{ where: "c.a = 1 ORDER BY c.b" }, /where: ORDER begins a clause/],
    [{ where: "c.a = 1) OR (true" }, /where: "\)" closes nothing/],
    [{ where: "" }, /where: a text is expected/],
    [{ select: "SUM(c.n)" }, /select: SUM would be made for each container/],
    [{ select: "COUNT(1)" }, /Use count\(\)/],
    [{ select: "c.n, c.id" }, /select: a comma outside of brackets\. Make one object, such as/],
    [{ order: { by: "/a//b" } }, /order\.by: "\/a\/\/b" is no path/],
    [{ order: { direction: "down" } }, /order\.direction: "down"/],
    [{ parameters: { routeFrom: 1 } }, /parameters: @routeFrom is a name/],
    [{ values: { "/a": [] } }, /values: \/a has none/],
    [{ key: [] }, /key: it has no components/],
    [{ key: ["a", "b"] }, /key: it has 2 components/],
    [{ offset: 10 }, /offset: query knows no such name\. Go on after a page with `after`/],
    [{ groupBy: "c.pk" }, /groupBy: .* make it of the rows/],
    [{ distinct: true }, /distinct: .* make it of the rows/],
    [{ sum: "c.n" }, /sum: .* use count\(\), or add up the rows/],
    [{ orderBy: "/n" }, /orderBy: .* Write `order: { by, direction }`/],
    [{ since: at(5) }, /since: query knows no such name\. It has from, to, key/],
    [{ order: { path: "/n" } }, /path: order knows no such name\. It has by, direction/],
  ])("a query with %j", (query, message) => {
    const make = () => hotWarmRouter(options).query(query);
    expect(make).toThrow(BadRoute);
    expect(make).toThrow(message);
  });

  test("a count of rows", async () => {
    await expect(hotWarmRouter(options).count({ limit: 3 } as never)).rejects.toThrow(
      /limit: a count has no rows/,
    );
  });
});
