/**
 * What the server says of the load that the official client has made: the admin API and the metrics
 * agree with what the client was told, request by request.
 *
 * Reports are of whole seconds that are over, so what was just done is looked for until it is
 * there.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type {
  ContainersAnswer,
  HeatReport,
  HistoryReport,
  OverviewAnswer,
  TopKeysAnswer,
} from "../../src/protocol/admin.ts";
import type { ContainerReport } from "../../src/statistics/report.ts";
import { ask, askOf, countersOf, locate, metricsOf, reportOf, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf, temporaryDirectory } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a container with one tenant that is larger and busier than the others", () => {
  let container: Container;
  let charge = 0;
  let largeBytes = 0;
  /** What was asked of items: 6 large ones and 10 small ones written, 60 reads. */
  const [WRITE_COUNT, READ_COUNT] = [16, 60];

  beforeAll(async () => {
    container = await openContainer(stage.database, { throughput: 30_000 });
    const fill = "x".repeat(20_000);
    for (const id of ["1", "2", "3", "4", "5", "6"]) {
      const { requestCharge, resource } = await container.items.create({ id, pk: "large", fill });
      charge += requestCharge;
      largeBytes += JSON.stringify(resource).length;
    }
    for (let index = 0; index < 10; index++) {
      charge += (await container.items.create({ id: "1", pk: `small-${index}` })).requestCharge;
    }
    for (let index = 0; index < READ_COUNT; index++) {
      charge += (await container.item("1", "large").read()).requestCharge;
    }
    await reported(container, ({ figures }) => figures.requestCount >= WRITE_COUNT + READ_COUNT);
  });

  test("its counts are exact", async () => {
    const { figures, partitions } = await reportOf(stage.server, container);
    expect(figures).toMatchObject({
      itemCount: WRITE_COUNT,
      logicalPartitionCount: 11,
      requestCount: WRITE_COUNT + READ_COUNT,
      throttledCount: 0,
      throttledShare: 0,
    });
    expect(figures.ru).toBeCloseTo(charge, 3);
    expect(partitions).toHaveLength(3);
    const sum = (of: (partition: (typeof partitions)[number]) => number): number =>
      partitions.reduce((total, partition) => total + of(partition), 0);
    expect(sum(({ itemCount }) => itemCount)).toBe(WRITE_COUNT);
    expect(sum(({ itemBytes }) => itemBytes)).toBe(figures.itemBytes);
    expect(sum(({ logicalPartitionCount }) => logicalPartitionCount)).toBe(11);
    expect(sum(({ lastFiveMinutes }) => lastFiveMinutes.ru)).toBeCloseTo(charge, 3);
  });

  test("its sizes are those of the bodies", async () => {
    const { itemBytes, itemCount } = await locate(stage.server, container, "large");
    expect([itemCount, itemBytes]).toEqual([6, largeBytes]);
    const { figures } = await reportOf(stage.server, container);
    expect(figures.largestLogicalBytes).toBe(largeBytes);
    expect(figures.averageLogicalBytes).toBeCloseTo(figures.itemBytes / 11, 0);
  });

  test("its top keys are named, by size and by load", async () => {
    const { partitionId, itemBytes } = await locate(stage.server, container, "large");
    for (const by of ["size", "load"]) {
      const top = await askOf<TopKeysAnswer>(stage.server, container, `topKeys?by=${by}&count=3`);
      expect(top.keys).toHaveLength(3);
      expect(top.keys[0]).toMatchObject({ partitionKey: ["large"], partitionId, itemBytes });
    }
    const { topByLoad, topBySize } = await reportOf(stage.server, container);
    const [first] = topByLoad;
    expect(first).toMatchObject({ partitionKey: ["large"], throttledCount: 0 });
    expect(first!.ru! - (first!.errorRu ?? 0)).toBeGreaterThan(charge / 2);
    expect(topBySize[0]).toMatchObject({ partitionKey: ["large"], itemCount: 6 });
    const sizes = topBySize.map((each) => each.itemBytes);
    expect(sizes).toEqual(sizes.toSorted((a, b) => b - a));
  });

  test("its inequality is told", async () => {
    const { figures } = await reportOf(stage.server, container);
    expect(figures.giniOfBytes).toBeGreaterThan(0.7);
    expect(figures.busiestShare).toBeGreaterThan(0.5);
    const even = await openContainer(stage.database);
    for (let index = 0; index < 10; index++) {
      await even.items.create({ id: "1", pk: `even-${index}` });
    }
    const other = await reportOf(stage.server, even);
    expect(other.figures.giniOfBytes).toBeCloseTo(0, 5);
  });

  test("its heat is where and when the load was", async () => {
    const { epk } = await locate(stage.server, container, "large");
    const heat = await askOf<HeatReport>(stage.server, container, "heat?rows=2&columns=64");
    expect(heat.times).toHaveLength(heat.cells.length + 1);
    for (const row of heat.cells) expect(row).toHaveLength(heat.bounds.length - 1);
    const cells = heat.cells.flat().map((cell) => cell ?? 0);
    expect(cells.reduce((sum, ru) => sum + ru, 0)).toBeCloseTo(charge, -1);
    const column = heat.bounds.findLastIndex((bound) => bound <= epk);
    const there = heat.cells.reduce((sum, row) => sum + (row[column] ?? 0), 0);
    expect(there).toBe(Math.max(...heat.bounds.slice(1).map((_, index) => columnSum(heat, index))));
    const throttled = await askOf<HeatReport>(stage.server, container, "heat?metric=throttled");
    expect(throttled.cells.flat().every((cell) => !cell)).toBe(true);
  });

  test("its history adds up", async () => {
    const history = await askOf<HistoryReport>(stage.server, container, "history");
    const sum = history.total.reduce((total, slot) => total + (slot?.ru ?? 0), 0);
    expect(sum).toBeCloseTo(charge, 2);
    expect(history.partitions).toHaveLength(3);
    for (const { slots } of history.partitions) expect(slots).toHaveLength(history.times.length);
  });

  test("it is a line of the overview", async () => {
    const { containers } = await ask<OverviewAnswer>(stage.server, "overview");
    const row = containers.find((each) => each.container === container.id);
    const { figures } = await reportOf(stage.server, container);
    expect(row).toMatchObject({
      database: "stage",
      itemCount: WRITE_COUNT,
      itemBytes: figures.itemBytes,
      partitionCount: 3,
      ratePerSecond: 30_000,
      largestLogicalBytes: figures.largestLogicalBytes,
      health: expect.stringMatching(/\.$/),
    });
    const all = await ask<ContainersAnswer>(stage.server, "containers");
    expect(all.containers.map((each) => each.container)).toContain(container.id);
  });

  test("its metrics say the same", async () => {
    const spent = await countersOf(stage.server, container, "request_units");
    expect(spent.size).toBe(3);
    const metrics = await metricsOf(stage.server);
    const of = (labels: string): string =>
      `{database="stage",container="${container.id}"${labels}}`;
    expect(metrics.get(`orrery_container_logical_partitions${of("")}`)).toBe(11);
    expect(metrics.get(`orrery_container_provisioned_request_units_per_second${of("")}`)).toBe(
      30_000,
    );
    const { partitionId } = await locate(stage.server, container, "large");
    const labels = of(`,partition="${partitionId}",kind="read"`);
    expect(metrics.get(`orrery_partition_requests_total${labels}`)).toBe(READ_COUNT);
    expect(metrics.get("orrery_uptime_seconds")).toBeGreaterThan(0);
    expect(metrics.get('orrery_responses_total{status="201"}')).toBeGreaterThan(WRITE_COUNT);
  });
});

