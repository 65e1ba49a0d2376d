/**
 * Containers from before there were partition keys. Clients know them by `systemKey` in their
 * definition: the path is `/_partitionKey`, an item without a value there has the empty key `[]`,
 * and newer programs may add items with a value.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { split } from "./inside.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database, { partitionKey: LEGACY, throughput: 20_000 });
  for (const n of [1, 2, 3]) await container.items.create({ id: `old-${n}`, n });
  for (const n of [1, 2, 3]) await container.items.create({ id: `old-${n}`, n, ...KEYED });
});
afterAll(() => stage[Symbol.asyncDispose]());

const LEGACY = { paths: ["/_partitionKey"], systemKey: true };
const KEYED = { _partitionKey: "new" };

const idsOf = (items: readonly { id?: string | undefined }[]): (string | undefined)[] =>
  items.map(({ id }) => id).toSorted();
const OLD = ["old-1", "old-2", "old-3"];

describe("a container without a partition key", () => {
  test("tells of its system key, and keeps it when it is replaced", async () => {
    const { resource } = await container.read();
    const definition = { kind: "Hash", version: 1, ...LEGACY };
    expect(resource?.partitionKey).toEqual(definition);
    const { partitionKey: _left, ...others } = resource!;
    const replaced = await container.replace({ ...others, defaultTtl: -1 } as never);
    expect(replaced.resource?.partitionKey).toEqual(definition);
    const repeated = await container.replace({ ...resource!, defaultTtl: -1 });
    expect(repeated.resource?.partitionKey).toEqual(definition);
    const other = { ...resource!, partitionKey: { paths: ["/other"] } };
    expect((await refusalOf(container.replace(other))).status).toBe(400);
  });

  test("has items without a key, in every operation", async () => {
    const item = container.item("item", undefined);
    expect((await container.items.create({ id: "item", n: 1 })).statusCode).toBe(201);
    expect((await refusalOf(container.items.create({ id: "item" }))).status).toBe(409);
    expect((await item.read()).resource?.["n"]).toBe(1);
    expect((await item.replace({ id: "item", n: 2 })).statusCode).toBe(200);
    expect((await container.items.upsert({ id: "item", n: 3 })).statusCode).toBe(200);
    const patched = await item.patch([{ op: "incr", path: "/n", value: 1 }]);
    expect(patched.resource?.["n"]).toBe(4);
    const keyed = item.patch([{ op: "add", path: "/_partitionKey", value: "x" }]);
    expect((await refusalOf(keyed)).status).toBe(400);
    expect((await refusalOf(item.replace({ id: "item", ...KEYED }))).substatus).toBe(1001);
    expect((await item.delete()).statusCode).toBe(204);
    expect((await item.read()).statusCode).toBe(404);
  });

  test("tells items with a key from those without", async () => {
    const keyed = container.item("old-1", "new");
    expect((await keyed.read()).resource?.["_partitionKey"]).toBe("new");
    expect((await container.item("old-1", undefined).read()).resource).not.toHaveProperty(
      "_partitionKey",
    );
    const inKey = await container.items.readAll({ partitionKey: "new" }).fetchAll();
    expect(idsOf(inKey.resources)).toEqual(OLD);
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(6);
  });

  test("is asked by its filter, whoever merges", async () => {
    const ask = async (where: string, forceQueryPlan: boolean) => {
      const query = `SELECT c.id FROM c WHERE ${where}`;
      return idsOf((await container.items.query(query, { forceQueryPlan }).fetchAll()).resources);
    };
    for (const forced of [false, true]) {
      expect(await ask("NOT IS_DEFINED(c._partitionKey)", forced)).toEqual(OLD);
      expect(await ask("c._partitionKey = 'new'", forced)).toEqual(OLD);
      expect(await ask("c.n = 2", forced)).toEqual(["old-2", "old-2"]);
    }
  });

  test("takes bulks with and without a key", async () => {
    const bodies = [{ id: "bulk" }, { id: "bulk", ...KEYED }];
    const creates = bodies.map((resourceBody) => ({ operationType: "Create", resourceBody }));
    const created = await container.items.bulk(creates as never);
    expect(created.map(({ statusCode }) => statusCode)).toEqual([201, 201]);
    expect((await container.item("bulk", undefined).read()).statusCode).toBe(200);
    expect((await container.item("bulk", "new").read()).statusCode).toBe(200);
    await container.item("bulk", undefined).delete();
    await container.item("bulk", "new").delete();
  });

  test("is split like others, and nothing is lost", async () => {
    const one = await openContainer(stage.database, { partitionKey: LEGACY });
    const ids = Array.from({ length: 20 }, (_, n) => `item-${n}`);
    for (const id of ids) await one.items.create({ id });
    for (const [n, id] of ids.entries()) await one.items.create({ id, _partitionKey: `key-${n}` });
    await split(stage.server, one);
    for (const [n, id] of ids.entries()) {
      expect((await one.item(id, undefined).read()).statusCode).toBe(200);
      expect((await one.item(id, `key-${n}`).read()).statusCode).toBe(200);
    }
  });

  test("has its key nowhere else", async () => {
    const partitionKey = { paths: ["/pk"], systemKey: true };
    const { status, message } = await refusalOf(openContainer(stage.database, { partitionKey }));
    expect(status).toBe(400);
    expect(message).toContain("/_partitionKey");
  });
});

describe("a container whose client names no key", () => {
  test("has an ordinary one, at the path that clients give it", async () => {
    const { container: made } = await stage.database.containers.create({ id: "unnamed" });
    const { resource } = await made.read();
    expect(resource?.partitionKey).toEqual({ paths: ["/_partitionKey"], kind: "Hash", version: 1 });
    await made.items.create({ id: "1" });
    await made.items.create({ id: "1", ...KEYED });
    expect((await made.item("1", undefined).read()).resource).not.toHaveProperty("_partitionKey");
    expect((await made.item("1", "new").read()).resource).toMatchObject(KEYED);
  });
});
