/**
 * Who is throttled first, through the official client: low priority before high, and who has spent
 * the share of its throughput bucket before all others.
 *
 * A physical partition has 100 RU/s here instead of 10,000, and the containers have four, so one
 * key can spend 100 RU/s.
 */
import type { Container, RequestOptions } from "@azure/cosmos";
import { ErrorResponse, PriorityLevel } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, askOf } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, refusalOf } from "./stage.ts";

const SCALED = { memory: true, rateLimit: true, limits: { partitionRate: 100 } } as const;
const KEY_RATE = 100;
const LOW = { priorityLevel: PriorityLevel.Low };
const HIGH = { priorityLevel: PriorityLevel.High };

let stage: Stage;
beforeAll(async () => {
  stage = await openStage(SCALED);
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("priorities", () => {
  test("when there is too little for both, the low ones are refused first", async () => {
    const container = impatientOf(await openContainer(stage.database));
    const high = { served: 0, throttled: 0 };
    const low = { served: 0, throttled: 0 };
    const isOver = (): boolean => high.served >= 24;
    const writeAs = async (own: typeof high, options: RequestOptions): Promise<void> => {
      while (!isOver()) {
        const item = { id: String(own.served), pk: "a", fill: "x".repeat(10_000) };
        const status = await statusOf(container.items.upsert(item, options));
        if (status === 429) own.throttled++;
        else own.served++;
        if (status === 429) await pause(5);
      }
    };
    await Promise.all([0, 1, 2, 3].flatMap(() => [writeAs(high, HIGH), writeAs(low, LOW)]));
    const throttledShare = ({ served, throttled }: typeof high): number =>
      throttled / (served + throttled);
    expect(low.throttled).toBeGreaterThan(0);
    expect(low.served).toBeLessThan(high.served / 2);
    expect(throttledShare(low)).toBeGreaterThan(throttledShare(high));
  });

  test("alone, low ones have all there is", async () => {
    const container = impatientOf(await openContainer(stage.database));
    const { ru, refusal } = await spendAll(container, LOW);
    expect(ru).toBeGreaterThanOrEqual(KEY_RATE);
    expect([refusal.code, refusal.substatus]).toEqual([429, 3200]);
  });

  test("high is what everybody is who says nothing", async () => {
    const container = impatientOf(await openContainer(stage.database));
    // Leaves a third of what there is: enough for those who are kept something.
    for (const id of ["1", "2", "3"]) {
      await container.items.create({ id, pk: "a", fill: "x".repeat(50_000) });
    }
    expect((await container.item("1", "a").read()).statusCode).toBe(200);
    expect((await container.item("1", "a").read(HIGH)).statusCode).toBe(200);
  });

  test("there are no others", async () => {
    const container = await openContainer(stage.database);
    const options = { priorityLevel: "Medium" as PriorityLevel };
    const attempts = [
      () => container.items.create({ id: "1", pk: "a" }, options),
      () => container.item("1", "a").read(options),
      () => container.items.query("SELECT * FROM c", options).fetchAll(),
      () => container.items.readAll(options).fetchAll(),
    ];
    for (const attempt of attempts) {
      expect(await refusalOf(attempt())).toMatchObject({
        status: 400,
        message: expect.stringContaining("High or Low"),
      });
    }
  });
});

describe("a throughput bucket", () => {
  let container: Container;
  /** One percent of the key's rate, 1 RU/s: any write is a debt of seconds. */
  const MEAGRE = { id: 1, maxThroughputPercentage: 1 };

  beforeAll(async () => {
    container = impatientOf(await openContainer(stage.database));
    await setBuckets(container, [MEAGRE, { id: 2, maxThroughputPercentage: 100 }]);
    // A debt of twenty seconds, which a busy machine meets, too; the item itself is in the way.
    const fill = "x".repeat(50_000);
    await container.items.create({ id: "debt", pk: "a", fill }, { throughputBucket: 1 });
    await container.item("debt", "a").delete();
    await container.items.create({ id: "1", pk: "a" });
  });

  const inBucket: readonly [string, (options: RequestOptions) => Promise<unknown>][] = [
    ["a read", (options) => container.item("1", "a").read(options)],
    ["a create", (options) => container.items.create({ id: `${++count}`, pk: "a" }, options)],
    [
      "a query",
      (options) =>
        container.items.query("SELECT * FROM c", { ...options, partitionKey: "a" }).fetchAll(),
    ],
    ["a feed", (options) => container.items.readAll({ ...options, partitionKey: "a" }).fetchAll()],
  ];
  let count = 1;

  test.each(inBucket)("that has spent its share refuses %s: 429/3212", async (_what, attempt) => {
    const refusal = await attempt({ throughputBucket: 1 }).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(ErrorResponse);
    const { code, substatus, headers, message } = refusal as ErrorResponse;
    expect([code, substatus]).toEqual([429, 3212]);
    expect(Number(headers?.["x-ms-retry-after-ms"])).toBeGreaterThan(0);
    expect(headers?.["x-ms-request-charge"]).toBe("0.38");
    expect(message).toContain("throughput bucket");
  });

  test.each(inBucket)("holds up nobody else: %s", async (_what, attempt) => {
    // Another one, one that is not configured, and none at all.
    for (const options of [{ throughputBucket: 2 }, { throughputBucket: 5 }, {}]) {
      await attempt(options);
    }
  });

  test("is named for all requests of a client", async () => {
    const client = clientOf(stage.server, { ...IMPATIENT, throughputBucket: 1 });
    const seen = client.database(container.database.id).container(container.id);
    expect(await refusalOf(seen.item("1", "a").read())).toMatchObject({ substatus: 3212 });
    const elsewhere = { throughputBucket: 2 };
    expect((await seen.item("1", "a").read(elsewhere)).statusCode).toBe(200);
    client.dispose();
  });

  test.each([6, 99, -1, 1.5])("%d is none: 400", async (throughputBucket) => {
    const attempts = [
      () => container.items.create({ id: "6", pk: "a" }, { throughputBucket }),
      () => container.item("1", "a").read({ throughputBucket }),
      () => container.items.query("SELECT * FROM c", { throughputBucket }).fetchAll(),
    ];
    for (const attempt of attempts) {
      expect(await refusalOf(attempt())).toMatchObject({
        status: 400,
        message: expect.stringContaining("from 1 to 5"),
      });
    }
  });

  test("is the default one for those who name none", async () => {
    const other = impatientOf(await openContainer(stage.database));
    await setBuckets(other, [{ ...MEAGRE, isDefaultBucket: true }]);
    await other.items.create({ id: "1", pk: "a" });
    expect(await refusalOf(other.item("1", "a").read())).toMatchObject({ substatus: 3212 });
    const named = { throughputBucket: 4 };
    expect((await other.item("1", "a").read(named)).statusCode).toBe(200);
  });

  test("refuses a bulk one by one", async () => {
    const client = clientOf(stage.server, { ...IMPATIENT, throughputBucket: 1 });
    const seen = client.database(container.database.id).container(container.id);
    const results = await seen.items.executeBulkOperations([
      { operationType: "Upsert", resourceBody: { id: "1", pk: "a" }, partitionKey: "a" },
    ]);
    expect(results[0]?.error).toMatchObject({ code: 429 });
    client.dispose();
  });
});

describe("throughput buckets are configured", () => {
  test("in the offer, which shows them", async () => {
    const container = await openContainer(stage.database);
    const buckets = [
      { id: 1, maxThroughputPercentage: 30 },
      { id: 3, maxThroughputPercentage: 50, isDefaultBucket: true },
    ];
    expect(await setBuckets(container, buckets)).toEqual(buckets);
    expect(await bucketsOf(container)).toEqual(buckets);
    // A change of the rate that does not mention them leaves them as they are.
    const { resource, offer } = await container.readOffer();
    const { throughputBuckets: _, ...content } = resource!.content as unknown as Content;
    await offer!.replace({ ...resource!, content: { ...content, offerThroughput: 400 } as never });
    expect(await bucketsOf(container)).toEqual(buckets);
    expect(await setBuckets(container, [])).toBeUndefined();
  });

  test("by the admin API, with the same effect", async () => {
    const container = impatientOf(await openContainer(stage.database));
    const buckets = [{ id: 1, percent: 1 }];
    expect(await askOf(stage.server, container, "buckets", { buckets })).toEqual({ buckets });
    expect(await bucketsOf(container)).toEqual([{ id: 1, maxThroughputPercentage: 1 }]);
    const options = { throughputBucket: 1 };
    await container.items.create({ id: "1", pk: "a" }, options);
    expect(await refusalOf(container.item("1", "a").read(options))).toMatchObject({
      status: 429,
      substatus: 3212,
    });
    await askOf(stage.server, container, "buckets", { buckets: [] });
    expect((await container.item("1", "a").read(options)).statusCode).toBe(200);
  });

  test.each([
    ["an id beyond 5", [{ id: 6, maxThroughputPercentage: 10 }]],
    ["an id below 1", [{ id: 0, maxThroughputPercentage: 10 }]],
    ["more than all", [{ id: 1, maxThroughputPercentage: 101 }]],
    ["nothing", [{ id: 1, maxThroughputPercentage: 0 }]],
    ["one id twice", [1, 2].map((percent) => ({ id: 1, maxThroughputPercentage: percent }))],
    [
      "two defaults",
      [1, 2].map((id) => ({ id, maxThroughputPercentage: 9, isDefaultBucket: true })),
    ],
    ["no percentage", [{ id: 1 }]],
  ])("but not with %s: 400", async (_what, buckets) => {
    const container = await openContainer(stage.database);
    expect(await refusalOf(setBuckets(container, buckets))).toMatchObject({ status: 400 });
    expect(await bucketsOf(container)).toBeUndefined();
  });

  test("but not without a container, which the admin API says", async () => {
    const attempt = ask(stage.server, "containers/stage/none/buckets", { buckets: [] });
    await expect(attempt).rejects.toThrow("404");
  });
});

/** Does not try again. */
const IMPATIENT = { connectionPolicy: { retryOptions: { maxRetryAttemptCount: 0 } } };

type Content = Record<string, unknown>;

function impatientOf({ id, database }: Container): Container {
  return clientOf(stage.server, IMPATIENT).database(database.id).container(id);
}

async function bucketsOf(container: Container): Promise<unknown> {
  const { resource } = await container.readOffer();
  return (resource!.content as unknown as Content)["throughputBuckets"];
}

async function setBuckets(container: Container, throughputBuckets: object[]): Promise<unknown> {
  const { resource, offer } = await container.readOffer();
  const content = { ...resource!.content!, throughputBuckets };
  const replaced = await offer!.replace({ ...resource!, content });
  return (replaced.resource!.content as unknown as Content)["throughputBuckets"];
}

/** Writes one after the other until one is refused. */
async function spendAll(
  container: Container,
  options: RequestOptions,
): Promise<{ readonly ru: number; readonly refusal: ErrorResponse }> {
  let ru = 0;
  for (let index = 0; ; index++) {
    try {
      const item = { id: String(index), pk: "a", fill: "x".repeat(50_000) };
      ru += (await container.items.create(item, options)).requestCharge;
    } catch (error) {
      if (error instanceof ErrorResponse) return { ru, refusal: error };
      throw error;
    }
  }
}

async function statusOf(attempt: Promise<{ readonly statusCode: number }>): Promise<number> {
  try {
    return (await attempt).statusCode;
  } catch (error) {
    if (error instanceof ErrorResponse && error.code === 429) return 429;
    throw error;
  }
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
