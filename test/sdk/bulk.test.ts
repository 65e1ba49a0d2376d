/** Many operations in one call: each is done for itself, wherever its item belongs. */
import type { OperationInput } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
});
afterAll(() => stage[Symbol.asyncDispose]());

const create = (id: string, pk: string | number): OperationInput => ({
  operationType: "Create",
  resourceBody: { id, pk },
  partitionKey: pk,
});

describe("a bulk", () => {
  test.each([400, 30_000, 200_000])(
    "writes and reads everywhere, at %d RU/s",
    async (throughput) => {
      const container = await openContainer(stage.database, { throughput });
      const ids = Array.from({ length: 250 }, (_, index) => `item-${index}`);
      const created = await container.items.executeBulkOperations(
        ids.map((id, index) => create(id, index % 40)),
      );
      expect(created.map(({ response }) => response?.statusCode)).toEqual(ids.map(() => 201));
      for (const { response } of created) {
        expect(response?.requestCharge).toBeGreaterThan(0);
        expect(response?.eTag).toMatch(/^"[^"]+"$/);
      }
      const { resources } = await container.items.readAll().fetchAll();
      expect(resources.map(({ id }) => id).toSorted()).toEqual(ids.toSorted());
      for (const [index, { response }] of created.entries()) {
        const { resource } = await container.item(ids[index]!, index % 40).read();
        expect(resource).toEqual(response?.resourceBody);
      }
    },
  );

  test("has a result of its own for each operation", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "there", pk: "a", n: 1 });
    const key = { partitionKey: "a" };
    const operations: readonly (readonly [status: number, operation: OperationInput])[] = [
      [201, create("fresh", "a")],
      [409, create("there", "a")],
      [200, { operationType: "Read", id: "there", ...key }],
      [404, { operationType: "Read", id: "missing", ...key }],
      [404, { operationType: "Delete", id: "missing", ...key }],
      [201, { operationType: "Upsert", resourceBody: { id: "up", pk: "a" }, ...key }],
      [200, { operationType: "Replace", id: "up", resourceBody: { id: "up", pk: "a" }, ...key }],
      [
        200,
        {
          operationType: "Patch",
          id: "there",
          resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] },
          ...key,
        },
      ],
      [
        412,
        {
          operationType: "Replace",
          id: "there",
          resourceBody: { id: "there", pk: "a" },
          ifMatch: '"stale"',
          ...key,
        },
      ],
      [204, { operationType: "Delete", id: "fresh", ...key }],
    ];
    const results = await container.items.executeBulkOperations(
      operations.map(([, operation]) => operation),
    );
    const statuses = results.map(({ response, error }) => response?.statusCode ?? error?.code);
    expect(statuses).toEqual(operations.map(([status]) => status));
    expect((await container.item("there", "a").read()).resource?.["n"]).toBe(2);
    const { resources } = await container.items.readAll().fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["there", "up"]);
  });

  test("is one change after the other to one item", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "counter", pk: "a", n: 0 });
    const increment: OperationInput = {
      operationType: "Patch",
      id: "counter",
      partitionKey: "a",
      resourceBody: { operations: [{ op: "incr", path: "/n", value: 1 }] },
    };
    await container.items.executeBulkOperations(Array(200).fill(increment));
    expect((await container.item("counter", "a").read()).resource?.["n"]).toBe(200);
  });
});
