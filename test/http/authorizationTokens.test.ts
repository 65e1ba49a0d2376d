/** What ends a resource token, and that nothing in a request leads out of its scope. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, openWire } from "./wire.ts";

interface Made {
  readonly _rid: string;
  readonly _self: string;
  readonly _etag: string;
  readonly _token: string;
}

const KEY_HEADER = "x-ms-documentdb-partitionkey";
const QUERY = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "true",
  "x-ms-documentdb-query-enablecrosspartition": "true",
};
const SELECT = '{"query":"SELECT * FROM c"}';

let wire: Wire;
let userCount = 0;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

async function make(segments: readonly string[], body: object): Promise<Made> {
  const answer = await expectStatus(
    201,
    wire.call("POST", segments, { body: JSON.stringify(body) }),
  );
  return JSON.parse(answer.body.toString()) as Made;
}

/** A container of its own with two items under each of two keys, the first half of each key's. */
async function container(id: string, paths: readonly string[] = ["/pk"]): Promise<Made> {
  const made = await make(["dbs", "d", "colls"], { id, partitionKey: definitionOf(paths) });
  for (const pk of ["a", "b"]) {
    for (const n of [1, 2])
      await make(["dbs", "d", "colls", id, "docs"], { id: `i${n}`, pk, sub: n });
  }
  return made;
}

function definitionOf(paths: readonly string[]): object {
  return paths.length === 1 ? { paths } : { paths, kind: "MultiHash", version: 2 };
}

interface Permitted {
  readonly token: string;
  /** What names the permission. */
  readonly segments: readonly string[];
  readonly permission: object;
}

async function permit(resource: string, more: object = {}, mode = "All"): Promise<Permitted> {
  const user = `user ${++userCount}`;
  await make(["dbs", "d", "users"], { id: user });
  const permission = { id: "p", permissionMode: mode, resource, ...more };
  const segments = ["dbs", "d", "users", user, "permissions"];
  const { _token } = await make(segments, permission);
  return { token: _token, segments: [...segments, "p"], permission };
}

function ask(
  token: string,
  method: string,
  path: string,
  { body, ...headers }: Record<string, string> = {},
): Promise<Answer> {
  const authorization = encodeURIComponent(token);
  const sent = body === undefined ? {} : { body };
  return wire.call(method, [], {
    path,
    key: null,
    headers: { authorization, ...headers },
    ...sent,
  });
}

const underKey = (...key: readonly (string | number)[]): Record<string, string> => ({
  [KEY_HEADER]: JSON.stringify(key),
});

const idsIn = ({ body }: Answer): readonly string[] =>
  (JSON.parse(body.toString()) as { Documents: { pk: string; id: string }[] }).Documents.map(
    ({ pk, id }) => `${pk}/${id}`,
  );

describe("a token ends", () => {
  const read = async (token: string, id: string): Promise<number> =>
    (await ask(token, "GET", `/dbs/d/colls/${id}`)).status;

  test("when its permission is changed, and a new one does not", async () => {
    await container("changed");
    const { token, segments, permission } = await permit("dbs/d/colls/changed");
    expect(await read(token, "changed")).toBe(200);
    const body = JSON.stringify({ ...permission, permissionMode: "Read" });
    const replaced = await expectStatus(200, wire.call("PUT", segments, { body }));
    expect(await read(token, "changed")).toBe(403);
    const { _token } = JSON.parse(replaced.body.toString()) as Made;
    expect(await read(_token, "changed")).toBe(200);
    const item = { ...underKey("a"), body: '{"id":"new","pk":"a"}' };
    expect((await ask(_token, "POST", "/dbs/d/colls/changed/docs", item)).status).toBe(403);
  });

  test("when its permission is deleted, or the user that has it", async () => {
    await container("deleted");
    const first = await permit("dbs/d/colls/deleted");
    const second = await permit("dbs/d/colls/deleted");
    await expectStatus(204, wire.call("DELETE", first.segments));
    expect(await read(first.token, "deleted")).toBe(403);
    expect(await read(second.token, "deleted")).toBe(200);
    await expectStatus(204, wire.call("DELETE", second.segments.slice(0, 4)));
    expect(await read(second.token, "deleted")).toBe(403);
  });

  test("with its container, also when another one gets its name", async () => {
    await container("again");
    const { token, segments } = await permit("dbs/d/colls/again");
    await expectStatus(204, wire.call("DELETE", ["dbs", "d", "colls", "again"]));
    expect(await read(token, "again")).toBe(403);
    await container("again");
    expect(await read(token, "again")).toBe(403);
    const { body } = await expectStatus(200, wire.call("GET", segments));
    expect(await read((JSON.parse(body.toString()) as Made)._token, "again")).toBe(200);
  });

  test("and says so without telling what there is", async () => {
    const { token } = await permit("dbs/d/colls/c");
    const there = await ask(token, "GET", "/dbs/d/colls/changed");
    const nowhere = await ask(token, "GET", "/dbs/d/colls/nowhere");
    const messageIn = ({ body }: Answer): string =>
      (JSON.parse(body.toString()) as { message: string }).message.split("\r\n")[0]!;
    expect(messageIn(nowhere)).toBe(messageIn(there));
    expect(messageIn(there)).toContain("something else");
  });
});

