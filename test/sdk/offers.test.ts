/** Throughput through the official client: read, found, changed, migrated, and kept. */
import type { Container, Database, Offer, OfferDefinition, Resource } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf, temporaryDirectory } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

type Definition = OfferDefinition & Resource;

const TO_AUTOSCALE = { initialHeaders: { "x-ms-cosmos-migrate-offer-to-autopilot": "true" } };
const TO_MANUAL = { initialHeaders: { "x-ms-cosmos-migrate-offer-to-manual-throughput": "true" } };

describe("an offer", () => {
  test("has the form the service gives it", async () => {
    const container = await openContainer(stage.database, { throughput: 500 });
    const { resource: owner } = await container.read();
    const { definition, offer } = await offerOf(container);
    const { id, _rid, _self, _etag, _ts, ...others } = definition;
    expect(id).toMatch(/^[A-Za-z0-9+-]{4}$/);
    expect([_rid, _self]).toEqual([id, `offers/${id}/`]);
    expect(others).toEqual({
      offerVersion: "V2",
      offerType: "Invalid",
      content: {
        offerThroughput: 500,
        offerIsRUPerMinuteThroughputEnabled: false,
        offerMinimumThroughputParameters: {
          maxThroughputEverProvisioned: 500,
          maxConsumedStorageEverInKB: 0,
        },
      },
      resource: owner!._self,
      offerResourceId: owner!._rid,
    });
    const { resource, etag, headers } = await offer.read();
    expect(resource).toEqual(definition);
    expect(etag).toBe(_etag);
    expect(headers["x-ms-offer-replace-pending"]).toBe("false");
    expect(headers["x-ms-cosmos-min-throughput"]).toBe("400");
    const accessCondition = { type: "IfNoneMatch", condition: _etag };
    expect((await offer.read({ accessCondition })).statusCode).toBe(304);
  });

  test("is there for a container that asked for nothing: 400 RU/s", async () => {
    const { definition } = await offerOf(await openContainer(stage.database));
    expect(definition.content).toMatchObject({ offerThroughput: 400 });
    expect(definition.content).not.toHaveProperty("offerAutopilotSettings");
  });

  test("is not there for a database that asked for nothing", async () => {
    const { resource, offer } = await stage.database.readOffer();
    expect([resource, offer]).toEqual([undefined, undefined]);
  });

  test("of autoscale says how high it may go", async () => {
    const { container } = await stage.database.containers.create({
      id: "rising",
      maxThroughput: 50_000,
      autoUpgradePolicy: { throughputPolicy: { incrementPercent: 5 } },
    });
    const { definition, offer } = await offerOf(container);
    expect(definition.content).toMatchObject({
      offerThroughput: 5000,
      offerAutopilotSettings: {
        maxThroughput: 50_000,
        autoUpgradePolicy: { throughputPolicy: { incrementPercent: 5 } },
      },
    });
    expect((await offer.read()).headers["x-ms-cosmos-min-throughput"]).toBe("5000");
  });

  test("goes with its owner, and does not come back with its name", async () => {
    const container = await openContainer(stage.database);
    const { definition, offer } = await offerOf(container);
    await container.delete();
    expect(await refusalOf(offer.read())).toMatchObject({ status: 404 });
    expect(await refusalOf(offer.replace(definition))).toMatchObject({ status: 404 });
    await stage.database.containers.create({ id: container.id });
    expect((await offerOf(container)).definition.id).not.toBe(definition.id);
    expect(await refusalOf(offer.read())).toMatchObject({ status: 404 });
  });
});

describe("a shared rate", () => {
  test("is the database's, and its containers have none", async () => {
    const { database } = await stage.client.databases.create({ id: "shared", throughput: 500 });
    const sharing = await openContainer(database);
    const dedicated = await openContainer(database, { throughput: 600 });
    expect((await sharing.readOffer()).resource).toBeUndefined();
    expect((await offerOf(dedicated)).definition.content).toMatchObject({ offerThroughput: 600 });
    const { definition, offer } = await offerOf(database);
    const { resource: owner } = await database.read();
    expect(definition).toMatchObject({ resource: owner!._self, offerResourceId: owner!._rid });
    await offer.replace(withRate(definition, 700));
    expect((await offerOf(database)).definition.content).toMatchObject({ offerThroughput: 700 });
  });

  test("is for 25 containers; more need a rate of their own", async () => {
    const { database } = await stage.client.databases.create({ id: "full", maxThroughput: 1000 });
    for (let count = 0; count < 25; count++) await openContainer(database);
    const { status, substatus, message } = await refusalOf(openContainer(database));
    expect([status, substatus]).toEqual([403, 1019]);
    expect(message).toContain("25 containers");
    await openContainer(database, { throughput: 400 });
  });
});

