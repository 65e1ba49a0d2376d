/**
 * Databases and containers: what is refused, what survives opening again, and that nothing which
 * has a number ever gets a number that something else had.
 */
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { Account } from "../account.ts";
import type { ContainerDefinition } from "../definition/containerDefinition.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { Catalog } from "./catalog.ts";
import type { Database } from "./database.ts";

describe("databases and containers", () => {
  test("are found by name and by rid", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, "d");
    const container = await containerIn(catalog, database, "c");
    expect(catalog.database("d")).toBe(database);
    expect(catalog.database(database.rid)).toBe(database);
    expect(catalog.container("d", "c")).toBe(container);
    expect(catalog.container(database.rid, container.rid)).toBe(container);
    expect(catalog.databases()).toEqual([database]);
  });

  test("a container's rid does not open the door of another database", async () => {
    const { catalog } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, "d"), "c");
    await databaseIn(catalog, "other");
    expect(catalog.container("other", container.rid)).toBeUndefined();
  });

  test("of several with one name, made at once, one is made", async () => {
    const { catalog } = await stage();
    const made = await Promise.all([1, 2, 3].map(() => catalog.createDatabase("d", undefined)));
    expect(made.map(({ ok }) => ok)).toEqual([true, false, false]);
    const database = catalog.database("d")!;
    const containers = await Promise.all(
      [1, 2, 3].map(() => catalog.createContainer(database, definitionOf("c"), PROVISIONING)),
    );
    expect(containers.map(({ ok }) => ok)).toEqual([true, false, false]);
    expect(containers[1]).toMatchObject({ error: { kind: "idTaken" } });
  });

  test("what is gone cannot be changed", async () => {
    const { catalog } = await stage();
    const database = await databaseIn(catalog, "d");
    const container = await containerIn(catalog, database, "c");
    await catalog.deleteContainer(database, container);
    expect(await catalog.deleteContainer(database, container)).toMatchObject(NOT_FOUND);
    expect(await catalog.replaceContainer(container, definitionOf("c"))).toMatchObject(NOT_FOUND);
    await catalog.deleteDatabase(database);
    expect(await catalog.deleteDatabase(database)).toMatchObject(NOT_FOUND);
    const late = await catalog.createContainer(database, definitionOf("c"), PROVISIONING);
    expect(late).toMatchObject({ ok: false, error: { kind: "ownerNotFound" } });
  });

  test("a deleted database takes its containers and their parts with it", async () => {
    const { catalog, store } = await stage();
    const database = await databaseIn(catalog, "d");
    const container = await containerIn(catalog, database, "c");
    await containerIn(catalog, database, "c2");
    await catalog.deleteDatabase(database);
    expect(container.isDeleted).toBe(true);
    expect(catalog.container("d", "c")).toBeUndefined();
    expect(catalog.container(database.rid, container.rid)).toBeUndefined();
    expect(store.parts()).toEqual([0]);
  });
});

describe("numbers and etags", () => {
  test("a container made again under its name is another one, also after opening again", async () => {
    const { catalog, store, reopen } = await stage();
    const database = await databaseIn(catalog, "d");
    const first = await containerIn(catalog, database, "c");
    await catalog.deleteContainer(database, first);
    const again = await reopen();
    const second = await containerIn(again, again.database("d")!, "c");
    expect(second.rid).not.toBe(first.rid);
    expect(partsOf(second).some((part) => partsOf(first).includes(part))).toBe(false);
    expect(store.parts()).toEqual([0, ...partsOf(second)]);
  });

  test("every change of a container gives it a new etag", async () => {
    const { catalog } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, "d"), "c");
    const etags = [container.record.etag];
    for (let count = 0; count < 3; count++) {
      await catalog.replaceContainer(container, definitionOf("c"));
      etags.push(container.record.etag);
    }
    expect(new Set(etags).size).toBe(4);
  });

  test("parts that were claimed for nothing are not claimed again", async () => {
    const { catalog, store } = await stage();
    const database = await databaseIn(catalog, "d");
    const commit = store.commit.bind(store);
    store.commit = async () => {
      throw new StoreFault("the disk is full");
    };
    const failed = catalog.createContainer(database, definitionOf("c"), PROVISIONING);
    await expect(failed).rejects.toThrow("full");
    expect(catalog.container("d", "c")).toBeUndefined();
    store.commit = commit;
    const abandoned = store.parts().filter((part) => part !== 0);
    const container = await containerIn(catalog, database, "c");
    expect(partsOf(container).some((part) => abandoned.includes(part))).toBe(false);
  });
});

