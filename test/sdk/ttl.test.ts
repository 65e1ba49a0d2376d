/**
 * Expiry in real seconds. The tests wait together, so the file takes as long as the longest wait.
 * A time stamp has whole seconds, so an item of one second may be gone at once and is gone for sure
 * after one; nothing is asserted in between.
 */
import { setTimeout as wait } from "node:timers/promises";
import type { Container, ContainerDefinition, ItemDefinition } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const EXPIRED_MS = 1_200;

const statusOf = async (container: Container, id: string): Promise<number> =>
  (await container.item(id, "a").read()).statusCode;

const listedIds = async (container: Container): Promise<string[]> =>
  (await container.items.readAll<ItemDefinition>().fetchAll()).resources.map(({ id }) =>
    String(id),
  );

describe.concurrent("an item", () => {
  test("is gone after the container's ttl, unless it has its own", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 1 });
    await container.items.create({ id: "short", pk: "a" });
    await container.items.create({ id: "long", pk: "a", ttl: 1000 });
    await container.items.create({ id: "forever", pk: "a", ttl: -1 });
    await wait(EXPIRED_MS);
    const ids = ["short", "long", "forever"];
    expect(await Promise.all(ids.map((id) => statusOf(container, id)))).toEqual([404, 200, 200]);
    expect(await listedIds(container)).toEqual(["long", "forever"]);
    const { resources } = await container.items.readAll({ partitionKey: "a" }).fetchAll();
    expect(resources).toHaveLength(2);
  });

  test("is gone after its own ttl where the container leaves it to the items", async () => {
    const container = await openContainer(stage.database, { defaultTtl: -1 });
    await container.items.create({ id: "short", pk: "a", ttl: 1 });
    await container.items.create({ id: "silent", pk: "a" });
    await wait(EXPIRED_MS);
    expect(await statusOf(container, "short")).toBe(404);
    expect(await statusOf(container, "silent")).toBe(200);
  });

  test("stays where expiry is switched off, whatever it says", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "short", pk: "a", ttl: 1 });
    await wait(EXPIRED_MS);
    expect(await statusOf(container, "short")).toBe(200);
  });

  test("that expired is nothing to replace, patch or delete, and something to create", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 1 });
    const { resource: first } = await container.items.create({ id: "item", pk: "a" });
    await container.items.create({ id: "upserted", pk: "a" });
    await wait(EXPIRED_MS);
    const item = container.item("item", "a");
    const attempts = [
      item.replace({ id: "item", pk: "a" }),
      item.patch([{ op: "set", path: "/n", value: 1 }]),
      item.delete(),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404]);

    const again = await container.items.create({ id: "item", pk: "a", ttl: 1000 });
    expect(again.statusCode).toBe(201);
    expect(again.resource?._rid).not.toBe(first?._rid);
    const upserted = await container.items.upsert({ id: "upserted", pk: "a", ttl: 1000 });
    expect(upserted.statusCode).toBe(201);
    expect((await listedIds(container)).toSorted()).toEqual(["item", "upserted"]);
  });

  test("lives on from its last write", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 3 });
    const startedAt = performance.now();
    await container.items.create({ id: "item", pk: "a" });
    let writtenAt = startedAt;
    for (let n = 0; performance.now() - startedAt < 3_200; n++) {
      await wait(100);
      const { statusCode } = await container.items.upsert({ id: "item", pk: "a", n });
      const now = performance.now();
      // Unless this machine was away for so long that it may have expired.
      if (now - writtenAt < 2_000) expect(statusCode).toBe(200);
      writtenAt = now;
    }
  });

  test("obeys a ttl that the container gets later, until it is taken away", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "item", pk: "a" });
    await wait(EXPIRED_MS);
    const definition = (await container.read()).resource as ContainerDefinition;
    await container.replace({ ...definition, defaultTtl: 1 });
    expect(await statusOf(container, "item")).toBe(404);
    await container.replace(definition);
    expect(await statusOf(container, "item")).toBe(200);
  });
});

describe("a ttl", () => {
  test.each([0, -2, 1.5, 2_147_483_648, "1" as never])("cannot be %j", async (ttl) => {
    const container = await openContainer(stage.database, { defaultTtl: 100 });
    const { status, message } = await refusalOf(
      container.items.create({ id: "item", pk: "a", ttl }),
    );
    expect(status).toBe(400);
    expect(message).toContain("ttl");
  });

  test("may be 2,147,483,647 seconds", async () => {
    const container = await openContainer(stage.database, { defaultTtl: 2_147_483_647 });
    await container.items.create({ id: "item", pk: "a", ttl: 2_147_483_647 });
    expect(await statusOf(container, "item")).toBe(200);
  });
});
