/** Offers over a catalogue: who has one, what it may become, and that it is there after opening. */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { RateSetting, Throughput, ThroughputChange } from "../../model/throughput.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { Catalog } from "./catalog.ts";
import type { Database } from "./database.ts";
import type { Offer } from "./offers.ts";
import { findOffer, growOffers, offersOf, replaceBuckets, replaceOffer } from "./offers.ts";

const LIMITS = { ...SERVICE_LIMITS, sharingContainersMax: 2 };
const RULES = { limits: LIMITS };
const RATES: RateSetting = {
  isLimited: false,
  isServerless: false,
  hasBurst: false,
  manualRatePerPartition: 10_000,
};
const SERVERLESS: RateSetting = { ...RATES, isServerless: true };
const TO_AUTOSCALE: ThroughputChange = { kind: "toAutoscale" };
const TO_MANUAL: ThroughputChange = { kind: "toManual" };

describe("an offer", () => {
  test("is what a container has that asks for a rate, or for none", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    const asking = await containerIn(catalog, database, "asking", manual(1000));
    const silent = await containerIn(catalog, database, "silent", undefined);
    expect(offersOf(catalog, RULES).map(({ owner }) => owner)).toEqual([asking, silent]);
    expect(offersOf(catalog, RULES).map(({ throughput }) => throughput)).toMatchObject([
      manual(1000),
      manual(400),
    ]);
  });

  test("is what a database has, and not the containers that share it", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    await containerIn(catalog, database, "sharing", undefined);
    const dedicated = await containerIn(catalog, database, "dedicated", autoscale(4000));
    expect(offersOf(catalog, RULES).map(({ owner }) => owner)).toEqual([database, dedicated]);
    expect(database.sharing.map(({ definition }) => definition.id)).toEqual(["sharing"]);
  });

  test("goes with its owner", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const container = await containerIn(catalog, database, "c", manual(400));
    const offers = offersOf(catalog, RULES);
    await catalog.deleteContainer(database, container);
    expect(findOffer(catalog, RULES, offers[1]!.rid)).toBeUndefined();
    expect(await replace(catalog, offers[1]!, set(manual(500)))).toMatchObject(NOT_FOUND);
    await catalog.deleteDatabase(database);
    expect(offersOf(catalog, RULES)).toEqual([]);
    expect(await replace(catalog, offers[0]!, set(manual(600)))).toMatchObject(NOT_FOUND);
  });

  test("of an owner that is deleted meanwhile is not found", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const container = await containerIn(catalog, database, "c", manual(400));
    const [ofDatabase, ofContainer] = offersOf(catalog, RULES);
    const deleted = catalog.deleteContainer(database, container);
    expect(await replace(catalog, ofContainer!, set(manual(500)))).toMatchObject(NOT_FOUND);
    await deleted;
    const gone = catalog.deleteDatabase(database);
    expect(await replace(catalog, ofDatabase!, set(manual(600)))).toMatchObject(NOT_FOUND);
    await gone;
  });

  test("has a rid that no other has", async () => {
    const { catalog } = await stage();
    for (const id of ["a", "b"]) {
      const database = await databaseIn(catalog, manual(500), id);
      await containerIn(catalog, database, "c", manual(400));
    }
    const rids = offersOf(catalog, RULES).map(({ rid }) => rid);
    expect(new Set(rids).size).toBe(4);
    expect(rids.every((rid) => rid.length === 4)).toBe(true);
  });
});

describe("sharing", () => {
  test("is for so many containers; those with a rate of their own do not count", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    await containerIn(catalog, database, "dedicated", manual(400));
    await containerIn(catalog, database, "first", undefined);
    const second = await containerIn(catalog, database, "second", undefined);
    const provisioning = { partitionCount: 1, throughput: undefined };
    const third = await catalog.createContainer(database, definitionOf("third"), provisioning);
    expect(third).toMatchObject({ ok: false, error: { kind: "sharingFull", countMax: 2 } });
    await containerIn(catalog, database, "more", manual(400));
    await catalog.deleteContainer(database, second);
    await containerIn(catalog, database, "third", undefined);
  });

  test("is not for containers with a vector index", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const plain = await containerIn(catalog, database, "plain", undefined);
    const definition = definitionOf("vectors", {
      vectorEmbeddingPolicy: { vectorEmbeddings: [{ path: "/v" }] },
      indexingPolicy: { vectorIndexes: [{ path: "/v", type: "diskANN" }] },
    });
    const told = { ok: false, error: { message: expect.stringContaining("shared throughput") } };
    const provisioning = { throughput: undefined };
    expect(await catalog.createContainer(database, definition, provisioning)).toMatchObject(told);
    expect(await catalog.replaceContainer(plain, definition)).toMatchObject(told);
    const own = { throughput: manual(400) };
    const made = await catalog.createContainer(database, definition, own);
    expect(made.ok && (await catalog.replaceContainer(made.value, definition)).ok).toBe(true);
  });
});