describe("all offers", () => {
  test("are listed and found in pages, by any member", async () => {
    await using own = await openStage();
    const owners: string[] = [];
    for (const throughput of [400, 500, 600]) {
      const container = await openContainer(own.database, { throughput });
      owners.push((await container.read()).resource!._rid);
    }
    const { resources } = await own.client.offers.readAll().fetchAll();
    expect(resources.map(({ offerResourceId }) => offerResourceId)).toEqual(owners);
    const paged = await own.client.offers.readAll({ maxItemCount: 2 }).fetchAll();
    expect(paged.resources).toEqual(resources);
    const byOwner = {
      query: "SELECT * FROM root r WHERE r.offerResourceId = @rid",
      parameters: [{ name: "@rid", value: owners[1]! }],
    };
    const found = await own.client.offers.query(byOwner).fetchAll();
    expect(found.resources).toEqual([resources[1]]);
    const byRate =
      "SELECT VALUE o.content.offerThroughput FROM o WHERE o.content.offerThroughput > 400 " +
      "ORDER BY o.content.offerThroughput DESC";
    const iterator = own.client.offers.query({ query: byRate }, { maxItemCount: 1 });
    expect((await iterator.fetchAll()).resources).toEqual([600, 500]);
  });
});

describe("replacing an offer", () => {
  test("changes the rate at once, and not the container", async () => {
    const container = await openContainer(stage.database);
    const { resource: before } = await container.read();
    const { definition, offer } = await offerOf(container);
    const { resource, statusCode, headers } = await offer.replace(withRate(definition, 9000));
    expect(statusCode).toBe(200);
    expect(headers["x-ms-offer-replace-pending"]).toBe("false");
    expect(resource!.content).toMatchObject({
      offerThroughput: 9000,
      offerMinimumThroughputParameters: { maxThroughputEverProvisioned: 9000 },
    });
    expect(resource!._etag).not.toBe(definition._etag);
    expect((await offerOf(container)).definition).toEqual(resource);
    expect((await container.read()).resource).toEqual(before);
  });

  test("refuses rates that cannot be, and names the lowest that can", async () => {
    const container = await openContainer(stage.database, { throughput: 50_000 });
    const { definition, offer } = await offerOf(container);
    expect((await offer.read()).headers["x-ms-cosmos-min-throughput"]).toBe("500");
    for (const rate of [400, 550, 2_000_000, -1, 0]) {
      const { status, message } = await refusalOf(offer.replace(withRate(definition, rate)));
      expect(status).toBe(400);
      expect(message).toContain("multiple of 100 from 500 to 1000000 RU/s");
    }
    expect((await offer.read()).resource).toEqual(definition);
  });

  test("refuses another offer's names, and an etag of the past", async () => {
    const { definition, offer } = await offerOf(await openContainer(stage.database));
    for (const name of ["id", "_rid", "resource", "offerResourceId"]) {
      const renamed = { ...definition, [name]: "other" };
      expect(await refusalOf(offer.replace(renamed))).toMatchObject({ status: 400 });
    }
    const accessCondition = { type: "IfMatch", condition: definition._etag };
    await offer.replace(withRate(definition, 500), { accessCondition });
    const late = offer.replace(withRate(definition, 600), { accessCondition });
    expect(await refusalOf(late)).toMatchObject({ status: 412 });
  });

  test("sets throughput buckets, which stay until others are asked for", async () => {
    const { definition, offer } = await offerOf(await openContainer(stage.database));
    expect(definition.content).not.toHaveProperty("throughputBuckets");
    const throughputBuckets = [
      { id: 1, maxThroughputPercentage: 10 },
      { id: 2, maxThroughputPercentage: 60, isDefaultBucket: true },
    ];
    const { resource } = await offer.replace(withContent(definition, { throughputBuckets }));
    expect(resource!.content).toMatchObject({ offerThroughput: 400, throughputBuckets });
    const { resource: faster } = await offer.replace(withRate(definition, 500));
    expect(faster!.content).toMatchObject({ offerThroughput: 500, throughputBuckets });
    const { resource: none } = await offer.replace(
      withContent(definition, { throughputBuckets: [] }),
    );
    expect(none!.content).not.toHaveProperty("throughputBuckets");
  });

  test("refuses throughput buckets that cannot be, and all where the rate is shared", async () => {
    const { definition, offer } = await offerOf(await openContainer(stage.database));
    const bucket = (id: number, maxThroughputPercentage: number) => [
      { id, maxThroughputPercentage },
    ];
    for (const throughputBuckets of [bucket(0, 10), bucket(6, 10), bucket(1, 0), bucket(1, 101)]) {
      const replaced = offer.replace(withContent(definition, { throughputBuckets }));
      expect(await refusalOf(replaced)).toMatchObject({ status: 400 });
    }
    expect((await offer.read()).resource).toEqual(definition);
    const { database } = await stage.client.databases.create({ id: "unshared", throughput: 500 });
    const shared = await offerOf(database);
    const { status, message } = await refusalOf(
      shared.offer.replace(withContent(shared.definition, { throughputBuckets: bucket(1, 10) })),
    );
    expect(status).toBe(400);
    expect(message).toContain("throughput of their own");
  });

  test("raises a shared rate above one partition's only where somebody shares it", async () => {
    const { database } = await stage.client.databases.create({ id: "empty", throughput: 500 });
    const { definition, offer } = await offerOf(database);
    const { status, message } = await refusalOf(offer.replace(withRate(definition, 10_100)));
    expect(status).toBe(400);
    expect(message).toContain("cannot exceed 10000 RU/s");
    expect((await offer.replace(withRate(definition, 10_000))).statusCode).toBe(200);
  });

  test("migrates between manual and autoscale when a header says so", async () => {
    const { definition, offer } = await offerOf(
      await openContainer(stage.database, { throughput: 2300 }),
    );
    const { resource: rising } = await offer.replace(definition, TO_AUTOSCALE);
    expect(rising!.content!.offerAutopilotSettings).toMatchObject({ maxThroughput: 3000 });
    expect(rising!.content!.offerThroughput).toBe(300);

    const higher = structuredClone(rising!);
    higher.content!.offerAutopilotSettings!.maxThroughput = 8000;
    const { resource: raised } = await offer.replace(higher);
    expect(raised!.content!.offerAutopilotSettings).toMatchObject({ maxThroughput: 8000 });

    const { resource: fixed } = await offer.replace(raised!, TO_MANUAL);
    expect(fixed!.content!.offerThroughput).toBe(8000);
    expect(fixed!.content).not.toHaveProperty("offerAutopilotSettings");
    const { status, message } = await refusalOf(offer.replace(raised!));
    expect(status).toBe(400);
    expect(message).toContain("x-ms-cosmos-migrate-offer-to-autopilot must be supplied");
  });
});

