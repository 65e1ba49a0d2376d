/** Sessions: what answers say about the state they show, and what clients may demand of reads. */
import type { Container, CosmosClient } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { clientOf, openContainer, openStage, rangeIdOf } from "./stage.ts";

let stage: Stage;
let session: CosmosClient;
beforeAll(async () => {
  stage = await openStage();
  session = clientOf(stage.server, { consistencyLevel: "Session" });
});
afterAll(async () => {
  session.dispose();
  await stage[Symbol.asyncDispose]();
});

const tokenOf = (answer: { readonly headers: Readonly<Record<string, unknown>> }): string =>
  String(answer.headers["x-ms-session-token"]);

const lsnOf = (token: string): number => Number(/^\d+:0#(\d+)$/.exec(token)?.[1] ?? Number.NaN);

describe("a session token", () => {
  test("names the range that answered, and counts its writes one by one", async () => {
    const container = await openContainer(stage.database);
    const item = container.item("item", "a");
    const writes = [
      await container.items.create({ id: "item", pk: "a", n: 0 }),
      await container.items.upsert({ id: "item", pk: "a", n: 1 }),
      await item.replace({ id: "item", pk: "a", n: 2 }),
      await item.patch([{ op: "incr", path: "/n", value: 1 }]),
      await item.delete(),
    ];
    const lsns = writes.map(tokenOf).map(lsnOf);
    expect(lsns).toEqual(lsns.map((_, index) => lsns[0]! + index));
    for (const write of writes) expect(rangeIdOf(write)).toBe("0");
    expect(lsnOf(tokenOf(await item.read()))).toBe(lsns.at(-1));
  });

  test("stands still for reads and refused writes", async () => {
    const container = await openContainer(stage.database);
    const created = await container.items.create({ id: "item", pk: "a" });
    const read = await container.item("item", "a").read();
    const missing = await container.item("missing", "a").read();
    await container.items.create({ id: "item", pk: "a" }).catch(() => undefined);
    const after = await container.item("item", "a").read();
    expect([read, missing, after].map(tokenOf)).toEqual(Array(3).fill(tokenOf(created)));
  });

  test("is of one range only, each with a count of its own", async () => {
    const container = await openContainer(stage.database, { throughput: 30_000 });
    const latest = new Map<string, number>();
    for (let index = 0; index < 60; index++) {
      const answer = await container.items.create({ id: `item-${index}`, pk: index });
      const token = tokenOf(answer);
      const rangeId = rangeIdOf(answer);
      expect(token.startsWith(`${rangeId}:0#`)).toBe(true);
      const before = latest.get(rangeId);
      if (before !== undefined) expect(lsnOf(token)).toBe(before + 1);
      latest.set(rangeId, lsnOf(token));
    }
    expect(latest.size).toBe(3);
  });

  test("is not told by what is no item", async () => {
    const { headers } = await stage.database.containers.create({ id: "told", partitionKey: "/pk" });
    expect(headers["x-ms-session-token"]).toBeUndefined();
  });
});

describe("a client in a session", () => {
  async function inSession(throughput: number): Promise<Container> {
    const { id } = await openContainer(stage.database, { throughput });
    return session.database(stage.database.id).container(id);
  }

  test.each([400, 30_000])("reads what it wrote, at %d RU/s", async (throughput) => {
    const container = await inSession(throughput);
    for (let index = 0; index < 30; index++) {
      const { resource } = await container.items.create({ id: "item", pk: index, n: index });
      expect((await container.item("item", index).read()).resource).toEqual(resource);
    }
    expect((await container.items.readAll().fetchAll()).resources).toHaveLength(30);
  });

  test("reads what another client wrote and told it of", async () => {
    const container = await inSession(400);
    const other = stage.database.container(container.id);
    const written = await other.items.create({ id: "item", pk: "a" });
    const sessionToken = tokenOf(written);
    const read = await container.item("item", "a").read({ sessionToken });
    expect(read.resource).toEqual(written.resource);
    const asked = await container.items.query("SELECT * FROM c", { sessionToken }).fetchAll();
    expect(asked.resources).toEqual([written.resource]);
    const listed = await container.items.readAll({ sessionToken }).fetchAll();
    expect(listed.resources).toEqual([written.resource]);
  });

  test("goes on when its container was deleted and made again", async () => {
    const container = await inSession(400);
    for (let n = 0; n < 5; n++) await container.items.create({ id: `item-${n}`, pk: "a" });
    await container.delete();
    await stage.database.containers.create({ id: container.id, partitionKey: "/pk" });
    const { statusCode } = await container.items.create({ id: "item", pk: "a" });
    expect(statusCode).toBe(201);
    expect((await container.item("item", "a").read()).statusCode).toBe(200);
  });

  test("comes to the item, although it asks for a state that never was", async () => {
    // Told that the state is not there, this client asks once more without naming one.
    const container = await inSession(400);
    await container.items.create({ id: "item", pk: "a" });
    const read = await container.item("item", "a").read({ sessionToken: "0:0#999999" });
    expect(read.statusCode).toBe(200);
  });
});
