/** Containers: their settings, defaults, replacements and lists, through the official client. */
import type { ContainerDefinition, ContainerRequest } from "@azure/cosmos";
import { PartitionKeyDefinitionVersion, PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, pagesOf, refusalOf, ridBytes } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

/** As the service fills in what a request leaves out. */
const DEFAULTS = {
  indexingPolicy: {
    indexingMode: "consistent",
    automatic: true,
    includedPaths: [{ path: "/*" }],
    excludedPaths: [{ path: '/"_etag"/?' }],
  },
  conflictResolutionPolicy: {
    mode: "LastWriterWins",
    conflictResolutionPath: "/_ts",
    conflictResolutionProcedure: "",
  },
  geospatialConfig: { type: "Geography" },
};

describe("a container", () => {
  test("has the form the service gives it", async () => {
    const { statusCode, resource, requestCharge, etag } = await stage.database.containers.create({
      id: "formed",
      partitionKey: "/pk",
    });
    expect(statusCode).toBe(201);
    const { id, _rid, _self, _etag, _ts, partitionKey, ...others } = resource!;
    expect(id).toBe("formed");
    const databaseRid = (await stage.database.read()).resource!._rid;
    expect(ridBytes(_rid)).toHaveLength(8);
    expect(ridBytes(_rid).subarray(0, 4)).toEqual(ridBytes(databaseRid));
    expect(_self).toBe(`dbs/${databaseRid}/colls/${_rid}/`);
    expect(_etag).toMatch(/^"[^"]+"$/);
    expect(etag).toBe(_etag);
    expect(Number.isInteger(_ts)).toBe(true);
    // A definition without a version is version 1 to every client.
    expect(partitionKey).toEqual({ paths: ["/pk"], kind: "Hash", version: 1 });
    expect(others).toEqual({
      ...DEFAULTS,
      _docs: "docs/",
      _sprocs: "sprocs/",
      _triggers: "triggers/",
      _udfs: "udfs/",
      _conflicts: "conflicts/",
    });
    expect(requestCharge).toBeGreaterThan(0);
  });

  const settings: Readonly<Record<string, Partial<ContainerDefinition>>> = {
    "hash version 2": {
      partitionKey: { paths: ["/a/b"], version: PartitionKeyDefinitionVersion.V2 },
    },
    "a hierarchical key": {
      partitionKey: {
        paths: ["/tenant", "/user", "/session"],
        kind: PartitionKeyKind.MultiHash,
        version: PartitionKeyDefinitionVersion.V2,
      },
    },
    "a default ttl": { defaultTtl: 3600 },
    "a ttl that items decide": { defaultTtl: -1 },
    "unique keys": {
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }, { paths: ["/a", "/b"] }] },
    },
    "a geometry": { geospatialConfig: { type: "Geometry" as never } },
    "computed properties": {
      computedProperties: [{ name: "lower", query: "SELECT VALUE LOWER(c.name) FROM c" }],
    },
    "a retention of changes": { changeFeedPolicy: { retentionDuration: 10 } },
    "its own indexing": {
      indexingPolicy: {
        indexingMode: "consistent",
        automatic: true,
        includedPaths: [{ path: "/name/?" }],
        excludedPaths: [{ path: "/*" }, { path: '/"_etag"/?' }],
        compositeIndexes: [
          [
            { path: "/name", order: "ascending" },
            { path: "/age", order: "descending" },
          ],
        ],
      },
    },
    "no indexing": {
      indexingPolicy: {
        indexingMode: "none",
        automatic: false,
        includedPaths: [],
        excludedPaths: [],
      },
    },
    vectors: {
      vectorEmbeddingPolicy: {
        vectorEmbeddings: [
          {
            path: "/v",
            dataType: "float32" as never,
            distanceFunction: "cosine" as never,
            dimensions: 8,
          },
        ],
      },
    },
  };

  test.each(Object.entries(settings))("keeps %s", async (rule, setting) => {
    const partitionKey = { paths: ["/pk"] };
    const request = { id: rule, partitionKey, ...setting } as ContainerRequest;
    const { resource, container } = await stage.database.containers.create(request);
    expect(resource).toMatchObject(setting);
    const read = await container.read();
    expect(read.resource).toEqual(resource);
    expect(read.etag).toBe(resource?._etag);
  });

  const mistakes: readonly (readonly [rule: string, definition: Record<string, unknown>])[] = [
    ["an id of 256 characters", { id: "x".repeat(256) }],
    ["a path without a slash", { partitionKey: { paths: ["pk"] } }],
    ["a path with a slash at its end", { partitionKey: { paths: ["/pk/"] } }],
    ["a path with a wildcard", { partitionKey: { paths: ["/pk/*"] } }],
    ["two paths without a hierarchy", { partitionKey: { paths: ["/a", "/b"], kind: "Hash" } }],
    [
      "four levels",
      { partitionKey: { paths: ["/a", "/b", "/c", "/d"], kind: "MultiHash", version: 2 } },
    ],
    ["hash version 3", { partitionKey: { paths: ["/a"], version: 3 } }],
    ["a ttl of 0", { defaultTtl: 0 }],
    ["a ttl of -2", { defaultTtl: -2 }],
    ["a ttl of 1.5", { defaultTtl: 1.5 }],
    ["an unknown indexing mode", { indexingPolicy: { indexingMode: "sometimes" } }],
    ["an index path without an end", { indexingPolicy: { includedPaths: [{ path: "/a" }] } }],
    ["a unique key without a slash", { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["a"] }] } }],
    ["an unknown geometry", { geospatialConfig: { type: "Round" } }],
    ["a rate below the least", { throughput: 300 }],
  ];

  test.each(mistakes)("cannot have %s", async (_rule, definition) => {
    const request = { id: "mistaken", partitionKey: { paths: ["/pk"] }, ...definition };
    const create = stage.database.containers.create(request as ContainerRequest);
    const { status, message } = await refusalOf(create);
    expect(status).toBe(400);
    expect(message.length).toBeGreaterThan(20);
    expect((await refusalOf(stage.database.container("mistaken").read())).status).toBe(404);
  });

  test("keeps its name to itself within its database only", async () => {
    const container = await openContainer(stage.database);
    const again = stage.database.containers.create({ id: container.id, partitionKey: "/pk" });
    expect((await refusalOf(again)).status).toBe(409);
    const { database } = await stage.client.databases.create({ id: "elsewhere" });
    const { statusCode } = await database.containers.create({
      id: container.id,
      partitionKey: "/pk",
    });
    expect(statusCode).toBe(201);
  });

  test("is created only once by createIfNotExists", async () => {
    const request = { id: "once", partitionKey: "/pk" };
    const first = await stage.database.containers.createIfNotExists(request);
    const second = await stage.database.containers.createIfNotExists(request);
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(second.resource).toEqual(first.resource);
  });

  test("deleted and made again is another one, and empty", async () => {
    const request = { id: "again", partitionKey: "/pk" };
    const first = await stage.database.containers.create(request);
    await first.container.items.create({ id: "item", pk: "a" });
    expect((await first.container.delete()).statusCode).toBe(204);
    expect((await refusalOf(first.container.delete())).status).toBe(404);

    const second = await stage.database.containers.create(request);
    expect(second.resource?._rid).not.toBe(first.resource?._rid);
    expect(second.resource?._etag).not.toBe(first.resource?._etag);
    expect((await second.container.item("item", "a").read()).statusCode).toBe(404);
    expect((await second.container.items.readAll().fetchAll()).resources).toEqual([]);
  });

  test("takes an autoscale rate, and has the physical partitions its ceiling needs", async () => {
    const { container } = await stage.database.containers.create({
      id: "autoscaled",
      partitionKey: "/pk",
      maxThroughput: 40_000,
    });
    const { resources } = await container.readPartitionKeyRanges().fetchAll();
    expect(resources).toHaveLength(4);
  });

  test("tells its usage when it is asked for", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "item", pk: "a" });
    const { headers } = await container.read({ populateQuotaInfo: true });
    expect(headers["x-ms-resource-quota"]).toContain("collectionSize=");
    expect(headers["x-ms-resource-usage"]).toContain("documentsCount=1;");
    expect(headers["x-ms-documentdb-collection-index-transformation-progress"]).toBe("100");
  });
});

