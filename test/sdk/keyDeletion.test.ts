/** Deleting all items of a partition key at once. */
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

test("takes every item of the key and no other, and new ones are welcome", async () => {
  const container = await openContainer(stage.database, { throughput: 20_000 });
  const items = Array.from({ length: 300 }, (_, n) => ({ id: `${n}`, pk: `k${n % 3}` }));
  for (let start = 0; start < items.length; start += 100) {
    await container.items.executeBulkOperations(
      items.slice(start, start + 100).map((item) => ({
        operationType: "Create",
        resourceBody: item,
        partitionKey: item.pk,
      })),
    );
  }
  expect((await container.deleteAllItemsForPartitionKey("k1")).statusCode).toBe(200);
  const count = async (key: string): Promise<number> =>
    (
      await container.items
        .query<number>("SELECT VALUE COUNT(1) FROM c", { partitionKey: key })
        .fetchAll()
    ).resources[0]!;
  expect([await count("k0"), await count("k1"), await count("k2")]).toEqual([100, 0, 100]);
  expect((await container.item("1", "k1").read()).statusCode).toBe(404);
  await container.items.create({ id: "1", pk: "k1" });
  expect(await count("k1")).toBe(1);
  expect((await container.deleteAllItemsForPartitionKey("nobody")).statusCode).toBe(200);
});

test("needs a whole key", async () => {
  const container = await openContainer(stage.database);
  const { status } = await refusalOf(container.deleteAllItemsForPartitionKey(["a", "b"]));
  expect(status).toBe(400);
});