describe("replacing", () => {
  const rows: readonly {
    readonly rule: string;
    readonly from: Throughput;
    readonly change: ThroughputChange;
    readonly becomes: Throughput | RegExp;
  }[] = [
    { rule: "up", from: manual(400), change: set(manual(500)), becomes: manual(500) },
    { rule: "below", from: manual(60_000), change: set(manual(500)), becomes: /from 600 to/ },
    { rule: "to autoscale", from: manual(7300), change: TO_AUTOSCALE, becomes: autoscale(8000) },
    { rule: "to manual", from: autoscale(7000), change: TO_MANUAL, becomes: manual(7000) },
  ];

  test.each(rows)("$rule", async ({ from, change, becomes }) => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    const container = await containerIn(catalog, database, "c", from);
    const before = container.record;
    const [offer] = offersOf(catalog, RULES);
    const replaced = await replace(catalog, offer!, change);
    if (becomes instanceof RegExp) {
      const message = expect.stringMatching(becomes);
      expect(replaced).toMatchObject({ ok: false, error: { message } });
      expect(container.record).toBe(before);
      return;
    }
    expect(replaced).toMatchObject({ ok: true, value: { rid: offer!.rid, throughput: becomes } });
    expect(container.record.etag).toBe(before.etag);
    expect(container.record.throughput!.etag).not.toBe(before.throughput!.etag);
  });

  test("above what the partitions serve has to wait, and all that comes meanwhile", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    const container = await containerIn(catalog, database, "c", manual(400), 2);
    const [offer] = offersOf(catalog, RULES);
    const [raised, lowered, bucketed] = await Promise.all([
      replace(catalog, offer!, set(manual(20_100))),
      replace(catalog, offer!, set(manual(500))),
      replaceBuckets(catalog, RULES, container, [{ id: 1, percent: 10 }]),
    ]);
    expect(raised).toMatchObject({
      value: { throughput: { ...manual(400), pending: manual(20_100), rateMaxEver: 400 } },
    });
    const refused = { ok: false, error: { kind: "replacePending", pendingRate: 20_100 } };
    expect([lowered, bucketed]).toEqual([refused, refused]);
  });

  test("a migration minds the highest rate ever", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    await containerIn(catalog, database, "c", manual(50_000), 5);
    const [offer] = offersOf(catalog, RULES);
    await replace(catalog, offer!, set(manual(500)));
    const replaced = await replace(catalog, offer!, TO_AUTOSCALE);
    expect(replaced).toMatchObject({ value: { throughput: autoscale(5000), rateMin: 5000 } });
  });

  test("a shared rate is bound by the containers that share it", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const [offer] = offersOf(catalog, RULES);
    const alone = await replace(catalog, offer!, set(manual(10_100)));
    const message = expect.stringContaining("Without a container that shares");
    expect(alone).toMatchObject({ ok: false, error: { kind: "badRequest", message } });
    expect(await replace(catalog, offer!, set(manual(10_000)))).toMatchObject({ ok: true });
    await containerIn(catalog, database, "dedicated", manual(400), 1);
    await containerIn(catalog, database, "sharing", undefined, 3);
    const reached = await replace(catalog, offer!, set(manual(30_000)));
    expect(reached).toMatchObject({ value: { partitionCount: 3, throughput: manual(30_000) } });
    const beyond = await replace(catalog, offer!, set(manual(30_100)));
    expect(beyond).toMatchObject({ value: { throughput: { pending: manual(30_100) } } });
  });

  test("sees what the one before has made of the offer", async () => {
    const { catalog } = await stage();
    await containerIn(catalog, await databaseIn(catalog, undefined), "c", manual(400));
    const [offer] = offersOf(catalog, RULES);
    const seen: unknown[] = [];
    const rates = [500, 600, 700];
    await Promise.all(
      rates.map((rate) =>
        replaceOffer(catalog, RULES, offer!.rid, ({ throughput }) => {
          seen.push(throughput.kind === "manual" && throughput.ratePerSecond);
          return { ok: true, value: set(manual(rate)) };
        }),
      ),
    );
    expect(seen).toEqual([400, 500, 600]);
  });
});

