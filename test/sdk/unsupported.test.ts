/**
 * What is not there yet is refused with a 400 that says so, and changes nothing. A feature that
 * arrives takes its line out of this list.
 */
import type { Container } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let container: Container;
beforeAll(async () => {
  stage = await openStage();
  container = await openContainer(stage.database, { throughput: 30_000 });
  await container.items.create({ id: "item", pk: "a" });
});
afterAll(() => stage[Symbol.asyncDispose]());

const script = { id: "script", body: "function () {}" };

const ATTEMPTS: Readonly<Record<string, () => Promise<unknown>>> = {
  "a query of users": () => stage.database.users.query({ query: "SELECT * FROM root" }).fetchAll(),
  "a query of triggers": () =>
    container.scripts.triggers.query({ query: "SELECT * FROM root" }).fetchAll(),
  "a stored procedure": () => container.scripts.storedProcedures.create(script),
  "listing triggers": () => container.scripts.triggers.readAll().fetchAll(),
  "a user-defined function": () => container.scripts.userDefinedFunctions.create(script),
  "a user": () => stage.database.users.create({ id: "user" }),
  "listing permissions": () => stage.database.user("user").permissions.readAll().fetchAll(),
  "listing conflicts": () => container.conflicts.readAll().fetchAll(),
  "a trigger around a write": () =>
    container.items.create({ id: "triggered", pk: "a" }, { preTriggerInclude: "script" }),
};

describe("not supported yet:", () => {
  test.each(Object.entries(ATTEMPTS))("%s", async (_rule, attempt) => {
    const { status, message } = await refusalOf(attempt());
    expect(status).toBe(400);
    expect(message).toMatch(/not supported yet/);
  });

  test("and nothing was written by any of it", async () => {
    const { resources } = await container.items.readAll().fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["item"]);
  });
});
