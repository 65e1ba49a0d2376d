/**
 * The wall of a logical partition, through the official client: 403/1014 for what would grow it
 * beyond its limit, and everything else goes on.
 *
 * The limit is scaled down by name, to 20 KB instead of 20 GB: 1/1,048,576.
 */
import type { Container } from "@azure/cosmos";
import { PartitionKeyKind } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { locate, rangeIds, split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf, temporaryDirectory } from "./stage.ts";

const LIMIT = 20 * 1024;
const SCALED = { limits: { logicalPartitionBytes: "20KB" } };
const FULL = {
  status: 403,
  substatus: 1014,
  message: expect.stringContaining("Partition key reached maximum size of 20 KB"),
};
const FILL = "x".repeat(4000);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ memory: true, ...SCALED });
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("a tenant that has filled its logical partition", () => {
  let container: Container;
  beforeAll(async () => {
    container = await openContainer(stage.database);
    await fillUp(container, "a");
  });

  const one = (): ReturnType<Container["item"]> => container.item("0", "a");
  const item = (id: string, fill: string) => ({ id, pk: "a", fill });

  test("can create nothing", async () => {
    expect(await refusalOf(container.items.create(item("more", FILL)))).toMatchObject(FULL);
    expect((await container.item("more", "a").read()).statusCode).toBe(404);
  });

  test.each<[string, (fill: string) => Promise<{ readonly statusCode: number }>]>([
    ["replace", (fill) => one().replace(item("0", fill))],
    ["upsert", (fill) => container.items.upsert(item("0", fill))],
    ["patch", (fill) => one().patch([{ op: "set", path: "/fill", value: fill }])],
  ])("can %s an item with a smaller one, not with a larger one", async (_kind, write) => {
    const { resource: before } = await one().read();
    expect(await refusalOf(write(FILL + FILL))).toMatchObject(FULL);
    expect((await one().read()).resource).toEqual(before);
    expect((await write(FILL)).statusCode).toBe(200);
    expect((await write(FILL.slice(1))).statusCode).toBe(200);
    await one().replace(item("0", FILL));
  });

  test("is refused in a bulk for itself, and others of the bulk are not", async () => {
    const create = (pk: string) => ({
      operationType: "Create" as const,
      resourceBody: { id: "bulk", pk, fill: FILL },
      partitionKey: pk,
    });
    const results = await container.items.executeBulkOperations(["a", "b"].map(create));
    const statuses = results.map(({ response, error }) => response?.statusCode ?? error?.code);
    expect(statuses).toEqual([403, 201]);
  });

  test("goes on under a new suffix", async () => {
    const written: string[] = [];
    let suffix = 0;
    for (let index = 0; index < 12; index++) {
      const pk = (): string => (suffix === 0 ? "a" : `a|${suffix}`);
      const next = () => container.items.create({ id: `new-${index}`, pk: pk(), fill: FILL });
      const created = await next().catch(async (error) => {
        expect([error.code, error.substatus]).toEqual([403, 1014]);
        suffix++;
        return next();
      });
      expect(created.statusCode).toBe(201);
      written.push(created.resource!.id);
    }
    expect(suffix).toBeGreaterThanOrEqual(3);
    const query = "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.pk, 'a|')";
    const { resources } = await container.items.query<string>(query).fetchAll();
    expect(resources.toSorted()).toEqual(written.toSorted());
  });

  test("hinders no other in the same physical partition", async () => {
    expect(await rangeIds(stage.server, container)).toHaveLength(1);
    for (const pk of ["c", "d", "e"]) {
      expect((await container.items.create({ id: "1", pk, fill: FILL })).statusCode).toBe(201);
    }
  });

  test("can read, query and delete as ever, and write when there is room", async () => {
    const query = { query: "SELECT VALUE COUNT(1) FROM c" };
    const counted = await container.items.query(query, { partitionKey: "a" }).fetchAll();
    expect(counted.resources).toEqual([4]);
    expect((await container.item("1", "a").delete()).statusCode).toBe(204);
    expect((await container.items.create(item("again", FILL))).statusCode).toBe(201);
    expect(await refusalOf(container.items.create(item("more", FILL)))).toMatchObject(FULL);
  });
});

