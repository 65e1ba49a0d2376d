/** Live reads that are run on another container as well: what is told of them, and what is not. */
import { describe, expect, test } from "vitest";
import { LIMITED } from "../simulatedAccount.fake.ts";
import type { StagedItem } from "./mirrorStage.fake.ts";
import { MirrorStage } from "./mirrorStage.fake.ts";

const item = (n: number, more: Partial<StagedItem> = {}): StagedItem => ({
  id: `i${n}`,
  tenant: `t${n % 3}`,
  user: `u${n % 12}`,
  n,
  ...more,
});

async function staged(count = 30): Promise<MirrorStage> {
  const stage = await MirrorStage.open();
  for (let n = 0; n < count; n++) await stage.write(item(n));
  return stage;
}

describe("what a report says", () => {
  test("a query that the new key spreads over all partitions is named by a warning", async () => {
    const stage = await staged();
    stage.start();
    for (let n = 0; n < 25; n++) {
      await stage.query("SELECT * FROM c WHERE c.n >= @low", {
        key: [`t${n % 3}`],
        parameters: { "@low": n },
      });
      await stage.simulated.time.advance(100);
    }
    const { warning, source, target, ...counts } = await stage.shape();
    expect(counts).toMatchObject({
      shape: "SELECT * FROM c WHERE (c.n >= ?)",
      liveCount: 25,
      runCount: 25,
      matchCount: 25,
      mismatches: [],
      errors: [],
    });
    expect([source.partitions, target.partitions]).toEqual([1, 10]);
    expect(target.ru.p50).toBeGreaterThan(5 * source.ru.p50);
    const [visits, charges] = warning!.split("; ");
    expect(visits).toBe("visits 10 of 10 partitions on the target, 1 on the source");
    expect(charges!.replaceAll(/[\d.]+/g, "#")).toBe(
      "# RU instead of # (# times as much): this query fans out under the new key",
    );
    const factor = target.ruPerDay / source.ruPerDay;
    expect(Number(/\(([\d.]+) times/.exec(warning!)![1])).toBeCloseTo(factor, 1);
  });

  test("a query that the new key keeps together is not warned of", async () => {
    const stage = await staged();
    stage.start();
    for (let n = 0; n < 25; n++) {
      await stage.query("SELECT VALUE c.id FROM c WHERE c.user = @u", {
        key: [`t${n % 3}`],
        parameters: { "@u": `u${n % 12}` },
      });
      await stage.simulated.time.advance(100);
    }
    const { warning, target, matchCount } = await stage.shape();
    expect([matchCount, target.partitions, warning]).toEqual([25, 1, undefined]);
  });

  test("nothing is said of costs before twenty runs", async () => {
    const stage = await staged();
    stage.start();
    for (let n = 0; n < 19; n++) {
      await stage.query("SELECT * FROM c", { key: ["t1"] });
      await stage.simulated.time.advance(100);
    }
    expect((await stage.shape()).warning).toBeUndefined();
    await stage.query("SELECT * FROM c", { key: ["t1"] });
    expect((await stage.shape()).warning).toContain("fans out");
  });

  test("all that clients pay is counted, mirrored or not, and scaled to a day", async () => {
    const stage = await staged();
    stage.start({ percent: 10 });
    for (let n = 0; n < 40; n++) {
      await stage.read(item(n % 30));
      await stage.simulated.time.advance(1_000);
    }
    const { liveCount, runCount, source, target } = await stage.shape();
    expect([liveCount, runCount]).toEqual([40, 4]);
    // Forty reads of 1 RU in the 43 seconds until the report.
    expect(source.ruPerDay).toBeCloseTo((40 * 86_400) / 43, 1);
    expect(target.ruPerDay).toBe(source.ruPerDay);
  });

  test("the pages of one query are one read, and its requests to ranges are, too", async () => {
    const stage = await staged();
    stage.start();
    await stage.query("SELECT * FROM c", { key: ["t1"], countMax: 2 });
    expect(await stage.shape()).toMatchObject({ liveCount: 1, runCount: 1, matchCount: 1 });
    for (let range = 0; range < 10; range++) {
      const scope = { kind: "rangeId", rangeId: `${range}` } as const;
      await stage.query("SELECT * FROM c", { scope, queryId: "q" });
    }
    const once = { liveCount: 1, runCount: 1, matchCount: 1 };
    expect((await stage.rest()).shapes).toMatchObject([
      { shape: "SELECT * FROM c", ...once },
      { shape: "SELECT * FROM c (with a partition key)", ...once },
    ]);
  });

  test("a query over a list in the items of one key is asked of the target, too", async () => {
    const stage = await MirrorStage.open();
    for (let n = 0; n < 12; n++) await stage.write(item(n, { list: [n, `x${n}`] }));
    stage.start();
    await stage.query("SELECT * FROM x IN c.list", { key: ["t1"] });
    expect(await stage.shape()).toMatchObject({ matchCount: 1, errors: [] });
  });

  test("a query that has no name for its items cannot be asked without their key", async () => {
    const stage = await staged(3);
    stage.start();
    await stage.query("SELECT * FROM c.user", { key: ["t1"] });
    const { errors } = await stage.shape();
    expect(errors[0]!.reason).toContain("its FROM names no item");
  });

  test("a text that was made for clients counts as the text that the application wrote", async () => {
    const stage = await staged();
    stage.start();
    const text = "SELECT VALUE AVG(c.n) FROM c";
    const plan = await stage.simulated.account.planQuery(
      stage.source,
      { text, parameters: new Map(), parameterNames: new Set() },
      { supportedFeatures: undefined },
    );
    if (!plan.ok) throw new Error("there is no plan");
    const { rewrittenQuery } = plan.value["queryInfo"] as { readonly rewrittenQuery: string };
    expect(rewrittenQuery).toContain("sum");
    for (let range = 0; range < 10; range++) {
      const scope = { kind: "rangeId", rangeId: `${range}` } as const;
      await stage.query(rewrittenQuery, { scope, queryId: "q" });
    }
    const { shape, ...counts } = await stage.shape();
    expect(shape).toBe(text);
    expect(counts).toMatchObject({ liveCount: 1, runCount: 1, matchCount: 1 });
  });

  test("point reads are a shape of their own", async () => {
    const stage = await staged(1);
    stage.start();
    await stage.read(item(0));
    const report = await stage.rest();
    expect(report.noise).toEqual({ runCount: 1, differedCount: 0 });
    expect(report.shapes).toMatchObject([{ shape: "point read", runCount: 1, matchCount: 1 }]);
  });
});

describe("what counts as a difference", () => {
  test("a copy that is not what it should be is named by its id", async () => {
    const stage = await staged();
    await stage.copy(item(7), item(7, { n: 8 }));
    stage.start();
    for (const n of [6, 7, 8]) await stage.read(item(n));
    expect(await stage.shape()).toMatchObject({
      runCount: 3,
      matchCount: 2,
      mismatchCount: 1,
      mismatches: ["i7"],
    });
    await stage.query("SELECT * FROM c WHERE c.n > 3", { key: ["t1"] });
    await stage.query("SELECT VALUE COUNT(1) FROM c WHERE c.n = 7");
    const { shapes } = await stage.rest();
    const byShape = new Map(shapes.map((shape) => [shape.shape, shape]));
    expect(byShape.get("SELECT * FROM c WHERE (c.n > ?)")!.mismatches).toEqual(["i7"]);
    expect(byShape.get("SELECT VALUE COUNT(1) FROM c WHERE (c.n = ?)")!.mismatches).toEqual([
      "only on the source: 1",
      "only on the target: 0",
    ]);
  });

  test("a copy that is missing is a difference, and one too many as well", async () => {
    const stage = await staged();
    await stage.write(item(30), "none");
    await stage.copy(item(0), item(99, { tenant: "t0" }), 1_000_000);
    stage.start();
    await stage.read(item(30));
    await stage.query("SELECT c.id FROM c", { key: ["t0"] });
    const { shapes } = await stage.rest();
    expect(shapes.flatMap(({ mismatches }) => mismatches).sort()).toEqual(["i30", "i30", "i99"]);
  });

  test("what is right two seconds later was none", async () => {
    const stage = await staged();
    await stage.copy(item(7), item(7, { n: 8 }));
    stage.start();
    await stage.read(item(7));
    await stage.simulated.time.advance(1_000);
    expect(stage.simulated.account.mirroring.report(stage.source)!.shapes[0]!.runCount).toBe(0);
    await stage.copy(item(7));
    expect(await stage.shape()).toMatchObject({ runCount: 1, matchCount: 1, mismatchCount: 0 });
  });

  test("an answer that changes under the eyes of the mirror is lagging, not wrong", async () => {
    const stage = await staged();
    await stage.copy(item(7), item(7, { n: 8 }));
    let n = 100;
    const caughtUp = async (): Promise<boolean> => {
      await stage.write(item(7, { n: ++n }), item(7, { n: -1 }));
      return true;
    };
    stage.start({ caughtUp });
    await stage.read(item(7));
    expect(await stage.shape()).toMatchObject({ laggingCount: 1, mismatchCount: 0 });
  });

  test("a target that is behind is lagging, and nothing is compared", async () => {
    const stage = await staged();
    await stage.copy(item(7), item(7, { n: 8 }));
    stage.isCaughtUp = false;
    stage.start();
    await stage.read(item(7));
    expect(await stage.shape()).toMatchObject({
      runCount: 1,
      laggingCount: 1,
      mismatchCount: 0,
      mismatches: [],
    });
  });

  test("whoever never says whether the target is behind is not waited for", async () => {
    const stage = await staged();
    stage.start({ caughtUp: () => new Promise<boolean>(() => undefined) });
    await stage.read(item(7));
    expect(await stage.shape()).toMatchObject({ runCount: 1, laggingCount: 1 });
  });

  test("an answer that is another one each time is noise", async () => {
    const stage = await staged(3);
    stage.start();
    await stage.query("SELECT VALUE RAND() FROM c");
    const { noise, shapes } = await stage.rest();
    expect(noise).toEqual({ runCount: 1, differedCount: 1 });
    expect(shapes).toMatchObject([{ laggingCount: 1, mismatchCount: 0 }]);
  });

  test.each([
    ["rows with the same order value", "SELECT * FROM c ORDER BY c.tie"],
    ["and only of some of these", "SELECT TOP 5 c.id FROM c ORDER BY c.tie DESC"],
    ["and behind others", "SELECT VALUE c.id FROM c ORDER BY c.tie OFFSET 2 LIMIT 5"],
    ["any rows", "SELECT TOP 7 * FROM c"],
    ["any rows behind others", "SELECT * FROM c OFFSET 3 LIMIT @limit"],
    ["rows without an order", "SELECT DISTINCT VALUE c.user FROM c"],
    ["groups", "SELECT c.user, AVG(c.part) AS mean, COUNT(1) AS count FROM c GROUP BY c.user"],
    ["sums whose terms are added in another order", "SELECT VALUE SUM(c.part) FROM c"],
  ])("it does not matter how the two sides order %s", async (_what, text) => {
    const stage = await MirrorStage.open();
    for (let n = 0; n < 40; n++) {
      await stage.write(item(n, { tie: n % 4, part: n / 7 + 1e-3 / (n + 1) }));
    }
    stage.start();
    const parameters = { "@limit": 9 };
    await stage.query(text, { parameters, scope: { kind: "rangeId", rangeId: "0" } });
    expect(await stage.shape()).toMatchObject({ matchCount: 1, errors: [], mismatches: [] });
  });

  test.each([
    ["in an ordered answer", "SELECT * FROM c ORDER BY c.tie", ["i7"]],
    ["ahead of a cut", "SELECT TOP 30 c.id, c.n FROM c ORDER BY c.tie", undefined],
    ["in a group", "SELECT c.user, SUM(c.n) AS sum FROM c GROUP BY c.user", undefined],
    ["in an answer that was not cut off", "SELECT TOP 100 c.id, c.n FROM c", ["i7"]],
  ])("a difference %s is found all the same", async (_what, text, ids) => {
    const stage = await MirrorStage.open();
    for (let n = 0; n < 40; n++) await stage.write(item(n, { tie: 4 - (n % 4) }));
    await stage.copy(item(7), item(7, { tie: 1, n: 700 }));
    stage.start();
    await stage.query(text, { scope: { kind: "rangeId", rangeId: "0" } });
    const { mismatchCount, mismatches } = await stage.shape();
    expect(mismatchCount).toBe(1);
    if (ids !== undefined) expect(mismatches).toEqual(ids);
  });

  test("a query that the target refuses is named with the reason", async () => {
    const stage = await MirrorStage.open({
      target: { indexingPolicy: { excludedPaths: [{ path: "/n/?" }, { path: '/"_etag"/?' }] } },
    });
    for (let n = 0; n < 6; n++) await stage.write(item(n));
    stage.start();
    await stage.query("SELECT * FROM c ORDER BY c.n", { key: ["t1"] });
    const { errorCount, errors, warning } = await stage.shape();
    expect(errorCount).toBe(1);
    expect(warning).toBe(`is refused by the target: ${errors[0]!.reason}`);
  });

  test("an answer that is too large is not compared, and the report says so", async () => {
    const stage = await MirrorStage.open();
    const long = "x".repeat(1_500_000);
    for (let n = 0; n < 6; n++) await stage.write(item(n, { long, tenant: "t0" }));
    stage.start();
    await stage.query("SELECT * FROM c", { key: ["t0"] });
    const { errorCount, errors } = await stage.shape();
    expect([errorCount, errors]).toEqual([
      1,
      [{ reason: "on the source: too large to compare", count: 1 }],
    ]);
  });
});

describe("what clients notice of it", () => {
  test("nothing is run before the read is answered", async () => {
    const stage = await staged(3);
    stage.start();
    const asked: string[] = [];
    stage.simulated.trouble.fault = (operation) => {
      asked.push(operation);
      return undefined;
    };
    const mirror = stage.simulated.account.mirroring.active!.get(stage.source)!;
    const epk = stage.source.map.entries[0]!.range.min;
    const outcome = { kind: "found", charge: 1, lsn: 1, rangeId: "0" } as never;
    mirror.noteRead({ epk, id: "i0", consistency: "session", outcome });
    expect(asked).toEqual([]);
    await stage.rest();
    expect(asked).toContain("get");
  });

  test("requests, queries and throttled ones are counted as without it", async () => {
    const counted = async (isMirrored: boolean): Promise<unknown> => {
      const stage = await staged();
      if (isMirrored) stage.start();
      for (let n = 0; n < 10; n++) await stage.query("SELECT * FROM c", { key: ["t1"] });
      for (let n = 0; n < 10; n++) await stage.read(item(n));
      await stage.simulated.time.advance(3_000);
      const containers = [stage.source, stage.target];
      return containers.map(({ partitions, queryTotals }) => [
        queryTotals,
        [...partitions.values()].map(({ spending }) => spending.totals.requestCounts),
      ]);
    };
    expect(await counted(true)).toEqual(await counted(false));
  });

  test("both sides pay for what the runs cost", async () => {
    const stage = await staged();
    stage.start();
    await stage.query("SELECT * FROM c");
    const { source, target } = await stage.shape();
    const spent = [...stage.target.partitions.values()].reduce(
      (sum, { spending }) => sum + spending.totals.ru,
      0,
    );
    expect(spent).toBeCloseTo(target.ru.p50, 2);
    expect(source.ru.p50).toBeGreaterThan(0);
  });

  test("runs that would take more than their share of the rate are dropped", async () => {
    const stage = await MirrorStage.open({
      account: { rates: LIMITED },
      throughput: { kind: "manual", ratePerSecond: 1_000 },
    });
    for (let n = 0; n < 5; n++) await stage.write(item(n));
    await stage.simulated.time.advance(10_000);
    stage.start();
    for (let n = 0; n < 200; n++) {
      await stage.query("SELECT * FROM c", { key: [`t${n % 3}`] });
      await stage.simulated.time.advance(50);
    }
    const { runCount, droppedCount, target } = await stage.shape();
    expect(runCount + droppedCount).toBe(200);
    expect(droppedCount).toBeGreaterThan(0);
    // A fifth of 1,000 RU/s: of ten seconds that was saved up, and of the ten that have passed.
    expect(runCount * target.ru.p50).toBeLessThanOrEqual(4_000 + target.ru.p50);
    expect(runCount * target.ru.p50).toBeGreaterThan(2_000);
  });

  test("what comes faster than it can be run is dropped", async () => {
    const stage = await staged(3);
    stage.start();
    stage.simulated.trouble.isDistant = true;
    const mirror = stage.simulated.account.mirroring.active!.get(stage.source)!;
    const epk = stage.source.map.entries[0]!.range.min;
    const outcome = { kind: "found", charge: 1, lsn: 1, rangeId: "0" } as never;
    for (let n = 0; n < 100; n++) {
      mirror.noteRead({ epk, id: "i0", consistency: "session", outcome });
    }
    const { liveCount, runCount, droppedCount } = await stage.shape();
    expect([liveCount, runCount, droppedCount]).toEqual([100, 36, 64]);
  });

  test("a store that fails is an error of the run, not of the read", async () => {
    const stage = await staged(3);
    stage.start();
    await stage.read(item(1));
    stage.simulated.trouble.fault = (operation) =>
      operation === "itemsByNumber" ? new Error("the disk is gone") : undefined;
    const { errors } = await stage.shape();
    expect(errors).toEqual([{ reason: "failed: the disk is gone", count: 1 }]);
  });
});

describe("beginning and end", () => {
  test("while nothing is mirrored there is nothing to look at", async () => {
    const stage = await staged(1);
    const { mirroring } = stage.simulated.account;
    expect(mirroring.active).toBeUndefined();
    stage.start();
    expect(mirroring.active?.size).toBe(1);
    await stage.read(item(0));
    const last = await mirroring.stop(stage.source);
    expect(last?.shapes[0]?.liveCount).toBe(1);
    expect([mirroring.active, mirroring.report(stage.source)]).toEqual([undefined, undefined]);
  });

  test("a share of nothing counts live reads and runs none", async () => {
    const stage = await staged(1);
    stage.start({ percent: 0 });
    for (let n = 0; n < 5; n++) await stage.read(item(0));
    expect(await stage.shape()).toMatchObject({ liveCount: 5, runCount: 0 });
  });

  test("another share goes on with the same counts", async () => {
    const stage = await staged(1);
    stage.start({ percent: 0 });
    await stage.read(item(0));
    stage.start({ percent: 100 });
    await stage.read(item(0));
    expect(await stage.shape()).toMatchObject({ liveCount: 2, runCount: 1 });
  });

  test("every shape has its share, however the shapes take turns", async () => {
    const stage = await staged();
    stage.start({ percent: 50 });
    for (let n = 0; n < 20; n++) {
      await stage.read(item(n));
      await stage.query("SELECT * FROM c", { key: ["t1"] });
      await stage.simulated.time.advance(10);
    }
    const { shapes } = await stage.rest();
    expect(shapes.map(({ runCount }) => runCount)).toEqual([10, 10]);
  });

  test("a target that is deleted in the middle ends it quietly", async () => {
    const stage = await staged();
    stage.start();
    await stage.read(item(1));
    await stage.rest();
    await stage.read(item(2));
    await stage.query("SELECT * FROM c", { key: ["t1"] });
    const { catalog } = stage.simulated.account;
    await catalog.deleteContainer(catalog.databaseOf(stage.target), stage.target);
    const report = await stage.rest();
    expect(report.endedBecause).toBe("the target was deleted");
    expect(report.shapes.map(({ errorCount }) => errorCount)).toEqual([0, 0]);
    expect(stage.simulated.account.mirroring.active).toBeUndefined();
    await stage.read(item(3));
  });

  test("an account closes while runs wait", async () => {
    const stage = await staged();
    stage.start({ caughtUp: () => new Promise<boolean>(() => undefined) });
    await stage.copy(item(7), item(7, { n: 8 }));
    for (let n = 0; n < 10; n++) await stage.read(item(n));
    await stage.simulated.time.advance(1);
    await stage.simulated.account.close();
    expect(stage.simulated.time.waitingCount).toBe(0);
  });
});
