/** Comparing a container with its copy: what is found, what is not, and what it costs. */
import { describe, expect, test } from "vitest";
import { DAY_MS, lsn } from "../../base/units.ts";
import type { ComparisonReport } from "./comparison.ts";
import type { CopiedContainers, CopiedOptions } from "./copiedContainers.fake.ts";
import { copiedContainers, GO_ON } from "./copiedContainers.fake.ts";

const FAR_NUMBER = 2 ** 50;

describe("a whole run", () => {
  test("finds equal what is equal, and says how much that is", async () => {
    const { comparison, pair } = await stage(40);
    expect(comparison.report).toEqual({ state: "none" });
    await comparison.run(GO_ON);
    const report: ComparisonReport = comparison.report;
    expect(report).toMatchObject({
      state: "fresh",
      comparedCount: 40,
      readCount: 40,
      missingCount: 0,
      extraCount: 0,
      differingCount: 0,
      differences: [],
      inMotionCount: 0,
      wholeBecause: "nothing was compared before",
    });
    expect(report.sum).toMatch(/^[0-9a-f]{32}$/);
    expect(report.targetSum).toBe(report.sum);
    expect(comparison.ranges.length).toBe(1024);
    const filled = comparison.ranges.filter(({ expected }) => expected.itemCount > 0);
    expect(filled.map(({ expected }) => expected)).toEqual(filled.map(({ found }) => found));
    expect(filled.reduce((sum, { found }) => sum + found.itemCount, 0)).toBe(40);
    expect(pair.target.map.entries.length).toBe(1);
  });

  test("of two empty containers is fresh", async () => {
    const { comparison } = await stage(0);
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "fresh", comparedCount: 0, readCount: 0 });
  });

  test("finds one changed byte, one missing and one extra item", async () => {
    const stand = await stage(60);
    stand.spoil(stand.target, "i7");
    await stand.plant("i9", "missing");
    await stand.plant("stranger", { number: FAR_NUMBER });
    // The copier does not know of any of it, or it would mend it.
    for (const id of ["i7", "i9"]) stand.neglected.add(stand.numberOf(id));
    stand.neglected.add(FAR_NUMBER);
    const { comparison } = stand;
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({
      state: "differs",
      missingCount: 1,
      extraCount: 1,
      differingCount: 1,
    });
    expect(comparison.report.sum).not.toBe(comparison.report.targetSum);
    const { differences } = comparison.report;
    expect([...differences!].sort((a, b) => (a.kind < b.kind ? -1 : 1))).toEqual([
      { kind: "differs", id: "i7", newKey: ["to2"] },
      { kind: "extra", id: "stranger", newKey: ["planted"] },
      { kind: "missing", id: "i9", newKey: ["to4"] },
    ]);
    const uneven = comparison.ranges.filter(({ expected, found }) => expected.sum !== found.sum);
    expect(uneven.length).toBe(3);
  });

  test("finds a byte that changed in the source", async () => {
    const stand = await stage(20);
    stand.neglected.add(stand.numberOf("i3"));
    stand.spoil(stand.source, "i3");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "differs", differingCount: 1 });
  });

  test("lists a hundred of each kind and counts all", async () => {
    const stand = await stage(150);
    for (const number of stand.items(stand.source).keys()) stand.neglected.add(number);
    for (let n = 0; n < 150; n++) await stand.plant(`i${n}`, "missing");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report.missingCount).toBe(150);
    expect(stand.comparison.report.differences!.length).toBe(100);
  });

  test("passes over what has no copy: left out, set aside, of others", async () => {
    const stand = await copiedContainers();
    await stand.put("kept", { to: "a" });
    await stand.put("left", { to: "a", isLeftOut: true });
    await stand.put("aside", { to: "a" });
    stand.setAside.add(stand.numberOf("aside"));
    stand.foreign.add(FAR_NUMBER);
    await stand.plant("theirs", { number: FAR_NUMBER });
    await stand.copy();
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "fresh", comparedCount: 1 });
  });

  test("finds a copy at the wrong key", async () => {
    const stand = await stage(10);
    stand.neglected.add(stand.numberOf("i1"));
    await stand.put("i1", { to: "elsewhere" }, "k1");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report.differences).toEqual([
      { kind: "differs", id: "i1", newKey: ["elsewhere"] },
    ]);
  });

  test.each([
    ["keeps stamps", true, { state: "differs", differingCount: 1 }],
    ["has stamps of its own", false, { state: "fresh", differingCount: 0 }],
  ] as const)("of a copy that %s compares them or not", async (_name, keepsStamps, expected) => {
    const stand = await stage(5, { keepsStamps });
    // The same text again has another etag.
    stand.neglected.add(stand.numberOf("i2"));
    await stand.put("i2", membersOf(2), "k2");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject(expected);
  });

  test("finds copies whose numbers are shifted", async () => {
    const stand = await stage(30, { numberShift: 2 ** 40 });
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "fresh", comparedCount: 30 });
    stand.neglected.add(stand.numberOf("i3"));
    await stand.plant("i3", "missing");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "differs", missingCount: 1 });
  });

  test("lists a key without a value as the protocol does", async () => {
    const stand = await copiedContainers();
    await stand.put("i", {});
    stand.neglected.add(stand.numberOf("i"));
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report.differences).toEqual([
      { kind: "missing", id: "i", newKey: [{}] },
    ]);
  });
});

