/** Users, permissions, scripts, keys and conflicts: what each verb does, and what is told. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { JsonObject } from "../../src/json/value.ts";
import type { Answer, Wire } from "./wire.ts";
import { authorizationOf, expectStatus, openWire } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  await expectStatus(201, wire.call("POST", USERS, { body: '{"id":"holder"}' }));
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const DATABASE = ["dbs", "d"];
const CONTAINER = [...DATABASE, "colls", "c"];
const USERS = [...DATABASE, "users"];
const QUERY = { "x-ms-documentdb-isquery": "true", "content-type": "application/query+json" };
const UPSERT = { "x-ms-documentdb-is-upsert": "true" };

interface Kind {
  readonly feed: readonly string[];
  readonly name: string;
  readonly content: JsonObject;
  readonly changed: JsonObject;
  readonly ownerLink: string;
}

const link = (item: string): string => `dbs/d/colls/c/docs/${item}`;
const KINDS: Readonly<Record<string, Kind>> = {
  user: { feed: USERS, name: "Users", content: {}, changed: {}, ownerLink: "dbs/d" },
  permission: {
    feed: [...USERS, "holder", "permissions"],
    name: "Permissions",
    content: { permissionMode: "Read", resource: link("one") },
    changed: { permissionMode: "all", resource: link("one"), resourcePartitionKey: ["a"] },
    ownerLink: "dbs/d/users/holder",
  },
  key: {
    feed: [...DATABASE, "clientencryptionkeys"],
    name: "ClientEncryptionKeys",
    content: {
      encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
      wrappedDataEncryptionKey: "AQID",
      keyWrapMetadata: { type: "t", name: "n", value: "v", algorithm: "RSA-OAEP" },
    },
    changed: {
      encryptionAlgorithm: "AEAD_AES_256_CBC_HMAC_SHA256",
      wrappedDataEncryptionKey: "BAUG",
      keyWrapMetadata: { type: "t", name: "n2", value: "v2" },
    },
    ownerLink: "dbs/d",
  },
  procedure: {
    feed: [...CONTAINER, "sprocs"],
    name: "StoredProcedures",
    content: { body: "function () {}" },
    changed: { body: "no function (" },
    ownerLink: "dbs/d/colls/c",
  },
  trigger: {
    feed: [...CONTAINER, "triggers"],
    name: "Triggers",
    content: { body: "x", triggerType: "pre", triggerOperation: "All" },
    changed: { body: "y", triggerType: "Post", triggerOperation: "delete" },
    ownerLink: "dbs/d/colls/c",
  },
  function: {
    feed: [...CONTAINER, "udfs"],
    name: "UserDefinedFunctions",
    content: { body: "x => x" },
    changed: { body: "x => x + 1" },
    ownerLink: "dbs/d/colls/c",
  },
};
const EACH = Object.entries(KINDS);

describe.each(EACH)("a %s", (kind, { feed, name, content, changed, ownerLink }) => {
  const id = `the ${kind}`;
  const one = [...feed, id];
  const sent = JSON.stringify({ id, ...content, _rid: "ignored", unknown: 1 });

  test("is created, and told with what every resource has", async () => {
    const answer = await expectStatus(201, wire.call("POST", feed, { body: sent }));
    const told = json(answer);
    expect(told).toMatchObject({ id, ...content });
    expect(told).not.toHaveProperty("unknown");
    const token = kind === "permission" ? expect.stringMatching(/^type=resource&ver=1/) : undefined;
    expect(told["_token"]).toEqual(token);
    expect(told["_self"]).toMatch(new RegExp(`^dbs/.*/${feed.at(-1)}/${escaped(told["_rid"])}/$`));
    expect(answer.headers["etag"]).toBe(told["_etag"]);
    expect(answer.headers["x-ms-alt-content-path"]).toBe(ownerLink);
    expect(answer.headers["x-ms-resource-usage"]).toMatch(/^(databases|functions)=\d/);
    await expectStatus(409, wire.call("POST", feed, { body: sent }));
  });

  test("is read by its name and by its rids alike, and told only once", async () => {
    const answer = await expectStatus(200, wire.call("GET", one));
    const self = String(json(answer)["_self"]);
    const byRid = await expectStatus(200, wire.call("GET", self.slice(0, -1).split("/")));
    expect(untokened(byRid)).toEqual(untokened(answer));
    const headers = { "if-none-match": answer.headers["etag"]! };
    await expectStatus(304, wire.call("GET", one, { headers }));
    await expectStatus(404, wire.call("GET", [...feed, "missing"]));
  });

  test("is replaced if the condition is met, and may get another id", async () => {
    const before = await expectStatus(200, wire.call("GET", one));
    const body = JSON.stringify({ id: `${id}!`, ...changed });
    if (kind === "key") {
      // Containers name it.
      await expectStatus(400, wire.call("PUT", one, { body }));
      await expectStatus(200, wire.call("PUT", one, { body: JSON.stringify({ id, ...changed }) }));
      return;
    }
    const put = (etag: string) => wire.call("PUT", one, { body, headers: { "if-match": etag } });
    await expectStatus(412, put('"other"'));
    const after = json(await expectStatus(200, put(before.headers["etag"]!)));
    expect(after).toMatchObject({ id: `${id}!`, ...changed, _rid: json(before)["_rid"] });
    expect(after["_etag"]).not.toBe(json(before)["_etag"]);
    await expectStatus(404, wire.call("PUT", one, { body }));
    await expectStatus(200, wire.call("PUT", [...feed, `${id}!`], { body: sent }));
  });

  test("is upserted", async () => {
    const again = { body: JSON.stringify({ id, ...changed }), headers: UPSERT };
    expect(json(await expectStatus(200, wire.call("POST", feed, again)))).toMatchObject(changed);
    const resource = kind === "permission" ? { resource: link("two") } : {};
    const body = JSON.stringify({ id: "second", ...content, ...resource });
    await expectStatus(201, wire.call("POST", feed, { body, headers: UPSERT }));
  });

  test("is listed page by page, and found by a query", async () => {
    const headers = { "x-ms-max-item-count": "1" };
    const ids: unknown[] = [];
    let continuation: string | undefined = "";
    while (continuation !== undefined) {
      const page = { headers: { ...headers, "x-ms-continuation": continuation } };
      const answer = await expectStatus(200, wire.call("GET", feed, page));
      const { [name]: members, _count } = json(answer);
      expect(_count).toBe(1);
      ids.push(...(members as JsonObject[]).map((member) => member["id"]));
      continuation = answer.headers["x-ms-continuation"];
    }
    expect(ids.filter((listed) => listed !== "holder")).toEqual([id, "second"]);
    const text = {
      query: "SELECT VALUE r.id FROM r WHERE r.id = @id",
      parameters: [{ name: "@id", value: id }],
    };
    const query = { headers: QUERY, body: JSON.stringify(text) };
    const found = await expectStatus(200, wire.call("POST", feed, query));
    expect(json(found)[name]).toEqual([id]);
  });

  test("is refused when its body is no good", async () => {
    for (const body of ["", "[]", "{}", '{"id":"a/b"}', '{"id":7}']) {
      await expectStatus(400, wire.call("POST", feed, { body }));
      await expectStatus(400, wire.call("PUT", one, { body }));
    }
    await expectStatus(405, wire.call("PATCH", one, { body: "{}" }));
    await expectStatus(405, wire.call("PUT", feed, { body: sent }));
  });

  test("has an owner", async () => {
    const owner = feed.map((segment, at) => (at === feed.length - 2 ? "missing" : segment));
    await expectStatus(404, wire.call("GET", owner));
    await expectStatus(404, wire.call("POST", owner, { body: sent }));
    const answer = await expectStatus(404, wire.call("GET", [...owner, id]));
    expect(answer.headers["x-ms-substatus"]).toBe("1003");
  });

  test(kind === "key" ? "stays: what it encrypted needs it" : "is deleted", async () => {
    if (kind === "key") {
      await expectStatus(405, wire.call("DELETE", one));
      return;
    }
    const headers = { "if-match": '"other"' };
    await expectStatus(412, wire.call("DELETE", one, { headers }));
    await expectStatus(204, wire.call("DELETE", one));
    await expectStatus(404, wire.call("DELETE", one));
    await expectStatus(404, wire.call("GET", one));
  });
});

describe("of some kinds only", () => {
  test("a user has one permission for a resource", async () => {
    const { feed, content } = KINDS["permission"]!;
    const body = (id: string): string => JSON.stringify({ id, ...content });
    await expectStatus(201, wire.call("POST", feed, { body: body("first") }));
    await expectStatus(409, wire.call("POST", feed, { body: body("another") }));
  });

  test.each(["9", "86401", "x", "1.5"])("a token is not made for %s seconds", async (seconds) => {
    const { feed } = KINDS["permission"]!;
    const headers = { "x-ms-documentdb-expiry-seconds": seconds };
    await expectStatus(400, wire.call("GET", feed, { headers }));
  });

  test("a cursor of one list is none of another", async () => {
    const { feed } = KINDS["key"]!;
    for (const id of ["k1", "k2"]) {
      const body = JSON.stringify({ ...KINDS["key"]!.content, id });
      await expectStatus(201, wire.call("POST", feed, { body }));
    }
    const body = '{"query":"SELECT * FROM r"}';
    const headers = { ...QUERY, "x-ms-max-item-count": "1" };
    const first = await expectStatus(200, wire.call("POST", feed, { headers, body }));
    const next = { ...headers, "x-ms-continuation": first.headers["x-ms-continuation"]! };
    await expectStatus(200, wire.call("POST", feed, { headers: next, body }));
    await expectStatus(400, wire.call("POST", USERS, { headers: next, body }));
  });

  test("a container has so many triggers, and no more", async () => {
    const { feed, content } = KINDS["trigger"]!;
    const create = (n: number): Promise<Answer> =>
      wire.call("POST", feed, { body: JSON.stringify({ id: `t${n}`, ...content }) });
    let last: Answer | undefined;
    for (let n = 0; n < 25 && last?.status !== 403; n++) last = await create(n);
    expect(last!.status).toBe(403);
    const asked = { headers: { "x-ms-documentdb-populatequotainfo": "true" } };
    const { headers } = await expectStatus(200, wire.call("GET", CONTAINER, asked));
    expect(headers["x-ms-resource-quota"]).toContain("triggers=25;");
    expect(headers["x-ms-resource-usage"]).toContain("triggers=25;");
  });
});

describe("conflicts", () => {
  const CONFLICTS = [...CONTAINER, "conflicts"];

  test("there are none", async () => {
    const listed = json(await expectStatus(200, wire.call("GET", CONFLICTS)));
    expect(listed).toMatchObject({ Conflicts: [], _count: 0 });
    const query = { headers: QUERY, body: '{"query":"SELECT * FROM c"}' };
    await expectStatus(400, wire.call("POST", CONFLICTS, query));
    const everywhere = { ...QUERY, "x-ms-documentdb-query-enablecrosspartition": "True" };
    const asked = { ...query, headers: everywhere };
    expect(json(await expectStatus(200, wire.call("POST", CONFLICTS, asked)))).toEqual(listed);
    await expectStatus(404, wire.call("GET", [...CONFLICTS, "x"]));
    await expectStatus(404, wire.call("DELETE", [...CONFLICTS, "x"]));
    await expectStatus(405, wire.call("POST", CONFLICTS, { body: "{}" }));
    await expectStatus(404, wire.call("GET", [...DATABASE, "colls", "missing", "conflicts"]));
  });

  test("one is read as the JavaScript client spells it", async () => {
    const date = new Date().toUTCString();
    const signed = ["GET", "users", [...CONFLICTS, "x"].join("/"), date] as const;
    const headers = { authorization: authorizationOf(wire.server.key, signed), "x-ms-date": date };
    await expectStatus(404, wire.call("GET", [...CONFLICTS, "x", "conflicts"], { headers }));
  });
});

const json = ({ body }: Answer): JsonObject => JSON.parse(body.toString()) as JsonObject;

/** Tokens differ from answer to answer. */
function untokened(answer: Answer): JsonObject {
  const { _token: _, ...rest } = json(answer);
  return rest;
}

const escaped = (text: unknown): string => String(text).replace(/[+]/g, "\\$&");
