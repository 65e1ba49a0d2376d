/**
 * Every limit of the service, met from both sides: as much as there may be is taken, one more is
 * refused with the status that the service gives. And smaller worlds: by one factor or by name.
 */
import type { Container, ContainerRequest, JSONObject } from "@azure/cosmos";
import { ErrorResponse } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { SERVICE_LIMITS } from "../../src/model/limits.ts";
import { LIMITS, limitValue } from "../../src/model/scaledLimits.ts";
import type { Wire } from "../http/wire.ts";
import { ITEMS, openWire, PARTITION_KEY, signatureOf } from "../http/wire.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, pagesOf, refusalOf } from "./stage.ts";

const GB = 1024 ** 3;

let stage: Stage;
let container: Container;
let wire: Wire;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
  wire = await openWire();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await wire[Symbol.asyncDispose]();
});

interface Bound {
  readonly status: number;
  readonly message: string;
  /** Tries it with as much as `amount`. Whatever it makes has a name of its own. */
  readonly attempt: (amount: number) => Promise<unknown>;
}

/** By the name of the limit. */
const BOUNDS: Readonly<Record<string, Bound>> = {
  itemBytes: {
    status: 413,
    message: "Request size is too large",
    attempt: (amount) => {
      const item = { id: `${amount} bytes`, pk: "a", fill: "" };
      const fill = "x".repeat(amount - JSON.stringify(item).length);
      return container.items.create({ ...item, fill });
    },
  },
  itemIdBytes: {
    status: 400,
    message: "less than '1024' characters",
    attempt: (amount) => container.items.create({ id: "x".repeat(amount), pk: "a" }),
  },
  partitionKeyBytes: {
    status: 400,
    message: "at most 2048 bytes",
    attempt: async (amount) => {
      const partitionKey = { paths: ["/pk"], version: 2 };
      const hashed = await openContainer(stage.database, { partitionKey });
      return hashed.items.create({ id: "a", pk: "x".repeat(amount) });
    },
  },
  nesting: {
    status: 400,
    message: "128",
    attempt: (amount) => {
      const nested = JSON.parse("[".repeat(amount - 1) + "]".repeat(amount - 1)) as JSONObject;
      return container.items.create({ id: `${amount} deep`, pk: "a", nested });
    },
  },
  ttlSeconds: {
    status: 400,
    message: "2147483647",
    attempt: (amount) => container.items.create({ id: `ttl ${amount}`, pk: "a", ttl: amount }),
  },
  requestBytes: {
    status: 413,
    message: "Request size is too large",
    attempt: (amount) => rawQuery('{"query":"SELECT 1"}'.padEnd(amount)),
  },
  patchOperations: {
    status: 400,
    message: "cannot exceed 10",
    attempt: async (amount) => {
      const { item } = await container.items.create({ id: `${amount} patches`, pk: "a" });
      const names = Array.from({ length: amount }, (_, index) => `/p${index}`);
      return item.patch(names.map((path) => ({ op: "set", path, value: 1 })));
    },
  },
  batchOperations: {
    status: 400,
    message: "at most 100 operations, not 101",
    attempt: (amount) => {
      const read = { operationType: "Read", id: "kept", partitionKey: '["a"]' };
      return rawBulk(Array.from({ length: amount }, () => read));
    },
  },
  queryCharacters: {
    status: 400,
    message: "SC3020",
    attempt: (amount) => rows("SELECT VALUE 1".padEnd(amount)),
  },
  queryJoins: {
    status: 400,
    message: "SC3002",
    attempt: (amount) => rows(`SELECT c.id FROM c ${" JOIN x IN c.list".repeat(amount)}`),
  },
  queryAnds: {
    status: 400,
    message: "'AND' operators. The allowed limit is 2000",
    attempt: (amount) => rows(`SELECT * FROM c WHERE c.none${" AND c.none".repeat(amount)}`),
  },
  queryOrs: {
    status: 400,
    message: "'OR' operators. The allowed limit is 2000",
    attempt: (amount) => rows(`SELECT * FROM c WHERE c.none${" OR c.none".repeat(amount)}`),
  },
  queryInItems: {
    status: 400,
    message: "The allowed limit is 16000",
    attempt: (amount) => rows(`SELECT * FROM c WHERE c.none IN (1${",1".repeat(amount - 1)})`),
  },
  nameCharacters: {
    status: 400,
    message: "less than '255' characters",
    attempt: (amount) => stage.client.databases.create({ id: "d".repeat(amount) }),
  },
  keyLevels: {
    status: 400,
    message: "3",
    attempt: (amount) =>
      create({ partitionKey: { paths: pathsOf(amount), kind: "MultiHash", version: 2 } as never }),
  },
  uniqueKeys: {
    status: 400,
    message: "at most 10 unique keys",
    attempt: (amount) =>
      create({
        uniqueKeyPolicy: { uniqueKeys: pathsOf(amount).map((path) => ({ paths: [path] })) },
      }),
  },
  uniqueKeyPaths: {
    status: 400,
    message: "one to 16 paths",
    attempt: (amount) => create({ uniqueKeyPolicy: { uniqueKeys: [{ paths: pathsOf(amount) }] } }),
  },
  computedProperties: {
    status: 400,
    message: "at most 20 computed properties",
    attempt: (amount) =>
      create({
        computedProperties: Array.from({ length: amount }, (_, index) => ({
          name: `computed${index}`,
          query: `SELECT VALUE c.n + ${index} FROM c`,
        })),
      }),
  },
  indexedPaths: {
    status: 400,
    message: "more than 1500 entries",
    attempt: (amount) =>
      create({
        indexingPolicy: {
          includedPaths: pathsOf(amount).map((path) => ({ path: `${path}/?` })),
          excludedPaths: [{ path: "/*" }],
        },
      }),
  },
  compositeIndexes: {
    status: 400,
    message: "more than 100 entries",
    attempt: (amount) =>
      create({
        indexingPolicy: {
          compositeIndexes: pathsOf(amount).map((path) => [{ path }, { path: "/other" }]) as never,
        },
      }),
  },
  compositePaths: {
    status: 400,
    message: "more than 8 entries",
    attempt: (amount) =>
      create({
        indexingPolicy: { compositeIndexes: [pathsOf(amount).map((path) => ({ path }))] as never },
      }),
  },
  vectorDimensions: {
    status: 400,
    message: "4096",
    attempt: (amount) => createVectors({ dimensions: amount }, { type: "diskANN" }),
  },
  flatVectorDimensions: {
    status: 400,
    message: "505",
    attempt: (amount) => createVectors({ dimensions: amount }, { type: "flat" }),
  },
  quantizationBytes: {
    status: 400,
    message: "512",
    attempt: (amount) =>
      createVectors({ dimensions: 1536 }, { type: "quantizedFlat", quantizationByteSize: amount }),
  },
  provisionedRate: {
    status: 400,
    message: "from 400 to 1000000 RU/s",
    // The next rate is a step away. Of a database: it makes no physical partitions.
    attempt: (amount) => createDatabase({ throughput: Math.ceil(amount / 100) * 100 }),
  },
  sharingContainers: {
    status: 403,
    message: "at most 25 containers",
    attempt: async (amount) => {
      const database = await createDatabase({ throughput: 1000 });
      for (let index = 0; index < amount; index++) await openContainer(database);
    },
  },
};