describe("what has expired", () => {
  const TTL = { source: { defaultTtl: 10 }, target: { defaultTtl: 10 } };

  test("is not compared, whether or not it was swept on one side", async () => {
    const stand = await stage(20, TTL);
    stand.simulated.time.skip(5000);
    await stand.put("late", { to: "a" });
    await stand.copy();
    stand.simulated.time.skip(6000);
    await stand.plant("i3", "missing");
    const { comparison } = stand;
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "fresh", comparedCount: 1 });
  });

  test("in the source says nothing about a copy that lives on", async () => {
    const stand = await stage(20, { source: { defaultTtl: 10 }, keepsStamps: false });
    stand.simulated.time.skip(11_000);
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({ state: "fresh", comparedCount: 0 });
  });

  test("in the target alone is not missing, and what should be there is", async () => {
    const stand = await stage(20, { target: { defaultTtl: 10 } });
    stand.simulated.time.skip(11_000);
    await stand.put("i4", membersOf(4), "k4");
    stand.neglected.add(stand.numberOf("i4"));
    await stand.plant("i3", "missing");
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toMatchObject({
      state: "differs",
      missingCount: 1,
      differences: [{ id: "i4" }],
    });
  });
});

describe("a later run", () => {
  test("after a hundredth has changed reads a few hundredths, and comes to the same sums", async () => {
    const stand = await stage(1000);
    const { comparison } = stand;
    await comparison.run(GO_ON);
    const first = comparison.report;
    for (let n = 0; n < 7; n++) await stand.put(`i${n * 100}`, { to: `x${n}` }, `k${n * 100}`);
    await stand.remove("i11", "k11");
    await stand.put("new1", { to: "a" });
    await stand.put("new2", { to: "b" });
    await stand.copy();
    await comparison.run(GO_ON);
    const { report } = comparison;
    expect(report).toMatchObject({ state: "fresh", comparedCount: 1001, wholeBecause: undefined });
    expect(first.readCount).toBe(1000);
    expect(report.readCount).toBeLessThan(35);
    const fresh = stand.another();
    await fresh.run(GO_ON);
    expect(report.sum).toBe(fresh.report.sum);
    expect(report.sum).not.toBe(first.sum);
    expect(comparison.ranges).toEqual(fresh.ranges);
  });

  test("finds what went wrong since, and finds it mended", async () => {
    const stand = await stage(100);
    const { comparison } = stand;
    await comparison.run(GO_ON);
    const sound = comparison.report.sum;
    await stand.plant("i5", "missing");
    await stand.plant("odd", { number: FAR_NUMBER });
    stand.neglected.add(stand.numberOf("i5")).add(FAR_NUMBER);
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "differs", missingCount: 1, extraCount: 1 });
    expect(comparison.report.readCount).toBeLessThan(30);
    stand.neglected.clear();
    await stand.copy();
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "fresh", differences: [], sum: sound });
    expect(comparison.report.wholeBecause).toBeUndefined();
  });

  test.each(["source", "target"] as const)(
    "that is whole finds a byte changed beneath the log of the %s at once, others in turn",
    async (side) => {
      const stand = await stage(200);
      const { comparison } = stand;
      await comparison.run(GO_ON);
      stand.spoil(stand[side], "i150");
      stand.neglected.add(stand.numberOf("i150"));
      const whole = stand.another();
      await whole.run(GO_ON);
      expect(whole.report).toMatchObject({ state: "differs", differingCount: 1 });
      let runCount = 0;
      while (comparison.report.state !== "differs" && runCount < 30) {
        await comparison.run(GO_ON);
        expect(comparison.report.readCount).toBeLessThan(20);
        runCount++;
      }
      // Sixteen of 200 rows are read in each run.
      expect(runCount).toBe(10);
      expect(comparison.report.differingCount).toBe(1);
    },
  );

  test("is whole when that is asked for", async () => {
    const { comparison } = await stage(50);
    await comparison.run(GO_ON);
    await comparison.run({ ...GO_ON, isWhole: true });
    expect(comparison.report).toMatchObject({ readCount: 50, wholeBecause: "it was asked for" });
  });

  test("is whole when most has changed", async () => {
    const stand = await stage(10);
    await stand.comparison.run(GO_ON);
    for (let n = 0; n < 8; n++) await stand.put(`i${n}`, { to: "x" }, `k${n}`);
    await stand.copy();
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report.wholeBecause).toBe("most items have changed");
  });

  test.each(["source", "target"] as const)(
    "is whole, and says so, when deletions have left the log of the %s",
    async (side) => {
      const stand = await stage(100);
      const { comparison } = stand;
      await comparison.run(GO_ON);
      await stand.remove("i5", "k5");
      stand.neglected.add(stand.items(stand.target).get(6)!.number);
      const [partition] = stand[side].partitions.values();
      if (side === "target") await stand.plant("i9", "missing");
      await partition!.exclusively(() => partition!.sweepLog(lsn(partition!.lsn)));
      await comparison.run(GO_ON);
      expect(comparison.report).toMatchObject({
        state: "differs",
        extraCount: 1,
        wholeBecause: "deletions have left a log",
      });
    },
  );

  test("knows of deletions that left a log while it read", async () => {
    const stand = await stage(300);
    const { comparison } = stand;
    const [partition] = stand.source.partitions.values();
    const sweep = async (): Promise<void> => {
      await stand.remove("i5", "k5");
      await partition!.exclusively(() => partition!.sweepLog(lsn(partition!.lsn)));
    };
    const pacedBy = (action: () => Promise<void>): (() => Promise<void>) => {
      let isDone = false;
      return async () => {
        if (!isDone) await action();
        isDone = true;
      };
    };
    stand.neglected.add(stand.numberOf("i5"));
    await comparison.run({ ...GO_ON, pace: pacedBy(sweep) });
    // The scan saw both, and the log no longer tells that one of them is gone.
    expect(comparison.report).toMatchObject({ state: "stale", differences: [] });
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "differs", extraCount: 1 });
    await stand.put("i5", membersOf(5), "k5");
    stand.neglected.clear();
    await stand.copy();
    stand.neglected.add(stand.numberOf("i5"));
    await comparison.run({ ...GO_ON, pace: pacedBy(sweep) });
    expect(comparison.report).toMatchObject({
      state: "differs",
      extraCount: 1,
      wholeBecause: "deletions have left a log",
    });
  });

  test("goes through splits and merges of both sides", async () => {
    const stand = await stage(300);
    const { comparison } = stand;
    await comparison.run(GO_ON);
    await stand.put("i7", { to: "x" }, "k7");
    await split(stand, "source", "0");
    await stand.put("i8", { to: "x" }, "k8");
    await split(stand, "target", "0");
    await split(stand, "source", "1");
    await stand.copy();
    await stand.put("i9", { to: "y" }, "k9");
    const [first, second] = stand.source.map.entries;
    const merge = { kind: "merge", partitionIds: [first!.id, second!.id] } as const;
    expect((await stand.account.reshaping.request(stand.source, merge)).ok).toBe(true);
    await stand.copy();
    await comparison.run(GO_ON);
    expect(comparison.report).toMatchObject({ state: "fresh", wholeBecause: undefined });
    expect(comparison.report.readCount).toBeLessThan(30);
    const fresh = stand.another();
    await fresh.run(GO_ON);
    expect(fresh.report.readCount).toBe(300);
    expect(comparison.report.sum).toBe(fresh.report.sum);
  });
});

