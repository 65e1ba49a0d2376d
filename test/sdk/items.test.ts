/** One item at a time: what comes back for every verb, and the system properties of an item. */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, ownPart, rangeIdOf, refusalOf, ridBytes } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("what the verbs answer", () => {
  test("create: 201, then 409 for the same id and key, 201 for another key", async () => {
    const first = await container.items.create({ id: "created", pk: "a", n: 1 });
    expect(first.statusCode).toBe(201);
    expect(ownPart(first.resource)).toEqual({ id: "created", pk: "a", n: 1 });
    const again = await refusalOf(container.items.create({ id: "created", pk: "a" }));
    expect(again.status).toBe(409);
    expect(again.message).toContain("already exists");
    expect((await container.items.create({ id: "created", pk: "b" })).statusCode).toBe(201);
    expect((await container.item("created", "a").read()).resource).toEqual(first.resource);
  });

  test("read: 200, and 404 without an item", async () => {
    const { resource } = await container.items.create({ id: "read", pk: "a" });
    const read = await container.item("read", "a").read();
    expect([read.statusCode, read.resource]).toEqual([200, resource]);
    const missing = await container.item("missing", "a").read();
    expect([missing.statusCode, missing.resource]).toEqual([404, undefined]);
  });

  test("upsert: 201 when it creates, 200 when it replaces", async () => {
    const first = await container.items.upsert({ id: "upserted", pk: "a", n: 1 });
    const second = await container.items.upsert({ id: "upserted", pk: "a", m: 2 });
    expect([first.statusCode, second.statusCode]).toEqual([201, 200]);
    expect(ownPart(second.resource as never)).toEqual({ id: "upserted", pk: "a", m: 2 });
    expect((await container.item("upserted", "a").read()).resource).toEqual(second.resource);
  });

  test("replace: 200, and 404 without an item", async () => {
    const first = await container.items.create({ id: "replaced", pk: "a", n: 1 });
    const item = container.item("replaced", "a");
    const second = await item.replace({ id: "replaced", pk: "a", m: 2 });
    expect(second.statusCode).toBe(200);
    expect(ownPart(second.resource)).toEqual({ id: "replaced", pk: "a", m: 2 });
    expect(second.resource?._rid).toBe(first.resource?._rid);
    expect(second.resource?._etag).not.toBe(first.resource?._etag);
    expect((await item.read()).resource).toEqual(second.resource);
    const missing = container.item("missing", "a").replace({ id: "missing", pk: "a" });
    expect((await refusalOf(missing)).status).toBe(404);
  });

  test("replace: 200 when the body has another id, which the item has from then on", async () => {
    await container.items.create({ id: "former", pk: "a" });
    const former = container.item("former", "a");
    const { statusCode } = await former.replace({ id: "renamed", pk: "a" });
    expect(statusCode).toBe(200);
    expect((await former.read()).statusCode).toBe(404);
    expect((await container.item("renamed", "a").read()).resource).toMatchObject({ id: "renamed" });
  });

  test("delete: 204 without a body, and 404 without an item", async () => {
    await container.items.create({ id: "deleted", pk: "a" });
    const item = container.item("deleted", "a");
    const answer = await item.delete();
    expect([answer.statusCode, answer.resource]).toEqual([204, null]);
    expect((await item.read()).statusCode).toBe(404);
    expect((await refusalOf(item.delete())).status).toBe(404);
  });

  test("an item made again after its deletion is a new one", async () => {
    const first = await container.items.create({ id: "phoenix", pk: "a" });
    await container.item("phoenix", "a").delete();
    const second = await container.items.create({ id: "phoenix", pk: "a" });
    expect(second.resource?._rid).not.toBe(first.resource?._rid);
  });

  test("an id is made by the client when there is none, and required by the service", async () => {
    const { resource } = await container.items.create({ pk: "a" });
    expect(resource?.id).toMatch(/^[0-9a-f-]{36}$/);
    const bare = container.items.create({ pk: "a" }, { disableAutomaticIdGeneration: true });
    expect((await refusalOf(bare)).status).toBe(400);
  });

  test("in a container that is not there: 404", async () => {
    const missing = stage.database.container("missing");
    const attempts = [
      missing.items.create({ id: "item", pk: "a" }),
      missing.item("item", "a").delete(),
      missing.items.readAll().fetchAll(),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(refusals.map(({ status }) => status)).toEqual([404, 404, 404]);
  });
});

describe("system properties", () => {
  test("have the form the service gives them", async () => {
    const { resource: owner } = await container.read();
    const { resource, etag } = await container.items.create({ id: "formed", pk: "a" });
    const { _rid, _self, _etag, _ts } = resource!;
    expect(ridBytes(_rid)).toHaveLength(16);
    expect(ridBytes(_rid).subarray(0, 8)).toEqual(ridBytes(owner!._rid));
    expect(_rid).toMatch(/^[A-Za-z0-9+-]{22}==$/);
    expect(_self).toBe(`${owner!._self}docs/${_rid}/`);
    expect(_etag).toMatch(/^"[0-9a-f-]{36}"$/);
    expect(etag).toBe(_etag);
    expect(resource).toMatchObject({ _attachments: "attachments/" });
    expect(Number.isInteger(_ts)).toBe(true);
    expect(Math.abs(_ts - Date.now() / 1000)).toBeLessThan(60);
  });

  test("rids hold a little-endian number that grows with every item of a range", async () => {
    const spread = await openContainer(stage.database, { throughput: 30_000 });
    const largest = new Map<string, bigint>();
    for (let index = 0; index < 300; index++) {
      const answer = await spread.items.create({ id: `item-${index}`, pk: index });
      const number = ridBytes(answer.resource!._rid).readBigUInt64LE(8);
      const rangeId = rangeIdOf(answer);
      expect(number).toBeGreaterThan(largest.get(rangeId) ?? -1n);
      largest.set(rangeId, number);
    }
    expect(largest.size).toBe(3);
  });

  test("sent by the client are forgotten", async () => {
    const sent = { id: "forged", pk: "a", _rid: "x", _self: "y", _etag: '"z"', _ts: 1, n: 1 };
    const { resource } = await container.items.create(sent);
    expect(resource).not.toMatchObject({ _rid: "x" });
    expect(ownPart(resource)).toEqual({ id: "forged", pk: "a", n: 1 });
    expect(resource?._ts).toBeGreaterThan(1);
    const { resource: again } = await container.item("forged", "a").replace(resource as never);
    expect(ownPart(again)).toEqual({ id: "forged", pk: "a", n: 1 });
  });
});

describe("the request charge", () => {
  test("is the same for the same work", async () => {
    const bodies = ["one", "two"].map((id) => ({
      id,
      pk: "a",
      text: "x".repeat(500),
      list: [1, 2],
    }));
    const chargesOf = async (body: (typeof bodies)[number]): Promise<number[]> => {
      const item = container.item(body.id, "a");
      const answers = [
        await container.items.create(body),
        await item.read(),
        await item.replace({ ...body, list: [1, 3] }),
        await item.patch([{ op: "set", path: "/text", value: "short" }]),
        await container.item(`missing ${body.id}`, "a").read(),
        await item.delete(),
      ];
      return answers.map(({ requestCharge }) => requestCharge);
    };
    const first = await chargesOf(bodies[0]!);
    expect(await chargesOf(bodies[1]!)).toEqual(first);
    for (const charge of first) expect(charge).toBeGreaterThan(0);
    const [create, read] = first;
    expect(create).toBeGreaterThan(read!);
    expect(read).toBe(1);
  });

  test("grows with the item, and with what is indexed of it", async () => {
    const write = (id: string, extra: object) =>
      container.items
        .create({ id, pk: "charges", ...extra })
        .then((answer) => answer.requestCharge);
    const small = await write("small", {});
    const large = await write("large", { text: "x".repeat(100_000) });
    const wide = await write("wide", { list: Array.from({ length: 100 }, (_, index) => index) });
    expect(large).toBeGreaterThan(small);
    expect(wide).toBeGreaterThan(small);
  });
});

describe("many clients at once", () => {
  test("of a hundred that create one id, one succeeds", async () => {
    const attempts = Array.from({ length: 100 }, (_, n) =>
      container.items.create({ id: "contested", pk: "a", n }).then(
        ({ statusCode }) => statusCode as number,
        (error: { code: number }) => error.code,
      ),
    );
    const statuses = await Promise.all(attempts);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(99);
  });

  test("of a hundred increments none is lost", async () => {
    await container.items.create({ id: "counter", pk: "a", n: 0 });
    const item = container.item("counter", "a");
    const increment = () => item.patch([{ op: "incr", path: "/n", value: 1 }]);
    const answers = await Promise.all(Array.from({ length: 100 }, increment));
    expect((await item.read()).resource?.["n"]).toBe(100);
    expect(new Set(answers.map(({ etag }) => etag)).size).toBe(100);
  });

  test("writing while their container is deleted are served, or told that it is gone", async () => {
    const doomed = await openContainer(stage.database, { throughput: 30_000 });
    const writes = Array.from({ length: 300 }, (_, index) =>
      doomed.items.create({ id: `item-${index}`, pk: index }).then(
        ({ statusCode }) => statusCode as number,
        (error: { code: number }) => error.code,
      ),
    );
    await writes[0];
    await doomed.delete();
    for (const status of await Promise.all(writes)) expect([201, 404]).toContain(status);
  });
});

describe("a unique key", () => {
  test("holds within a logical partition, for every way to write", async () => {
    const { container: unique } = await stage.database.containers.create({
      id: "unique",
      partitionKey: "/pk",
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    });
    const { items } = unique;
    await items.create({ id: "1", pk: "a", email: "ada" });
    await items.create({ id: "2", pk: "a", email: "bob" });
    await items.create({ id: "1", pk: "b", email: "ada" });
    const second = unique.item("2", "a");
    const attempts = [
      items.create({ id: "3", pk: "a", email: "ada" }),
      items.upsert({ id: "3", pk: "a", email: "ada" }),
      second.replace({ id: "2", pk: "a", email: "ada" }),
      second.patch([{ op: "set", path: "/email", value: "ada" }]),
    ];
    const refusals = await Promise.all(attempts.map(refusalOf));
    expect(refusals.map(({ status }) => status)).toEqual([409, 409, 409, 409]);
    await unique.item("1", "a").delete();
    await second.replace({ id: "2", pk: "a", email: "ada" });
    expect((await second.read()).resource?.["email"]).toBe("ada");
  });

  test("is won by one of many that want it at once", async () => {
    const { container: unique } = await stage.database.containers.create({
      id: "contested",
      partitionKey: "/pk",
      uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/email"] }] },
    });
    const attempts = Array.from({ length: 50 }, (_, index) =>
      unique.items.create({ id: `${index}`, pk: "a", email: "ada" }).then(
        ({ statusCode }) => statusCode as number,
        (error: { code: number }) => error.code,
      ),
    );
    const statuses = await Promise.all(attempts);
    expect(statuses.filter((status) => status === 201)).toHaveLength(1);
    expect(statuses.filter((status) => status === 409)).toHaveLength(49);
  });
});
