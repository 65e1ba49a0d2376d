/** What a request about one item is refused for before anything is looked up, and who owns it. */
import { describe, expect, test } from "vitest";
import { INDEX_FORMAT } from "../../index/terms.ts";
import type { JsonObject } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import type { WriteRequest } from "../../model/request/writeRequest.ts";
import { contains } from "../../partition/epkRange.ts";
import { initialMap } from "../../partition/partitionMap.ts";
import { parseContainerDefinition } from "../definition/containerDefinition.ts";
import { Container } from "./container.ts";
import { routeKey, routeWrite } from "./itemRouting.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

const SIMPLE = containerOf({ paths: ["/pk"], kind: "Hash", version: 2 });
const NESTED = containerOf({ paths: ["/a/b"] });
const LEVELS = containerOf({ paths: ["/tenant", "/user"], kind: "MultiHash", version: 2 });
const VERSION_1 = containerOf({ paths: ["/pk"], kind: "Hash", version: 1 });

describe("a key", () => {
  const cases: readonly [what: string, Container, PartitionKey | undefined, string][] = [
    ["that is missing", SIMPLE, undefined, "badRequest"],
    ["that is full", SIMPLE, ["a"], "routed"],
    ["that is null", SIMPLE, [null], "routed"],
    ["that is undefined", SIMPLE, [undefined], "routed"],
    ["that is a number", SIMPLE, [1.5], "routed"],
    ["that is empty", SIMPLE, [], "keyMismatch"],
    ["with too many components", SIMPLE, ["a", "b"], "badRequest"],
    ["that is only a prefix", LEVELS, ["a"], "keyMismatch"],
    ["of all levels", LEVELS, ["a", "b"], "routed"],
    ["of the largest length", SIMPLE, ["x".repeat(2048)], "routed"],
    ["that is too long", SIMPLE, ["x".repeat(2049)], "badRequest"],
    ["that is too long in bytes", SIMPLE, ["é".repeat(1025)], "badRequest"],
    ["whose hash looks at the start only", VERSION_1, ["x".repeat(5000)], "routed"],
  ];
  test.each(cases)("%s", (_, container, key, outcome) => {
    const routed = routeKey(container, key, SERVICE_LIMITS);
    expect(routed.ok ? "routed" : routed.error.kind).toBe(outcome);
  });

  test("goes to the physical partition whose range holds it", () => {
    const owners = new Set<string>();
    for (let index = 0; index < 100; index++) {
      const routed = routeKey(SIMPLE, [`key ${index}`], SERVICE_LIMITS);
      if (!routed.ok) throw new Error(routed.error.kind);
      const { partition, epk } = routed.value;
      expect(contains(partition.entry.range, epk)).toBe(true);
      owners.add(partition.entry.id);
    }
    expect(owners.size).toBe(4);
  });
});

