/**
 * The writes of one physical partition. First one command on what it finds; then what holds within
 * a batch, when items expire and when the store fails; last, random batches against a plain map.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { millis } from "../../base/units.ts";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { HIGH_CALLER } from "../../model/caller.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Condition, WriteRequest } from "../../model/request/writeRequest.ts";
import { realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { StoreFault } from "../../store/partitionStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";

type Verb = WriteRequest["kind"];

describe("one command, by what it finds", () => {
  const rules: readonly [verb: Verb, onNothing: string, onItem: string][] = [
    ["create", "created", "idTaken"],
    ["upsert", "created", "replaced"],
    ["replace", "notFound", "replaced"],
    ["patch", "notFound", "replaced"],
    ["delete", "notFound", "deleted"],
  ];
  test.each(rules)("%s: %s where nothing is, %s where an item is", async (verb, bare, there) => {
    const { write } = await stage();
    expect(await write(verb, "1")).toBe(bare);
    await write("upsert", "1");
    expect(await write(verb, "1")).toBe(there);
  });

  const conditions: readonly [verb: Verb, condition: string, onNothing: string, onItem: string][] =
    [
      ["replace", "the etag", "notFound", "replaced"],
      ["replace", "the etag without quotes", "notFound", "replaced"],
      ["replace", "if-match *", "notFound", "replaced"],
      ["replace", "another etag", "notFound", "preconditionFailed"],
      ["patch", "another etag", "notFound", "preconditionFailed"],
      ["delete", "the etag", "notFound", "deleted"],
      ["delete", "another etag", "notFound", "preconditionFailed"],
      ["upsert", "the etag", "created", "replaced"],
      ["upsert", "another etag", "created", "preconditionFailed"],
      ["upsert", "if-none-match *", "created", "preconditionFailed"],
      ["create", "if-none-match *", "created", "preconditionFailed"],
    ];
  test.each(conditions)("%s with %s: %s or %s", async (verb, condition, bare, there) => {
    const { write, submit } = await stage();
    const conditionOn = (etag: string): Condition => {
      if (condition === "if-none-match *") return { ifNoneMatch: "*" };
      if (condition === "if-match *") return { ifMatch: "*" };
      if (condition === "another etag")
        return { ifMatch: '"00000000-0000-0000-0000-000000000000"' };
      return { ifMatch: condition === "the etag" ? etag : etag.slice(1, -1) };
    };
    expect(await write(verb, "new", {}, conditionOn('"x"'))).toBe(bare);
    const made = await submit("create", "old");
    const etag = made.kind === "refused" ? "" : made.etag!;
    expect(await write(verb, "old", {}, conditionOn(etag))).toBe(there);
  });

  test("a read answers with the version, or that it is unchanged", async () => {
    const { submit, read, container } = await stage();
    expect(read("1")).toMatchObject({ kind: "refused", refusal: { kind: "notFound" } });
    const made = await submit("create", "1");
    const etag = made.kind === "refused" ? "" : made.etag!;
    expect(read("1")).toMatchObject({ kind: "found", etag, itemLsn: 1 });
    expect(read("1", etag)).toMatchObject({ kind: "unchanged", etag });
    expect(read("1", etag.slice(1, -1))).toMatchObject({ kind: "unchanged" });
    expect(read("1", "*")).toMatchObject({ kind: "unchanged" });
    const { totals } = container.partitions.get("0")!.spending;
    expect(totals.requestCounts).toEqual({ read: 5, write: 1, query: 0, feed: 0 });
    expect(read("1", '"other"')).toMatchObject({ kind: "found" });
  });
});

describe("a batch", () => {
  test("is everything submitted in one turn, in order, as one commit", async () => {
    const { submit, store } = await stage();
    let commitCount = 0;
    const commit = store.commit.bind(store);
    store.commit = (...what) => {
      commitCount++;
      return commit(...what);
    };
    const verbs: readonly Verb[] = ["create", "replace", "create", "delete", "replace", "upsert"];
    const outcomes = await Promise.all(verbs.map((verb) => submit(verb, "1")));
    const names = outcomes.map(nameOf);
    expect(names).toEqual(["created", "replaced", "idTaken", "deleted", "notFound", "created"]);
    expect(commitCount).toBe(1);
    const lsns = outcomes.map((outcome) => (outcome.kind === "refused" ? 0 : outcome.itemLsn));
    expect(lsns).toEqual([1, 2, 0, 3, 0, 4]);
    expect(outcomes.every(({ lsn }) => lsn === 4)).toBe(true);
  });

  test("shows nothing before it is durable", async () => {
    const { submit, read, store } = await stage();
    const commit = store.commit.bind(store);
    let release: () => void = () => undefined;
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    store.commit = async (...what) => {
      await released;
      return commit(...what);
    };
    const made = submit("create", "1");
    await new Promise((resolve) => setImmediate(resolve));
    expect(nameOf(read("1"))).toBe("notFound");
    release();
    expect(nameOf(await made)).toBe("created");
    expect(nameOf(read("1"))).toBe("found");
  });

  test("that the disk refuses is refused to all in it, and the next one is tried", async () => {
    const { submit, write, store } = await stage();
    const commit = store.commit.bind(store);
    store.commit = async () => {
      throw new StoreFault("the disk is full");
    };
    const outcomes = await Promise.all([submit("create", "1"), submit("create", "2")]);
    expect(outcomes.map(nameOf)).toEqual(["unavailable", "unavailable"]);
    store.commit = commit;
    expect(await write("create", "1")).toBe("created");
  });

  test("of a full disk has its deletions in it, and nothing that grows", async () => {
    const { submit, write, store } = await stage();
    for (const id of ["1", "2"]) await write("create", id);
    Object.defineProperty(store, "obstacle", { get: () => new StoreFault("the disk is full") });
    const outcomes = await Promise.all([
      submit("create", "3"),
      submit("delete", "1"),
      submit("upsert", "2"),
      submit("delete", "2"),
    ]);
    expect(outcomes.map(nameOf)).toEqual(["unavailable", "deleted", "unavailable", "deleted"]);
  });

  test("whose LSNs are not those that its commands relied on is a defect", async () => {
    const { submit, store } = await stage();
    const commit = store.commit.bind(store);
    store.commit = async (part, epoch, groups, terms) => {
      // Somebody else writes to the part, which belongs to its physical partition alone.
      await commit(part, epoch, [[]], terms);
      return commit(part, epoch, groups, terms);
    };
    await expect(submit("create", "1")).rejects.toThrow("a commit has other LSNs");
  });

  test("that runs into a defect tells its callers, and the next one is tried", async () => {
    const { submit, write, store } = await stage();
    const commit = store.commit.bind(store);
    store.commit = async () => {
      throw new Error("a bug");
    };
    await expect(submit("create", "1")).rejects.toThrow("a bug");
    store.commit = commit;
    expect(await write("create", "1")).toBe("created");
  });

  test("for a container that is deleted meanwhile is refused", async () => {
    const { account, container, submit } = await stage();
    const database = account.catalog.database("d")!;
    await account.catalog.deleteContainer(database, container);
    expect(nameOf(await submit("create", "1"))).toBe("ownerNotFound");
  });

  test("that would wait behind too many bytes is told to come back", async () => {
    const { submit } = await stage();
    const text = "x".repeat(1_900_000);
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, id) => submit("create", String(id), { text })),
    );
    const names = outcomes.map(nameOf);
    expect(names.filter((name) => name === "created").length).toBeGreaterThan(30);
    expect(names.at(-1)).toBe("throttled");
  });
});

describe("an expired item", () => {
  test("is not there for any verb, and its place can be taken", async () => {
    const { write, read, head, advance } = await stage({ defaultTtl: 10 });
    await write("create", "1");
    await write("create", "stays", { ttl: -1 });
    advance(9);
    expect(nameOf(read("1"))).toBe("found");
    advance(1);
    expect(nameOf(read("1"))).toBe("notFound");
    expect(await write("replace", "1")).toBe("notFound");
    expect(await write("patch", "1")).toBe("notFound");
    expect(await write("delete", "1")).toBe("notFound");
    expect(await write("create", "1")).toBe("created");
    expect(nameOf(read("1"))).toBe("found");
    expect(head().itemCount).toBe(2);
  });

  const uniqueMail = { defaultTtl: 10, uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } };

  test("that stands in the way by its id and by its unique value is cleared once", async () => {
    const { write, head, advance } = await stage(uniqueMail);
    await write("create", "1", { mail: "x" });
    advance(20);
    expect(await write("create", "1", { mail: "x" })).toBe("created");
    expect(head().itemCount).toBe(1);
  });

  test("that two of one batch need out of the way is cleared once", async () => {
    const { write, submit, head, advance } = await stage(uniqueMail);
    await write("create", "1", { mail: "x" });
    advance(20);
    const both = await Promise.all([
      submit("create", "2", { mail: "x" }),
      submit("create", "1", { mail: "y" }),
    ]);
    expect(both.map(nameOf)).toEqual(["created", "created"]);
    expect(head().itemCount).toBe(2);
  });
});

test("any batches of any commands come to what a plain map makes of them one by one", async () => {
  const anyCommand = fc.tuple(
    fc.constantFrom<Verb>("create", "upsert", "replace", "patch", "delete"),
    fc.constantFrom("a", "b", "c"),
  );
  const anyBatches = fc.array(fc.array(anyCommand, { minLength: 1, maxLength: 6 }), {
    maxLength: 8,
  });
  await fc.assert(
    fc.asyncProperty(anyBatches, async (batches) => {
      const { submit, read, head } = await stage();
      const model = new Map<string, number>();
      let version = 0;
      for (const batch of batches) {
        const expected: string[] = [];
        const submitted = batch.map(([verb, id]) => {
          version++;
          expected.push(applyTo(model, verb, id, version));
          return submit(verb, id, { version });
        });
        expect((await Promise.all(submitted)).map(nameOf)).toEqual(expected);
      }
      for (const id of ["a", "b", "c"]) expect(versionIn(read(id))).toBe(model.get(id));
      expect(head().itemCount).toBe(model.size);
    }),
    { numRuns: 60 },
  );
});

function applyTo(model: Map<string, number>, verb: Verb, id: string, version: number): string {
  const isThere = model.has(id);
  if (verb === "create" && isThere) return "idTaken";
  if (!isThere && verb !== "create" && verb !== "upsert") return "notFound";
  if (verb === "delete") {
    model.delete(id);
    return "deleted";
  }
  model.set(id, version);
  return isThere ? "replaced" : "created";
}

function versionIn(outcome: ItemOutcome): number | undefined {
  if (outcome.kind === "refused") return undefined;
  return JSON.parse(outcome.body!.toString()).version;
}

function nameOf(outcome: ItemOutcome): string {
  return outcome.kind === "refused" ? outcome.refusal.kind : outcome.kind;
}

interface Stage {
  readonly account: Account;
  readonly container: NonNullable<ReturnType<Account["catalog"]["container"]>>;
  readonly store: EmbeddedStore;
  submit(verb: Verb, id: string, members?: JsonObject, on?: Condition): Promise<ItemOutcome>;
  /** The kind of the outcome or of the refusal. */
  write(verb: Verb, id: string, members?: JsonObject, on?: Condition): Promise<string>;
  read(id: string, ifNoneMatch?: string): ItemOutcome;
  head(): { readonly itemCount: number; readonly itemBytes: number };
  advance(seconds: number): void;
}