describe("a replaced container", () => {
  test("has the new indexing policy and ttl, a new etag and the old items", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "item", pk: "a" });
    const before = (await container.read()).resource!;
    const indexingPolicy = {
      ...before.indexingPolicy!,
      excludedPaths: [{ path: "/secret/*" }, { path: '/"_etag"/?' }],
    };
    const { statusCode, resource } = await container.replace({
      ...before,
      indexingPolicy,
      defaultTtl: 1000,
    } as ContainerDefinition);
    expect(statusCode).toBe(200);
    expect(resource).toMatchObject({ indexingPolicy, defaultTtl: 1000, _rid: before._rid });
    expect(resource?._etag).not.toBe(before._etag);
    expect((await container.read()).resource).toEqual(resource);
    expect((await container.item("item", "a").read()).statusCode).toBe(200);
    await container.items.create({ id: "another", pk: "a" });
  });

  test("loses its ttl when the replacement has none", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 60 });
    const { defaultTtl, ...rest } = (await container.read()).resource!;
    expect(defaultTtl).toBe(60);
    const { resource } = await container.replace(rest as ContainerDefinition);
    expect(resource?.defaultTtl).toBeUndefined();
  });

  test.each([
    ["id", { id: "renamed" }],
    ["partition key", { partitionKey: { paths: ["/other"] } }],
    ["hash version", { partitionKey: { paths: ["/pk"], version: 2 } }],
    ["unique keys", { uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] } }],
  ])("cannot have another %s", async (_what, change) => {
    const container = await openContainer(stage.database);
    const before = (await container.read()).resource!;
    const replace = container.replace({ ...before, ...change } as ContainerDefinition);
    expect((await refusalOf(replace)).status).toBe(400);
    expect((await container.read()).resource).toEqual(before);
  });
});

describe("the list of containers", () => {
  test("has pages of the asked size, in order of creation", async () => {
    const { database } = await stage.client.databases.create({ id: "listed" });
    const names = [..."zyxwvut"];
    for (const id of names) await database.containers.create({ id, partitionKey: "/pk" });
    for (const maxItemCount of [1, 2, 7, 100]) {
      const pages = await pagesOf(database.containers.readAll({ maxItemCount }));
      expect(pages.flat().map(({ id }) => id)).toEqual(names);
      expect(pages).toHaveLength(Math.ceil(names.length / maxItemCount));
    }
  });
});
