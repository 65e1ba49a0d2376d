/**
 * What can be a partition key value, and where it may lie in an item: whatever is written under a
 * key is found under that key by every operation, and under no other.
 *
 * How values are spread over physical partitions is in partitionKeys.test.ts; here it is what they
 * are that counts. What no official client would send goes over the wire as it is.
 */
import type { Container, PartitionKey, PartitionKeyDefinition } from "@azure/cosmos";
import { PartitionKeyBuilder } from "@azure/cosmos";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "../http/wire.ts";
import { expectStatus, openWire } from "../http/wire.ts";
import type { Stage } from "./stage.ts";
import { openContainer, openStage, refusalOf } from "./stage.ts";

let stage: Stage;
let wire: Wire;
beforeAll(async () => {
  stage = await openStage();
  wire = await openWire();
});
afterAll(async () => {
  await stage[Symbol.asyncDispose]();
  await wire[Symbol.asyncDispose]();
});

type Value = string | number | boolean | null | undefined;

function keyOf(value: Value): PartitionKey {
  const builder = new PartitionKeyBuilder();
  if (value === undefined) return builder.addNoneValue().build();
  return (value === null ? builder.addNullValue() : builder.addValue(value)).build();
}

const VALUES: readonly (readonly [name: string, value: Value])[] = [
  ["null", null],
  ["no value", undefined],
  ["an empty string", ""],
  ["a blank", " "],
  ["true", true],
  ["false", false],
  ["zero", 0],
  ["a negative number", -1.5],
  ["the largest number", 1.7976931348623157e308],
  ["the smallest number", 5e-324],
  ["an integer of 2^53", 9007199254740992],
  ["text that looks like a number", "0"],
  ["text that looks like null", "null"],
  ["text that looks like nothing", "{}"],
  ["quotes and backslashes", '"\\"\\\\"'],
  ["control characters", "\u0000\t\r\n\u001f\u007f"],
  ["letters of another alphabet", "Ångström Ω"],
  ["a character beyond the first plane", "🪐"],
  ["composed", "\u00e9"],
  ["decomposed", "e\u0301"],
  ["a hundred and one letters", "x".repeat(101)],
];

const VERSIONS: readonly (readonly [name: string, version: 1 | 2])[] = [
  ["version 1", 1],
  ["version 2", 2],
];

describe.each(VERSIONS)("under hash %s", (_name, version) => {
  let container: Container;
  beforeAll(async () => {
    const partitionKey: PartitionKeyDefinition = { paths: ["/pk"], version };
    container = await openContainer(stage.database, { partitionKey, throughput: 20_000 });
    await Promise.all(
      VALUES.map(([name, pk]) =>
        container.items.create({ id: "same", name, ...(pk !== undefined && { pk }) }),
      ),
    );
  });

  test.each(VALUES)("%s is a key of its own in every operation", async (name, pk) => {
    const partitionKey = keyOf(pk);
    const item = container.item("same", partitionKey);
    const { resource } = await item.read();
    expect(resource?.["name"]).toBe(name);
    expect(Object.hasOwn(resource!, "pk")).toBe(pk !== undefined);

    const inKey = { partitionKey };
    const byKey = container.items.query<string>("SELECT VALUE c.name FROM c", inKey);
    expect((await byKey.fetchAll()).resources).toEqual([name]);
    const listed = await container.items.readAll(inKey).fetchAll();
    expect(listed.resources).toEqual([resource]);

    const filter = pk === undefined ? "NOT IS_DEFINED(c.pk)" : "c.pk = @pk";
    const parameters = pk === undefined ? [] : [{ name: "@pk", value: pk }];
    const query = `SELECT VALUE c.name FROM c WHERE ${filter}`;
    for (const forceQueryPlan of [false, true]) {
      const found = container.items.query({ query, parameters }, { forceQueryPlan });
      expect((await found.fetchAll()).resources).toEqual([name]);
    }

    expect((await item.patch([{ op: "add", path: "/seen", value: 1 }])).statusCode).toBe(200);
    expect((await item.replace(resource!)).statusCode).toBe(200);
    expect((await container.items.upsert(resource!)).statusCode).toBe(200);
    expect((await refusalOf(container.items.create(resource!))).status).toBe(409);
    const results = await container.items.bulk([
      { operationType: "Read", id: "same", partitionKey },
      { operationType: "Upsert", resourceBody: resource as never, partitionKey },
    ]);
    expect(results.map(({ statusCode }) => statusCode)).toEqual([200, 200]);
  });

  test("a value in the request that is not the item's is refused", async () => {
    const bodies = [{ id: "same", pk: "a" }, { id: "same", pk: null }, { id: "same" }];
    for (const body of bodies) {
      for (const [name, value] of VALUES.filter(([, value]) => value !== body.pk)) {
        const attempt = container.item("same", keyOf(value)).replace(body);
        const { status, substatus } = await refusalOf(attempt);
        expect([status, substatus], name).toEqual([400, 1001]);
      }
    }
  });
});

