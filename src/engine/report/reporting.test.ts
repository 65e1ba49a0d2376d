/** What there is to know about a container, put together while everything may change. */
import { describe, expect, test } from "vitest";
import type { RateSetting, Throughput } from "../../model/throughput.ts";
import {
  containerIn,
  databaseIn,
  LIMITED,
  put,
  simulatedAccount,
  spend,
} from "../simulatedAccount.fake.ts";

describe("a report", () => {
  test("has the physical partitions with their sizes, loads and shares", async () => {
    const { account, container, time } = await stage({ throughput: manual(20_000) });
    for (let n = 0; n < 40; n++) await put(account, container, { pk: `k${n % 8}`, id: `i${n}` });
    spend(container, "1", 500);
    await time.advance(2000);
    const report = (await account.reporting.report(container))!;
    expect(report).toMatchObject({ database: "d", container: "c", partitionKeyPaths: ["/pk"] });
    expect(report.partitions.map(({ id, allottedRate }) => [id, allottedRate])).toEqual([
      ["0", 10_000],
      ["1", 10_000],
    ]);
    const counts = report.partitions.map(({ logicalPartitionCount }) => logicalPartitionCount);
    expect(counts[0]! + counts[1]!).toBe(8);
    expect(report.figures).toMatchObject({ itemCount: 40, logicalPartitionCount: 8 });
    expect(report.partitions[1]!.lastMinute.ru).toBeGreaterThan(500);
  });

  test("names logical partitions by their keys, as they are on the wire", async () => {
    const { account, container } = await stage({});
    const items = [
      { id: "text", pk: "a" },
      { id: "number", pk: 7 },
      { id: "null", pk: null },
      { id: "absent" },
    ];
    for (const body of items) {
      const key = "pk" in body ? [body.pk] : [undefined];
      const written = account.writeItem(container, { kind: "upsert", key, body });
      expect(written.ok && (await written.value).kind).toBe("created");
    }
    const { topBySize } = (await account.reporting.report(container))!;
    const keys = topBySize.map(({ partitionKey }) => JSON.stringify(partitionKey));
    expect(keys.sort()).toEqual(['["a"]', "[7]", "[null]", "[{}]"]);
  });

  test("names only those that matter, if it is told so, and remembers names", async () => {
    const { account, container } = await stage({});
    for (let n = 0; n < 30; n++) {
      await put(account, container, { pk: n < 20 ? "heavy" : `k${n}`, id: `i${n}` });
    }
    const namesIn = async (nameShareMin: number): Promise<readonly unknown[]> => {
      const { topBySize } = (await account.reporting.report(container, { nameShareMin }))!;
      return topBySize.map(({ partitionKey }) => partitionKey?.[0]).filter((key) => key);
    };
    expect(await namesIn(0.5)).toEqual(["heavy"]);
    expect(await namesIn(0)).toHaveLength(10);
    const gone = account.writeItem(container, { kind: "delete", key: ["k29"], id: "i29" });
    expect(gone.ok && (await gone.value).kind).toBe("deleted");
    const { topByLoad } = (await account.reporting.report(container, { topCount: 30 }))!;
    expect(topByLoad.map(({ partitionKey }) => partitionKey?.[0])).toContain("k29");
  });

  test("lists as many as are wanted", async () => {
    const { account, container } = await stage({});
    for (let n = 0; n < 30; n++) await put(account, container, { pk: `k${n}`, id: "i" });
    const lengths = [1, 10, 25, 1000].map(async (count) => {
      const { topBySize, topByLoad } = (await account.reporting.report(container, {
        topCount: count,
      }))!;
      return [topBySize.length, topByLoad.length];
    });
    expect(await Promise.all(lengths)).toEqual([
      [1, 1],
      [10, 10],
      [25, 25],
      [30, 30],
    ]);
  });

  test("is not there where nothing is counted", async () => {
    const { account, container } = await stage({ hasStatistics: false });
    expect(await account.reporting.report(container)).toBeUndefined();
  });

  test("knows of the jobs under way", async () => {
    const { account, container } = await stage({});
    const request = { kind: "split", partitionId: "0", at: "middle" } as const;
    const split = account.reshaping.request(container, request);
    const { jobs } = (await account.reporting.report(container))!;
    expect(jobs).toMatchObject([{ kind: "split", reason: "request", partitionIds: ["0"] }]);
    await split;
    expect((await account.reporting.report(container))!.jobs).toEqual([]);
  });
});

