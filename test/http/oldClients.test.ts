/**
 * Programs from before there were partition keys, told by the version of the API that they name.
 * In a container without a partition key all is for them as it was: they see none in its definition
 * and name none, and what they mean are the items without one. Newer programs may add items with a
 * key to the same container, which the old ones do not see.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Call, Wire } from "./wire.ts";
import { expectStatus, openWire } from "./wire.ts";

const OLD = { "x-ms-version": "2018-06-18" };
const NEW = { "x-ms-version": "2020-07-15" };
const KEYED = { "x-ms-documentdb-partitionkey": '["new"]' };
const CONTAINER = ["dbs", "d", "colls", "old"];
const ITEMS = [...CONTAINER, "docs"];
const QUERY = { "x-ms-documentdb-isquery": "true", "content-type": "application/query+json" };

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  await expectStatus(201, old("POST", ["dbs", "d", "colls"], { body: '{"id":"old"}' }));
  for (const id of ["1", "2"]) await expectStatus(201, old("POST", ITEMS, { body: bodyOf(id) }));
  const body = '{"id":"1","_partitionKey":"new"}';
  await expectStatus(201, wire.call("POST", ITEMS, { body, headers: { ...NEW, ...KEYED } }));
});
afterAll(() => wire[Symbol.asyncDispose]());

const bodyOf = (id: string): string => JSON.stringify({ id, n: 1 });

function old(method: string, segments: readonly string[], call: Call = {}): Promise<Answer> {
  return wire.call(method, segments, { ...call, headers: { ...OLD, ...call.headers } });
}

interface Shown {
  readonly partitionKey?: unknown;
  readonly DocumentCollections?: readonly {
    readonly id: string;
    readonly partitionKey?: unknown;
  }[];
  readonly Documents?: readonly unknown[];
}

function shown({ body }: Answer): Shown {
  return JSON.parse(body.toString()) as Shown;
}

describe("the container", () => {
  test("has no partition key for an old program, and one for others", async () => {
    const seen = async (headers: Record<string, string>) => {
      const read = await expectStatus(200, wire.call("GET", CONTAINER, { headers }));
      const list = await expectStatus(200, wire.call("GET", CONTAINER.slice(0, 3), { headers }));
      const found = await expectStatus(
        200,
        wire.call("POST", CONTAINER.slice(0, 3), {
          headers: { ...headers, ...QUERY },
          body: '{"query":"SELECT * FROM c"}',
        }),
      );
      const listed = [list, found].flatMap((answer) => shown(answer).DocumentCollections ?? []);
      const ours = listed.filter(({ id }) => id === "old");
      return [shown(read), ...ours].map(({ partitionKey }) => partitionKey);
    };
    const definition = { paths: ["/_partitionKey"], kind: "Hash", version: 1, systemKey: true };
    expect(await seen(OLD)).toEqual([undefined, undefined, undefined]);
    expect(await seen(NEW)).toEqual([definition, definition, definition]);
  });

  test("keeps its key when an old program replaces it", async () => {
    const replaced = await expectStatus(200, old("PUT", CONTAINER, { body: '{"id":"old"}' }));
    expect(shown(replaced).partitionKey).toBeUndefined();
    const { partitionKey } = shown(await wire.call("GET", CONTAINER, { headers: NEW }));
    expect(partitionKey).toMatchObject({ systemKey: true });
  });

  test("that was made with a key shows it to everybody, and needs it from everybody", async () => {
    const read = await expectStatus(200, old("GET", ["dbs", "d", "colls", "c"]));
    expect(shown(read).partitionKey).toMatchObject({ paths: ["/pk"] });
    await expectStatus(400, old("GET", ["dbs", "d", "colls", "c", "docs", "kept"]));
  });
});

describe("an old program", () => {
  test("reads and writes items without naming a key", async () => {
    const item = [...ITEMS, "mine"];
    await expectStatus(201, old("POST", ITEMS, { body: bodyOf("mine") }));
    await expectStatus(200, old("GET", item));
    await expectStatus(200, old("PUT", item, { body: bodyOf("mine") }));
    const upsert = { body: bodyOf("mine"), headers: { "x-ms-documentdb-is-upsert": "true" } };
    await expectStatus(200, old("POST", ITEMS, upsert));
    await expectStatus(204, old("DELETE", item));
    await expectStatus(404, old("GET", item));
  });

  test("lists and queries the items without a key, in any order and in one page", async () => {
    const list = await expectStatus(200, old("GET", ITEMS));
    expect(shown(list).Documents).toMatchObject([{ id: "1" }, { id: "2" }]);
    const ask = (query: string): Promise<Answer> =>
      expectStatus(200, old("POST", ITEMS, { headers: QUERY, body: JSON.stringify({ query }) }));
    const ids = await ask("SELECT VALUE c.id FROM c ORDER BY c.id DESC");
    expect(shown(ids).Documents).toEqual(["2", "1"]);
    expect(shown(await ask("SELECT VALUE COUNT(1) FROM c")).Documents).toEqual([2]);
    const changes = await expectStatus(
      200,
      old("GET", ITEMS, { headers: { "a-im": "Incremental feed" } }),
    );
    expect(shown(changes).Documents).toHaveLength(2);
  });

  test("runs procedures without naming a key", async () => {
    const body = JSON.stringify({
      id: "count",
      body: `function () {
        __.queryDocuments(__.getSelfLink(), "SELECT VALUE c.id FROM c", function (error, found) {
          getContext().getResponse().setBody(found.length);
        });
      }`,
    });
    await expectStatus(201, old("POST", [...CONTAINER, "sprocs"], { body }));
    const ran = await expectStatus(
      200,
      old("POST", [...CONTAINER, "sprocs", "count"], { body: "[]" }),
    );
    expect(ran.body.toString()).toBe("2");
  });
});

test("a newer program has to name a key", async () => {
  await expectStatus(400, wire.call("GET", [...ITEMS, "1"], { headers: NEW }));
  const named = wire.call("GET", [...ITEMS, "1"], {
    headers: { ...NEW, "x-ms-documentdb-partitionkey": "[]" },
  });
  await expectStatus(200, named);
});