test("throughput survives a restart", async () => {
  using directory = temporaryDirectory();
  let container: Definition;
  let database: Definition;
  {
    await using first = await openStage({ data: directory.path });
    const { offer, definition } = await offerOf(await namedContainer(first.database));
    container = (await offer.replace(withRate(definition, 700))).resource!;
    const { database: shared } = await first.client.databases.create({
      id: "shared",
      throughput: 500,
    });
    const ofShared = await offerOf(shared);
    database = (await ofShared.offer.replace(ofShared.definition, TO_AUTOSCALE)).resource!;
  }
  await using second = await openStage({ data: directory.path });
  expect((await offerOf(second.database.container("kept"))).definition).toEqual(container);
  expect((await offerOf(second.client.database("shared"))).definition).toEqual(database);
});

async function namedContainer(database: Database): Promise<Container> {
  return (await database.containers.create({ id: "kept", throughput: 9000 })).container;
}

async function offerOf(
  owner: Container | Database,
): Promise<{ readonly definition: Definition; readonly offer: Offer }> {
  const { resource, offer } = await owner.readOffer();
  expect(resource).toBeDefined();
  return { definition: resource!, offer: offer! };
}

function withRate(definition: Definition, offerThroughput: number): Definition {
  return withContent(definition, { offerThroughput });
}

function withContent(definition: Definition, changed: object): Definition {
  return { ...definition, content: { ...definition.content!, ...changed } };
}
