/**
 * A server on two real PostgreSQLs: partitions are in both, one of them is killed under load, and
 * only its own partitions refuse; nothing that was acknowledged is lost.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { OrreryServer } from "../../src/index.ts";
import { startOrrery } from "../../src/index.ts";
import { endpointName } from "../../src/server/surroundings/storeOption.ts";
import { hasPostgres, LocalPostgres } from "../../src/store/postgres/localPostgres.fake.ts";

const KEYS = Array.from({ length: 12 }, (_, n) => `p${n}`);

describe.runIf(hasPostgres())("a server on two PostgreSQLs", () => {
  let first: LocalPostgres;
  let second: LocalPostgres;
  let urls: readonly [string, string];
  let data: string;

  beforeAll(async () => {
    [first, second] = await Promise.all([
      LocalPostgres.start({ isDurable: true }),
      LocalPostgres.start({ isDurable: true }),
    ]);
    urls = [await first.newDatabase(), await second.newDatabase()];
    data = await mkdtemp(join(tmpdir(), "orrery-fleet-"));
  });

  afterAll(async () => {
    await Promise.all([first?.stop(), second?.stop()]);
    await rm(data, { recursive: true, force: true });
  });

  const started = (...store: readonly string[]): Promise<OrreryServer> =>
    startOrrery({ store, data, rateLimit: false });

  test("has partitions in both, and only those of a dead one refuse", async () => {
    const server = await started(...urls);
    const container = await containerIn(server);
    const acknowledged = new Map<string, number>();
    const refusedAt: string[] = [];
    let isOver = false;
    const write = async (pk: string): Promise<void> => {
      for (let n = 1; !isOver; n++) {
        try {
          await container.items.upsert({ id: "it", pk, n });
          acknowledged.set(pk, n);
        } catch (error) {
          expect((error as { code?: unknown }).code).toBe(503);
          refusedAt.push(pk);
        }
      }
    };
    const writing = Promise.all(KEYS.map(write));
    await expect.poll(() => acknowledged.size, POLL).toBe(KEYS.length);
    expect(await health(server)).toMatchObject({ status: "ready", outOfReach: [] });

    await second.kill();
    await expect
      .poll(() => health(server), POLL)
      .toMatchObject({ status: "ready", outOfReach: [{}] });
    const { outOfReach } = await health(server);
    expect(outOfReach).toEqual([
      { endpoint: endpointName(urls[1]), partitions: expect.arrayContaining([expect.any(String)]) },
    ]);
    refusedAt.length = 0;
    const reached = new Map(acknowledged);
    const goesOn = (): readonly string[] =>
      KEYS.filter((pk) => (acknowledged.get(pk) ?? 0) > (reached.get(pk) ?? 0) + 3);
    await expect.poll(() => goesOn().length, POLL).toBeGreaterThan(0);
    const served = new Set(goesOn());
    expect(refusedAt.filter((pk) => served.has(pk))).toEqual([]);
    expect(served.size).toBeLessThan(KEYS.length);

    await second.start();
    await expect
      .poll(() => health(server), POLL)
      .toMatchObject({ status: "ready", outOfReach: [] });
    const back = new Map(acknowledged);
    await expect
      .poll(() => KEYS.every((pk) => (acknowledged.get(pk) ?? 0) > (back.get(pk) ?? 0)), POLL)
      .toBe(true);
    isOver = true;
    await writing;
    for (const pk of KEYS) {
      const { resource } = await container.item("it", pk).read();
      expect(resource.n).toBe(acknowledged.get(pk));
    }
    await server.close();
  });

  test("is opened in any order, and not without one of them", async () => {
    await expect(started(urls[0])).rejects.toThrow(/The data is in .* as well/);
    await expect(started(urls[1])).rejects.toThrow(/catalogue is not among/);
    const stranger = await first.newDatabase();
    await expect(started(urls[0], stranger)).rejects.toThrow(/The data is in .* as well/);
    await expect(started(urls[0], urls[0])).rejects.toThrow(/twice/);
    const server = await started(`${urls[1]},${urls[0]}`);
    const container = await containerIn(server);
    const { resources } = await container.items
      .query("SELECT VALUE COUNT(1) FROM c", { forceQueryPlan: true })
      .fetchAll();
    expect(resources).toEqual([KEYS.length]);
    await server.close();
  });
});

const POLL = { timeout: 60_000, interval: 20 };

async function containerIn({ endpoint, key }: OrreryServer) {
  const connectionPolicy = { retryOptions: { maxRetryAttemptCount: 0, maxWaitTimeInSeconds: 0 } };
  const client = new CosmosClient({
    endpoint,
    key,
    connectionPolicy: { ...connectionPolicy, enableEndpointDiscovery: false } as never,
  });
  const { database } = await client.databases.createIfNotExists({ id: "shop" });
  const definition = { id: "orders", partitionKey: "/pk", throughput: 40_000 };
  const { container } = await database.containers.createIfNotExists(definition);
  return container;
}

async function health({ endpoint }: OrreryServer): Promise<object & { outOfReach: unknown }> {
  const answer = await fetch(`${endpoint}/ready`);
  return { outOfReach: [], ...((await answer.json()) as object) };
}
