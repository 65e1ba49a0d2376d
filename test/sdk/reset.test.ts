/** Back to the beginnings between two tests: what clients find that were there before. */
import type { Container, CosmosClient } from "@azure/cosmos";
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import type { InitSeed, OrreryServer } from "../../src/index.ts";
import { BadOption, startOrrery } from "../../src/index.ts";
import { clientOf, refusalOf, temporaryDirectory } from "./stage.ts";

const INIT: InitSeed = {
  databases: {
    shop: {
      containers: {
        orders: {
          partitionKey: "/customerId",
          items: [
            { id: "1", customerId: "ada", total: 1 },
            { id: "2", customerId: "bob", total: 2 },
          ],
          storedProcedures: {
            hello: "function hello() { getContext().getResponse().setBody('hello'); }",
          },
        },
      },
    },
  },
};

interface Scene extends AsyncDisposable {
  readonly server: OrreryServer;
  readonly client: CosmosClient;
  readonly orders: Container;
}

async function openScene(init: InitSeed | undefined = INIT): Promise<Scene> {
  const server = await startOrrery({ memory: true, rateLimit: false, init });
  const client = clientOf(server);
  const orders = client.database("shop").container("orders");
  const end = async (): Promise<void> => {
    client.dispose();
    await server.close();
  };
  return { server, client, orders, [Symbol.asyncDispose]: end };
}

async function allOf(container: Container): Promise<readonly unknown[]> {
  const { resources } = await container.items
    .query("SELECT c.id, c.total FROM c ORDER BY c.id")
    .fetchAll();
  return resources;
}

const BEGINNING = [
  { id: "1", total: 1 },
  { id: "2", total: 2 },
];

describe("after a reset", () => {
  test("everything is as it was at the beginning", async () => {
    await using scene = await openScene();
    const { server, client, orders } = scene;
    await orders.items.create({ id: "3", customerId: "eve" });
    await orders.item("1", "ada").replace({ id: "1", customerId: "ada", total: 7 });
    await orders.item("2", "bob").delete();
    await orders.scripts.storedProcedure("hello").delete();
    await client.databases.create({ id: "other" });
    await server.reset();
    expect(await allOf(orders)).toEqual(BEGINNING);
    const called = await orders.scripts.storedProcedure("hello").execute("ada");
    expect(called.resource).toBe("hello");
    const { resources } = await client.databases.readAll().fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["shop"]);
  });

  test("there is nothing where there was nothing", async () => {
    await using scene = await openScene({ databases: {} });
    const { server, client } = scene;
    await client.databases.create({ id: "other" });
    await server.reset();
    expect((await client.databases.readAll().fetchAll()).resources).toEqual([]);
  });

  test("a client goes on that knows containers, ranges and sessions of before", async () => {
    await using scene = await openScene();
    const { server, orders } = scene;
    for (let round = 0; round < 3; round++) {
      // The more was written before, the further the session token is ahead of what is there now.
      for (let n = 10; n < 40 - round; n++) {
        await orders.items.upsert({ id: String(n), customerId: "ada", total: n });
      }
      expect((await orders.item("10", "ada").read()).resource?.total).toBe(10);
      expect((await allOf(orders)).length).toBeGreaterThan(20);
      await server.reset();

      expect((await orders.item("1", "ada").read()).resource?.total).toBe(1);
      expect((await orders.item("10", "ada").read()).statusCode).toBe(404);
      expect(await allOf(orders)).toEqual(BEGINNING);
      await orders.items.create({ id: "new", customerId: "ada", total: 9 });
      expect((await orders.item("new", "ada").read()).resource?.total).toBe(9);
      await orders.items.batch([{ operationType: "Read", id: "new" }], "ada");
      const done = await orders.items.executeBulkOperations([
        {
          operationType: "Upsert",
          partitionKey: "bob",
          resourceBody: { id: "b", customerId: "bob" },
        },
      ]);
      expect(done[0]?.response?.statusCode).toBe(201);
      expect(await allOf(orders)).toHaveLength(4);
    }
  });

  test("a session token of before is no obstacle", async () => {
    await using scene = await openScene();
    const { server, client, orders } = scene;
    const far = { sessionToken: "0:0#5000" };
    await server.reset();
    expect((await orders.item("1", "ada").read(far)).resource?.total).toBe(1);
    const { database } = await client.databases.create({ id: "late" });
    const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
    await container.items.create({ id: "1", pk: "a" });
    expect((await container.item("1", "a").read(far)).statusCode).toBe(200);
  });

  test("a change feed has what was made by the reset, and what came since", async () => {
    await using scene = await openScene();
    const { server, orders } = scene;
    await orders.items.create({ id: "3", customerId: "eve" });
    await server.reset();
    const iterator = orders.items.getChangeFeedIterator({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
    });
    const page = await iterator.readNext();
    expect(page.result.map(({ id }) => id).toSorted()).toEqual(["1", "2"]);
    await orders.items.create({ id: "4", customerId: "eve" });
    expect((await iterator.readNext()).result.map(({ id }) => id)).toEqual(["4"]);
  });
});

test("resets come one after the other, however they are asked for", async () => {
  await using scene = await openScene();
  const { server, orders } = scene;
  await Promise.all([server.reset(), server.reset(), server.reset()]);
  expect(await allOf(orders)).toEqual(BEGINNING);
});

test("a server that keeps its data is not reset", async () => {
  using data = temporaryDirectory();
  await using server = await startOrrery({ data: data.path, init: INIT });
  const refused = await server.reset().catch((error: unknown) => error);
  expect(refused).toBeInstanceOf(BadOption);
  expect((refused as Error).message).toContain(`keeps its data, in ${data.path}.`);
  const client = clientOf(server);
  expect(await allOf(client.database("shop").container("orders"))).toEqual(BEGINNING);
  expect(await refusalOf(client.databases.create({ id: "shop" }))).toMatchObject({ status: 409 });
  client.dispose();
});