describe("throughput is told", () => {
  test.each<[string, Stage, object]>([
    ["manual", { throughput: manual(500) }, { kind: "manual", ratePerSecond: 500 }],
    [
      "autoscale",
      { throughput: { kind: "autoscale", rateMax: 2000 } },
      { kind: "autoscale", ratePerSecond: 2000, rateNow: 200 },
    ],
    ["shared", { shared: manual(900) }, { kind: "manual", isShared: true, ratePerSecond: 900 }],
    [
      "serverless",
      { rates: { ...LIMITED, isServerless: true } },
      { kind: "serverless", ratePerSecond: 5000 },
    ],
    ["without limit", { rates: undefined, throughput: manual(400) }, { isLimited: false }],
  ])("%s", async (_rule, setting, expected) => {
    const { account, container } = await stage(setting);
    const { throughput } = (await account.reporting.report(container))!;
    expect(throughput).toMatchObject({ isLimited: true, ...expected });
  });

  test("as serverless in an account that has become so", async () => {
    const { reopen } = await stage({ shared: manual(900) });
    const again = await reopen({ rates: { ...LIMITED, isServerless: true } });
    const report = await again.reporting.report(again.catalog.containers()[0]!);
    expect(report!.throughput).toMatchObject({ kind: "serverless", isShared: false });
  });
});

describe("at any moment while it is made", () => {
  test("the database may be deleted: then there is no report", async () => {
    for (let turns = 0; turns < 120; turns += 3) {
      const { account, container, database, trouble } = await stage({ shared: manual(900) });
      for (let n = 0; n < 3; n++) await put(account, container, { pk: `k${n}`, id: "i" });
      trouble.isDistant = true;
      const report = account.reporting.report(container);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      await account.catalog.deleteDatabase(database);
      const made = await report;
      expect(made === undefined || made.container === "c").toBe(true);
      expect(await account.reporting.report(container)).toBeUndefined();
    }
  });

  test("a physical partition may be split: the report is about those that there are", async () => {
    for (let turns = 0; turns < 120; turns += 10) {
      const { account, container, trouble } = await stage({});
      for (let n = 0; n < 9; n++) await put(account, container, { pk: `k${n}`, id: "i" });
      trouble.isDistant = true;
      const report = account.reporting.report(container);
      for (let turn = 0; turn < turns; turn++) await Promise.resolve();
      const request = { kind: "split", partitionId: "0", at: "middle" } as const;
      await account.reshaping.request(container, request);
      const ids = (await report)!.partitions.map(({ id }) => id);
      expect([["0"], ["1", "2"]]).toContainEqual(ids);
    }
  });
});

test("a logical partition is found whether or not it has items", async () => {
  const { account, container } = await stage({});
  await put(account, container, { pk: "a", id: "i" });
  const locate = async (pk: string) => {
    const routed = account.route(container, [pk]);
    if (!routed.ok) throw new Error("a full key has an owner");
    return account.reporting.locate(container, routed.value.epk);
  };
  expect(await locate("a")).toMatchObject({ partitionId: "0", itemCount: 1 });
  expect(await locate("b")).toMatchObject({ partitionId: "0", itemCount: 0, itemBytes: 0 });
});

interface Stage {
  readonly throughput?: Throughput;
  readonly shared?: Throughput;
  readonly rates?: RateSetting | undefined;
  readonly hasStatistics?: boolean;
}

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

async function stage({ throughput, shared, ...more }: Stage) {
  const simulated = await simulatedAccount({ rates: LIMITED, ...more });
  const { account } = simulated;
  const database = await databaseIn(account, shared);
  const container = await containerIn(account, database, throughput);
  return { ...simulated, database, container };
}