describe("opening again", () => {
  test("finds everything as it was", async () => {
    const { catalog, reopen } = await stage();
    const database = await databaseIn(catalog, "d");
    const members = { defaultTtl: 60, uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/a"] }] } };
    const container = await containerIn(catalog, database, "c", members);
    await databaseIn(catalog, "empty");
    const again = await reopen();
    expect(again.databases().map(({ record }) => record)).toEqual(
      catalog.databases().map(({ record }) => record),
    );
    const found = again.container("d", "c")!;
    expect(found.record).toEqual(container.record);
    expect([...found.partitions.keys()]).toEqual([...container.partitions.keys()]);
  });

  test("drops parts that no container names, and does not use their numbers", async () => {
    const { catalog, store, reopen } = await stage();
    await databaseIn(catalog, "d");
    await store.claim(7, 1);
    const again = await reopen();
    expect(store.parts()).toEqual([0]);
    const container = await containerIn(again, again.database("d")!, "c");
    expect(Math.min(...partsOf(container))).toBeGreaterThan(7);
  });

  test("leaves them where there is no room, and does not use their numbers either", async () => {
    const { catalog, store, reopen } = await stage();
    await databaseIn(catalog, "d");
    await store.claim(7, 1);
    const { commit } = store;
    store.commit = () => Promise.reject(new StoreFault("the disk is full"));
    const again = await reopen();
    expect(store.parts()).toEqual([0, 7]);
    store.commit = commit;
    const container = await containerIn(again, again.database("d")!, "c");
    expect(Math.min(...partsOf(container))).toBeGreaterThan(7);
    await reopen();
    expect(store.parts()).toEqual([0, ...partsOf(container)]);
  });

  test("twice in a row does not use them either", async () => {
    const { catalog, store, reopen } = await stage();
    await databaseIn(catalog, "d");
    await store.claim(7, 1);
    await reopen();
    const again = await reopen();
    const container = await containerIn(again, again.database("d")!, "c");
    expect(Math.min(...partsOf(container))).toBeGreaterThan(7);
  });

  test("shuts out whoever had it open before", async () => {
    const { account, catalog, reopen } = await stage();
    const container = await containerIn(catalog, await databaseIn(catalog, "d"), "c");
    await reopen();
    await expect(catalog.createDatabase("late", undefined)).rejects.toThrow("epoch");
    const body = { id: "1", pk: "k" };
    const late = account.writeItem(container, { kind: "create", key: ["k"], body });
    expect(late.ok && (await late.value)).toMatchObject({ refusal: { kind: "unavailable" } });
  });

  test("refuses a catalogue of a format it does not know", async () => {
    const { store, reopen } = await stage();
    const epoch = store.head(0)!.epoch;
    const body = Buffer.from('{"format":99,"kind":"database"}');
    const write = { kind: "put", key: "database 9", number: 9, tag: 0, body } as const;
    const put = { ...write, before: undefined, termsAdded: [], termsRemoved: [] };
    await store.commit(0, epoch, [[put]]);
    await expect(reopen()).rejects.toThrow("format 99");
  });
});

const PROVISIONING = { partitionCount: 2, throughput: undefined };
const NOT_FOUND = { ok: false, error: { kind: "notFound" } };

interface Stage {
  readonly account: Account;
  readonly catalog: Catalog;
  readonly store: EmbeddedStore;
  /** Another catalogue over the same store, as after a restart. */
  reopen(): Promise<Catalog>;
}

async function stage(): Promise<Stage> {
  const store = EmbeddedStore.inMemory(realTimer);
  const setting = {
    store,
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(0), wallNow: () => 1_700_000_000_000 },
  };
  const account = await Account.open(setting);
  return { account, catalog: account.catalog, store, reopen: () => Catalog.open(setting) };
}

async function databaseIn(catalog: Catalog, id: string): Promise<Database> {
  const made = await catalog.createDatabase(id, undefined);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

async function containerIn(
  catalog: Catalog,
  database: Database,
  id: string,
  members: JsonObject = {},
): Promise<Container> {
  const made = await catalog.createContainer(database, definitionOf(id, members), PROVISIONING);
  if (!made.ok) throw new Error(made.error.kind);
  return made.value;
}

function definitionOf(id: string, members: JsonObject = {}): ContainerDefinition {
  const body = { id, partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error(JSON.stringify(definition.error));
  return definition.value;
}

function partsOf(container: Container): readonly number[] {
  return container.map.entries.map(({ part }) => part);
}
