/** Queries over databases and containers through the official client, which asks for no plan. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openStage, pagesOf, refusalOf } from "./stage.ts";

let stage: Stage;
beforeAll(async () => {
  stage = await openStage();
  for (const id of ["alpha", "beta", "Prüfung", "it's"])
    await stage.client.databases.create({ id });
  for (const [id, path] of [
    ["orders", "/customer"],
    ["items", "/pk"],
    ["events", "/pk"],
  ] as const) {
    await stage.database.containers.create({ id, partitionKey: path });
  }
});
afterAll(() => stage[Symbol.asyncDispose]());

describe("databases", () => {
  test("are found by their id, as the list shows them", async () => {
    const { resources: all } = await stage.client.databases.readAll().fetchAll();
    for (const database of all) {
      const query = "SELECT * FROM root r WHERE r.id = @id";
      const parameters = [{ name: "@id", value: database.id }];
      const found = stage.client.databases.query({ query, parameters });
      const { resources, requestCharge } = await found.fetchAll();
      expect(resources).toEqual([database]);
      expect(requestCharge).toBeGreaterThan(0);
    }
  });

  test("may be asked for in any way", async () => {
    const idsOf = async (text: string) =>
      (await stage.client.databases.query(text).fetchAll()).resources;
    expect(await idsOf("SELECT VALUE d.id FROM d ORDER BY d.id DESC")).toEqual([
      "stage",
      "it's",
      "beta",
      "alpha",
      "Prüfung",
    ]);
    expect(await idsOf("SELECT VALUE COUNT(1) FROM d")).toEqual([5]);
    expect(await idsOf("SELECT VALUE d.id FROM d WHERE d.id = 'it\\'s'")).toEqual(["it's"]);
    expect(await idsOf("SELECT * FROM d WHERE d.id = 'none'")).toEqual([]);
  });

  test("come in pages", async () => {
    for (const order of ["", " ORDER BY d.id"]) {
      const query = `SELECT VALUE d.id FROM d${order}`;
      const pages = await pagesOf(stage.client.databases.query(query, { maxItemCount: 2 }));
      expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
      const { resources } = await stage.client.databases.query(query).fetchAll();
      expect(pages.flat()).toEqual(resources);
    }
  });

  test("are not looked for with a text that is no query", async () => {
    const { status, message } = await refusalOf(
      stage.client.databases.query("SELECT * FROM d WHERE").fetchAll(),
    );
    expect(status).toBe(400);
    expect(message).toContain("SC1001");
  });
});

describe("containers", () => {
  test("are found by their id, as the list shows them", async () => {
    const { resources: all } = await stage.database.containers.readAll().fetchAll();
    expect(all).toHaveLength(3);
    for (const container of all) {
      const query = "SELECT * FROM root r WHERE r.id = @id";
      const parameters = [{ name: "@id", value: container.id }];
      const found = stage.database.containers.query({ query, parameters });
      expect((await found.fetchAll()).resources).toEqual([container]);
    }
  });

  test("are found by anything in their definition", async () => {
    const query =
      "SELECT VALUE c.id FROM c WHERE ARRAY_CONTAINS(c.partitionKey.paths, '/pk') ORDER BY c.id";
    const { resources } = await stage.database.containers.query({ query }).fetchAll();
    expect(resources).toEqual(["events", "items"]);
  });

  test("of another database are not found, and of none is a 404", async () => {
    const query = "SELECT * FROM c";
    const { resources } = await stage.client
      .database("alpha")
      .containers.query({ query })
      .fetchAll();
    expect(resources).toEqual([]);
    const refusal = await refusalOf(
      stage.client.database("none").containers.query({ query }).fetchAll(),
    );
    expect(refusal.status).toBe(404);
  });

  test("come in pages, and no page of another list goes on here", async () => {
    const options = { maxItemCount: 1 };
    const query = "SELECT VALUE c.id FROM c";
    const first = await stage.database.containers.query({ query }, options).fetchNext();
    expect(first.resources).toEqual(["orders"]);
    const { continuationToken } = first;
    const rest = stage.database.containers.query({ query }, { ...options, continuationToken });
    expect(await pagesOf(rest)).toEqual([["items"], ["events"]]);
    const elsewhere = stage.client.databases.query(query, { ...options, continuationToken });
    expect((await refusalOf(elsewhere.fetchNext())).status).toBe(400);
  });
});
