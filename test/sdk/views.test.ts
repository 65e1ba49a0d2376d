/**
 * Materialised views through the official client: made by creating a container, filled by the
 * server, read like any other container, and written by nobody.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JobsAnswer } from "../../src/protocol/admin.ts";
import { ask, reportOf } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let source: Container;
let view: Container;

const VIEW = { sourceCollectionId: "orders", definition: "SELECT c.pk, c.customer FROM c" };

beforeAll(async () => {
  stage = await openStage();
  const partitionKey = { paths: ["/pk"], version: 2 };
  const made = await stage.database.containers.create({ id: "orders", partitionKey });
  source = made.container;
  for (let index = 0; index < 20; index++) {
    await source.items.create({
      id: `o${index}`,
      pk: `p${index % 3}`,
      customer: `k${index % 4}`,
      secret: index,
    });
  }
  view = (await create("byCustomer", { materializedViewDefinition: VIEW })).container;
});
afterAll(() => stage[Symbol.asyncDispose]());

function create(id: string, members: object) {
  return stage.database.containers.create({
    id,
    partitionKey: { paths: ["/customer"], version: 2 },
    ...members,
  } as never);
}

async function orderIds(customer: string): Promise<readonly string[]> {
  const query = { query: "SELECT c._id FROM c" };
  const { resources } = await view.items.query(query, { partitionKey: customer }).fetchAll();
  return resources.map(({ _id }: { readonly _id: string }) => _id).toSorted();
}

test("a view is asked by its own key, and follows what is written to its source", async () => {
  await expect.poll(() => orderIds("k1")).toEqual(["o1", "o13", "o17", "o5", "o9"]);
  await source.item("o5", "p2").delete();
  await source.items.upsert({ id: "o9", pk: "p0", customer: "k2" });
  await expect.poll(() => orderIds("k1")).toEqual(["o1", "o13", "o17"]);
  await expect.poll(() => orderIds("k2")).toContain("o9");
  const { resources } = await view.items.readAll().fetchAll();
  expect(Object.keys(resources[0]!)).not.toContain("secret");
});

test("a view and its source show each other", async () => {
  const shown = (await view.read()).resource as unknown as Record<string, unknown>;
  const { resource } = await source.read();
  const definition = { ...VIEW, sourceCollectionRid: resource!["_rid"], status: "Active" };
  expect(shown["materializedViewDefinition"]).toEqual(definition);
  expect(shown["globalSecondaryIndexDefinition"]).toEqual(definition);
  expect(resource).toMatchObject({
    materializedViews: [{ id: "byCustomer", _rid: shown["_rid"] }],
  });
  expect(await reportOf(stage.server, view)).toMatchObject({ view: { source: "orders" } });
  const { copies } = await ask<JobsAnswer>(stage.server, "jobs");
  expect(copies).toMatchObject([{ kind: "view", nextSteps: [{ step: "throttle" }] }]);
});

test("nobody writes to a view", async () => {
  const item = { id: "x", pk: "p0", customer: "k0" };
  const created = await refusalOf(view.items.create(item));
  expect(created).toMatchObject({
    status: 403,
    message: expect.stringContaining("view of 'orders'"),
  });
  const operations = [{ operationType: "Create", resourceBody: item } as const];
  // Before 4.10 the client tells of the status of a batch in words only.
  await expect(view.items.batch(operations, "k0")).rejects.toThrow("view of 'orders'");
});

test("a definition that cannot be is refused, and says why", async () => {
  const definition = "SELECT c.pk, c.customer FROM c WHERE c.pk = 1";
  const refused = create("w", { globalSecondaryIndexDefinition: { ...VIEW, definition } });
  expect(await refusalOf(refused)).toMatchObject({
    status: 400,
    message: expect.stringContaining("WHERE"),
  });
});

test("a view has another indexing policy when it is told so, and keeps its definition", async () => {
  const { resource } = await view.read();
  const { materializedViewDefinition: _, ...kept } = resource as never as Record<string, unknown>;
  const indexingPolicy = { excludedPaths: [{ path: "/pk/?" }] };
  const replaced = await view.replace({ ...kept, indexingPolicy } as never);
  expect(replaced.resource).toMatchObject({ materializedViewDefinition: VIEW });
});

test("a source goes after its views", async () => {
  const refused = await refusalOf(source.delete());
  expect(refused).toMatchObject({
    status: 400,
    message: expect.stringContaining("'byCustomer'. Delete them first"),
  });
  await view.delete();
  await source.delete();
});
