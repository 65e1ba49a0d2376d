/** Unique keys: one item per logical partition and tuple of values, also within one batch. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import { realClock, realTimer } from "../../server/surroundings/realWorld.ts";
import { EmbeddedStore } from "../../store/embedded/embeddedStore.ts";
import { Account } from "../account.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import type { Container } from "../partition/container.ts";
import { heldTermsOf } from "./itemTerms.ts";

const WIDE = { includedPaths: [{ path: "/*" }], excludedPaths: [] };
const NARROW = { includedPaths: [{ path: "/pk/?" }], excludedPaths: [{ path: "/*" }] };

describe("unique keys", () => {
  test("the second item with the same values is refused, whoever comes second", async () => {
    const { write } = await stage({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } });
    const both = await Promise.all([
      write("create", { id: "1", pk: "a", mail: "x" }),
      write("create", { id: "2", pk: "a", mail: "x" }),
    ]);
    expect(both).toEqual(["created", "uniqueKeyTaken"]);
    expect(await write("create", { id: "3", pk: "a", mail: "x" })).toBe("uniqueKeyTaken");
    expect(await write("upsert", { id: "3", pk: "a", mail: "y" })).toBe("created");
    expect(await write("upsert", { id: "3", pk: "a", mail: "x" })).toBe("uniqueKeyTaken");
  });

  test("another logical partition is another world", async () => {
    const { write } = await stage({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } });
    expect(await write("create", { id: "1", pk: "a", mail: "x" })).toBe("created");
    expect(await write("create", { id: "1", pk: "b", mail: "x" })).toBe("created");
  });

  test("a value is free again when its item is gone or says something else", async () => {
    const { write } = await stage({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/mail"] }] } });
    await write("create", { id: "1", pk: "a", mail: "x" });
    const moved = await Promise.all([
      write("upsert", { id: "1", pk: "a", mail: "y" }),
      write("create", { id: "2", pk: "a", mail: "x" }),
    ]);
    expect(moved).toEqual(["replaced", "created"]);
    expect(await write("delete", { id: "2", pk: "a" })).toBe("deleted");
    expect(await write("create", { id: "3", pk: "a", mail: "x" })).toBe("created");
  });

  test("the tuple counts, a missing value is one like any other, and an item never bars itself", async () => {
    const { write } = await stage({ uniqueKeyPolicy: { uniqueKeys: [{ paths: ["/a", "/b/c"] }] } });
    expect(await write("create", { id: "1", pk: "a", a: 1, b: { c: 1 } })).toBe("created");
    expect(await write("create", { id: "2", pk: "a", a: 1, b: { c: 2 } })).toBe("created");
    expect(await write("create", { id: "3", pk: "a", a: 1 })).toBe("created");
    expect(await write("create", { id: "4", pk: "a", a: 1, b: {} })).toBe("uniqueKeyTaken");
    expect(await write("upsert", { id: "1", pk: "a", a: 1, b: { c: 1 }, more: 1 })).toBe(
      "replaced",
    );
  });
});

describe("a change of policy", () => {
  test("leaves no term of a former policy behind", async () => {
    const { account, container, write, termCount } = await stage({ indexingPolicy: WIDE });
    await write("create", { id: "1", pk: "a", n: 5, s: "x" });
    await write("create", { id: "2", pk: "a", n: 5 });
    const narrow = definitionOf({ indexingPolicy: NARROW });
    await account.catalog.replaceContainer(container, narrow);
    await write("upsert", { id: "1", pk: "a", n: 6 });
    await write("create", { id: "3", pk: "a", n: 5 });
    const wide = definitionOf({ indexingPolicy: WIDE });
    await account.catalog.replaceContainer(container, wide);
    await write("upsert", { id: "3", pk: "a", n: 7 });
    expect(heldTermsOf(container, "" as never, { n: 7 }).length).toBeGreaterThan(0);
    for (const id of ["1", "2", "3"]) await write("delete", { id, pk: "a" });
    expect(await termCount()).toBe(0);
  });
});

function definitionOf(members: JsonObject): Parameters<Account["catalog"]["replaceContainer"]>[1] {
  const body = { id: "c", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 }, ...members };
  const definition = parseContainerDefinition(body, undefined, SERVICE_LIMITS);
  if (!definition.ok) throw new Error(definition.error);
  return definition.value;
}

async function stage(members: JsonObject): Promise<{
  account: Account;
  container: Container;
  write(kind: "create" | "upsert" | "delete", item: JsonObject): Promise<string>;
  termCount(): Promise<number>;
}> {
  const store = EmbeddedStore.inMemory(realTimer);
  const account = await Account.open({
    store,
    clock: realClock,
    timer: realTimer,
    random: seededRandom(1),
    limits: SERVICE_LIMITS,
  });
  const database = await account.catalog.createDatabase("d", undefined);
  if (!database.ok) throw new Error("no database");
  const created = await account.catalog.createContainer(database.value, definitionOf(members), {
    partitionCount: 1,
    throughput: undefined,
  });
  if (!created.ok) throw new Error("no container");
  const container = created.value;
  return {
    account,
    container,
    async write(kind, item) {
      const key = [item["pk"] as string];
      const id = item["id"] as string;
      const body = Buffer.from(JSON.stringify(item));
      const request = kind === "delete" ? { kind, id, key } : { kind, body, key };
      const submitted = account.writeItem(container, request);
      if (!submitted.ok) return submitted.error.kind;
      const outcome = await submitted.value;
      return outcome.kind === "refused" ? outcome.refusal.kind : outcome.kind;
    },
    async termCount() {
      const { part } = container.map.entries[0]!;
      const range = { min: "", max: "\xff\xff" };
      const scan = { range, countMax: 1000, bytesMax: 1e9, withItems: true };
      return (await store.scanTerms(part, scan)).entries.length;
    },
  };
}