test("a permission about another database than its user's allows nothing", async () => {
  await make(["dbs"], { id: "e" });
  await make(["dbs", "e", "users"], { id: "u" });
  const permission = { id: "p", permissionMode: "All", resource: "dbs/d/colls/c" };
  const { _token } = await make(["dbs", "e", "users", "u", "permissions"], permission);
  expect((await ask(_token, "GET", "/dbs/d/colls/c")).status).toBe(403);
  expect((await ask(_token, "GET", "/")).status).toBe(403);
});

test.each(["dbs/d/colls/nowhere", "dbs/d/users/u", "dbs/d/colls/c/docs/i/attachments/a"])(
  "a permission about %s allows nothing",
  async (resource) => {
    const { token } = await permit(resource);
    expect((await ask(token, "GET", "/dbs/d/colls/c")).status).toBe(403);
    expect((await ask(token, "GET", "/")).status).toBe(403);
  },
);

describe("links with rids are links", () => {
  test("of a container", async () => {
    const { _self } = await container("by rid");
    const { token } = await permit(_self);
    expect((await ask(token, "GET", "/dbs/d/colls/by%20rid")).status).toBe(200);
    expect((await ask(token, "GET", `/${_self}`)).status).toBe(200);
  });

  test("of an item, under its own key and no other", async () => {
    await container("item by rid");
    const path = "/dbs/d/colls/item%20by%20rid/docs";
    const segments = ["dbs", "d", "colls", "item by rid", "docs", "i1"];
    const item = await expectStatus(200, wire.call("GET", segments, { headers: underKey("a") }));
    const { _self, _rid } = JSON.parse(item.body.toString()) as Made;
    const { token } = await permit(_self);
    const status = async (id: string, key: string): Promise<number> =>
      (await ask(token, "GET", `${path}/${id}`, underKey(key))).status;
    expect(await status("i1", "a")).toBe(200);
    expect(await status(encodeURIComponent(_rid), "a")).toBe(200);
    expect(await status("i2", "a")).toBe(403);
    expect(await status("i1", "b")).toBe(403);
    expect((await ask(token, "GET", `${path}/i1`)).status).toBe(403);
  });
});

test("what a token is about keeps its id", async () => {
  await container("names");
  const segments = ["dbs", "d", "colls", "names"];
  const script = { body: "function () {}" };
  await make([...segments, "udfs"], { id: "f", ...script });
  const path = "/dbs/d/colls/names";
  const item = await permit("dbs/d/colls/names/docs/i1", { resourcePartitionKey: ["a"] });
  const udf = await permit("dbs/d/colls/names/udfs/f");
  const putItem = (id: string): Promise<Answer> =>
    ask(item.token, "PUT", `${path}/docs/i1`, { ...underKey("a"), body: bodyOf({ id, pk: "a" }) });
  const putScript = (id: string): Promise<Answer> =>
    ask(udf.token, "PUT", `${path}/udfs/f`, { body: bodyOf({ id, ...script }) });
  await expectStatus(403, putItem("other"));
  await expectStatus(200, putItem("i1"));
  await expectStatus(403, putScript("g"));
  await expectStatus(200, putScript("f"));
  const renamed = { body: bodyOf({ id: "g", ...script }) };
  await expectStatus(200, wire.call("PUT", [...segments, "udfs", "f"], renamed));
});

const bodyOf = (value: object): string => JSON.stringify(value);