describe("throughput buckets", () => {
  const buckets = [{ id: 1, percent: 10 }];

  test("are a container's, and there again after opening", async () => {
    const { catalog, reopen } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, undefined), "c");
    const set = await replaceBuckets(catalog, RULES, container, buckets);
    expect(set).toEqual({ ok: true, value: buckets });
    expect(await replaceBuckets(catalog, RULES, container, [])).toEqual({ ok: true, value: [] });
    await replaceBuckets(catalog, RULES, container, buckets);
    expect(offersOf(await reopen(), RULES)[0]!.throughput.buckets).toEqual(buckets);
  });

  test("are not for containers that share", async () => {
    const { catalog } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, manual(400)), "c");
    const message = expect.stringContaining("of their own");
    expect(await replaceBuckets(catalog, RULES, container, buckets)).toMatchObject({
      ok: false,
      error: { kind: "badRequest", message },
    });
  });
});

describe("growing", () => {
  test("raises the ceilings that are to rise, of those whose rate was all used", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, autoscale(4000, 50));
    const used = await containerIn(catalog, database, "used", autoscale(4000, 50));
    const unused = await containerIn(catalog, database, "unused", autoscale(4000, 50));
    const fixed = await containerIn(catalog, database, "fixed", manual(4000));
    const etags = () => offersOf(catalog, RULES).map(({ throughput }) => throughput.etag);
    const before = etags();
    await growOffers(catalog, RULES, (owner) => owner === used || owner === fixed);
    expect(used.record.throughput).toMatchObject(autoscale(6000, 50));
    expect(unused.record.throughput).toMatchObject(autoscale(4000, 50));
    expect(etags().map((etag, index) => etag === before[index])).toEqual([true, false, true, true]);
  });
});

describe("new containers get physical partitions", () => {
  const rows: readonly {
    readonly rule: string;
    readonly own?: Throughput;
    readonly shared?: Throughput;
    readonly rates?: RateSetting;
    readonly count: number;
  }[] = [
    { rule: "one for each 10,000 RU/s", own: manual(25_000), count: 3 },
    {
      rule: "one for each 6,000 RU/s, if so set",
      own: manual(25_000),
      rates: { ...RATES, manualRatePerPartition: 6000 },
      count: 5,
    },
    {
      rule: "as many as can serve the rate, whatever is set",
      own: manual(25_000),
      rates: { ...RATES, manualRatePerPartition: 100_000 },
      count: 3,
    },
    {
      rule: "one for each 10,000 RU/s of an autoscale ceiling, whatever is set",
      own: autoscale(25_000),
      rates: { ...RATES, manualRatePerPartition: 6000 },
      count: 3,
    },
    {
      rule: "one for each 10,000 RU/s of a shared rate, whatever is set",
      shared: manual(25_000),
      rates: { ...RATES, manualRatePerPartition: 6000 },
      count: 3,
    },
    {
      rule: "by their own rate where others share",
      own: manual(400),
      shared: manual(25e3),
      count: 1,
    },
    { rule: "one by default", count: 1 },
    { rule: "one in a serverless account", rates: SERVERLESS, count: 1 },
  ];
  test.each(rows)("$rule", async ({ own, shared, rates, count }) => {
    const { catalog } = await stage(rates);
    const container = await containerIn(catalog, await databaseIn(catalog, shared), "c", own);
    expect(container.map.entries).toHaveLength(count);
  });

  test("as many as those they share with, though the rate has fallen", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(25_000));
    await containerIn(catalog, database, "first");
    await replace(catalog, offersOf(catalog, RULES)[0]!, set(manual(400)));
    const second = await containerIn(catalog, database, "second");
    expect(second.map.entries).toHaveLength(3);
    expect(database.sharedPartitionCount(RULES)).toBe(3);
  });

  test("as many as a shared rate needs that is pending", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(400));
    await containerIn(catalog, database, "first");
    const raised = replace(catalog, offersOf(catalog, RULES)[0]!, set(manual(25_000)));
    const second = containerIn(catalog, database, "second");
    expect(await raised).toMatchObject({ value: { throughput: { pending: manual(25_000) } } });
    expect((await second).map.entries).toHaveLength(3);
  });
});

describe("a serverless account", () => {
  const rules = { ...RULES, rates: SERVERLESS };

  test("has no offers, and lets nobody set one", async () => {
    const { catalog } = await stage(SERVERLESS);
    const container = await containerIn(catalog, await databaseIn(catalog, undefined), "c");
    expect(container.record.throughput).toBeUndefined();
    expect(offersOf(catalog, rules)).toEqual([]);
    const message = expect.stringContaining("not supported for serverless accounts");
    const refused = { ok: false, error: { kind: "badRequest", message } };
    const ask = () => ({ ok: true, value: set(manual(500)) }) as const;
    expect(await replaceOffer(catalog, rules, "AAAA", ask)).toEqual(refused);
    expect(await replaceBuckets(catalog, rules, container, [])).toEqual(refused);
  });

  test("that has rates from before keeps them to itself", async () => {
    const { catalog, reopen } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, manual(500)), "c");
    expect(container.record.throughput).toBeUndefined();
    const again = await reopen(SERVERLESS);
    expect(offersOf(again, rules)).toEqual([]);
    expect(offersOf(again, RULES)).toHaveLength(1);
  });
});