/** A container with one physical partition, in memory, with a clock that is moved by hand. */
async function stage(members: JsonObject = {}): Promise<Stage> {
  let nowMs = 1_700_000_000_000;
  const store = EmbeddedStore.inMemory(realTimer);
  const account = await Account.open({
    store,
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
    clock: { now: () => millis(nowMs), wallNow: () => nowMs },
  });
  const database = await account.catalog.createDatabase("d", undefined);
  const body = { id: "c", partitionKey: { paths: ["/pk"] }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!database.ok || !definition.ok) throw new Error("the stage could not be set");
  const made = await account.catalog.createContainer(database.value, definition.value, {
    partitionCount: 1,
    throughput: undefined,
  });
  if (!made.ok) throw new Error("the stage could not be set");
  const container = made.value;
  const partition = container.partitions.get("0")!;

  const submit: Stage["submit"] = (verb, id, itemMembers = {}, on = {}) => {
    const submitted = account.writeItem(container, requestOf(verb, id, itemMembers, on));
    if (!submitted.ok) throw new Error(JSON.stringify(submitted.error));
    return submitted.value;
  };
  return {
    account,
    container,
    store,
    submit,
    write: async (...what) => nameOf(await submit(...what)),
    read: (id, ifNoneMatch) => {
      const routed = account.route(container, ["k"]);
      if (!routed.ok) throw new Error("a full key has an owner");
      const terms = { ifNoneMatch, caller: HIGH_CALLER, consistency: "session" } as const;
      return routed.value.partition.read(routed.value.epk, id, terms) as ItemOutcome;
    },
    head: () => partition.head,
    advance: (seconds) => {
      nowMs += seconds * 1000;
    },
  };
}

function requestOf(verb: Verb, id: string, members: JsonObject, on: Condition): WriteRequest {
  const key = ["k"];
  if (verb === "delete") return { kind: verb, key, id, ...on };
  if (verb === "patch") {
    const operations = Object.entries({ patched: true, ...members }).map(([name, value]) => {
      return { op: "set", path: `/${name}`, value };
    });
    return { kind: verb, key, id, body: { operations }, ...on };
  }
  const body = Buffer.from(JSON.stringify({ id, pk: "k", ...members }));
  return verb === "replace"
    ? { kind: verb, key, id, body, ...on }
    : { kind: verb, key, body, ...on };
}
