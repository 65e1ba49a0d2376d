/**
 * The official JavaScript client, with everything in its caches, through a switch of names to
 * another key: no call fails, nothing that was acknowledged is missing, and nothing is there twice.
 */
import { ChangeFeedStartFrom } from "@azure/cosmos";
import { expect, test } from "vitest";
import { clientOf, openStage } from "../sdk/stage.ts";
import { copyOf, switchNames } from "./copyJob.ts";
import { JavaScriptClient } from "./javaScriptClient.ts";

const ROUNDS = Number(process.env["ORRERY_SWITCH_ROUNDS"] ?? 3);

test.each([
  ["another property", ["/tenant"], 400],
  ["a made-up key", ["concat(/tenant, '-', hash(/pk) % 4)"], 400],
  ["another property, in several ranges", ["/tenant"], 21_000],
])("a running client does not notice the switch to %s", async (_what, key, throughput) => {
  await using stage = await openStage();
  const { server, client } = stage;
  const { endpoint } = server;
  const { database } = await client.databases.create({ id: "d" });
  const partitionKey = { paths: ["/pk"] };
  const { container } = await database.containers.create({ id: "c", partitionKey, throughput });
  const running = new JavaScriptClient(container);
  await running.rounds(ROUNDS);
  await running.readChanges();
  const job = await copyOf(endpoint, key);
  await Promise.all([running.rounds(ROUNDS), switchNames(endpoint, job)]);
  await running.rounds(ROUNDS);
  await running.readChanges();
  expect(running.failures).toEqual([]);
  expect([...running.expected.keys()].filter((id) => !running.seen.has(id))).toEqual([]);

  const fresh = clientOf(server);
  const now = fresh.database("d").container("c");
  const { resource } = await now.read();
  expect(resource?.partitionKey?.paths).not.toEqual(["/pk"]);
  const query = "SELECT c.id, c.pk, c.tenant, c.n FROM c";
  const { resources } = await now.items.query<{ readonly id: string }>(query).fetchAll();
  fresh.dispose();
  const sorted = resources.sort((one, other) => (one.id < other.id ? -1 : 1));
  const due = [...running.expected.values()].sort((one, other) => (one.id < other.id ? -1 : 1));
  expect(sorted).toEqual(due);
});

test("a position of before is refused by the client itself, where an iterator is made of it", async () => {
  await using stage = await openStage();
  const { server, client } = stage;
  const { database } = await client.databases.create({ id: "d" });
  const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
  await container.items.create({ id: "a", pk: "p", tenant: "t" });
  const changeFeedStartFrom = ChangeFeedStartFrom.Beginning();
  const changes = container.items.getChangeFeedIterator({ changeFeedStartFrom });
  const { continuationToken } = await changes.readNext();
  await switchNames(server.endpoint, await copyOf(server.endpoint, ["/tenant"]));
  const resumed = container.items.getChangeFeedIterator({
    changeFeedStartFrom: ChangeFeedStartFrom.Continuation(continuationToken),
  });
  await expect(resumed.readNext()).rejects.toThrow("not for the current container definition");
  await container.items.create({ id: "b", pk: "p", tenant: "t" });
  expect((await changes.readNext()).result).toMatchObject([{ id: "b" }]);
});
