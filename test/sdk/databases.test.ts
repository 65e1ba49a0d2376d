/** Databases, as the official client makes, reads, lists and deletes them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, pagesOf, refusalOf, ridBytes } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("the account", () => {
  test("tells clients the address they came by, and its consistency", async () => {
    const { resource } = await stage.client.getDatabaseAccount();
    expect(resource?.consistencyPolicy).toBe("Session");
    const locations = [
      ...(resource?.writableLocations ?? []),
      ...(resource?.readableLocations ?? []),
    ];
    expect(locations.map(({ databaseAccountEndpoint }) => databaseAccountEndpoint)).toEqual([
      `${stage.server.endpoint}/`,
      `${stage.server.endpoint}/`,
    ]);
  });

  test("may be reached by another name of the same machine", async () => {
    const { CosmosClient } = await import("@azure/cosmos");
    const endpoint = `http://localhost:${stage.server.port}`;
    const client = new CosmosClient({ endpoint, key: stage.server.key });
    const { resource } = await client.getDatabaseAccount();
    expect(resource?.writableLocations[0]?.databaseAccountEndpoint).toBe(`${endpoint}/`);
    client.dispose();
  });
});

describe("a database", () => {
  test("has the form the service gives it", async () => {
    const { statusCode, resource, requestCharge, etag } = await stage.client.databases.create({
      id: "formed",
    });
    expect(statusCode).toBe(201);
    const { id, _rid, _self, _etag, _ts, ...others } = resource!;
    expect(id).toBe("formed");
    expect(ridBytes(_rid)).toHaveLength(4);
    expect(_self).toBe(`dbs/${_rid}/`);
    expect(_etag).toMatch(/^"[^"]+"$/);
    expect(etag).toBe(_etag);
    expect(Number.isInteger(_ts)).toBe(true);
    expect(others).toEqual({ _colls: "colls/", _users: "users/" });
    expect(requestCharge).toBeGreaterThan(0);
  });

  test.each([
    "plain",
    "UPPER and lower",
    "Prüfung",
    "Validate 中文 Query",
    "база данных",
    "🪐 orrery",
    "100% + 1 & more = a=b",
    'it\'s "quoted"',
    "dbs",
    "__proto__",
    "constructor",
    "x".repeat(255),
  ])("may be called %j", async (id) => {
    const { databases } = stage.client;
    const created = await databases.create({ id });
    const read = await stage.client.database(id).read();
    expect(read.resource).toEqual(created.resource);
    const { container } = await created.database.containers.create({ id, partitionKey: "/pk" });
    await container.items.create({ id: "item", pk: "a" });
    expect((await container.item("item", "a").read()).statusCode).toBe(200);
    expect((await created.database.delete()).statusCode).toBe(204);
    expect((await refusalOf(stage.client.database(id).read())).status).toBe(404);
  });

  test("keeps its name apart from the same name in another case", async () => {
    await stage.client.databases.create({ id: "Case" });
    await stage.client.databases.create({ id: "case" });
    const again = await refusalOf(stage.client.databases.create({ id: "case" }));
    expect(again.status).toBe(409);
    expect(again.message).toContain("already exists");
  });

  test("cannot have a name of 256 characters", async () => {
    const { status } = await refusalOf(stage.client.databases.create({ id: "x".repeat(256) }));
    expect(status).toBe(400);
  });

  test("is created only once by createIfNotExists", async () => {
    const first = await stage.client.databases.createIfNotExists({ id: "once" });
    const second = await stage.client.databases.createIfNotExists({ id: "once" });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.resource?._rid).toBe(first.resource?._rid);
  });

  test("takes its containers with it, and comes back empty under another rid", async () => {
    const first = await stage.client.databases.create({ id: "again" });
    await first.database.containers.create({ id: "c", partitionKey: "/pk" });
    await first.database.delete();
    const second = await stage.client.databases.create({ id: "again" });
    expect(second.resource?._rid).not.toBe(first.resource?._rid);
    expect((await second.database.containers.readAll().fetchAll()).resources).toEqual([]);
    expect((await refusalOf(second.database.container("c").read())).status).toBe(404);
  });

  test("that does not exist is a 404, for itself and for what it would own", async () => {
    const missing = stage.client.database("missing");
    const create = missing.containers.create({ id: "c", partitionKey: "/pk" });
    const refusals = await Promise.all(
      [missing.read(), missing.delete(), create, missing.container("c").read()].map(refusalOf),
    );
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404, 404]);
  });

  test("takes a rate for its containers to share", async () => {
    const { database } = await stage.client.databases.create({ id: "rated", throughput: 30_000 });
    const { container } = await database.containers.create({ id: "c", partitionKey: "/pk" });
    const { resources } = await container.readPartitionKeyRanges().fetchAll();
    expect(resources).toHaveLength(3);
  });

  test.each([399, 450, 1_000_100])("cannot have a rate of %d", async (throughput) => {
    const { databases } = stage.client;
    const { status, message } = await refusalOf(databases.create({ id: "badRate", throughput }));
    expect(status).toBe(400);
    expect(message).toContain(String(throughput));
  });
});

describe("the list of databases", () => {
  test("has pages of the asked size, in order of creation", async () => {
    await using own = await openStage();
    const names = ["stage", ..."zyxwv"];
    for (const id of names.slice(1)) await own.client.databases.create({ id });
    for (const maxItemCount of [1, 2, 4, 6, 100]) {
      const pages = await pagesOf(own.client.databases.readAll({ maxItemCount }));
      expect(pages.flat().map(({ id }) => id)).toEqual(names);
      expect(pages).toHaveLength(Math.ceil(names.length / maxItemCount));
    }
  });
});