describe("queries", () => {
  test("are counted once, however many physical partitions they are about", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    const keys = Array.from({ length: 12 }, (_, index) => `pk-${index}`);
    for (const pk of keys) await container.items.create({ id: "1", pk, color: "red" });
    const run = (query: string, maxItemCount = 100) =>
      container.items.query(query, { maxItemCount }).fetchAll();
    // Three requests for one, more for another in small pages: two that fan out, and three more.
    expect((await run("SELECT * FROM c WHERE c.color = 'red'")).resources).toHaveLength(12);
    expect((await run("SELECT * FROM c ORDER BY c.pk", 2)).resources).toHaveLength(12);
    for (const pk of keys.slice(0, 3)) {
      expect((await run(`SELECT * FROM c WHERE c.pk = '${pk}'`)).resources).toHaveLength(1);
    }
    const { figures } = await reported(container, (report) => report.figures.queryCount >= 5);
    expect(figures).toMatchObject({
      queryCount: 5,
      crossPartitionQueryCount: 2,
      crossPartitionShare: 0.4,
    });
    const metrics = await metricsOf(stage.server);
    const labels = `{database="stage",container="${container.id}"}`;
    expect(metrics.get(`orrery_container_queries_total${labels}`)).toBe(5);
    expect(metrics.get(`orrery_container_cross_partition_queries_total${labels}`)).toBe(2);
  });
});