describe("nothing leads out of a key", () => {
  const path = "/dbs/d/colls/keys/docs";
  let token: string;
  beforeAll(async () => {
    await container("keys");
    ({ token } = await permit("dbs/d/colls/keys", { resourcePartitionKey: ["a"] }));
  });

  /** What a read-write key was told, for a token to go on with. */
  const masterAsks = (method: string, headers: Record<string, string>, body?: string) =>
    wire.call(method, ["dbs", "d", "colls", "keys", "docs"], {
      headers: { "x-ms-max-item-count": "1", ...headers },
      ...(body !== undefined && { body }),
    });

  test("not the continuation of a feed over all keys, or over another", async () => {
    for (const headers of [{}, underKey("b")]) {
      const { headers: told } = await expectStatus(200, masterAsks("GET", headers));
      const continued = { ...underKey("a"), "x-ms-continuation": told["x-ms-continuation"]! };
      const answer = await ask(token, "GET", path, continued);
      if (answer.status !== 400) {
        expect(idsIn(answer).filter((id) => id.startsWith("b/"))).toEqual([]);
      }
    }
  });

  test("not that of a query", async () => {
    for (const headers of [QUERY, { ...QUERY, ...underKey("b") }]) {
      const { headers: told } = await expectStatus(200, masterAsks("POST", headers, SELECT));
      const continued = { ...underKey("a"), "x-ms-continuation": told["x-ms-continuation"]! };
      const answer = await ask(token, "POST", path, { ...QUERY, ...continued, body: SELECT });
      if (answer.status !== 400) {
        expect(idsIn(answer).filter((id) => id.startsWith("b/"))).toEqual([]);
      }
    }
  });

  test("not the etag of a change feed", async () => {
    const feed = { "a-im": "Incremental feed" };
    for (const headers of [feed, { ...feed, ...underKey("b") }]) {
      const { headers: told } = await expectStatus(200, masterAsks("GET", headers));
      const continued = { ...feed, ...underKey("a"), "if-none-match": told["etag"]! };
      const answer = await ask(token, "GET", path, continued);
      if (answer.status === 200) {
        expect(idsIn(answer).filter((id) => id.startsWith("b/"))).toEqual([]);
      }
    }
  });

  test("not a filter, nor a key in the body", async () => {
    const other = '{"query":"SELECT * FROM c WHERE c.pk = \\"b\\""}';
    const answer = await ask(token, "POST", path, { ...QUERY, ...underKey("a"), body: other });
    expect(idsIn(answer)).toEqual([]);
    const item = { ...underKey("a"), body: '{"id":"smuggled","pk":"b"}' };
    await expectStatus(400, ask(token, "POST", path, item));
    const batch = {
      ...underKey("a"),
      "x-ms-cosmos-is-batch-request": "true",
      "x-ms-cosmos-batch-atomic": "true",
      body: '[{"operationType":"Read","id":"i1","partitionKey":"[\\"b\\"]"}]',
    };
    await expectStatus(400, ask(token, "POST", path, batch));
  });

  test("not the deletion of a key, unless it is its own", async () => {
    const deletion = "/dbs/d/colls/keys/operations/partitionkeydelete";
    await expectStatus(403, ask(token, "POST", deletion, underKey("b")));
    await expectStatus(200, ask(token, "POST", deletion, underKey("a")));
    const rest = await expectStatus(200, masterAsks("GET", { "x-ms-max-item-count": "9" }));
    expect(idsIn(rest)).toEqual(["b/i1", "b/i2"]);
  });
});

test("a key may be a prefix of hierarchical ones", async () => {
  await container("levels", ["/pk", "/sub"]);
  const { token } = await permit("dbs/d/colls/levels", { resourcePartitionKey: ["a"] }, "Read");
  const path = "/dbs/d/colls/levels/docs";
  const query = (...key: readonly (string | number)[]): Promise<Answer> =>
    ask(token, "POST", path, { ...QUERY, ...underKey(...key), body: SELECT });
  expect([...idsIn(await expectStatus(200, query("a")))].sort()).toEqual(["a/i1", "a/i2"]);
  expect(idsIn(await expectStatus(200, query("a", 1)))).toEqual(["a/i1"]);
  await expectStatus(403, query("b"));
  await expectStatus(403, query());
  await expectStatus(200, ask(token, "GET", `${path}/i1`, underKey("a", 1)));
  await expectStatus(403, ask(token, "GET", `${path}/i1`, underKey("b", 1)));
});
