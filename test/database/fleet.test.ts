/**
 * A server on two real PostgreSQLs: partitions are in both, one of them is killed under load, and
 * only its own partitions refuse; nothing that was acknowledged is lost.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Container } from "@azure/cosmos";
import { ChangeFeedStartFrom, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { runMove } from "../../src/cli/partitions/move.ts";
import { runRebalance } from "../../src/cli/partitions/rebalance.ts";
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

  test("gives a database that joins its share under load, and keeps everything", async () => {
    const third = await first.newDatabase();
    const server = await started(...urls, third);
    const container = await containerIn(server);
    const feed = container.items.getChangeFeedIterator({
      changeFeedStartFrom: ChangeFeedStartFrom.Beginning(),
    });
    while ((await feed.readNext()).statusCode !== 304);
    const written = new Map<string, number>();
    let isOver = false;
    const write = async (pk: string): Promise<void> => {
      for (let n = 10_000; !isOver; n++) {
        await container.items.upsert({ id: "it", pk, n });
        written.set(pk, n);
      }
    };
    const writing = Promise.all(KEYS.map(write));
    const access = ["--endpoint", server.endpoint, "--key", server.key];
    const preview = await told(() => runRebalance([...access, "--dry-run"], {}));
    expect(preview).toContain(endpointName(third));
    expect(preview).toMatch(/shop\/orders \d/);
    const before = await rangesOf(container);
    await told(() => runRebalance([...access, "--yes"], {}));
    isOver = true;
    await writing;
    expect(await told(() => runRebalance([...access, "--dry-run"], {}))).toContain("No move would");
    expect(await rangesOf(container)).not.toEqual(before);
    const seen = new Map<string, number>();
    for (let page = await feed.readNext(); page.statusCode !== 304; page = await feed.readNext()) {
      for (const { pk, n } of page.result as unknown as readonly Written[]) {
        expect(n).toBeGreaterThanOrEqual(seen.get(pk) ?? 0);
        seen.set(pk, n);
      }
    }
    expect([...seen].toSorted()).toEqual([...written].toSorted());
    await server.close();

    const again = await started(third, ...urls);
    const { resources } = await (await containerIn(again)).items
      .query("SELECT c.pk, c.n FROM c", { forceQueryPlan: true })
      .fetchAll();
    expect(resources.map(({ pk, n }) => [pk, n]).toSorted()).toEqual([...written].toSorted());
    const client = ["--endpoint", again.endpoint, "--key", again.key];
    const move = (...args: string[]): Promise<string> =>
      told(() => runMove(["shop/orders", ...args, ...client], {}));
    const [range] = await rangesOf(await containerIn(again));
    await expect(move("--range", range!, "--to", "nowhere")).rejects.toThrow(
      /no endpoint 'nowhere'/,
    );
    await again.close();
  });
});

interface Written {
  readonly pk: string;
  readonly n: number;
}

async function told(command: () => Promise<void>): Promise<string> {
  const written = vi.spyOn(process.stdout, "write").mockReturnValue(true);
  try {
    await command();
    return written.mock.calls.map(([text]) => String(text)).join("");
  } finally {
    written.mockRestore();
  }
}

async function rangesOf(container: Container): Promise<readonly string[]> {
  const { resources } = await container.readPartitionKeyRanges().fetchAll();
  return resources.map(({ id }) => String(id)).toSorted();
}

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