describe("as much as there may be is taken, one more is refused:", () => {
  test.each(Object.entries(BOUNDS))("%s", async (name, { status, message, attempt }) => {
    const amount = limitOf(name);
    await attempt(amount);
    const refusal = await refusalOf(attempt(amount + 1));
    expect(refusal).toMatchObject({ status, message: expect.stringContaining(message) });
  });

  /** Where the others are met from both sides. */
  const ELSEWHERE: Readonly<Record<string, string>> = {
    pageBytes: "below",
    pageItems: "below",
    clockSkewMs: "below",
    queryUdfCalls: "below",
    manualRateMin: "below",
    manualRateStep: "below",
    autoscaleRateMin: "below",
    autoscaleRateStep: "below",
    partitionRate: "below",
    views: "src/engine/views/views.test.ts",
    manualRatePerGb: "src/model/throughput.test.ts",
    autoscaleRatePerGb: "src/model/throughput.test.ts",
    manualRateFall: "src/model/throughput.test.ts",
    autoscaleRateFall: "src/model/throughput.test.ts",
    logicalPartitionBytes: "below",
    physicalPartitionBytes: "splits have tests of their own",
    serverlessPartitionRate: "src/throughput",
    burstRate: "src/throughput",
    burstSeconds: "src/throughput",
    throughputBuckets: "src/model/throughputBucket.test.ts",
    stalenessWrites: "below",
    stalenessSeconds: "below",
    scriptTimeMs: "test/sdk/scripts.test.ts",
    scriptMemoryBytes: "src/script/probes.test.ts",
    procedures: "src/engine/resources.test.ts",
    triggers: "src/engine/resources.test.ts",
    functions: "src/engine/resources.test.ts",
    tokenSecondsLeast: "test/http/resources.test.ts",
    tokenSeconds: "test/http/resources.test.ts",
  };

  test("no limit is left out", () => {
    const met = [...Object.keys(BOUNDS), ...Object.keys(ELSEWHERE)];
    expect(met.toSorted()).toEqual(LIMITS.map(({ name }) => name).toSorted());
  });
});