describe("opening again", () => {
  test("finds every offer as it was", async () => {
    const { catalog, reopen } = await stage();
    const database = await databaseIn(catalog, autoscale(4000));
    await containerIn(catalog, database, "c", manual(9000));
    await containerIn(catalog, database, "sharing", undefined);
    const [ofDatabase, ofContainer] = offersOf(catalog, RULES);
    await replace(catalog, ofDatabase!, TO_MANUAL);
    await replace(catalog, ofContainer!, set(manual(400)));
    const again = offersOf(await reopen(), RULES).map(({ owner: _owner, ...facts }) => facts);
    expect(again).toEqual(offersOf(catalog, RULES).map(({ owner: _owner, ...facts }) => facts));
    expect(again.map(({ throughput }) => throughput.rateMaxEver)).toEqual([4000, 9000]);
  });

  test("a record from before there were offers gets what it lacks", async () => {
    const { catalog, store, reopen } = await stage();
    const database = await databaseIn(catalog, undefined);
    const container = await containerIn(catalog, database, "c", undefined);
    const shared = await databaseIn(catalog, manual(500), "shared");
    await containerIn(catalog, shared, "c", undefined);
    const epoch = store.head(0)!.epoch;
    for (const key of ["container 1", "database 2"]) {
      const held = store.get(0, key)!;
      const body = Buffer.from(String(held.body).replace(FORMERLY_ABSENT, ""));
      const before = { lsn: held.lsn, bodyBytes: held.body.length };
      const write = { kind: "put", key, number: held.number, tag: 0, body, before } as const;
      await store.commit(0, epoch, [[{ ...write, termsAdded: [], termsRemoved: [] }]]);
      expect(body.length).toBeLessThan(held.body.length);
    }
    const offers = offersOf(await reopen(), RULES);
    expect(offers.map(({ throughput }) => throughput)).toEqual([
      { ...manual(400), rateMaxEver: 400, etag: container.record.etag, ts: container.record.ts },
      { ...manual(500), rateMaxEver: 500, etag: shared.record.etag, ts: shared.record.ts },
    ]);
  });
});

/** The throughput of a container that asked for none; what is remembered of a database's. */
const FORMERLY_ABSENT =
  /"throughput":\{"kind":"manual","ratePerSecond":400[^}]*\},|,"rateMaxEver":500,"etag":"[^,]*,"ts":\d+(?=\})/;
const NOT_FOUND = { ok: false, error: { kind: "notFound" } };

function manual(ratePerSecond: number): Throughput {
  return { kind: "manual", ratePerSecond };
}

function autoscale(rateMax: number, incrementPercent?: number): Throughput {
  return { kind: "autoscale", rateMax, ...(incrementPercent && { incrementPercent }) };
}

function set(throughput: Throughput): ThroughputChange {
  return { kind: "set", throughput };
}

function replace(catalog: Catalog, { rid }: Offer, change: ThroughputChange) {
  return replaceOffer(catalog, RULES, rid, () => ({ ok: true, value: change }));
}

async function stage(ratesAtFirst?: RateSetting) {
  const store = EmbeddedStore.inMemory(realTimer);
  const clock = { now: () => millis(0), wallNow: () => 1_700_000_000_000 };
  const setting = { store, timer: realTimer, random: seededRandom(1), limits: LIMITS, clock };
  const reopen = (rates?: RateSetting): Promise<Catalog> => Catalog.open({ ...setting, rates });
  return { store, catalog: await reopen(ratesAtFirst), reopen };
}

async function databaseIn(
  catalog: Catalog,
  throughput: Throughput | undefined,
  id = "d",
): Promise<Database> {
  const made = await catalog.createDatabase(id, throughput);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

async function containerIn(
  catalog: Catalog,
  database: Database,
  id: string,
  throughput?: Throughput,
  partitionCount = 1,
): Promise<Container> {
  const provisioning = { partitionCount, throughput };
  const made = await catalog.createContainer(database, definitionOf(id), provisioning);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

function definitionOf(id: string, members: JsonObject = {}) {
  const body = { id, partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, LIMITS);
  if (!definition.ok) throw new Error(JSON.stringify(definition.error));
  return definition.value;
}
