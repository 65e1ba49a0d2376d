/** A serverless account through the official client: everything but throughput. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true, serverless: true });
});
afterAll(() => stage[Symbol.asyncDispose]());

test("containers are made without a rate, with one physical partition, and work", async () => {
  const container = await openContainer(stage.database);
  await container.items.create({ id: "1", pk: "a" });
  expect((await container.item("1", "a").read()).statusCode).toBe(200);
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  expect(resources).toHaveLength(1);
});

test("there are no offers", async () => {
  const container = await openContainer(stage.database);
  expect((await container.readOffer()).resource).toBeUndefined();
  expect((await stage.database.readOffer()).resource).toBeUndefined();
  expect((await stage.client.offers.readAll().fetchAll()).resources).toEqual([]);
});

test.each([{ throughput: 400 }, { maxThroughput: 1000 }])("%j is refused", async (rate) => {
  const refusals = await Promise.all([
    refusalOf(stage.client.databases.create({ id: "rated", ...rate })),
    refusalOf(stage.database.containers.create({ id: "rated", ...rate })),
  ]);
  for (const { status, message } of refusals) {
    expect(status).toBe(400);
    expect(message).toContain("not supported for serverless accounts");
  }
});

test("no offer can be replaced", async () => {
  const definition = {
    id: "AAAA",
    content: { offerThroughput: 500, offerIsRUPerMinuteThroughputEnabled: false },
  };
  const { status, message } = await refusalOf(stage.client.offer("AAAA").replace(definition));
  expect(status).toBe(400);
  expect(message).toContain("not supported for serverless accounts");
});