describe("rates", () => {
  const rules: readonly [string, ContainerRequest, boolean][] = [
    ["manual, the lowest", { throughput: 400 }, true],
    ["manual, below it", { throughput: 300 }, false],
    ["manual, between two steps", { throughput: 450 }, false],
    ["autoscale, the lowest", { maxThroughput: 1000 }, true],
    ["autoscale, below it", { maxThroughput: 900 }, false],
    ["autoscale, between two steps", { maxThroughput: 1500 }, false],
  ];
  test.each(rules)("%s", async (_rule, request, isFine) => {
    if (isFine) await create(request);
    else expect(await refusalOf(create(request))).toMatchObject({ status: 400 });
  });
});

describe("pages", () => {
  test("have at most 4 MB, and at least one item", async () => {
    const large = await openContainer(stage.database);
    const fill = "x".repeat(1.5 * 1024 ** 2);
    for (const id of ["a", "b", "c"]) await large.items.create({ id, pk: "a", fill });
    const pages = await pagesOf(large.items.query("SELECT * FROM c", { partitionKey: "a" }));
    expect(pages.map((page) => page.length)).toEqual([2, 1]);
  });

  test("have at most 10,000 rows, however many are asked for", async () => {
    const many = await openContainer(stage.database);
    const numbers = Array.from({ length: 10_001 }, (_, index) => index);
    await many.items.create({ id: "a", pk: "a", numbers });
    const query = "SELECT VALUE n FROM c JOIN n IN c.numbers";
    for (const maxItemCount of [-1, 50_000]) {
      const options = { partitionKey: "a", maxItemCount };
      const pages = await pagesOf(many.items.query(query, options));
      // A page may also end because its time is up.
      expect(Math.max(...pages.map((page) => page.length))).toBeLessThanOrEqual(10_000);
      expect(pages.flat()).toEqual(numbers);
    }
  });
});

test("a query calls at most 10 user-defined functions", async () => {
  const calls = (count: number): string => Array(count).fill("udf.f(c)").join(", ");
  const limit = "The allowed limit is 10.";
  const tenCalls = await refusalOf(rows(`SELECT ${calls(10)} FROM c`));
  expect(tenCalls.message).not.toContain(limit);
  const oneMore = await refusalOf(rows(`SELECT ${calls(11)} FROM c`));
  expect(oneMore).toMatchObject({ status: 400, message: expect.stringContaining(limit) });
});

