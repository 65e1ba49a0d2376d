/**
 * How a rate is divided, and what an uneven load makes of it: six tenants over three physical
 * partitions, one of them heavy.
 *
 * The documented example has 30,000 RU/s; here it is a twentieth of that. A physical partition has
 * 500 RU/s instead of 10,000, so that one client can use it up. Bounds are on what was charged, and
 * hold however fast this machine is.
 */
import type { Container } from "@azure/cosmos";
import { ErrorResponse } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { countersOf, locate, reportOf } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage } from "./stage.ts";

const LIMITED = { memory: true, rateLimit: true } as const;
const SCALE = 1 / 20;
const PARTITION_RATE = 10_000 * SCALE;
const SCALED = { ...LIMITED, limits: { partitionRate: PARTITION_RATE } };
const IMPATIENT = { connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } };

/** What is heavy about the heavy tenant: any few of them are more than a second's worth. */
const LARGE = "x".repeat(100_000);
const LARGE_CHARGE_MAX = 100;

/** What a tenant was told. */
interface Told {
  served: number;
  throttled: number;
  ru: number;
}

describe("30,000 RU/s over three physical partitions, six tenants, one of them heavy", () => {
  let stage: Stage;
  let container: Container;
  let neighbour: Container;
  /** Two of each physical partition, in key order; the third one is the heavy one. */
  let tenants: readonly string[];
  const told = new Map<string, Told>();
  let seconds = 0;
  let unrelated: Told;

  beforeAll(async () => {
    stage = await openStage(SCALED);
    const client = clientOf(stage.server, IMPATIENT);
    const impatient = (made: Container): Container =>
      client.database(made.database.id).container(made.id);
    container = impatient(await openContainer(stage.database, { throughput: 30_000 * SCALE }));
    neighbour = impatient(await openContainer(stage.database, { throughput: 30_000 * SCALE }));
    tenants = await tenantsOf(stage, container);
    const [a, b, d, c, e, f] = tenants as readonly [string, string, string, string, string, string];
    const startedAt = performance.now();
    let isOver = false;
    const heavy = Promise.all(
      Array.from({ length: 8 }, () => write(d, (own) => own.ru < 1500, { fill: LARGE })),
    );
    const whileHeavy = write(c, () => !isOver);
    // Together less than what the partition of two of them has at the beginning.
    const light = [a, b, e, f].map((tenant) => write(tenant, (own) => own.served < 30));
    const elsewhere = write(d, (own) => own.served < 30, { where: neighbour });
    await heavy;
    isOver = true;
    await Promise.all([whileHeavy, ...light]);
    unrelated = await elsewhere;
    seconds = (performance.now() - startedAt) / 1000;
  });
  afterAll(() => stage[Symbol.asyncDispose]());

  async function write(
    tenant: string,
    goesOn: (own: Told) => boolean,
    { where = container, fill = "" }: { readonly where?: Container; readonly fill?: string } = {},
  ): Promise<Told> {
    const own = (where === container ? told.get(tenant) : undefined) ?? { ...NOTHING };
    if (where === container) told.set(tenant, own);
    while (goesOn(own)) {
      try {
        const item = { id: String(own.served % 50), pk: tenant, fill };
        const { requestCharge } = await where.items.upsert(item);
        own.ru += requestCharge;
        own.served++;
      } catch (error) {
        if (!(error instanceof ErrorResponse) || error.code !== 429) throw error;
        own.throttled++;
        await pause(Math.min(Number(error.headers?.["x-ms-retry-after-ms"]), 20));
      }
    }
    return own;
  }

  test("each physical partition is allotted a third", async () => {
    const { throughput, partitions } = await reportOf(stage.server, container);
    expect(throughput.ratePerSecond).toBe(30_000 * SCALE);
    expect(partitions.map(({ allottedRate }) => allottedRate)).toEqual([500, 500, 500]);
  });

  test("the partition of the heavy tenant throttles at its third", async () => {
    const heavy = told.get(tenants[2]!)!;
    expect(heavy.throttled).toBeGreaterThan(0);
    const spent = heavy.ru + told.get(tenants[3]!)!.ru;
    expect(heavy.ru).toBeGreaterThanOrEqual(1500);
    // What it had, what it earned, and one debt: nothing of what the others left unused.
    expect(spent).toBeLessThan(PARTITION_RATE * (1 + seconds) + LARGE_CHARGE_MAX);
  });

  test("so does the tenant that shares it, however little it asks for", () => {
    expect(told.get(tenants[3]!)!.throttled).toBeGreaterThan(0);
  });

  test("tenants of the other partitions notice nothing", () => {
    for (const tenant of [0, 1, 4, 5].map((index) => tenants[index]!)) {
      expect(told.get(tenant)).toMatchObject({ served: 30, throttled: 0 });
    }
  });

  test("neither does another container, even for the same key", () => {
    expect(unrelated).toMatchObject({ served: 30, throttled: 0 });
  });

  test("the counters of the server say the same", async () => {
    const throttled = await countersOf(stage.server, container, "throttled_requests");
    const spent = await countersOf(stage.server, container, "request_units");
    const of = (indexes: readonly number[], what: (own: Told) => number): number =>
      indexes.reduce((sum, index) => sum + what(told.get(tenants[index]!)!), 0);
    const pairs = [
      [0, 1],
      [2, 3],
      [4, 5],
    ];
    const { partitions } = await reportOf(stage.server, container);
    for (const [index, { id }] of partitions.entries()) {
      expect(throttled.get(id)).toBe(of(pairs[index]!, (own) => own.throttled));
      expect(spent.get(id)).toBeCloseTo(
        of(pairs[index]!, (own) => own.ru),
        3,
      );
    }
  });

  test("the report shows where the load is, and which key makes it", async () => {
    const { partitionId } = await locate(stage.server, container, tenants[2]!);
    await expect
      .poll(async () => (await reportOf(stage.server, container)).topByLoad[0]?.partitionKey)
      .toEqual([tenants[2]]);
    const { partitions, figures, topByLoad } = await reportOf(stage.server, container);
    const hot = partitions.find(({ id }) => id === partitionId)!;
    expect(hot.lastFiveMinutes.throttledCount).toBeGreaterThan(0);
    for (const { id, lastFiveMinutes } of partitions) {
      if (id !== partitionId) expect(lastFiveMinutes).toMatchObject({ throttledCount: 0 });
    }
    expect(topByLoad[0]).toMatchObject({ partitionId });
    expect(figures.busiestShare).toBeGreaterThan(0.5);
    expect(figures.giniOfLoad).toBeGreaterThan(0.2);
  });
});

