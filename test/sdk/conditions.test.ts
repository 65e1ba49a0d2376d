/** Optimistic concurrency: writes that need a version, reads that have one already. */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database);
});
afterAll(() => stage[Symbol.asyncDispose]());

const ifMatch = (condition: string) => ({ accessCondition: { type: "IfMatch", condition } });
const ifNoneMatch = (condition: string) => ({
  accessCondition: { type: "IfNoneMatch", condition },
});

describe("a write that needs a version", () => {
  const writes = {
    replace: (id: string, options: object) =>
      container.item(id, "a").replace({ id, pk: "a", n: 2 }, options),
    upsert: (id: string, options: object) => container.items.upsert({ id, pk: "a", n: 2 }, options),
    patch: (id: string, options: object) =>
      container.item(id, "a").patch([{ op: "set", path: "/n", value: 2 }], options),
    delete: (id: string, options: object) => container.item(id, "a").delete(options),
  };

  test.each(Object.entries(writes))("%s finds it or is refused", async (name, write) => {
    const { etag: stale } = await container.items.create({ id: name, pk: "a", n: 0 });
    const { etag } = await container.items.upsert({ id: name, pk: "a", n: 1 });
    expect(etag).not.toBe(stale);

    const { status, message } = await refusalOf(write(name, ifMatch(stale)));
    expect(status).toBe(412);
    expect(message).toContain("precondition");
    const read = await container.item(name, "a").read();
    expect([read.resource?.["n"], read.etag]).toEqual([1, etag]);

    const answer = await write(name, ifMatch(etag));
    expect([200, 204]).toContain(answer.statusCode);
    if (name !== "delete") expect(answer.etag).not.toBe(etag);
  });

  test.each(Object.entries(writes))("%s takes a star for any version", async (name, write) => {
    await container.items.create({ id: `${name} any`, pk: "a", n: 0 });
    const answer = await write(`${name} any`, ifMatch("*"));
    expect([200, 204]).toContain(answer.statusCode);
  });

  test.each(["replace", "patch", "delete"] as const)("%s of nothing is a 404", async (name) => {
    const write = writes[name];
    expect((await refusalOf(write("nothing", ifMatch('"some"')))).status).toBe(404);
  });

  test("of fifty with the same version, one succeeds", async () => {
    const { etag } = await container.items.create({ id: "contested", pk: "a", n: -1 });
    const item = container.item("contested", "a");
    const attempts = Array.from({ length: 50 }, (_, n) =>
      item.replace({ id: "contested", pk: "a", n }, ifMatch(etag)).then(
        ({ statusCode }) => statusCode as number,
        (error: { code: number }) => error.code,
      ),
    );
    const statuses = await Promise.all(attempts);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(49);
    const winner = statuses.indexOf(200);
    expect((await item.read()).resource?.["n"]).toBe(winner);
  });
});

describe("a read that has a version", () => {
  test("gets 304 without a body while it is the latest", async () => {
    const { etag } = await container.items.create({ id: "read", pk: "a" });
    const item = container.item("read", "a");
    const unchanged = await item.read(ifNoneMatch(etag));
    expect(unchanged.statusCode).toBe(304);
    expect(unchanged.resource ?? undefined).toBeUndefined();
    expect(unchanged.etag).toBe(etag);
    expect(unchanged.requestCharge).toBeGreaterThan(0);

    const { etag: later } = await item.replace({ id: "read", pk: "a", n: 1 });
    const changed = await item.read(ifNoneMatch(etag));
    expect([changed.statusCode, changed.etag]).toEqual([200, later]);
  });

  test("gets the item for a version that never was, 304 for any", async () => {
    await container.items.create({ id: "other", pk: "a" });
    const item = container.item("other", "a");
    expect((await item.read(ifNoneMatch('"never"'))).statusCode).toBe(200);
    expect((await item.read(ifNoneMatch("*"))).statusCode).toBe(304);
  });

  test("gets 404 when there is nothing", async () => {
    expect((await container.item("nothing", "a").read(ifNoneMatch("*"))).statusCode).toBe(404);
  });
});

describe("containers and databases", () => {
  test("are replaced and deleted only in the version that is needed", async () => {
    const own = await openContainer(stage.database);
    const { resource, etag: stale } = await own.read();
    const { etag } = await own.replace({ ...resource!, defaultTtl: 100 });
    const replace = own.replace({ ...resource!, defaultTtl: 200 }, ifMatch(stale));
    expect((await refusalOf(replace)).status).toBe(412);
    expect((await refusalOf(own.delete(ifMatch(stale)))).status).toBe(412);
    expect((await own.read()).resource?.defaultTtl).toBe(100);
    expect((await own.delete(ifMatch(etag))).statusCode).toBe(204);

    const { database, etag: databaseEtag } = await stage.client.databases.create({ id: "cond" });
    expect((await refusalOf(database.delete(ifMatch('"stale"')))).status).toBe(412);
    expect((await database.delete(ifMatch(databaseEtag))).statusCode).toBe(204);
  });

  // The client itself fails on a container it is not sent again: see `test/http`.
  test("are not sent again to a client that has them", async () => {
    const { etag } = await stage.database.read();
    expect((await stage.database.read(ifNoneMatch(etag))).statusCode).toBe(304);
  });
});