describe("a report", () => {
  test("goes stale after a day", async () => {
    const { comparison, simulated } = await stage(10);
    await comparison.run(GO_ON);
    simulated.time.skip(DAY_MS - 1);
    expect(comparison.report.state).toBe("fresh");
    simulated.time.skip(1);
    expect(comparison.report.state).toBe("stale");
    await comparison.run(GO_ON);
    expect(comparison.report.state).toBe("fresh");
  });

  test("goes stale when more than a hundredth has changed, once there was time to act on it", async () => {
    const stand = await stage(200);
    await stand.comparison.run(GO_ON);
    for (let n = 0; n < 50; n++) await stand.put(`i${n}`, membersOf(n), `k${n}`);
    await stand.copy();
    stand.simulated.time.skip(5 * 60_000 - 1);
    expect(stand.comparison.report.state).toBe("fresh");
    stand.simulated.time.skip(1);
    expect(stand.comparison.report.state).toBe("stale");
    await stand.comparison.run(GO_ON);
    stand.simulated.time.skip(5 * 60_000);
    for (const n of [1, 2]) await stand.put(`i${n}`, membersOf(n), `k${n}`);
    await stand.copy();
    expect(stand.comparison.report.state).toBe("fresh");
    await stand.put("i3", membersOf(3), "k3");
    expect(stand.comparison.report.state).toBe("stale");
  });

  test("tells how far a run has come, and waits for that run", async () => {
    const { comparison } = await stage(600);
    const shares: (number | undefined)[] = [];
    const pace = (): Promise<void> => {
      shares.push(comparison.report.share);
      expect(comparison.report.state).toBe("running");
      return Promise.resolve();
    };
    const run = comparison.run({ ...GO_ON, pace });
    await comparison.run(GO_ON);
    await run;
    expect(shares).toEqual([256 / 600, 512 / 600, 0.99]);
    expect(comparison.report.readCount).toBe(600);
  });

  test("of a run that was cut short is that of the run before", async () => {
    const stand = await stage(600);
    const { comparison } = stand;
    let stepCount = 0;
    const isStopped = (): boolean => stepCount > 1;
    const pace = (): Promise<void> => Promise.resolve(void stepCount++);
    await comparison.run({ isStopped, pace });
    expect(comparison.report).toEqual({ state: "none" });
    await comparison.run(GO_ON);
    const before = comparison.report;
    await stand.put("i3", { to: "x" }, "k3");
    await stand.copy();
    await comparison.run({ isStopped: () => true, pace });
    expect(comparison.report).toEqual(before);
    await comparison.run({ ...GO_ON, isStopped, isWhole: true });
    expect(comparison.report).toEqual({ ...before, state: "stale" });
    await comparison.run(GO_ON);
    expect(comparison.report.wholeBecause).toBe("the whole run before came to no end");
  });

  test("stays as it was when the target does not catch up", async () => {
    const stand = await stage(20);
    await stand.put("i3", { to: "x" }, "k3");
    stand.caughtUp = () => Promise.resolve(false);
    await stand.comparison.run(GO_ON);
    expect(stand.comparison.report).toEqual({ state: "none" });
  });

  test("says nothing of a container that was deleted meanwhile", async () => {
    const stand = await stage(600);
    const { comparison, account } = stand;
    const pace = async (): Promise<void> => {
      if (!stand.target.isDeleted)
        await account.catalog.deleteContainer(stand.database, stand.target);
    };
    await comparison.run({ ...GO_ON, pace });
    expect(comparison.report).toEqual({ state: "none" });
  });
});

async function stage(count: number, options: CopiedOptions = {}): Promise<CopiedContainers> {
  const stand = await copiedContainers(options);
  for (let n = 0; n < count; n++) await stand.put(`i${n}`, membersOf(n), `k${n}`);
  await stand.copy();
  return stand;
}

function membersOf(n: number): { readonly to: string; readonly n: number } {
  return { to: `to${n % 5}`, n };
}

async function split(
  stand: CopiedContainers,
  side: "source" | "target",
  partitionId: string,
): Promise<void> {
  const request = { kind: "split", partitionId, at: "middle" } as const;
  const result = await stand.account.reshaping.request(stand[side], request);
  expect(result.ok).toBe(true);
}