describe("a write", () => {
  const item = { id: "1", pk: "a" };
  const cases: readonly [what: string, Container, WriteRequest, string][] = [
    ["that says its key", SIMPLE, create(item, ["a"]), "routed"],
    ["whose key is read from the item", SIMPLE, create(item, undefined), "routed"],
    ["that says another key", SIMPLE, create(item, ["b"]), "keyMismatch"],
    ["whose item has no key value", SIMPLE, create({ id: "1" }, undefined), "routed"],
    ["that says no value, rightly", SIMPLE, create({ id: "1" }, [undefined]), "routed"],
    ["that says null where nothing is", SIMPLE, create({ id: "1" }, [null]), "keyMismatch"],
    [
      "whose key is an object, which is no value",
      SIMPLE,
      create({ id: "1", pk: {} }, [undefined]),
      "routed",
    ],
    ["with a key further in", NESTED, create({ id: "1", a: { b: 5 } }, [5]), "routed"],
    ["of two levels", LEVELS, create({ id: "1", tenant: "t", user: "u" }, ["t", "u"]), "routed"],
    ["without an id", SIMPLE, create({ pk: "a" }, ["a"]), "badRequest"],
    ["that replaces", SIMPLE, { kind: "replace", id: "1", key: ["a"], body: item }, "routed"],
    ["that renames", SIMPLE, { kind: "replace", id: "2", key: ["a"], body: item }, "routed"],
    ["that deletes", SIMPLE, { kind: "delete", id: "1", key: ["a"] }, "routed"],
    ["that deletes anywhere", SIMPLE, { kind: "delete", id: "1", key: undefined }, "badRequest"],
    ["that patches", SIMPLE, patch([{ op: "set", path: "/x", value: 1 }], ["a"]), "routed"],
    ["that patches nothing", SIMPLE, patch([], ["a"]), "badRequest"],
    [
      "that patches anywhere",
      SIMPLE,
      patch([{ op: "remove", path: "/x" }], undefined),
      "badRequest",
    ],
  ];
  test.each(cases)("%s", (_, container, request, outcome) => {
    const routed = routeWrite(container, request, SERVICE_LIMITS);
    expect(routed.ok ? "routed" : routed.error.kind).toBe(outcome);
  });

  test("that patches may carry a value as deep as it can be in an item", () => {
    const patchOf = (depth: number): WriteRequest => {
      const value = `${"[".repeat(depth)}${"]".repeat(depth)}`;
      const body = Buffer.from(`{"operations":[{"op":"set","path":"/x","value":${value}}]}`);
      return { kind: "patch", id: "1", key: ["a"], body };
    };
    const { nestingMax } = SERVICE_LIMITS;
    expect(routeWrite(SIMPLE, patchOf(nestingMax - 1), SERVICE_LIMITS)).toMatchObject({ ok: true });
    expect(routeWrite(SIMPLE, patchOf(nestingMax), SERVICE_LIMITS)).toMatchObject({ ok: false });
  });

  test("that patches may be in the binary form of JSON", () => {
    const word = (text: string): Buffer => Buffer.from([0x80 + text.length, ...Buffer.from(text)]);
    const operation = Buffer.concat(["op", "remove", "path", "/x"].map(word));
    const listed = Buffer.from([0xe1, 0xea, operation.length, ...operation]);
    const body = Buffer.concat([Buffer.of(0x80, 0xe9), word("operations"), listed]);
    const request: WriteRequest = { kind: "patch", id: "1", key: ["a"], body };
    const inWords = patch([{ op: "remove", path: "/x" }], ["a"]);
    expect(routeWrite(SIMPLE, request, SERVICE_LIMITS)).toEqual(
      routeWrite(SIMPLE, inWords, SERVICE_LIMITS),
    );
    const cut = { ...request, body: body.subarray(0, -1) };
    expect(routeWrite(SIMPLE, cut, SERVICE_LIMITS)).toMatchObject({
      error: { kind: "badRequest" },
    });
  });

  test("is the same from bytes and from a value", () => {
    const bytes = Buffer.from(JSON.stringify(item));
    const fromBytes = routeWrite(
      SIMPLE,
      { kind: "upsert", key: ["a"], body: bytes },
      SERVICE_LIMITS,
    );
    const fromValue = routeWrite(
      SIMPLE,
      { kind: "upsert", key: ["a"], body: item },
      SERVICE_LIMITS,
    );
    expect(fromBytes).toEqual(fromValue);
  });

  test("takes its conditions along", () => {
    const request: WriteRequest = { kind: "delete", id: "1", key: ["a"], ifMatch: '"e"' };
    const routed = routeWrite(SIMPLE, request, SERVICE_LIMITS);
    expect(routed.ok && routed.value.command).toMatchObject({ kind: "delete", ifMatch: '"e"' });
  });
});

function create(body: JsonObject, key: PartitionKey | undefined): WriteRequest {
  return { kind: "create", key, body };
}

function patch(operations: readonly JsonObject[], key: PartitionKey | undefined): WriteRequest {
  return { kind: "patch", id: "1", key, body: { operations } };
}

/** Four physical partitions, of which only the place in the map matters here. */
function containerOf(partitionKey: JsonObject): Container {
  const parsed = parseContainerDefinition({ id: "c", partitionKey }, undefined, SERVICE_LIMITS);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.error));
  const definition = parsed.value;
  const map = initialMap(definition.partitionKey, 4, [1, 2, 3, 4]);
  const container = new Container("d", {
    databaseNumber: 1,
    containerNumber: 1,
    definition,
    map,
    throughput: undefined,
    formerPolicies: [],
    indexFormat: INDEX_FORMAT,
    etag: '"e"',
    ts: 0,
  });
  for (const entry of map.entries) {
    container.partitions.set(entry.id, { entry } as PhysicalPartition);
  }
  return container;
}