describe("a long value", () => {
  test("of version 2 may have 2,048 bytes in UTF-8, in every operation", async () => {
    const partitionKey: PartitionKeyDefinition = { paths: ["/pk"], version: 2 };
    const container = await openContainer(stage.database, { partitionKey });
    const longest = `${"é".repeat(1000)}${"x".repeat(48)}`;
    const tooLong = `${longest}x`;
    await container.items.create({ id: "item", pk: longest });
    expect((await container.item("item", longest).read()).statusCode).toBe(200);
    const item = container.item("item", tooLong);
    const attempts = [
      () => container.items.create({ id: "item", pk: tooLong }),
      () => container.items.upsert({ id: "item", pk: tooLong }),
      () => item.read(),
      () => item.replace({ id: "item", pk: tooLong }),
      () => item.patch([{ op: "set", path: "/n", value: 1 }]),
      () => item.delete(),
    ];
    for (const attempt of attempts) {
      const { status, message } = await refusalOf(attempt());
      expect(status).toBe(400);
      expect(message).toContain("2048 bytes");
    }
    const [result] = await container.items.bulk([
      { operationType: "Create", partitionKey: tooLong, resourceBody: { id: "b", pk: tooLong } },
    ]);
    expect(result?.statusCode).toBe(400);
  });

  test("of version 1 counts with its first hundred characters", async () => {
    const container = await openContainer(stage.database, { partitionKey: { paths: ["/pk"] } });
    const beginning = "x".repeat(100);
    const [first, second] = [`${beginning}-first`, `${beginning}-second`];
    await container.items.create({ id: "one", pk: first });
    await container.items.create({ id: "two", pk: second });
    expect((await container.item("one", first).read()).resource?.["pk"]).toBe(first);
    expect((await container.item("two", second).read()).resource?.["pk"]).toBe(second);
    // One logical partition: its ids are unique, and its items are listed together.
    expect((await refusalOf(container.items.create({ id: "one", pk: second }))).status).toBe(409);
    const { resources } = await container.items.readAll({ partitionKey: second }).fetchAll();
    expect(resources.map(({ id }) => id)).toEqual(["one", "two"]);
    const byFilter = container.items.query({
      query: "SELECT VALUE c.id FROM c WHERE c.pk = @pk",
      parameters: [{ name: "@pk", value: second }],
    });
    expect((await byFilter.fetchAll()).resources).toEqual(["two"]);
    const shorter = "x".repeat(99);
    expect((await container.items.create({ id: "one", pk: shorter })).statusCode).toBe(201);
  });
});

describe("a bulk", () => {
  test("finds its items under keys that the client itself hashes otherwise", async () => {
    const container = await openContainer(stage.database, { throughput: 40_000 });
    const keys = Array.from({ length: 20 }, (_, n) => `${"ж".repeat(60 + n)}${n}`);
    const operations = keys.map((pk) => ({
      operationType: "Create" as const,
      partitionKey: pk,
      resourceBody: { id: "item", pk },
    }));
    const results = await container.items.bulk(operations);
    expect(results.map(({ statusCode }) => statusCode)).toEqual(keys.map(() => 201));
    for (const pk of keys) {
      expect((await container.item("item", pk).read()).resource?.["pk"]).toBe(pk);
    }
  });
});