test("a clock may be off by 15 minutes", async () => {
  const statusAt = async (minutes: number): Promise<number> => {
    const date = new Date(Date.now() + minutes * 60_000).toUTCString();
    const headers = signatureOf(wire.server.key, "GET", ["dbs"], date);
    return (await wire.call("GET", ["dbs"], { key: null, headers })).status;
  };
  expect(await Promise.all([-14, 14].map(statusAt))).toEqual([200, 200]);
  expect(await Promise.all([-16, 16].map(statusAt))).toEqual([403, 403]);
});

describe("a smaller world", () => {
  test("says so in the account document, which the client reads as ever", async () => {
    await using small = await openStage({
      memory: true,
      scaleLimits: "1/1000",
      limits: { partitionRate: 1000 },
    });
    const { resource } = await small.client.getDatabaseAccount();
    expect(resource?.consistencyPolicy).toBe("Session");
    const { orrery } = await accountOf(small);
    expect(orrery).toEqual({
      rateLimit: false,
      serverless: false,
      burstCapacity: false,
      manualRatePerPartition: 1000,
      changedLimits: [
        shown("logicalPartitionBytes", "bytes", 21_474_836, 20 * GB),
        shown("physicalPartitionBytes", "bytes", 53_687_091, 50 * GB),
        shown("partitionRate", "RU/s", 1000, 10_000),
        shown("serverlessPartitionRate", "RU/s", 500, 5000),
        shown("burstRate", "RU/s", 300, 3000),
        shown("manualRatePerGb", "RU/s per GB", 1000, 1),
        shown("autoscaleRatePerGb", "RU/s per GB", 10_000, 10),
      ],
    });
    const { container: wide } = await small.database.containers.create({
      id: "wide",
      partitionKey: "/pk",
      throughput: 3000,
    });
    const { resources: ranges } = await wide.readPartitionKeyRanges().fetchAll();
    expect(ranges).toHaveLength(3);
  });

  test("by name reaches limits that would take long", async () => {
    await using small = await openStage({
      memory: true,
      limits: { itemBytes: "4KB", pageBytes: "2KB", patchOperations: 1, sharingContainers: 2 },
    });
    const little = await openContainer(small.database);
    const fill = "x".repeat(1200);
    for (const id of ["a", "b"]) await little.items.create({ id, pk: "a", fill });
    const pages = await pagesOf(little.items.query("SELECT * FROM c", { partitionKey: "a" }));
    expect(pages.map((page) => page.length)).toEqual([1, 1]);
    const tooLarge = little.items.create({ id: "c", pk: "a", fill: "x".repeat(5000) });
    expect(await refusalOf(tooLarge)).toMatchObject({ status: 413 });
    const set = { op: "set" as const, value: 1 };
    const patch = little.item("a", "a").patch([
      { ...set, path: "/p" },
      { ...set, path: "/q" },
    ]);
    expect(await refusalOf(patch)).toMatchObject({ status: 400 });
    const { database } = await small.client.databases.create({ id: "d", throughput: 400 });
    for (let count = 0; count < 2; count++) await openContainer(database);
    expect(await refusalOf(openContainer(database))).toMatchObject({
      status: 403,
      substatus: 1019,
    });
  });
});

describe("a logical partition", () => {
  test("that is full takes nothing that grows it, until there is room again", async () => {
    const limits = { logicalPartitionBytes: "64KB" };
    await using small = await openStage({ memory: true, limits });
    const full = await openContainer(small.database);
    const item = (id: string) => ({ id, pk: "a", fill: "x".repeat(20_000) });
    for (const id of ["1", "2", "3"]) await full.items.create(item(id));
    expect(await refusalOf(full.items.create(item("4")))).toMatchObject({
      status: 403,
      substatus: 1014,
      message: expect.stringContaining("Partition key reached maximum size of 64 KB"),
    });
    expect((await full.items.create({ ...item("4"), pk: "b" })).statusCode).toBe(201);
    expect((await full.item("1", "a").replace({ id: "1", pk: "a" })).statusCode).toBe(200);
    expect((await full.item("2", "a").delete()).statusCode).toBe(204);
    expect((await full.items.create(item("4"))).statusCode).toBe(201);
  });
});