describe("a split", () => {
  test("takes nothing from the history, and sizes stay exact", async () => {
    const container = await openContainer(stage.database);
    let charge = 0;
    for (let index = 0; index < 20; index++) {
      charge += (await container.items.create({ id: "1", pk: `pk-${index}` })).requestCharge;
    }
    const { figures } = await reported(container, (report) => report.figures.ru > 0);
    await split(stage.server, container);
    const after = await reported(container, (report) => report.figures.ru >= charge - 0.01);
    expect(after.partitions).toHaveLength(2);
    expect(after.figures).toMatchObject({
      itemCount: 20,
      itemBytes: figures.itemBytes,
      logicalPartitionCount: 20,
    });
    const history = await askOf<HistoryReport>(stage.server, container, "history");
    const sum = history.total.reduce((total, slot) => total + (slot?.ru ?? 0), 0);
    expect(sum).toBeCloseTo(charge, 2);
  });
});

describe("a restart", () => {
  test("keeps history, heat, and sizes", async () => {
    using directory = temporaryDirectory();
    const options = { data: directory.path };
    const { charge, before } = await (async () => {
      await using first = await openStage(options);
      const { container } = await first.database.containers.create({
        id: "kept",
        partitionKey: "/pk",
      });
      let sum = 0;
      for (let index = 0; index < 30; index++) {
        sum += (await container.items.create({ id: "1", pk: `pk-${index % 3}x${index}` }))
          .requestCharge;
      }
      const before = await reportOf(first.server, container);
      return { charge: sum, before };
    })();
    await using second = await openStage(options);
    const container = second.database.container("kept");
    const history = await askOf<HistoryReport>(second.server, container, "history");
    const sum = history.total.reduce((total, slot) => total + (slot?.ru ?? 0), 0);
    expect(sum).toBeCloseTo(charge, 0);
    const heat = await askOf<HeatReport>(second.server, container, "heat");
    const heatSum = heat.cells.flat().reduce<number>((total, cell) => total + (cell ?? 0), 0);
    expect(heatSum).toBeCloseTo(charge, -1);
    const { figures, topBySize } = await reportOf(second.server, container);
    expect(figures).toMatchObject({
      itemCount: 30,
      itemBytes: before.figures.itemBytes,
      logicalPartitionCount: 30,
    });
    expect(figures.giniOfBytes).toBeCloseTo(before.figures.giniOfBytes!, 5);
    expect(topBySize).toHaveLength(before.topBySize.length);
  });
});

describe("a server that keeps no statistics", () => {
  test("serves as ever, and says so when it is asked for them", async () => {
    await using plain = await openStage({ memory: true, statistics: false });
    const container = await openContainer(plain.database);
    await container.items.create({ id: "1", pk: "a" });
    expect((await container.item("1", "a").read()).statusCode).toBe(200);
    await expect(reportOf(plain.server, container)).rejects.toThrow(/400/);
    expect(await refusalOf(container.items.create({ id: "1", pk: "a" }))).toMatchObject({
      status: 409,
    });
  });
});

function columnSum({ cells }: HeatReport, column: number): number {
  return cells.reduce((sum, row) => sum + (row[column] ?? 0), 0);
}

/** The report as soon as it says what it must. */
async function reported(
  container: Container,
  isThere: (report: ContainerReport) => boolean,
): Promise<ContainerReport> {
  for (let attempt = 0; attempt < 100; attempt++) {
    const report = await reportOf(stage.server, container);
    if (isThere(report)) return report;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("the report does not say what it must");
}