describe("a path", () => {
  const PATHS: readonly (readonly [path: string, body: object, value: Value])[] = [
    ["/a/b/c", { a: { b: { c: "deep" } } }, "deep"],
    ["/a/b", { a: {} }, undefined],
    ["/a/b", { a: { b: null } }, null],
    ["/a/b", { a: null }, undefined],
    ["/a/b", { a: "text" }, undefined],
    ["/_under_score1", { _under_score1: "x" }, "x"],
    ['/"two words"', { "two words": "x" }, "x"],
    ["/'two words'", { "two words": "x" }, "x"],
    ['/"a/b"/c', { "a/b": { c: "x" } }, "x"],
    // A backslash keeps the quote from ending the name, and is part of it.
    ['/"a\\"b"', { 'a\\"b': "x" }, "x"],
    ['/"a.b"', { "a.b": "x" }, "x"],
    ['/"*"', { "*": "x" }, "x"],
    ["/straße/名前", { straße: { 名前: "x" } }, "x"],
    ['/"🪐"', { "🪐": "x" }, "x"],
  ];

  test.each(PATHS)("%s reads %j", async (path, body, value) => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: [path], version: 2 },
      throughput: 20_000,
    });
    const { resource } = await container.items.create({ id: "item", ...body });
    const item = container.item("item", keyOf(value));
    expect((await item.read()).resource).toEqual(resource);
    const query = container.items.query("SELECT * FROM c", { partitionKey: keyOf(value) });
    expect((await query.fetchAll()).resources).toEqual([resource]);
    expect((await item.delete()).statusCode).toBe(204);
  });

  test("to the id makes every item a logical partition", async () => {
    const container = await openContainer(stage.database, {
      partitionKey: { paths: ["/id"], version: 2 },
      throughput: 20_000,
    });
    const ids = Array.from({ length: 20 }, (_, n) => `id-${n}`);
    await Promise.all(ids.map((id) => container.items.create({ id })));
    for (const id of ids) expect((await container.item(id, id).read()).statusCode).toBe(200);
    expect((await container.item("id-1", "id-2").read()).statusCode).toBe(404);
    const patched = await container
      .item("id-1", "id-1")
      .patch([{ op: "set", path: "/n", value: 1 }]);
    expect(patched.resource?.["n"]).toBe(1);
    const query = container.items.query("SELECT VALUE c.id FROM c WHERE c.id IN ('id-3', 'id-4')");
    expect((await query.fetchAll()).resources.toSorted()).toEqual(["id-3", "id-4"]);
    const mismatch = container.item("id-1", "id-2").replace({ id: "id-1" });
    expect((await refusalOf(mismatch)).substatus).toBe(1001);
  });
});

/** The key of a request, as it is written. */
const withKey = (text: string): Record<string, string> => ({
  "x-ms-documentdb-partitionkey": text,
});
const ASKING = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "true",
  "x-ms-documentdb-query-enablecrosspartition": "true",
};

