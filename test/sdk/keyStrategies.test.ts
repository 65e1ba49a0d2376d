/** The examples of docs/use/keys.md, with the official client: write, read by id, read by dates. */
import { type Container, PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import {
  calculatedSuffix,
  clientKey,
  geoAndTime,
  hierarchical,
  type KeyStrategy,
  type Known,
  timeBucket,
} from "../../src/keys.ts";
import type { Stage } from "./stage.ts";
import { openStage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true });
});
afterAll(() => stage[Symbol.asyncDispose]());

async function containerFor(id: string, strategy: KeyStrategy): Promise<Container> {
  const isOne = strategy.paths.length === 1;
  const { container } = await stage.database.containers.createIfNotExists({
    id,
    partitionKey: {
      paths: [...strategy.paths],
      ...(isOne ? {} : { kind: PartitionKeyKind.MultiHash, version: 2 }),
    },
  });
  return container;
}

/** As the guide has it: every key that the range needs, all at the same time. */
async function rowsOf(
  container: Container,
  strategy: KeyStrategy,
  known: Known,
): Promise<string[]> {
  const visits = strategy.visits(known);
  if (visits === undefined) throw new Error("the keys cannot be listed");
  const answers = await Promise.all(
    visits.keys.map((key) =>
      container.items
        .query<string>("SELECT VALUE c.id FROM c", { partitionKey: clientKey(key) })
        .fetchAll(),
    ),
  );
  return answers.flatMap(({ resources }) => resources).sort();
}

test("a car's telemetry: a calculated suffix finds a car again, and all cars of a day", async () => {
  const strategy = calculatedSuffix({ base: "/date", of: "/vin", count: 20 });
  const container = await containerFor("telemetry", strategy);
  for (let car = 0; car < 30; car++) {
    const item = { id: `r${car}`, vin: `vin-${car}`, date: "2018-08-09" };
    await container.items.create(strategy.withKey(item));
  }
  const one = new Map([
    ["/date", ["2018-08-09"]],
    ["/vin", ["vin-7"]],
  ]);
  const [key, ...others] = strategy.visits({ values: one })!.keys;
  expect(others).toEqual([]);
  const { resource } = await container.item("r7", clientKey(key!)).read();
  expect(resource).toMatchObject({ vin: "vin-7", partitionKey: key![0] });
  const day = { values: new Map([["/date", ["2018-08-09"]]]) };
  expect(strategy.visits(day)!.keys).toHaveLength(20);
  expect(await rowsOf(container, strategy, day)).toHaveLength(30);
});

test("orders by region and month: a range of dates asks for those months only", async () => {
  const strategy = geoAndTime({ region: "/region", time: "/orderDate", grain: "month" });
  const container = await containerFor("orders", strategy);
  const orders = ["2025-08-31", "2025-09-01", "2025-10-31", "2025-11-01"].flatMap((orderDate) =>
    ["europe", "asia"].map((region) => ({ id: `${region} ${orderDate}`, region, orderDate })),
  );
  for (const order of orders) await container.items.create(strategy.withKey(order));
  const rows = await rowsOf(container, strategy, {
    values: new Map([["/region", ["europe"]]]),
    range: { path: "/orderDate", from: Date.parse("2025-09-01"), to: Date.parse("2025-10-31") },
  });
  expect(rows).toEqual(["europe 2025-09-01", "europe 2025-10-31"]);
});

test("an item without a time has no key, and is found where those are", async () => {
  const strategy = timeBucket({ time: "/ts", grain: "day" });
  const container = await containerFor("events", strategy);
  await container.items.create(strategy.withKey({ id: "timeless" }));
  const key = clientKey(strategy.keyOf({ id: "timeless" }));
  const { resource } = await container.item("timeless", key).read();
  expect(resource).toMatchObject({ id: "timeless" });
});

test("levels: a tenant alone is a prefix", async () => {
  const strategy = hierarchical(["/tenantId", "month(/ts)"]);
  const container = await containerFor("documents", strategy);
  for (const [tenantId, ts] of [
    ["a", "2025-09-30"],
    ["a", "2025-10-01"],
    ["b", "2025-10-01"],
  ]) {
    await container.items.create(strategy.withKey({ id: `${tenantId} ${ts}`, tenantId, ts }));
  }
  const tenant = new Map([["/tenantId", ["a"]]]);
  expect(strategy.visits({ values: tenant })?.isPrefix).toBe(true);
  expect(await rowsOf(container, strategy, { values: tenant })).toEqual([
    "a 2025-09-30",
    "a 2025-10-01",
  ]);
  const october = Date.parse("2025-10-01");
  const range = { path: "/ts", from: october, to: october };
  expect(await rowsOf(container, strategy, { values: tenant, range })).toEqual(["a 2025-10-01"]);
});
