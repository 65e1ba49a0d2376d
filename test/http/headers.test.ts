/** Request headers that say what is asked for: conditions, pages, sessions, ranges, preferences. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
  const body = '{"id":"wide","partitionKey":{"paths":["/pk"],"version":2}}';
  const headers = { "x-ms-offer-throughput": "30000" };
  await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body, headers }));
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

const WIDE = ["dbs", "d", "colls", "wide"];
const objectOf = (answer: Answer) => JSON.parse(answer.body.toString()) as Record<string, unknown>;

describe("physical partitions", () => {
  const ranges = (etag?: string) =>
    wire.call("GET", [...WIDE, "pkranges"], {
      headers: { "a-im": "Incremental feed", ...(etag && { "if-none-match": etag }) },
    });

  test("are told once to a client that remembers their etag", async () => {
    const first = await expectStatus(200, ranges());
    expect(objectOf(first)["_count"]).toBe(3);
    expect(first.headers["x-ms-item-count"]).toBe("3");
    const { etag } = first.headers;
    expect(etag).toBeTruthy();
    const second = await expectStatus(304, ranges(etag));
    expect(second.headers["etag"]).toBe(etag);
    await expectStatus(200, ranges('"never"'));
  });

  test("do not change with writes", async () => {
    const { headers } = await expectStatus(200, ranges());
    const body = '{"id":"written","pk":1}';
    await expectStatus(201, wire.call("POST", [...WIDE, "docs"], { body }));
    await expectStatus(304, ranges(headers["etag"]));
  });
});

test("what is read says where it was read", async () => {
  const { headers } = await expectStatus(200, wire.item("GET", "kept"));
  const host = `127.0.0.1:${wire.server.port}`;
  expect(headers["content-location"]).toBe(`http://${host}/dbs/d/colls/c/docs/kept`);
});

describe("a client that has a version already", () => {
  test("gets 304 for a container and a database", async () => {
    for (const segments of [["dbs", "d"], WIDE]) {
      const { headers } = await expectStatus(200, wire.call("GET", segments));
      const unchanged = { headers: { "if-none-match": headers["etag"]! } };
      await expectStatus(304, wire.call("GET", segments, unchanged));
    }
  });

  test("gets 304 for an item, with or without quotes around the etag", async () => {
    const { headers } = await expectStatus(200, wire.item("GET", "kept"));
    const etag = headers["etag"]!;
    for (const sent of [etag, etag.slice(1, -1), "*"]) {
      const answer = await wire.item("GET", "kept", { headers: { "if-none-match": sent } });
      expect(answer.status).toBe(304);
      expect(answer.headers["etag"]).toBe(etag);
    }
    await expectStatus(200, wire.item("GET", "kept", { headers: { "if-none-match": '"x"' } }));
  });
});

describe("prefer: return=minimal", () => {
  const headers = { prefer: "return=minimal", ...PARTITION_KEY };

  test("leaves the body out of what a write answers, and nothing else", async () => {
    const body = '{"id":"minimal","pk":"a","n":1}';
    const upsert = { "x-ms-documentdb-is-upsert": "true" };
    const answers = [
      await expectStatus(201, wire.call("POST", ITEMS, { body, headers })),
      await expectStatus(
        200,
        wire.call("POST", ITEMS, { body, headers: { ...headers, ...upsert } }),
      ),
      await expectStatus(200, wire.item("PUT", "minimal", { body, headers })),
      await expectStatus(
        200,
        wire.item("PATCH", "minimal", { body: '[{"op":"incr","path":"/n","value":1}]', headers }),
      ),
    ];
    for (const answer of answers) {
      expect(answer.body).toHaveLength(0);
      expect(answer.headers["content-length"]).toBe("0");
      expect(answer.headers["etag"]).toMatch(/^"[^"]+"$/);
      expect(Number(answer.headers["x-ms-request-charge"])).toBeGreaterThan(0);
      expect(answer.headers["x-ms-session-token"]).toMatch(/^0:0#\d+$/);
    }
    expect(new Set(answers.map((answer) => answer.headers["etag"])).size).toBe(4);
  });

  test("does not touch reads and refusals", async () => {
    const read = await expectStatus(200, wire.item("GET", "kept", { headers }));
    expect(objectOf(read)["id"]).toBe("kept");
    const body = '{"id":"kept","pk":"a"}';
    await expectStatus(409, wire.call("POST", ITEMS, { body, headers }));
  });
});

test("x-ms-exclude-system-properties leaves out links, and nothing else", async () => {
  const headers = { "x-ms-exclude-system-properties": "true", ...PARTITION_KEY };
  const whole = objectOf(await expectStatus(200, wire.item("GET", "kept")));
  const { _self, _attachments, ...rest } = whole;
  expect([_self, _attachments]).toEqual([expect.any(String), "attachments/"]);
  expect(objectOf(await expectStatus(200, wire.item("GET", "kept", { headers })))).toEqual(rest);
  const body = '{"id":"short","pk":"a"}';
  const made = objectOf(await expectStatus(201, wire.call("POST", ITEMS, { body, headers })));
  expect(Object.keys(made)).toEqual(["id", "pk", "_rid", "_etag", "_ts"]);
});

describe("a session token", () => {
  const read = (token: string) =>
    wire.item("GET", "kept", { headers: { "x-ms-session-token": token } });

  test("of a state the server has is fine", async () => {
    const { headers } = await expectStatus(200, wire.item("GET", "kept"));
    const token = headers["x-ms-session-token"]!;
    const more = [`${token},1:0#99`, `${token},`];
    for (const sent of [token, ...more, "", "0:0#0", "0:-1#0", "7:0#99", "0:0"]) {
      await expectStatus(200, read(sent));
    }
  });

  test.each(["0:0#999999", "0:1#0", "0:0#999999,0:0#1", "1:0#5,0:0#999999", "0:0#999999#1=5"])(
    "of a state it never had is a 404 of its own: %s",
    async (token) => {
      const answer = await expectStatus(404, read(token));
      expect(answer.headers["x-ms-substatus"]).toBe("1002");
    },
  );

  test.each([
    ":",
    "0",
    "0:",
    "0:x",
    "0:0#",
    "0:0#x",
    "0:0#1e3",
    "0:0#-1",
    ",",
    "0:0#1,,",
    "#",
    "{}",
  ])("that is none is a 400: %s", async (token) => {
    await expectStatus(400, read(token));
  });
});

describe("a partition key", () => {
  const withKey = (key: string) =>
    wire.item("GET", "kept", { headers: { "x-ms-documentdb-partitionkey": key } });

  test.each(["", "a", "[", '["a"', "{}", "null", "[[]]", '[{"a":1}]', "[1e999]", '["a",]', "[a]"])(
    "that is none is a 400: %s",
    async (key) => {
      await expectStatus(400, withKey(key));
    },
  );

  test.each(["[]", '["a","b"]', '["a",{},null]'])("of another length is a 400: %s", async (key) => {
    await expectStatus(400, withKey(key));
  });

  test("is required to read, replace, patch and delete", async () => {
    const body = '{"id":"kept","pk":"a"}';
    const patch = '[{"op":"set","path":"/n","value":1}]';
    const segments = [...ITEMS, "kept"];
    await expectStatus(400, wire.call("GET", segments));
    await expectStatus(400, wire.call("DELETE", segments));
    await expectStatus(400, wire.call("PATCH", segments, { body: patch }));
    const replaced = await wire.call("PUT", segments, { body });
    expect([200, 400]).toContain(replaced.status);
  });

  test("in escapes is the same", async () => {
    await expectStatus(200, withKey('["\\u0061"]'));
    await expectStatus(200, withKey(' [ "a" ] '));
  });

  test("that is not the item's is a 400 of its own", async () => {
    const headers = { "x-ms-documentdb-partitionkey": '["b"]' };
    const body = '{"id":"mismatch","pk":"a"}';
    const answer = await expectStatus(400, wire.call("POST", ITEMS, { body, headers }));
    expect(answer.headers["x-ms-substatus"]).toBe("1001");
  });
});

describe("a page", () => {
  const list = (headers: Record<string, string>) =>
    wire.call("GET", [...WIDE, "docs"], { headers });

  test("has the count that was asked for", async () => {
    for (let index = 0; index < 10; index++) {
      const body = JSON.stringify({ id: `item-${index}`, pk: `key-${index}` });
      await expectStatus(201, wire.call("POST", [...WIDE, "docs"], { body }));
    }
    const first = await expectStatus(200, list({ "x-ms-max-item-count": "4" }));
    expect(objectOf(first)["_count"]).toBe(4);
    expect(first.headers["x-ms-item-count"]).toBe("4");
    const continuation = first.headers["x-ms-continuation"]!;
    const rest = await expectStatus(200, list({ "x-ms-continuation": continuation }));
    expect(rest.headers["x-ms-continuation"]).toBeUndefined();
  });

  test.each(["-2", "1.5", "ten", "1e999", "NaN"])("cannot have %s items", async (count) => {
    await expectStatus(400, list({ "x-ms-max-item-count": count }));
  });

  test.each(["x", "{}", "bnVsbA", "eyJjIjoiIn0", "%00", "x".repeat(4000)])(
    "cannot start at %s",
    async (continuation) => {
      await expectStatus(400, list({ "x-ms-continuation": continuation }));
    },
  );

  test("of all ranges, one by one, is a page of everything", async () => {
    const whole = objectOf(await expectStatus(200, list({})))["Documents"] as unknown[];
    const parts = await Promise.all(
      ["0", "1", "2"].map(async (id) => {
        const answer = await list({ "x-ms-documentdb-partitionkeyrangeid": id });
        return objectOf(answer)["Documents"] as unknown[];
      }),
    );
    expect(parts.flat()).toEqual(whole);
  });

  test("of a range that is not there is a 410", async () => {
    const answer = await expectStatus(410, list({ "x-ms-documentdb-partitionkeyrangeid": "9" }));
    expect(answer.headers["x-ms-substatus"]).toBe("1002");
  });

  test("of EPK ranges that tile the whole is a page of everything", async () => {
    const bounds = ["", "15", "2A", "FF"];
    const listed = await Promise.all(
      bounds.slice(1).map(async (end, index) => {
        const start = bounds[index]!;
        const answer = await list({ "x-ms-start-epk": start, "x-ms-end-epk": end });
        return objectOf(answer)["_count"] as number;
      }),
    );
    const whole = objectOf(await expectStatus(200, list({})))["_count"];
    expect(listed.reduce((sum, count) => sum + count, 0)).toBe(whole);
  });

  test.each([
    ["FF", "00"],
    ["x", "FF"],
    ["00", "00"],
    ["0", "FF"],
    ["", "FFFF"],
  ])("of the EPK range from %s to %s is refused", async (start, end) => {
    await expectStatus(400, list({ "x-ms-start-epk": start, "x-ms-end-epk": end }));
  });
});

describe("throughput", () => {
  test.each([
    { "x-ms-offer-throughput": "399" },
    { "x-ms-offer-throughput": "" },
    { "x-ms-offer-throughput": "lots" },
    { "x-ms-offer-throughput": "1e9" },
    { "x-ms-offer-throughput": "-400" },
    { "x-ms-cosmos-offer-autopilot-settings": "{}" },
    { "x-ms-cosmos-offer-autopilot-settings": "nonsense" },
    { "x-ms-cosmos-offer-autopilot-settings": '{"maxThroughput":900}' },
    {
      "x-ms-offer-throughput": "400",
      "x-ms-cosmos-offer-autopilot-settings": '{"maxThroughput":4000}',
    },
  ])("cannot be %j", async (headers) => {
    const body = '{"id":"rated","partitionKey":{"paths":["/pk"]}}';
    const sent = headers as Record<string, string>;
    await expectStatus(400, wire.call("POST", ["dbs", "d", "colls"], { body, headers: sent }));
    await expectStatus(404, wire.call("GET", ["dbs", "d", "colls", "rated"]));
  });
});

test("a container that was made again is not the one a client meant", async () => {
  const { body } = await expectStatus(200, wire.call("GET", ["dbs", "d", "colls", "c"]));
  const { _rid } = JSON.parse(body.toString()) as { _rid: string };
  const meaning = (rid: string) => ({ headers: { "x-ms-cosmos-intended-collection-rid": rid } });
  await expectStatus(200, wire.item("GET", "kept", meaning(_rid)));
  await expectStatus(200, wire.item("GET", "kept", meaning("")));
  const answer = await expectStatus(400, wire.item("GET", "kept", meaning("AAAAAYAAAAk=")));
  expect(answer.headers["x-ms-substatus"]).toBe("1024");
});

test("every answer has an activity id of its own", async () => {
  const answers = await Promise.all([
    wire.call("GET", []),
    wire.item("GET", "kept"),
    wire.item("GET", "missing"),
    wire.call("GET", ["dbs"], { key: null }),
  ]);
  const ids = answers.map((answer) => answer.headers["x-ms-activity-id"]);
  expect(new Set(ids).size).toBe(4);
  for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/);
});
