/**
 * Users, permissions, scripts and keys: the rules first, then any row of changes, failures and
 * restarts against a map.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { ResourceKind } from "../../model/rid.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import type { Fault } from "../simulatedAccount.fake.ts";
import { troubledStore } from "../simulatedAccount.fake.ts";
import { Catalog } from "./catalog.ts";
import type { Database } from "./database.ts";
import type { Resource, ResourceOwner } from "./resourceRecords.ts";

describe("resources", () => {
  test("are found by name and by rid, under their owner and as their kind only", async () => {
    const { catalog, database, container } = await stage();
    const procedure = await made(catalog, container, "storedProcedure", "s");
    const { resources } = catalog;
    expect(resources.get(container.rid, "storedProcedure", "s")).toBe(procedure);
    expect(resources.get(container.rid, "storedProcedure", procedure.rid)).toBe(procedure);
    expect(resources.byRid(procedure.rid)).toBe(procedure);
    expect(resources.get(container.rid, "trigger", "s")).toBeUndefined();
    expect(resources.get(container.rid, "trigger", procedure.rid)).toBeUndefined();
    expect(resources.get(database.rid, "storedProcedure", procedure.rid)).toBeUndefined();
  });

  test("of one kind and owner differ by id; others may share it", async () => {
    const { catalog, database, container } = await stage();
    for (const kind of ["storedProcedure", "trigger", "userDefinedFunction"] as const) {
      await made(catalog, container, kind, "same");
    }
    await made(catalog, database, "user", "same");
    const again = await catalog.resources.create(container, "trigger", draft("same"));
    expect(again).toMatchObject({ ok: false, error: { kind: "idTaken" } });
  });

  test("are listed in order of creation, also when one was renamed", async () => {
    const { catalog, database, reopen } = await stage();
    for (const id of ["b", "a", "c"]) await made(catalog, database, "user", id);
    const { resources } = catalog;
    await resources.replace(resources.get(database.rid, "user", "b")!, draft("z"));
    const ids = (from: Catalog): readonly string[] =>
      from.resources.list(database.rid, "user").map(({ record }) => record.id);
    expect(ids(catalog)).toEqual(["z", "a", "c"]);
    expect(ids(await reopen())).toEqual(["z", "a", "c"]);
    expect(resources.get(database.rid, "user", "b")).toBeUndefined();
  });

  test("a replaced one keeps its rid and gets another etag", async () => {
    const { catalog, container } = await stage();
    const trigger = await made(catalog, container, "trigger", "t");
    const before = trigger.record;
    const replaced = await catalog.resources.replace(trigger, draft("t2", { body: "b" }));
    expect(replaced).toMatchObject({ ok: true, value: { rid: trigger.rid } });
    expect(trigger.record).toMatchObject({ id: "t2", content: { body: "b" } });
    expect(trigger.record.etag).not.toBe(before.etag);
    expect(trigger.record.number).toBe(before.number);
  });

  test("none gets the id of another by being replaced", async () => {
    const { catalog, database } = await stage();
    const user = await made(catalog, database, "user", "a");
    await made(catalog, database, "user", "b");
    const renamed = await catalog.resources.replace(user, draft("b"));
    expect(renamed).toMatchObject({ ok: false, error: { kind: "idTaken" } });
  });

  test("of two changes with the same condition one is made", async () => {
    const { catalog, database } = await stage();
    const user = await made(catalog, database, "user", "a");
    const { etag } = user.record;
    const { resources } = catalog;
    const both = await Promise.all([
      resources.replace(user, draft("a"), etag),
      resources.replace(user, draft("a"), etag),
    ]);
    expect(both.map(({ ok }) => ok)).toEqual([true, false]);
    expect(both[1]).toMatchObject({ error: { kind: "preconditionFailed" } });
    expect(await resources.delete(user, etag)).toMatchObject({ ok: false });
    expect(await resources.delete(user, "*")).toMatchObject({ ok: true });
    expect(await resources.delete(user)).toMatchObject({ error: { kind: "notFound" } });
    expect(await resources.replace(user, draft("a"))).toMatchObject({
      error: { kind: "notFound" },
    });
  });

  test("an upsert creates, then replaces", async () => {
    const { catalog, database } = await stage();
    const { resources } = catalog;
    const first = await resources.upsert(database, "user", draft("a"));
    const second = await resources.upsert(database, "user", draft("a"));
    expect([first, second]).toMatchObject([
      { value: { isNew: true } },
      { value: { isNew: false } },
    ]);
    const unmet = await resources.upsert(database, "user", draft("a"), '"other"');
    expect(unmet).toMatchObject({ error: { kind: "preconditionFailed" } });
  });

  test("a user has one permission for a resource, or one for each partition key", async () => {
    const { catalog, database } = await stage();
    const user = await made(catalog, database, "user", "u");
    const other = await made(catalog, database, "user", "other");
    const link = { resource: "dbs/d/colls/c" };
    const first = await made(catalog, user, "permission", "p", link);
    const { resources } = catalog;
    const same = await resources.create(
      user,
      "permission",
      draft("q", { resource: "/dbs/d/colls/c/" }),
    );
    expect(same).toMatchObject({ error: { kind: "permissionTaken" } });
    const container = catalog.container("d", "c")!;
    const self = { resource: `dbs/${database.rid}/colls/${container.rid}/` };
    await made(catalog, user, "permission", "by rid", self);
    await made(catalog, user, "permission", "a", { ...link, resourcePartitionKey: ["a"] });
    const b = await made(catalog, user, "permission", "b", {
      ...link,
      resourcePartitionKey: ["b"],
    });
    await made(catalog, other, "permission", "p", link);
    expect(await resources.replace(b, draft("b", link))).toMatchObject({
      error: { kind: "permissionTaken" },
    });
    expect(await resources.replace(first, draft("p", link))).toMatchObject({ ok: true });
  });

  test.each([
    ["storedProcedure", SERVICE_LIMITS.proceduresMax],
    ["trigger", SERVICE_LIMITS.triggersMax],
    ["userDefinedFunction", SERVICE_LIMITS.functionsMax],
  ] as const)("a container has at most so many of a %s: %d", async (kind, countMax) => {
    const { catalog, container } = await stage();
    for (let n = 0; n < countMax; n++) await made(catalog, container, kind, `n${n}`);
    const oneMore = await catalog.resources.create(container, kind, draft("more"));
    expect(oneMore).toMatchObject({ ok: false, error: { kind: "forbidden" } });
    await catalog.resources.delete(catalog.resources.get(container.rid, kind, "n0")!);
    await made(catalog, container, kind, "more");
  });

  test("numbers are not given twice, also after opening again", async () => {
    const { catalog, database, reopen } = await stage();
    const first = await made(catalog, database, "user", "u");
    await catalog.resources.delete(first);
    const again = await reopen();
    const second = await made(again, again.database("d")!, "user", "u");
    expect(second.rid).not.toBe(first.rid);
  });

  test("what could not be stored is not there", async () => {
    const { catalog, database, trouble } = await stage();
    const user = await made(catalog, database, "user", "u");
    trouble.fault = () => FULL;
    const { resources } = catalog;
    await expect(resources.create(database, "user", draft("v"))).rejects.toBe(FULL);
    await expect(resources.replace(user, draft("w"))).rejects.toBe(FULL);
    await expect(resources.delete(user)).rejects.toBe(FULL);
    trouble.fault = undefined;
    expect(resources.list(database.rid, "user")).toEqual([user]);
    expect(user.record.id).toBe("u");
  });
});

describe("what goes with its owner, in the same commit", () => {
  test.each(["user", "container", "database"] as const)("of a %s", async (gone) => {
    const { catalog, database, container, reopen, keys } = await stage();
    const user = await made(catalog, database, "user", "u");
    const all: Readonly<Record<string, Resource>> = {
      user,
      permission: await made(catalog, user, "permission", "p", { resource: "dbs/d/colls/c" }),
      key: await made(catalog, database, "clientEncryptionKey", "k"),
      script: await made(catalog, container, "storedProcedure", "s"),
    };
    if (gone === "user") await catalog.resources.delete(user);
    else if (gone === "container") await catalog.deleteContainer(database, container);
    else await catalog.deleteDatabase(database);
    const GONE = {
      user: ["user", "permission"],
      container: ["script"],
      database: ["user", "permission", "key", "script"],
    };
    const names = Object.keys(all).filter((name) => all[name]!.isDeleted);
    expect(names).toEqual(GONE[gone]);
    expect((await keys()).length).toBe(4 - names.length);
    const late = await catalog.resources.create(user, "permission", draft("late"));
    if (gone !== "container") expect(late).toMatchObject({ error: { kind: "ownerNotFound" } });
    const again = await reopen();
    for (const [name, { rid }] of Object.entries(all)) {
      expect(again.resources.byRid(rid) === undefined).toBe(names.includes(name));
      expect(catalog.resources.byRid(rid) === undefined).toBe(names.includes(name));
    }
  });
});

describe("functions", () => {
  test("a container knows those it has, after every change and after opening again", async () => {
    const { catalog, container, reopen } = await stage();
    const names = (of: Container): readonly string[] => [...of.functions.keys()];
    const one = await made(catalog, container, "userDefinedFunction", "one", { body: "1" });
    await made(catalog, container, "userDefinedFunction", "two", { body: "2" });
    await catalog.resources.replace(one, draft("eins", { body: "I" }));
    expect([...container.functions.values()]).toEqual([
      { name: "eins", body: "I" },
      { name: "two", body: "2" },
    ]);
    const again = await reopen();
    expect(names(again.container("d", "c")!)).toEqual(["eins", "two"]);
    for (const left of [["two"], []]) {
      const [first] = again.resources.list(container.rid, "userDefinedFunction");
      await again.resources.delete(first!);
      expect(names(again.container("d", "c")!)).toEqual(left);
    }
  });
});

test("any row of changes, failures and restarts leaves what a map would hold", async () => {
  const ids = fc.constantFrom("a", "b", "c");
  const anyStep = fc.record({
    what: fc.constantFrom("create", "upsert", "replace", "delete"),
    kind: fc.constantFrom("user" as const, "clientEncryptionKey" as const),
    id: ids,
    becomes: ids,
    end: fc.constantFrom("fine", "fine", "fails", "restarts"),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(anyStep, { maxLength: 12 }), async (steps) => {
      const { catalog: first, trouble, reopen } = await stage();
      let catalog = first;
      const model = new Map<string, number>();
      for (const [n, { what, kind, id, becomes, end }] of steps.entries()) {
        const { resources } = catalog;
        const database = catalog.database("d")!;
        const held = resources.get(database.rid, kind, id);
        expect(held?.record.content).toEqual(
          model.has(`${kind} ${id}`) ? { n: model.get(`${kind} ${id}`) } : undefined,
        );
        if (end === "fails") trouble.fault = () => FULL;
        const sent = draft(what === "replace" ? becomes : id, { n });
        const change = async (): Promise<boolean> => {
          if (what === "create") return (await resources.create(database, kind, sent)).ok;
          if (what === "upsert") return (await resources.upsert(database, kind, sent)).ok;
          if (held === undefined) return false;
          if (what === "replace") return (await resources.replace(held, sent)).ok;
          return (await resources.delete(held)).ok;
        };
        const isDone = await change().catch(() => false);
        trouble.fault = undefined;
        if (isDone && (what === "replace" || what === "delete")) model.delete(`${kind} ${id}`);
        if (isDone && what !== "delete") model.set(`${kind} ${sent.id}`, n);
        if (end === "restarts") catalog = await reopen();
      }
      const rid = catalog.database("d")!.rid;
      const held = (["user", "clientEncryptionKey"] as const).flatMap((kind) =>
        catalog.resources
          .list(rid, kind)
          .map(({ record }) => [`${kind} ${record.id}`, record.content]),
      );
      expect(new Map(held as [string, JsonObject][])).toEqual(
        new Map([...model].map(([name, n]) => [name, { n }])),
      );
    }),
    { numRuns: 40 },
  );
});

const FULL = new StoreFault("the disk is full");

const draft = (id: string, content: JsonObject = {}) => ({ id, content });

async function made(
  catalog: Catalog,
  owner: ResourceOwner,
  kind: ResourceKind,
  id: string,
  content: JsonObject = {},
): Promise<Resource> {
  const created = await catalog.resources.create(owner, kind, draft(id, content));
  if (!created.ok) throw new Error(created.error.kind);
  return created.value;
}

interface Stage {
  readonly catalog: Catalog;
  readonly database: Database;
  readonly container: Container;
  readonly trouble: { fault?: Fault | undefined };
  /** Another catalogue over the same store, as after a restart. */
  reopen(): Promise<Catalog>;
  /** Of the records of resources in the store. */
  keys(): Promise<readonly string[]>;
}

/** Database `d` with container `c`. */
async function stage(): Promise<Stage> {
  const store = EmbeddedStore.inMemory(realTimer);
  const trouble: { fault?: Fault | undefined } = {};
  const setting = {
    store: troubledStore(store, trouble),
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(0), wallNow: () => 1_700_000_000_000 },
  };
  const catalog = await Catalog.open(setting);
  const database = await catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] } };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!database.ok || !definition.ok) throw new Error("no stage");
  const provisioning = { throughput: undefined };
  const container = await catalog.createContainer(database.value, definition.value, provisioning);
  if (!container.ok) throw new Error(container.error.kind);
  const keys = async (): Promise<readonly string[]> => {
    const page = await store.scanItems(0, 0, { countMax: 100, bytesMax: 1_000_000 });
    return page.items.map(({ key }) => key).filter((key) => key.startsWith("resource "));
  };
  return {
    catalog,
    database: database.value,
    container: container.value,
    trouble,
    reopen: () => Catalog.open(setting),
    keys,
  };
}
