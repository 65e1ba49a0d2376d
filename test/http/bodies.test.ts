/** Request bodies as no client would send them, to every route that reads one. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterEach(() => wire.assertAlive());
afterAll(() => wire[Symbol.asyncDispose]());

/** Every route that reads a body. */
const ROUTES: readonly (readonly [method: string, segments: readonly string[]])[] = [
  ["POST", ["dbs"]],
  ["POST", ["dbs", "d", "colls"]],
  ["PUT", ["dbs", "d", "colls", "c"]],
  ["POST", ITEMS],
  ["PUT", [...ITEMS, "kept"]],
  ["PATCH", [...ITEMS, "kept"]],
];

const BAD_BODIES: Readonly<Record<string, string | Buffer>> = {
  "nothing at all": "",
  "white space": " \r\n\t ",
  "an open brace": "{",
  "JSON that ends early": '{"id":"x","pk":"a","text":"unfinis',
  "JSON with something after it": '{"id":"x","pk":"a"} {"id":"y","pk":"a"}',
  "a comma too many": '{"id":"x","pk":"a",}',
  "single quotes": "{'id':'x','pk':'a'}",
  "a comment": '{"id":"x",/* no */"pk":"a"}',
  "a name without quotes": '{id:"x",pk:"a"}',
  NaN: '{"id":"x","pk":"a","n":NaN}',
  "a control character in text": '{"id":"x","pk":"a","text":"line\nbreak"}',
  "plain text": "hello",
  XML: "<item><id>x</id></item>",
  "a form": "id=x&pk=a",
  "an empty array": "[]",
  "an array of items": '[{"id":"x","pk":"a"}]',
  "a number": "5",
  "a string": '"text"',
  true: "true",
  null: "null",
  "an empty object": "{}",
  "a byte order mark": Buffer.from('\ufeff{"id":"x","pk":"a"}'),
  "UTF-16": Buffer.from('{"id":"x","pk":"a"}', "utf16le"),
  "bytes that are no UTF-8": Buffer.concat([
    Buffer.from('{"id":"x","pk":"a","text":"'),
    Buffer.from([0xff, 0xfe]),
    Buffer.from('"}'),
  ]),
  "half of a character": Buffer.concat([
    Buffer.from('{"id":"x","pk":"a","text":"'),
    Buffer.from([0xe2, 0x82]),
    Buffer.from('"}'),
  ]),
  "a surrogate in UTF-8": Buffer.concat([
    Buffer.from('{"id":"x","pk":"a","text":"'),
    Buffer.from([0xed, 0xa0, 0x80]),
    Buffer.from('"}'),
  ]),
  zeros: Buffer.alloc(1000),
  "a million open brackets": "[".repeat(1_000_000),
};

describe.each(ROUTES)("%s %j", (method, segments) => {
  test.each(Object.entries(BAD_BODIES))("refuses %s", async (_rule, body) => {
    await expectStatus(400, wire.call(method, segments, { body, headers: PARTITION_KEY }));
  });
});

const TOO_LARGE = 2 * 1024 * 1024;

function itemOfBytes(id: string, byteCount: number): string {
  const start = `{"id":"${id}","pk":"a","text":"`;
  return `${start}${"x".repeat(byteCount - start.length - 2)}"}`;
}

describe("size", () => {
  const create = (body: string) => wire.call("POST", ITEMS, { body, headers: PARTITION_KEY });

  test("2 MB exactly are kept", async () => {
    await expectStatus(201, create(itemOfBytes("2MB", TOO_LARGE)));
    const { body } = await expectStatus(200, wire.item("GET", "2MB"));
    expect(JSON.parse(body.toString()).text.length).toBeGreaterThan(2_000_000);
    await expectStatus(200, wire.item("PUT", "2MB", { body: itemOfBytes("2MB", TOO_LARGE) }));
    await expectStatus(204, wire.item("DELETE", "2MB"));
  });

  test("one byte more is too large, by every verb", async () => {
    const body = itemOfBytes("kept", TOO_LARGE + 1);
    for (const [method, segments] of ROUTES) {
      const answer = await wire.call(method, segments, { body, headers: PARTITION_KEY });
      expect([method, answer.status]).toEqual([method, 413]);
      expect(answer.body.toString()).toContain("Request size is too large");
    }
  });

  test("a patch cannot make an item too large", async () => {
    await expectStatus(201, create(itemOfBytes("grows", TOO_LARGE - 100)));
    const operations = [{ op: "set", path: "/more", value: "x".repeat(200) }];
    const body = JSON.stringify({ operations });
    await expectStatus(413, wire.item("PATCH", "grows", { body }));
    await expectStatus(204, wire.item("DELETE", "grows"));
  });
});

