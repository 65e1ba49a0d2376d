/**
 * A server on a real PostgreSQL through the official client: what it was told is there after a
 * restart, queries, feeds, batches and splits are as on a directory, and what cannot be is told
 * in a sentence.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";

const ITEMS = Array.from({ length: 60 }, (_, n) => ({
  id: `i${n}`,
  tenant: `t${n % 4}`,
  n,
  tags: [n % 3, "é\u0000"],
}));

describe.runIf(hasPostgres())("a server on PostgreSQL", () => {
  let postgres: LocalPostgres;
  let data: string;
  let store: string;

  beforeAll(async () => {
    postgres = await LocalPostgres.start({ isDurable: true });
    data = await mkdtemp(join(tmpdir(), "orrery-database-"));
    store = await postgres.newDatabase();
  });

  afterAll(async () => {
    await postgres?.stop();
    await rm(data, { recursive: true, force: true });
  });

  const started = (folder: string): Promise<OrreryServer> =>
    startOrrery({ store, data: join(data, folder) });

  function containerOf({ endpoint, key }: OrreryServer) {
    const client = new CosmosClient({ endpoint, key });
    return client.database("shop").container("orders");
  }

  test("keeps what it was told, and answers as it does on a directory", async () => {
    const server = await started("a");
    const client = new CosmosClient({ endpoint: server.endpoint, key: server.key });
    const { database } = await client.databases.create({ id: "shop" });
    const definition = { id: "orders", partitionKey: "/tenant", throughput: 20_000 };
    await database.containers.create(definition);
    const container = containerOf(server);
    for (const item of ITEMS) await container.items.create(item);
    const batch = await container.items.batch(
      [
        { operationType: "Upsert", resourceBody: { id: "i0", tenant: "t0", n: 0, late: true } },
        { operationType: "Delete", id: "i4" },
      ],
      "t0",
    );
    expect(batch.code).toBe(200);
    await container.item("i1", "t1").patch([{ op: "incr", path: "/n", value: 100 }]);
    await server.close();

    const again = await started("a");
    const kept = containerOf(again);
    const { resources } = await kept.items
      .query("SELECT VALUE c.n FROM c WHERE c.n >= 50 ORDER BY c.n DESC")
      .fetchAll();
    expect(resources).toEqual([101, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50]);
    const count = await kept.items
      .query("SELECT VALUE COUNT(1) FROM c WHERE ARRAY_CONTAINS(c.tags, 1)", { partitionKey: "t1" })
      .fetchAll();
    expect(count.resources).toEqual([5]);
    const { resource } = await kept.item("i7", "t3").read();
    expect(resource).toMatchObject(ITEMS[7]!);
    const seen: string[] = [];
    const feed = kept.items.getChangeFeedIterator({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
    });
    for (let page = await feed.readNext(); page.statusCode !== 304; page = await feed.readNext()) {
      seen.push(...page.result.map(({ id }: { id: string }) => id));
    }
    expect(seen.toSorted()).toEqual(
      ITEMS.map(({ id }) => id)
        .filter((id) => id !== "i4")
        .toSorted(),
    );
    await again.close();
  });

  test("one that is to wait serves nobody until it has taken over", async () => {
    const first = await started("a");
    const waiting = startOrrery({ store, data: join(data, "c"), standby: true });
    await containerOf(first).items.create({ id: "last", tenant: "t0" });
    await first.close();
    const second = await waiting;
    expect((await containerOf(second).item("last", "t0").read()).statusCode).toBe(200);
    await second.close();
  });

  test("goes on when the database was away, without a restart", async () => {
    const server = await started("a");
    const container = containerOf(server);
    await postgres.kill();
    const lost = container.items.create({ id: "meanwhile", tenant: "t1" }).then(
      () => 201,
      (error: { readonly code?: unknown }) => error.code,
    );
    await postgres.start();
    expect([201, 503]).toContain(await lost);
    await expect
      .poll(() =>
        container
          .item("i7", "t3")
          .read()
          .then(({ statusCode }) => statusCode, String),
      )
      .toBe(200);
    await container.items.upsert({ id: "after", tenant: "t1" });
    await server.close();
  });

  test.each([
    ["mysql://localhost/x", /no address of a database/],
    ["postgres://orrery@127.0.0.1:1/x", /cannot be used: .*ECONNREFUSED/],
  ])("refuses %s with a sentence", async (address, words) => {
    await expect(startOrrery({ store: address, data: join(data, "d") })).rejects.toThrow(words);
  });

  test("refuses a database that a newer version has made", async () => {
    const newer = await postgres.newDatabase();
    await (await startOrrery({ store: newer, data: join(data, "e") })).close();
    await postgres.tell(newer, "UPDATE orrery_schema SET version = 99");
    const start = startOrrery({ store: newer, data: join(data, "e") });
    await expect(start).rejects.toThrow(/version 99, made by a newer Orrery/);
  });
});
