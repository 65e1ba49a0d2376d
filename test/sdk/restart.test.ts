/** What a server kept: after it ended and started again, everything is as it was. */
import type { Container, CosmosClient, ItemDefinition } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import { describe, expect, test } from "vitest";
import { startOrrery } from "../../src/index.ts";
import { clientOf, openStage, refusalOf, ridBytes, temporaryDirectory } from "./stage.ts";

/** Everything a client can see of an account. */
async function surveyOf(client: CosmosClient): Promise<unknown> {
  const { resources: databases } = await client.databases.readAll().fetchAll();
  return Promise.all(
    databases.map(async (resource) => {
      const database = client.database(resource.id);
      const { resources: containers } = await database.containers.readAll().fetchAll();
      const contents = containers.map(({ id }) => contentOf(database.container(id)));
      return { resource, containers, contents: await Promise.all(contents) };
    }),
  );
}

async function contentOf(container: Container): Promise<unknown> {
  const { resources: items } = await container.items.readAll().fetchAll();
  const { resources: ranges } = await container.readPartitionKeyRanges().fetchAll();
  return { items, ranges };
}

async function fill(client: CosmosClient): Promise<void> {
  const { database } = await client.databases.create({ id: "Prüfung 中文 🪐" });
  await client.databases.create({ id: "empty" });
  const { container: plain } = await database.containers.create({
    id: "plain",
    partitionKey: "/pk",
    throughput: 30_000,
    defaultTtl: -1,
    uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    indexingPolicy: {
      indexingMode: "consistent",
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/secret/*" }],
    },
  });
  const { container: deep } = await database.containers.create({
    id: "hierarchical",
    partitionKey: { paths: ["/a", "/b"], kind: PartitionKeyKind.MultiHash, version: 2 },
    throughput: 200_000,
  });
  const keys = ["x", 1, true, null, undefined, "🔑"];
  for (let index = 0; index < 60; index++) {
    const pk = keys[index % keys.length];
    const email = `${index}@example.com`;
    await plain.items.create({ id: `item-${index}`, pk, email, text: "ü".repeat(index) });
    await deep.items.create({ id: `item-${index}`, a: `tenant-${index % 5}`, b: pk });
  }
  await plain.item("item-0", "x").delete();
  await plain.item("item-1", 1).replace({ id: "item-1", pk: 1, replaced: true });
  await plain.item("item-2", true).patch([{ op: "set", path: "/patched", value: [1] }]);
  const { resource } = await deep.read();
  await deep.replace({ ...resource!, defaultTtl: 3600 });
  const doomed = await database.containers.create({ id: "doomed", partitionKey: "/pk" });
  await doomed.container.items.create({ id: "item", pk: "a" });
  await doomed.container.delete();
}

describe("after a restart", () => {
  test("everything is as it was, twice over", async () => {
    using directory = temporaryDirectory();
    let before: unknown;
    {
      await using stage = await openStage({ data: directory.path });
      await fill(stage.client);
      before = await surveyOf(stage.client);
    }
    for (let round = 0; round < 2; round++) {
      await using stage = await openStage({ data: directory.path });
      expect(await surveyOf(stage.client)).toEqual(before);
      const database = stage.client.database("Prüfung 中文 🪐");
      expect((await database.container("plain").item("item-0", "x").read()).statusCode).toBe(404);
      expect((await refusalOf(database.container("doomed").read())).status).toBe(404);
    }
  });

  test("etags still hold, and new ones are new", async () => {
    using directory = temporaryDirectory();
    const etags = new Set<string>();
    let last = "";
    for (let round = 0; round < 4; round++) {
      await using stage = await openStage({ data: directory.path });
      const { container } = await stage.database.containers.createIfNotExists({
        id: "c",
        partitionKey: "/pk",
      });
      const item = container.item("item", "a");
      if (round > 0) {
        const accessCondition = { type: "IfNoneMatch", condition: last };
        expect((await item.read({ accessCondition })).statusCode).toBe(304);
      }
      const accessCondition = { type: "IfMatch", condition: last };
      const options = round > 0 ? { accessCondition } : {};
      const { etag } = await container.items.upsert({ id: "item", pk: "a", round }, options);
      last = etag;
      etags.add(etag);
    }
    expect(etags.size).toBe(4);
  });

  test("sessions go on, and so do the numbers in rids", async () => {
    using directory = temporaryDirectory();
    let sessionToken = "";
    let rid = "";
    for (let round = 0; round < 3; round++) {
      await using stage = await openStage({ data: directory.path });
      const client = clientOf(stage.server, { consistencyLevel: "Session" });
      const { container } = await client
        .database(stage.database.id)
        .containers.createIfNotExists({ id: "c", partitionKey: "/pk" });
      if (round > 0) {
        const read = await container.item(`item-${round - 1}`, "a").read({ sessionToken });
        expect(read.statusCode).toBe(200);
        expect(read.headers["x-ms-session-token"]).toBe(sessionToken);
      }
      const { resource, headers } = await container.items.create({ id: `item-${round}`, pk: "a" });
      const token = String(headers["x-ms-session-token"]);
      if (round > 0) {
        expect(lsnOf(token)).toBe(lsnOf(sessionToken) + 1);
        expect(numberOf(resource!._rid)).toBeGreaterThan(numberOf(rid));
      }
      sessionToken = token;
      rid = resource!._rid;
      client.dispose();
    }
  });

  test("rids of deleted databases and containers are not given out again", async () => {
    using directory = temporaryDirectory();
    const rids = new Set<string>();
    for (let round = 0; round < 3; round++) {
      await using stage = await openStage({ data: directory.path });
      const { database, resource } = await stage.client.databases.create({ id: "d" });
      const container = await database.containers.create({ id: "c", partitionKey: "/pk" });
      rids.add(resource!._rid).add(container.resource!._rid);
      await database.delete();
    }
    expect(rids.size).toBe(6);
  });

  test("a list goes on from a continuation of before", async () => {
    using directory = temporaryDirectory();
    const ids = Array.from({ length: 30 }, (_, index) => `item-${index}`);
    let continuationToken: string;
    const seen: string[] = [];
    {
      await using stage = await openStage({ data: directory.path });
      const { container } = await stage.database.containers.create({
        id: "c",
        partitionKey: "/pk",
        throughput: 30_000,
      });
      await Promise.all(ids.map((id) => container.items.create({ id, pk: id })));
      const page = await container.items.readAll<ItemDefinition>({ maxItemCount: 11 }).fetchNext();
      seen.push(...page.resources.map(({ id }) => id!));
      continuationToken = page.continuationToken;
    }
    await using stage = await openStage({ data: directory.path });
    const options = { maxItemCount: 4, continuationToken };
    const { resources } = await stage.database
      .container("c")
      .items.readAll<ItemDefinition>(options)
      .fetchAll();
    seen.push(...resources.map(({ id }) => id!));
    expect(seen.toSorted()).toEqual(ids.toSorted());
  });

  test("more than one journal segment is there, with what was overwritten gone", async () => {
    using directory = temporaryDirectory();
    const text = "x".repeat(1_000_000);
    const count = 39;
    {
      await using stage = await openStage({ data: directory.path });
      const { container } = await stage.database.containers.create({
        id: "c",
        partitionKey: "/pk",
      });
      for (let index = 0; index < count; index++) {
        await container.items.create({ id: `item-${index}`, pk: index, text });
        if (index % 3 === 0) await container.items.upsert({ id: `item-${index}`, pk: index });
        if (index % 3 === 1) await container.item(`item-${index}`, index).delete();
      }
    }
    await using stage = await openStage({ data: directory.path });
    const container = stage.database.container("c");
    for (let index = 0; index < count; index++) {
      const { resource } = await container.item(`item-${index}`, index).read();
      if (index % 3 === 1) expect(resource).toBeUndefined();
      else expect(resource?.["text"]).toBe(index % 3 === 0 ? undefined : text);
    }
    const { resources } = await container.items.readAll().fetchAll();
    expect(resources).toHaveLength((count * 2) / 3);
  });

  test("whatever was acknowledged while the server was closing is there", async () => {
    using directory = temporaryDirectory();
    const options = { data: directory.path, rateLimit: false };
    const server = await startOrrery(options);
    const client = clientOf(server);
    const { database } = await client.databases.create({ id: "d" });
    const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
    const acknowledged: number[] = [];
    const writes = Array.from({ length: 200 }, (_, index) =>
      container.items.create({ id: `item-${index}`, pk: index }).then(
        () => acknowledged.push(index),
        () => undefined,
      ),
    );
    await Promise.race(writes);
    await server.close();
    await Promise.all(writes);
    client.dispose();

    await using again = await startOrrery(options);
    const reader = clientOf(again);
    const kept = reader.database("d").container("c");
    for (const index of acknowledged) {
      expect((await kept.item(`item-${index}`, index).read()).statusCode).toBe(200);
    }
    expect(acknowledged.length).toBeGreaterThan(0);
    reader.dispose();
  });
});

const lsnOf = (token: string): number => Number(token.slice(token.indexOf("#") + 1));
const numberOf = (rid: string): bigint => ridBytes(rid).readBigUInt64LE(8);