describe("nesting", () => {
  const nested = (depth: number): string => {
    const pairCount = (depth - 2) / 2;
    return `{"id":"deep","pk":"a","n":[${'{"n":['.repeat(pairCount)}1${"]}".repeat(pairCount)}]}`;
  };
  const nestedArrays = (depth: number): string =>
    `{"id":"deep","pk":"a","n":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;

  test.each([nestedArrays(128), nested(128)])("of 128 levels is kept", async (body) => {
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
    const { body: read } = await expectStatus(200, wire.item("GET", "deep"));
    expect(JSON.parse(read.toString()).n).toEqual(JSON.parse(body).n);
    await expectStatus(204, wire.item("DELETE", "deep"));
  });

  test.each([129, 200, 10_000, 500_000])("of %d levels is refused", async (depth) => {
    const body = nestedArrays(depth);
    await expectStatus(400, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  });

  test("counts no brackets in text", async () => {
    const body = JSON.stringify({ id: "brackets", pk: "a", text: '["{'.repeat(1000) });
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  });
});

describe("an item comes back", () => {
  const roundTrip = async (text: string): Promise<string> => {
    const created = await expectStatus(
      201,
      wire.call("POST", ITEMS, { body: text, headers: PARTITION_KEY }),
    );
    const { id } = JSON.parse(text) as { id: string };
    const read = await expectStatus(200, wire.item("GET", id));
    expect(read.body.equals(created.body)).toBe(true);
    const listed = await expectStatus(200, wire.call("GET", ITEMS, { headers: PARTITION_KEY }));
    expect(listed.body.includes(read.body)).toBe(true);
    await expectStatus(204, wire.item("DELETE", id));
    return read.body.toString();
  };

  test.each([
    '{"id":"v1","pk":"a","__proto__":{"x":1},"n":{"__proto__":null,"constructor":{}}}',
    '{"id":"v2","pk":"a","numbers":[1e-7,-0,9007199254740993,0.1,1e+21,-5e-324]}',
    '{"id":"v3","pk":"a","text":"\\u0000\\ud83e\\ude90 🪐 \\ud800 \\/"}',
    '{"":"empty name","id":"v4","pk":"a"}',
    '{"_attachment":1,"id":"v5","pk":"a","_lsn":5}',
  ])("as it was sent: %s", async (text) => {
    const read = await roundTrip(text);
    expect(read.startsWith(`${text.slice(0, -1)},"_rid":`)).toBe(true);
  });

  test("without the white space around it", async () => {
    const read = await roundTrip(' {\n "id" : "spaced" , "pk":"a",\t"text" : " kept " }\r\n');
    expect(read.startsWith('{"id":"spaced","pk":"a","text":" kept ","_rid":')).toBe(true);
  });

  test("with the sign of a zero, however it was written", async () => {
    for (const text of ['{"id":"zero","pk":"a","n":-0}', '{"id":"zero", "pk":"a", "n":-0}']) {
      const { n } = JSON.parse(await roundTrip(text)) as { n: number };
      expect(Object.is(n, -0)).toBe(true);
    }
  });

  test("under the partition key that it shows, also a negative zero", async () => {
    for (const body of ['{"id":"zero","pk":-0}', '{"id":"zero", "pk":-0}']) {
      const created = await expectStatus(201, wire.call("POST", ITEMS, { body }));
      const { pk } = JSON.parse(created.body.toString()) as { pk: number };
      const shown = `[${Object.is(pk, -0) ? "-0" : pk}]`;
      const headers = { "x-ms-documentdb-partitionkey": shown };
      await expectStatus(200, wire.item("GET", "zero", { headers }));
      await expectStatus(204, wire.item("DELETE", "zero", { headers }));
    }
  });

  test("with the last of several members of one name, once", async () => {
    const read = await roundTrip(
      '{"id":"first","pk":"b","n":1,"id":"twice","pk":"a","n":2,"deep":{"m":1,"m":2},"\\u006e":3}',
    );
    expect(JSON.parse(read)).toMatchObject({ id: "twice", pk: "a", n: 3, deep: { m: 2 } });
    for (const name of ["id", "pk", "n", "m"]) {
      expect(read.split(`"${name}":`)).toHaveLength(2);
    }
  });

  test("with system properties of its own making only", async () => {
    const read = await roundTrip(
      '{"_etag":"\\"forged\\"","_ts":1,"_rid":"forged","id":"forged","pk":"a","_self":"forged"}',
    );
    for (const name of ["_etag", "_ts", "_rid", "_self", "_attachments"]) {
      expect(read.split(`"${name}":`)).toHaveLength(2);
    }
    expect(read).not.toContain('"forged"}');
    expect(JSON.parse(read)._rid).not.toBe("forged");
  });

  test("numbers beyond a double are refused", async () => {
    const body = '{"id":"infinite","pk":"a","n":1e999}';
    await expectStatus(400, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
    const asKey = '{"id":"infinite","pk":-1e999}';
    await expectStatus(400, wire.call("POST", ITEMS, { body: asKey }));
  });

  test("half a surrogate pair is no id", async () => {
    const body = '{"id":"\\ud800","pk":"a"}';
    await expectStatus(400, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
  });
});

describe("wide items", () => {
  test.each([
    ["200,000 elements", `[${Array.from({ length: 200_000 }, (_, n) => n).join(",")}]`],
    ["100,000 members", `{${Array.from({ length: 100_000 }, (_, n) => `"k${n}":${n}`).join(",")}}`],
    ["a name of 1 MB", `{"${"n".repeat(1_000_000)}":1}`],
  ])("of %s are kept", async (_rule, value) => {
    const body = `{"id":"wide","pk":"a","value":${value}}`;
    await expectStatus(201, wire.call("POST", ITEMS, { body, headers: PARTITION_KEY }));
    await expectStatus(200, wire.item("GET", "wide"));
    await expectStatus(204, wire.item("DELETE", "wide"));
  });
});