describe("on the wire", () => {
  const docs = (id: string): string[] => ["dbs", "d", "colls", id, "docs"];
  const substatusOf = ({ headers }: Answer): string | undefined => headers["x-ms-substatus"];

  beforeAll(async () => {
    const definitions = [
      { id: "numbers", partitionKey: { paths: ["/pk"], kind: "Hash", version: 2 } },
      { id: "lists", partitionKey: { paths: ["/a/0"], kind: "Hash", version: 2 } },
      { id: "levels", partitionKey: { paths: ["/a", "/b"], kind: "MultiHash", version: 2 } },
    ];
    for (const definition of definitions) {
      const body = JSON.stringify(definition);
      await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body }));
    }
  });

  const create = (container: string, key: string, body: string): Promise<Answer> =>
    wire.call("POST", docs(container), { headers: withKey(key), body });
  const read = (container: string, id: string, key: string): Promise<Answer> =>
    wire.call("GET", [...docs(container), id], { headers: withKey(key) });
  const rowsOf = async (container: string, query: string): Promise<unknown> => {
    const body = JSON.stringify({ query });
    const answer = await wire.call("POST", docs(container), { headers: ASKING, body });
    return (JSON.parse(answer.body.toString()) as Record<string, unknown>)["Documents"];
  };

  test("numbers are doubles: what reads as the same number is the same key", async () => {
    await expectStatus(201, create("numbers", "[1]", '{"id":"one","pk":1.0}'));
    await expectStatus(200, read("numbers", "one", "[1e0]"));
    // Beyond 2^53 neighbours are one double, and the text is kept as it was sent.
    const large = '{"id":"large","pk":9007199254740993}';
    await expectStatus(201, create("numbers", "[9007199254740992]", large));
    const answer = await expectStatus(200, read("numbers", "large", "[9007199254740993]"));
    expect(answer.body.toString()).toContain('"pk":9007199254740993');
    await expectStatus(404, read("numbers", "large", "[9007199254740994]"));
    await expectStatus(201, create("numbers", "[1e308]", '{"id":"huge","pk":1e308}'));
    await expectStatus(200, read("numbers", "huge", `[1${"0".repeat(308)}]`));
  });

  test("zero and minus zero are two keys, and one value to a query", async () => {
    await expectStatus(201, create("numbers", "[0]", '{"id":"zero","pk":0}'));
    await expectStatus(201, create("numbers", "[-0.0]", '{"id":"zero","pk":-0}'));
    expect(substatusOf(await create("numbers", "[0]", '{"id":"no","pk":-0}'))).toBe("1001");
    expect(await rowsOf("numbers", "SELECT VALUE c.id FROM c WHERE c.pk = 0")).toEqual([
      "zero",
      "zero",
    ]);
  });

  test.each([
    ["a number that is no double", "[1e999]"],
    ["no list", '"a"'],
    ["a bare word", "a"],
    ["an object", "{}"],
    ["half a list", '["a"'],
    ["a list in the list", "[[]]"],
    ["an object with members", '[{"a":1}]'],
    ["nothing", ""],
  ])("a key that is %s is refused", async (_name, key) => {
    await expectStatus(400, create("numbers", key, '{"id":"refused","pk":"a"}'));
    await expectStatus(400, read("numbers", "one", key));
    await expectStatus(400, wire.call("GET", docs("numbers"), { headers: withKey(key) }));
  });

  test("letters may be written as escapes", async () => {
    await expectStatus(
      201,
      create("numbers", '["\\u4e2d\\ud83e\\ude90"]', '{"id":"e","pk":"中🪐"}'),
    );
    await expectStatus(200, read("numbers", "e", '["\\u4E2D\\uD83E\\uDE90"]'));
  });

  test("a key lies in no list, object or inherited property", async () => {
    await expectStatus(201, create("lists", "[{}]", '{"id":"list","a":["x"]}'));
    await expectStatus(201, create("lists", '["x"]', '{"id":"object","a":{"0":"x"}}'));
    expect(substatusOf(await create("lists", '["x"]', '{"id":"no","a":["x"]}'))).toBe("1001");
    await expectStatus(201, create("numbers", "[{}]", '{"id":"object","pk":{"a":1}}'));
    await expectStatus(201, create("numbers", "[{}]", '{"id":"list","pk":[1]}'));
    const inherited = { id: "names", partitionKey: { paths: ["/constructor/name"] } };
    const body = JSON.stringify(inherited);
    await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body }));
    await expectStatus(201, create("names", "[{}]", '{"id":"none"}'));
    await expectStatus(201, create("names", '["x"]', '{"id":"own","constructor":{"name":"x"}}'));
  });

  test("too few or too many values are refused", async () => {
    const body = '{"id":"item","a":"x","b":"y"}';
    for (const key of ["[]", '["x"]', '["x","y","z"]', '["y","x"]', '["x",{}]', '["x",null]']) {
      expect(substatusOf(await expectStatus(400, create("levels", key, body))), key).toBe("1001");
    }
    await expectStatus(201, create("levels", '["x","y"]', body));
    for (const key of ["[]", '["x"]', '["x","y","z"]']) {
      await expectStatus(400, read("levels", "item", key));
    }
    await expectStatus(400, wire.call("GET", [...docs("levels"), "item"]));
  });

  test("in a bulk each operation has its own key, and is refused by itself", async () => {
    const resourceBody = { id: "bulk", a: "x", b: "y" };
    const keys = ['["x"]', '["x","y","z"]', '["y","x"]', "[]", '["x","y"]', '["x","y"]'];
    const operations = keys.map((partitionKey) => ({
      operationType: "Upsert",
      partitionKey,
      resourceBody,
    }));
    const headers = {
      "x-ms-cosmos-is-batch-request": "true",
      "x-ms-cosmos-batch-atomic": "false",
      "x-ms-cosmos-batch-continue-on-error": "true",
      "x-ms-documentdb-partitionkeyrangeid": "0",
    };
    const body = JSON.stringify(operations);
    const answer = await expectStatus(207, wire.call("POST", docs("levels"), { headers, body }));
    const results = JSON.parse(answer.body.toString()) as readonly Record<string, unknown>[];
    const codes = results.map(({ statusCode, subStatusCode }) => [statusCode, subStatusCode]);
    const refused = [400, 1001];
    expect(codes).toEqual([refused, refused, refused, refused, [201, 0], [200, 0]]);
  });
});
