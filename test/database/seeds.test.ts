/** Seeds on a PostgreSQL: which node makes them, what a second start finds, what is refused. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InitSeed, OrreryOptions } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";

const INIT: InitSeed = {
  databases: {
    shop: {
      containers: {
        orders: {
          partitionKey: "/tenant",
          throughput: 400,
          items: Array.from({ length: 300 }, (_, n) => ({ id: `i${n}`, tenant: `t${n % 4}`, n })),
        },
      },
    },
  },
};
const ALL = { databases: 1, containers: 1, scripts: 0, items: 300 };
const NONE = { databases: 0, containers: 0, scripts: 0, items: 0 };

describe.runIf(hasPostgres())("a seed on PostgreSQL", () => {
  let postgres: LocalPostgres;
  let data: string;
  let store: string;

  beforeAll(async () => {
    postgres = await LocalPostgres.start({});
    data = await mkdtemp(join(tmpdir(), "orrery-seeds-"));
    store = await postgres.newDatabase();
  });

  afterAll(async () => {
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  });

  const options = (folder: string, init: InitSeed = INIT): OrreryOptions => ({
    store,
    data: join(data, folder),
    init,
  });

  async function messageOf(started: Promise<{ close(): Promise<void> }>): Promise<string> {
    const outcome = await started.then(
      async (server) => server.close(),
      (error: Error) => error.message,
    );
    return outcome ?? "";
  }

  test("is made by the node that works, and left to it by one that forwards", async () => {
    await using first = await startOrrery(options("a"));
    expect(first.init).toMatchObject({ made: ALL, found: NONE });
    await using second = await startOrrery(options("b"));
    expect([second.worker, second.init]).toEqual([first.node, undefined]);
    const client = new CosmosClient({ endpoint: second.endpoint, key: second.key });
    const read = await client.database("shop").container("orders").item("i7", "t3").read();
    expect(read.resource).toMatchObject({ n: 7 });
    client.dispose();
    expect(await messageOf(first.reset().then(() => first))).toContain("postgres://");
  });

  test("is found by a second start", async () => {
    await using server = await startOrrery(options("a"));
    expect(server.init).toMatchObject({ made: NONE, found: ALL, differingItems: 0 });
  });

  test("that cannot be ends the start, and the next one is none the worse", async () => {
    const otherKey: InitSeed = {
      databases: { shop: { containers: { orders: { partitionKey: "/other" } } } },
    };
    expect(await messageOf(startOrrery(options("a", otherKey)))).toContain(
      "The container 'shop/orders' is there already.",
    );
    await using server = await startOrrery(options("a"));
    expect(server.init?.found.items).toBe(300);
  });

  test("is nothing for a node that only waits", async () => {
    const waiting = { ...options("c"), standby: true };
    expect(await messageOf(startOrrery(waiting))).toContain("standby and init exclude each other");
  });
});
