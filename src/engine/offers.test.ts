/** Offers over a catalogue: who has one, what it may become, and that it is there after opening. */
import { describe, expect, test } from "vitest";
import { millis } from "../base/units.ts";
import { seededRandom } from "../base/world.ts";
import { SERVICE_LIMITS } from "../model/limits.ts";
import type { Throughput, ThroughputChange } from "../model/throughput.ts";
import { realTimer } from "../server/realWorld.ts";
import { EmbeddedStore } from "../store/embeddedStore.ts";
import { Catalog } from "./catalog.ts";
import type { Container } from "./container.ts";
import { parseContainerDefinition } from "./containerDefinition.ts";
import type { Database } from "./database.ts";
import type { Offer } from "./offers.ts";
import { findOffer, offersOf, replaceOffer } from "./offers.ts";

const LIMITS = { ...SERVICE_LIMITS, sharingContainersMax: 2 };

describe("an offer", () => {
  test("is what a container has that asks for a rate, or for none", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    const asking = await containerIn(catalog, database, "asking", manual(1000));
    const silent = await containerIn(catalog, database, "silent", undefined);
    expect(offersOf(catalog, LIMITS).map(({ owner }) => owner)).toEqual([asking, silent]);
    expect(offersOf(catalog, LIMITS).map(({ throughput }) => throughput)).toMatchObject([
      manual(1000),
      manual(400),
    ]);
  });

  test("is what a database has, and not the containers that share it", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    await containerIn(catalog, database, "sharing", undefined);
    const dedicated = await containerIn(catalog, database, "dedicated", autoscale(4000));
    expect(offersOf(catalog, LIMITS).map(({ owner }) => owner)).toEqual([database, dedicated]);
    expect(database.sharing.map(({ definition }) => definition.id)).toEqual(["sharing"]);
  });

  test("goes with its owner", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const container = await containerIn(catalog, database, "c", manual(400));
    const offers = offersOf(catalog, LIMITS);
    await catalog.deleteContainer(database, container);
    expect(findOffer(catalog, LIMITS, offers[1]!.rid)).toBeUndefined();
    expect(await replace(catalog, offers[1]!, set(manual(500)))).toMatchObject(NOT_FOUND);
    await catalog.deleteDatabase(database);
    expect(offersOf(catalog, LIMITS)).toEqual([]);
    expect(await replace(catalog, offers[0]!, set(manual(600)))).toMatchObject(NOT_FOUND);
  });

  test("of an owner that is deleted meanwhile is not found", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const container = await containerIn(catalog, database, "c", manual(400));
    const [ofDatabase, ofContainer] = offersOf(catalog, LIMITS);
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
    const rids = offersOf(catalog, LIMITS).map(({ rid }) => rid);
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
});