describe("the limit is exact", () => {
  test("to the byte", async () => {
    const container = await openContainer(stage.database);
    await container.items.create({ id: "1", pk: "a", fill: "" });
    const { itemBytes } = await locate(stage.server, container, "a");
    const room = LIMIT - itemBytes;
    const fillWith = (length: number) =>
      container.items.upsert({ id: "1", pk: "a", fill: "x".repeat(length) });
    expect(await refusalOf(fillWith(room + 1))).toMatchObject(FULL);
    await fillWith(room);
    expect(await locate(stage.server, container, "a")).toMatchObject({
      itemCount: 1,
      itemBytes: LIMIT,
      limitShare: 1,
    });
    await fillWith(room);
    expect(await refusalOf(fillWith(room + 1))).toMatchObject(FULL);
    expect(await refusalOf(container.items.create({ id: "2", pk: "a" }))).toMatchObject(FULL);
    await container.item("1", "a").delete();
    expect((await container.items.create({ id: "2", pk: "a" })).statusCode).toBe(201);
  });

  test("for any number of writes at the same time", async () => {
    const container = await openContainer(stage.database);
    const attempts = Array.from({ length: 60 }, (_, index) =>
      container.items.create({ id: String(index), pk: "a", fill: "x".repeat(1000) }).then(
        () => 201,
        ({ code }: { readonly code: number }) => code,
      ),
    );
    const statuses = await Promise.all(attempts);
    const createdCount = statuses.filter((status) => status === 201).length;
    expect(statuses.filter((status) => status !== 201)).toEqual(Array(60 - createdCount).fill(403));
    const { itemCount, itemBytes } = await locate(stage.server, container, "a");
    expect(itemCount).toBe(createdCount);
    expect(itemBytes).toBeLessThanOrEqual(LIMIT);
    // One more would not have fitted.
    expect(itemBytes + itemBytes / itemCount).toBeGreaterThan(LIMIT);
  });

  test("for the full key of a hierarchy, not for its prefix", async () => {
    const partitionKey = {
      paths: ["/tenant", "/user"],
      kind: PartitionKeyKind.MultiHash,
      version: 2,
    };
    const container = await openContainer(stage.database, { partitionKey });
    const create = (user: string, id: string) =>
      container.items.create({ id, tenant: "t", user, fill: FILL });
    for (const user of ["u", "v"]) {
      for (const id of ["1", "2", "3", "4"]) await create(user, id);
      expect(await refusalOf(create(user, "5"))).toMatchObject(FULL);
    }
    const [u, v] = [
      await locate(stage.server, container, "t", "u"),
      await locate(stage.server, container, "t", "v"),
    ];
    expect(u!.itemBytes + v!.itemBytes).toBeGreaterThan(LIMIT);
    expect((await create("w", "1")).statusCode).toBe(201);
  });
});

describe("what is full stays full", () => {
  test("after a restart", async () => {
    using directory = temporaryDirectory();
    const options = { data: directory.path, ...SCALED };
    const before = await (async () => {
      await using first = await openStage(options);
      const { container } = await first.database.containers.create({
        id: "kept",
        partitionKey: "/pk",
      });
      await fillUp(container, "a");
      await container.items.create({ id: "0", pk: "b", fill: FILL });
      return await locate(first.server, container, "a");
    })();
    await using second = await openStage(options);
    const container = second.database.container("kept");
    expect(await locate(second.server, container, "a")).toEqual(before);
    await expectFull(container, "a");
    expect((await container.items.create({ id: "1", pk: "b", fill: FILL })).statusCode).toBe(201);
  });

  test("after a split, on one side of it", async () => {
    const container = await openContainer(stage.database);
    const keys = ["a", "b", "c", "d", "e", "f", "g", "h"];
    await fillUp(container, "a");
    for (const pk of keys.slice(1)) await container.items.create({ id: "0", pk, fill: FILL });
    const before = await locate(stage.server, container, "a");
    const children = await split(stage.server, container);
    const after = await locate(stage.server, container, "a");
    expect(after).toEqual({ ...before, partitionId: after.partitionId });
    expect(children).toContain(after.partitionId);
    await expectFull(container, "a");
    for (const pk of keys.slice(1)) {
      expect((await container.items.create({ id: "1", pk, fill: FILL })).statusCode).toBe(201);
    }
    await container.item("0", "a").delete();
    expect((await container.items.create({ id: "9", pk: "a", fill: FILL })).statusCode).toBe(201);
    await expectFull(container, "a");
  });

  test("although its physical partition overflows and is split by itself", async () => {
    // Sizes by 1/1,000,000: 21 kB for a logical partition, 53 kB for a physical one.
    await using small = await openStage({ memory: true, scaleLimits: "1/1000000" });
    const container = await openContainer(small.database);
    const keys = Array.from({ length: 12 }, (_, index) => `tenant-${index}`);
    for (const pk of keys) await fillUp(container, pk);
    await expect
      .poll(async () => (await rangeIds(small.server, container)).length)
      .toBeGreaterThanOrEqual(4);
    for (const pk of keys) {
      const { substatus } = await refusalOf(container.items.create({ id: "x", pk, fill: FILL }));
      expect(substatus).toBe(1014);
    }
    const { resources } = await container.items.readAll().fetchAll();
    expect(resources).toHaveLength(4 * keys.length);
  });
});

/** Four items of 4 KB: a fifth does not fit. */
async function fillUp(container: Container, pk: string): Promise<void> {
  for (const id of ["0", "1", "2", "3"]) {
    await container.items.create({ id, pk, fill: id === "0" ? FILL : FILL.padEnd(4500, "x") });
  }
}

async function expectFull(container: Container, pk: string): Promise<void> {
  const more = container.items.create({ id: "more", pk, fill: FILL });
  expect(await refusalOf(more)).toMatchObject(FULL);
}