describe("the account document", () => {
  test("of an account like any other names no changed limit", async () => {
    expect(await accountOf(stage)).toMatchObject({
      userConsistencyPolicy: { defaultConsistencyLevel: "Session" },
      orrery: { rateLimit: false, changedLimits: [] },
    });
  });

  test("says how rates are treated", async () => {
    await using rated = await openStage({
      memory: true,
      rateLimit: true,
      burstCapacity: true,
      manualRatePerPartition: 6000,
    });
    const told = { rateLimit: true, burstCapacity: true, manualRatePerPartition: 6000 };
    expect(await accountOf(rated)).toMatchObject({ orrery: told });
    await using serverless = await openStage({ memory: true, serverless: true });
    expect(await accountOf(serverless)).toMatchObject({
      orrery: { rateLimit: false, serverless: true },
    });
  });

  test("has the consistency the account was given, and by how much reads may lag", async () => {
    const consistency = "BoundedStaleness";
    await using bounded = await openStage({ memory: true, consistency });
    const { resource } = await bounded.client.getDatabaseAccount();
    expect(resource?.consistencyPolicy).toBe(consistency);
    expect((await accountOf(bounded))["userConsistencyPolicy"]).toEqual({
      defaultConsistencyLevel: consistency,
      maxStalenessPrefix: SERVICE_LIMITS.stalenessWritesMin,
      maxIntervalInSeconds: SERVICE_LIMITS.stalenessSecondsMin,
    });
  });
});

function limitOf(name: string): number {
  return limitValue(SERVICE_LIMITS, LIMITS.find((limit) => limit.name === name)!.place);
}

function shown(name: string, unit: string, value: number, serviceValue: number): object {
  return { name, unit, value, serviceValue };
}

function pathsOf(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `/p${index}`);
}

let createdCount = 0;

function create(request: ContainerRequest): Promise<unknown> {
  const id = `created-${++createdCount}`;
  return stage.database.containers.create({ id, partitionKey: "/pk", ...request });
}

async function createDatabase(request: { readonly throughput: number }) {
  const id = `created-${++createdCount}`;
  return (await stage.client.databases.create({ id, ...request })).database;
}

function createVectors(embedding: object, index: object): Promise<unknown> {
  const path = "/vector";
  return create({
    vectorEmbeddingPolicy: {
      vectorEmbeddings: [
        { path, dataType: "float32", distanceFunction: "cosine", ...embedding } as never,
      ],
    },
    indexingPolicy: { vectorIndexes: [{ path, ...index } as never] },
  });
}

function rows(query: string): Promise<unknown> {
  return container.items.query(query, { partitionKey: "nobody" }).fetchAll();
}

/** As the client would say it, so that both kinds of attempts can be told apart the same way. */
async function raw(answer: ReturnType<Wire["call"]>): Promise<void> {
  const { status, body } = await answer;
  if (status < 400) return;
  const { message } = JSON.parse(body.toString()) as { message: string };
  throw Object.assign(new ErrorResponse(message), { code: status });
}

function rawQuery(body: string): Promise<void> {
  const headers = {
    ...PARTITION_KEY,
    "content-type": "application/query+json",
    "x-ms-documentdb-isquery": "True",
  };
  return raw(wire.call("POST", ITEMS, { body, headers }));
}

function rawBulk(operations: readonly object[]): Promise<void> {
  const headers = { "x-ms-cosmos-is-batch-request": "True", "x-ms-cosmos-batch-atomic": "False" };
  return raw(wire.call("POST", ITEMS, { body: JSON.stringify(operations), headers }));
}

async function accountOf({ server }: Stage): Promise<Record<string, unknown>> {
  const headers = signatureOf(server.key, "GET", []);
  const answer = await fetch(server.endpoint, { headers });
  expect(answer.status).toBe(200);
  return (await answer.json()) as Record<string, unknown>;
}
