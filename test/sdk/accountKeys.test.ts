/** The three kinds of account keys, and what becomes of clients that have none of them. */
import { randomBytes } from "node:crypto";
import type { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { WELL_KNOWN_KEY } from "../../src/index.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openStage, refusalOf } from "./stage.ts";

const newKey = (): string => randomBytes(64).toString("base64");
const key = newKey();
const secondaryKey = newKey();
const readOnlyKey = newKey();

let stage: Stage;
const clients: CosmosClient[] = [];
beforeAll(async () => {
  stage = await openStage({ memory: true, key, secondaryKey, readOnlyKey });
  await stage.database.containers.create({ id: "c", partitionKey: "/pk" });
  await stage.database.container("c").items.create({ id: "item", pk: "a" });
});
afterAll(async () => {
  for (const client of clients) client.dispose();
  await stage[Symbol.asyncDispose]();
});

function withKey(other: string): CosmosClient {
  const client = clientOf({ endpoint: stage.server.endpoint, key: other });
  clients.push(client);
  return client;
}

test("without a key of its own, a server on loopback takes the emulator's", async () => {
  await using own = await openStage();
  expect(own.server.key).toBe(WELL_KNOWN_KEY);
  expect(own.server.connectionString).toContain(`AccountKey=${WELL_KNOWN_KEY};`);
});

test("the secondary key may do what the primary may", async () => {
  const container = withKey(secondaryKey).database("stage").container("c");
  await container.items.create({ id: "second", pk: "a" });
  expect((await container.item("second", "a").delete()).statusCode).toBe(204);
});

describe("the read-only key", () => {
  test("reads everything", async () => {
    const client = withKey(readOnlyKey);
    const container = client.database("stage").container("c");
    expect((await client.databases.readAll().fetchAll()).resources).toHaveLength(1);
    expect((await client.database("stage").containers.readAll().fetchAll()).resources).toHaveLength(
      1,
    );
    expect((await container.read()).statusCode).toBe(200);
    expect((await container.item("item", "a").read()).statusCode).toBe(200);
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(1);
    const inKey = container.items.readAll({ partitionKey: "a" });
    expect((await inKey.fetchAll()).resources).toHaveLength(1);
    expect((await container.readPartitionKeyRanges().fetchAll()).resources).toHaveLength(1);
  });

  test("writes nothing", async () => {
    const client = withKey(readOnlyKey);
    const database = client.database("stage");
    const container = database.container("c");
    const item = container.item("item", "a");
    const definition = (await container.read()).resource!;
    const attempts = [
      client.databases.create({ id: "more" }),
      database.containers.create({ id: "more", partitionKey: "/pk" }),
      container.replace({ ...definition, defaultTtl: 1 }),
      container.items.create({ id: "more", pk: "a" }),
      container.items.upsert({ id: "item", pk: "a", n: 1 }),
      item.replace({ id: "item", pk: "a", n: 1 }),
      item.patch([{ op: "set", path: "/n", value: 1 }]),
      item.delete(),
      container.delete(),
      database.delete(),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(refusals.map(({ status }) => status)).toEqual(attempts.map(() => 403));
    expect((await item.read()).resource).not.toHaveProperty("n");
  });
});

test.each([
  ["the emulator's, when the server has another", WELL_KNOWN_KEY],
  ["an unknown one", newKey()],
])("a key that is not the account's is refused: %s", async (_rule, other) => {
  const { status, message } = await refusalOf(withKey(other).databases.readAll().fetchAll());
  expect(status).toBe(401);
  expect(message).toContain("authorization token");
  for (const secret of [key, secondaryKey, readOnlyKey]) expect(message).not.toContain(secret);
});