describe("18,000 RU/s over three physical partitions give each 6,000", () => {
  test("when the rate is lowered: physical partitions stay", async () => {
    await using stage = await openStage(LIMITED);
    const container = await openContainer(stage.database, { throughput: 30_000 });
    const { resource, offer } = await container.readOffer();
    const content = { ...resource!.content!, offerThroughput: 18_000 };
    await offer!.replace({ ...resource!, content });
    const { partitions } = await reportOf(stage.server, container);
    expect(partitions.map(({ allottedRate }) => allottedRate)).toEqual([6000, 6000, 6000]);
  });

  test("when a container is made by the rule of the service, one for each 6,000", async () => {
    await using stage = await openStage({ ...LIMITED, manualRatePerPartition: 6000 });
    const container = await openContainer(stage.database, { throughput: 18_000 });
    const { throughput, partitions } = await reportOf(stage.server, container);
    expect(throughput).toMatchObject({ ratePerSecond: 18_000, isLimited: true });
    expect(partitions.map(({ allottedRate }) => allottedRate)).toEqual([6000, 6000, 6000]);
  });
});

describe("a shared rate", () => {
  test("is spent by all containers of the database, and by no other", async () => {
    await using stage = await openStage(SCALED);
    const client = clientOf(stage.server, IMPATIENT);
    const { database } = await client.databases.create({ id: "shared", throughput: 400 });
    const [one, other] = [await openContainer(database), await openContainer(database)];
    const alone = await openContainer(database, { throughput: 400 });
    // 1,250 RU: a debt of two seconds.
    const fill = "x".repeat(1_900_000);
    await one.items.create({ id: "large", pk: "a", fill });
    const refusal = await other.items.create({ id: "1", pk: "b" }).catch((error) => error);
    expect([refusal.code, refusal.substatus]).toEqual([429, 3200]);
    expect((await alone.items.create({ id: "1", pk: "b" })).statusCode).toBe(201);
    const { throughput } = await reportOf(stage.server, other);
    expect(throughput).toMatchObject({ isShared: true, ratePerSecond: 400 });
  });
});

describe("autoscale", () => {
  test("shows in the offer a rate that follows the load, up to its ceiling", async () => {
    await using stage = await openStage(LIMITED);
    const { container } = await stage.database.containers.create({
      id: "c",
      partitionKey: "/pk",
      maxThroughput: 4000,
    });
    expect(await rateNow(container)).toBe(400);
    // 3,750 RU at once are 750 RU/s over five seconds, rounded up.
    const fill = "x".repeat(1_900_000);
    for (const id of ["1", "2", "3"]) await container.items.create({ id, pk: "a", fill });
    expect(await rateNow(container)).toBe(800);
    const { throughput } = await reportOf(stage.server, container);
    expect(throughput).toMatchObject({ kind: "autoscale", ratePerSecond: 4000, rateNow: 800 });
  });

  async function rateNow(container: Container): Promise<number> {
    return (await container.readOffer()).resource!.content!.offerThroughput;
  }
});

describe("a serverless account", () => {
  test("refuses throughput, and gives each physical partition 5,000 RU/s", async () => {
    await using stage = await openStage({ ...LIMITED, serverless: true });
    for (const request of [{ throughput: 400 }, { maxThroughput: 1000 }]) {
      const attempts = [
        stage.client.databases.create({ id: "provisioned", ...request }),
        stage.database.containers.create({ id: "provisioned", ...request }),
      ];
      for (const attempt of attempts) {
        expect(await attempt.catch((error) => error.code)).toBe(400);
      }
    }
    const container = await openContainer(stage.database);
    const { throughput, partitions } = await reportOf(stage.server, container);
    expect(throughput.kind).toBe("serverless");
    expect(partitions.map(({ allottedRate }) => allottedRate)).toEqual([5000]);
  });
});

const NOTHING: Told = { served: 0, throttled: 0, ru: 0 };

/** Two names for each physical partition, in key order. */
async function tenantsOf({ server }: Stage, container: Container): Promise<readonly string[]> {
  const { partitions } = await reportOf(server, container);
  const found = new Map(partitions.map(({ id }) => [id, [] as string[]]));
  for (let index = 0; [...found.values()].some((names) => names.length < 2); index++) {
    const name = `tenant-${index}`;
    found.get((await locate(server, container, name)).partitionId)!.push(name);
  }
  return [...found.values()].flatMap((names) => names.slice(0, 2));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