describe("replacing", () => {
  const rows: readonly {
    readonly rule: string;
    readonly from: Throughput;
    readonly change: ThroughputChange;
    readonly becomes: Throughput | RegExp;
    readonly partitions?: number;
  }[] = [
    { rule: "up", from: manual(400), change: set(manual(500)), becomes: manual(500) },
    { rule: "down", from: manual(9000), change: set(manual(400)), becomes: manual(400) },
    {
      rule: "down to a hundredth of the highest",
      from: manual(60_000),
      change: set(manual(500)),
      partitions: 6,
      becomes: /from 600 to/,
    },
    {
      rule: "an autoscale ceiling",
      from: autoscale(1000),
      change: set(autoscale(10_000)),
      becomes: autoscale(10_000),
    },
    {
      rule: "an autoscale ceiling down to a tenth of the highest",
      from: autoscale(20_000),
      change: set(autoscale(1000)),
      partitions: 2,
      becomes: /from 2000 to/,
    },
    { rule: "off the steps", from: manual(400), change: set(manual(450)), becomes: /of 100 from/ },
    {
      rule: "up to what the partitions serve",
      from: manual(400),
      change: set(manual(20_000)),
      partitions: 2,
      becomes: manual(20_000),
    },
    {
      rule: "above it",
      from: manual(400),
      change: set(manual(20_100)),
      partitions: 2,
      becomes: /20100 RU\/s needs 3 physical partitions; there are 2.*Splitting.*not supported yet/,
    },
    {
      rule: "manual to autoscale, from little",
      from: manual(400),
      change: { kind: "toAutoscale" },
      becomes: autoscale(1000),
    },
    {
      rule: "manual to autoscale, rounded up",
      from: manual(7300),
      change: { kind: "toAutoscale" },
      becomes: autoscale(8000),
    },
    {
      rule: "autoscale to manual",
      from: autoscale(7000),
      change: { kind: "toManual" },
      becomes: manual(7000),
    },
  ];

  test.each(rows)("$rule", async ({ from, change, becomes, partitions = 1 }) => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    const container = await containerIn(catalog, database, "c", from, partitions);
    const before = container.record;
    const [offer] = offersOf(catalog, LIMITS);
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

  test("a migration minds the highest rate ever", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, undefined);
    await containerIn(catalog, database, "c", manual(50_000), 5);
    const [offer] = offersOf(catalog, LIMITS);
    await replace(catalog, offer!, set(manual(500)));
    const replaced = await replace(catalog, offer!, { kind: "toAutoscale" });
    expect(replaced).toMatchObject({ value: { throughput: autoscale(5000), rateMin: 5000 } });
  });

  test("a shared rate is bound by the containers that share it", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const [offer] = offersOf(catalog, LIMITS);
    expect(await replace(catalog, offer!, set(manual(30_000)))).toMatchObject({ ok: true });
    await containerIn(catalog, database, "dedicated", manual(400), 1);
    await containerIn(catalog, database, "sharing", undefined, 3);
    expect(await replace(catalog, offer!, set(manual(30_100)))).toMatchObject({ ok: false });
    expect(await replace(catalog, offer!, set(manual(400)))).toMatchObject({ ok: true });
  });

  test("a container made meanwhile has the physical partitions of the new rate", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, manual(500));
    const [offer] = offersOf(catalog, LIMITS);
    const raised = replace(catalog, offer!, set(manual(30_000)));
    const container = await containerIn(catalog, database, "c", undefined);
    await raised;
    expect(container.partitions.size).toBe(3);
  });

  test("sees what the one before has made of the offer", async () => {
    const { catalog } = await stage();
    await containerIn(catalog, await databaseIn(catalog, undefined), "c", manual(400));
    const [offer] = offersOf(catalog, LIMITS);
    const seen: unknown[] = [];
    const rates = [500, 600, 700];
    await Promise.all(
      rates.map((rate) =>
        replaceOffer(catalog, LIMITS, offer!.rid, ({ throughput }) => {
          seen.push(throughput.kind === "manual" && throughput.ratePerSecond);
          return { ok: true, value: set(manual(rate)) };
        }),
      ),
    );
    expect(seen).toEqual([400, 500, 600]);
  });
});

describe("opening again", () => {
  test("finds every offer as it was", async () => {
    const { catalog, reopen } = await stage();
    const database = await databaseIn(catalog, autoscale(4000));
    await containerIn(catalog, database, "c", manual(9000));
    await containerIn(catalog, database, "sharing", undefined);
    const [ofDatabase, ofContainer] = offersOf(catalog, LIMITS);
    await replace(catalog, ofDatabase!, { kind: "toManual" });
    await replace(catalog, ofContainer!, set(manual(400)));
    const again = offersOf(await reopen(), LIMITS).map(({ owner: _owner, ...facts }) => facts);
    expect(again).toEqual(offersOf(catalog, LIMITS).map(({ owner: _owner, ...facts }) => facts));
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
    const offers = offersOf(await reopen(), LIMITS);
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

function autoscale(rateMax: number): Throughput {
  return { kind: "autoscale", rateMax };
}

function set(throughput: Throughput): ThroughputChange {
  return { kind: "set", throughput };
}

function replace(catalog: Catalog, { rid }: Offer, change: ThroughputChange) {
  return replaceOffer(catalog, LIMITS, rid, () => ({ ok: true, value: change }));
}

async function stage() {
  const store = EmbeddedStore.inMemory(realTimer);
  const clock = { now: () => millis(0), wallNow: () => 1_700_000_000_000 };
  const setting = { store, timer: realTimer, random: seededRandom(1), limits: LIMITS, clock };
  const reopen = (): Promise<Catalog> => Catalog.open(setting);
  return { store, catalog: await reopen(), reopen };
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
  throughput: Throughput | undefined,
  partitionCount = 1,
): Promise<Container> {
  const provisioning = { partitionCount, throughput };
  const made = await catalog.createContainer(database, definitionOf(id), provisioning);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

function definitionOf(id: string) {
  const body = { id, partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, LIMITS);
  if (!definition.ok) throw new Error(JSON.stringify(definition.error));
  return definition.value;
}
