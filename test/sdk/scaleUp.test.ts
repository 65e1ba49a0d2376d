/**
 * A rate above what the physical partitions can serve, through the official client: accepted,
 * pending while they are split, and then in force with every item in its place.
 */
import type { Container, Database, Offer, OfferDefinition, Resource } from "@azure/cosmos";
import { expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, refusalOf, temporaryDirectory } from "./stage.ts";

type Definition = OfferDefinition & Resource;

const PENDING = "x-ms-offer-replace-pending";

test("a higher rate waits for splits, and is in force after them", async () => {
  await using stage = await openStage();
  const container = await openContainer(stage.database);
  await writeItems(container);
  const { definition, offer } = await offerOf(container);

  const raised = await offer.replace(withRate(definition, 25_000));
  expect(raised.statusCode).toBe(200);
  expect(raised.headers[PENDING]).toBe("true");
  expect(raised.resource!.content).toMatchObject({
    offerThroughput: 400,
    offerTargetThroughput: 25_000,
    offerMinimumThroughputParameters: { maxThroughputEverProvisioned: 400 },
  });
  expect(raised.resource!._etag).not.toBe(definition._etag);

  const done = await settled(offer);
  expect(done.content).toMatchObject({
    offerThroughput: 25_000,
    offerMinimumThroughputParameters: { maxThroughputEverProvisioned: 25_000 },
  });
  expect(done.content).not.toHaveProperty("offerTargetThroughput");
  expect(done._etag).not.toBe(raised.resource!._etag);
  await expectRanges(stage, container, 3);
  expect(await countItems(stage, container)).toBe(ITEM_COUNT);

  const back = await offer.replace(withRate(done, 400));
  expect(back.headers[PENDING]).toBe("false");
  await expectRanges(stage, container, 3);
  const again = await offer.replace(withRate(done, 30_000));
  expect(again.headers[PENDING]).toBe("false");
});

test("while one change is pending, there is no other", async () => {
  await using stage = await openStage();
  const container = await openContainer(stage.database);
  const { definition, offer } = await offerOf(container);
  // So many splits take longer than the next request.
  const { resource: waiting } = await offer.replace(withRate(definition, 1_000_000));
  for (const rate of [400, 500, 1_000_000]) {
    const { status, message } = await refusalOf(offer.replace(withRate(waiting!, rate)));
    expect(status).toBe(423);
    expect(message).toContain("1000000 RU/s");
  }
  const { resource, headers } = await offer.read();
  expect(headers[PENDING]).toBe("true");
  expect(resource).toEqual(waiting);
});

test("an autoscale ceiling waits likewise", async () => {
  await using stage = await openStage();
  const { container } = await stage.database.containers.create({ id: "c", maxThroughput: 4000 });
  const { definition, offer } = await offerOf(container);
  const higher = structuredClone(definition);
  higher.content!.offerAutopilotSettings!.maxThroughput = 11_000;
  const raised = await offer.replace(higher);
  expect(raised.headers[PENDING]).toBe("true");
  expect(raised.resource!.content).toMatchObject({
    offerAutopilotSettings: { maxThroughput: 4000, targetMaxThroughput: 11_000 },
  });
  const done = await settled(offer);
  expect(done.content!.offerAutopilotSettings).toMatchObject({ maxThroughput: 11_000 });
  expect(done.content!.offerAutopilotSettings).not.toHaveProperty("targetMaxThroughput");
  await expectRanges(stage, container, 2);
});

test("a shared rate waits until all that share it are split, and no others", async () => {
  await using stage = await openStage();
  const { database } = await stage.client.databases.create({ id: "shared", throughput: 500 });
  const sharing = [await openContainer(database), await openContainer(database)];
  const dedicated = await openContainer(database, { throughput: 600 });
  for (const container of sharing) await writeItems(container);
  const { definition, offer } = await offerOf(database);
  const raised = await offer.replace(withRate(definition, 15_000));
  expect(raised.headers[PENDING]).toBe("true");
  const joining = await openContainer(database);
  const done = await settled(offer);
  expect(done.content).toMatchObject({ offerThroughput: 15_000 });
  for (const container of [...sharing, joining]) await expectRanges(stage, container, 2);
  await expectRanges(stage, dedicated, 1);
  for (const container of sharing) expect(await countItems(stage, container)).toBe(ITEM_COUNT);
});

test("what is pending goes on after a restart", async () => {
  using directory = temporaryDirectory();
  {
    await using stage = await openStage({ data: directory.path });
    const { container } = await stage.database.containers.create({ id: "c", partitionKey: "/pk" });
    await writeItems(container);
    const { definition, offer } = await offerOf(container);
    await offer.replace(withRate(definition, 100_000));
  }
  await using stage = await openStage({ data: directory.path });
  const container = stage.database.container("c");
  const { offer } = await offerOf(container);
  const done = await settled(offer);
  expect(done.content).toMatchObject({ offerThroughput: 100_000 });
  await expectRanges(stage, container, 10);
  expect(await countItems(stage, container)).toBe(ITEM_COUNT);
});

const ITEM_COUNT = 60;

async function writeItems(container: Container): Promise<void> {
  for (let index = 0; index < ITEM_COUNT; index++) {
    await container.items.create({ id: String(index), pk: `pk-${index}` });
  }
}

/** The offer as soon as nothing is pending any more. */
async function settled(offer: Offer): Promise<Definition> {
  for (;;) {
    const { resource, headers } = await offer.read();
    if (headers[PENDING] === "false") return resource!;
    expect(headers[PENDING]).toBe("true");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function expectRanges(stage: Stage, container: Container, count: number): Promise<void> {
  const { resources } = await afresh(stage, container, (seen) =>
    seen.readPartitionKeyRanges().fetchAll(),
  );
  expect(resources).toHaveLength(count);
}

/** Point reads, and a query over all physical partitions: both must find every item. */
function countItems(stage: Stage, container: Container): Promise<number> {
  return afresh(stage, container, async (seen) => {
    for (let index = 0; index < ITEM_COUNT; index++) {
      const { statusCode } = await seen.item(String(index), `pk-${index}`).read();
      expect(statusCode).toBe(200);
    }
    const { resources } = await seen.items.query<number>("SELECT VALUE COUNT(1) FROM c").fetchAll();
    return resources[0]!;
  });
}

/** By a client that has asked for no ranges before: this one keeps what it was told. */
async function afresh<T>(
  { server }: Stage,
  { id, database }: Container,
  ask: (container: Container) => Promise<T>,
): Promise<T> {
  const client = clientOf(server);
  try {
    return await ask(client.database(database.id).container(id));
  } finally {
    client.dispose();
  }
}

async function offerOf(
  owner: Container | Database,
): Promise<{ readonly definition: Definition; readonly offer: Offer }> {
  const { resource, offer } = await owner.readOffer();
  return { definition: resource!, offer: offer! };
}

function withRate(definition: Definition, offerThroughput: number): Definition {
  return { ...definition, content: { ...definition.content!, offerThroughput } };
}
