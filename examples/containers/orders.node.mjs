/**
 * Testcontainers for Node: a container for the tests of a file. Run it with `node --test`, and
 * with @testcontainers/azure-cosmosdb-emulator and @azure/cosmos installed.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { CosmosClient } from "@azure/cosmos";
import { AzureCosmosDbEmulatorContainer } from "@testcontainers/azure-cosmosdb-emulator";

let started;
before(async () => {
  started = await new AzureCosmosDbEmulatorContainer("orrery:0.1.0").start();
});
after(() => started.stop());

test("an order is found again", async () => {
  const client = new CosmosClient(started.getConnectionUri());
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const { container } = await database.containers.createIfNotExists({
    id: "orders",
    partitionKey: "/customerId",
  });
  await container.items.create({ id: "1", customerId: "ada", total: 12.5 });
  const { resource } = await container.item("1", "ada").read();
  assert.equal(resource.total, 12.5);
});
