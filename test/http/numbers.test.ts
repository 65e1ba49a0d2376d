/**
 * Numbers on their way through the server, as text: an official client would lose digits itself.
 * Whatever way a number comes in and whatever way it goes out, its text is the same: the digits of
 * an integer, and of everything else what JavaScript makes of the double.
 */
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { OPERATION_SCHEMA } from "../../src/protocol/hybridRow/batchRows.ts";
import { writeRecords } from "../../src/protocol/hybridRow/recordIo.ts";
import type { ColumnValue } from "../../src/protocol/hybridRow/row.ts";
import { encodeRow } from "../../src/protocol/hybridRow/row.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire, PARTITION_KEY } from "./wire.ts";

let wire: Wire;
let made = 0;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

const QUERY = {
  "content-type": "application/query+json",
  "x-ms-documentdb-isquery": "True",
  ...PARTITION_KEY,
};
const BATCH = { ...PARTITION_KEY, "x-ms-cosmos-is-batch-request": "True" };
const ATOMIC = {
  ...BATCH,
  "x-ms-cosmos-batch-atomic": "True",
  "x-ms-cosmos-batch-ordered": "True",
};
const BULK = {
  "x-ms-cosmos-is-batch-request": "True",
  "x-ms-cosmos-batch-atomic": "False",
  "x-ms-cosmos-batch-continue-on-error": "True",
  "x-ms-documentdb-partitionkeyrangeid": "0",
};

/** As a number is stored, whatever way it was written. */
function normalOf(number: string): string {
  if (/^-?[1-9][0-9]*$/.test(number)) return number;
  const value = Number(number);
  return Object.is(value, -0) ? "-0" : JSON.stringify(value);
}

/** A way to write an item with this member `v`: it has the id, and something else besides. */
type Way = (id: string, v: string) => Promise<Answer>;

const itemText = (id: string, v: string, more = ""): string =>
  `{"id":"${id}","pk":"a","v":${v}${more}}`;
const post = (body: string | Buffer, headers: Record<string, string> = PARTITION_KEY) =>
  wire.call("POST", ITEMS, { headers, body });
const create = (id: string, v: string, more?: string) =>
  expectStatus(201, post(itemText(id, v, more)));
const patch = async (id: string, ...operations: readonly string[]) => {
  const body = `{"operations":[${operations.join(",")}]}`;
  return expectStatus(200, wire.item("PATCH", id, { body }));
};
const inBatch = async (headers: Record<string, string>, operation: string): Promise<Answer> => {
  const answer = await post(`[${operation}]`, headers);
  expect(answer.body.toString()).toMatch(/"statusCode":20[01]/);
  return answer;
};
const operationText = (kind: string, id: string, body: string): string =>
  `{"operationType":"${kind}","partitionKey":"[\\"a\\"]","id":"${id}","resourceBody":${body}}`;

const WAYS_IN: Readonly<Record<string, Way>> = {
  create: (id, v) => create(id, v),
  "create with white space": (id, v) => create(id, ` ${v} `, ' , "w" : [ 1, 2 ]'),
  "create with system properties": (id, v) => create(id, v, ',"_ts":1'),
  upsert: async (id, v) => {
    await create(id, "1");
    const headers = { ...PARTITION_KEY, "x-ms-documentdb-is-upsert": "True" };
    return expectStatus(200, post(itemText(id, v), headers));
  },
  replace: async (id, v) => {
    await create(id, "1");
    return expectStatus(200, wire.item("PUT", id, { body: itemText(id, v) }));
  },
  "patch of something else": async (id, v) => {
    await create(id, v, ',"n":1,"l":[1]');
    await patch(id, '{"op":"incr","path":"/n","value":1}');
    await patch(id, '{"op":"add","path":"/l/0","value":9007199254740993}');
    return patch(id, '{"op":"remove","path":"/l"}', '{"op":"set","path":"/x","value":"y"}');
  },
  "patch that sets it": async (id, v) => {
    await create(id, "9007199254740995");
    return patch(id, `{"op":"set","path":"/v","value":${v}}`);
  },
  "patch that moves it": async (id, v) => {
    await create(id, "0", `,"w":{"deep":[7,${v}]}`);
    await patch(id, '{"op":"add","path":"/w/deep/0","value":18446744073709551615}');
    return patch(id, '{"op":"move","from":"/w/deep/2","path":"/v"}');
  },
  batch: (id, v) => inBatch(ATOMIC, operationText("Create", id, itemText(id, v))),
  bulk: (id, v) => inBatch(BULK, operationText("Upsert", id, itemText(id, v))),
  "bulk of patches": async (id, v) => {
    await create(id, "1");
    const body = `{"operations":[{"op":"replace","path":"/v","value":${v}}]}`;
    return inBatch(BULK, operationText("Patch", id, body));
  },
  "batch in rows": async (id, v) => {
    const row = new Map<string, ColumnValue>([
      ["operationType", 0],
      ["resourceType", 2],
      ["id", id],
      ["resourceBody", Buffer.from(itemText(id, v))],
    ]);
    return expectStatus(200, post(writeRecords([encodeRow(row, OPERATION_SCHEMA)]), ATOMIC));
  },
};

/** What a way out should say, and what it says. */
type WayOut = (id: string, v: string) => Promise<readonly [said: string, due: string]>;

/** What is in the lists of all pages: on a busy machine a page may end early. */
async function rowsOf(
  send: (headers: Readonly<Record<string, string>>) => Promise<Answer>,
): Promise<string> {
  const rows: string[] = [];
  for (let more: Record<string, string> | undefined = {}; more !== undefined; ) {
    expect(rows.length).toBeLessThan(100);
    const { body, headers } = await expectStatus(200, send(more));
    const text = body.toString();
    rows.push(text.slice(text.indexOf("[") + 1, text.lastIndexOf("]")));
    const next: string | undefined = headers["x-ms-continuation"];
    more = next ? { "x-ms-continuation": next } : undefined;
  }
  return rows.filter((some) => some !== "").join(",");
}

const ask = (query: string): Promise<string> =>
  rowsOf((more) => post(JSON.stringify({ query }), { ...QUERY, ...more }));
const textOf = async (attempt: Promise<Answer>): Promise<string> =>
  (await expectStatus(200, attempt)).body.toString();

const asks =
  (select: string, due: (v: string) => string, rest = ""): WayOut =>
  async (id, v) => [await ask(`SELECT ${select} WHERE c.id = "${id}"${rest}`), due(v)];
/** The member `v` of the item, wherever that is in the answer. */
const finds =
  (answerOf: (id: string) => Promise<string>): WayOut =>
  async (id, v) => {
    const text = await answerOf(id);
    const item = text.slice(text.indexOf(`"id":"${id}"`));
    const start = item.indexOf('"v":');
    // Something follows in every item, the stamp at least.
    return [item.slice(start, start + v.length + 5), `"v":${v},`];
  };

const WAYS_OUT: Readonly<Record<string, WayOut>> = {
  "a read": finds((id) => textOf(wire.item("GET", id))),
  "a read feed": finds(() => rowsOf((headers) => wire.call("GET", ITEMS, { headers }))),
  // A page holds all of them, and how far it came is no reason to ask again.
  "the change feed": finds(() => {
    const headers = { "a-im": "Incremental feed", "x-ms-max-item-count": "-1" };
    return textOf(wire.call("GET", ITEMS, { headers }));
  }),
  "a read in a batch": finds((id) =>
    textOf(inBatch(ATOMIC, `{"operationType":"Read","id":"${id}"}`)),
  ),
  star: finds((id) => ask(`SELECT * FROM c WHERE c.id = "${id}"`)),
  "a sorted star": finds((id) => ask(`SELECT * FROM c WHERE c.id = "${id}" ORDER BY c._ts`)),
  "the item": finds((id) => ask(`SELECT VALUE c FROM c WHERE c.id = "${id}"`)),
  "the item, joined": finds((id) =>
    ask(`SELECT c FROM c JOIN (SELECT VALUE 1) AS x WHERE c.id = "${id}"`),
  ),
  "a property": asks("c.v FROM c", (v) => `{"v":${v}}`),
  "a quoted property": asks('c["v"] FROM c', (v) => `{"v":${v}}`),
  "a value": asks("VALUE c.v FROM c", (v) => v),
  "a value in others": asks("VALUE {a: [c.v, {b: c.v}]} FROM c", (v) => `{"a":[${v},{"b":${v}}]}`),
  "a choice": asks('VALUE [c.v ?? 1, c.id = "-" ? 1 : c.v] FROM c', (v) => `[${v},${v}]`),
  "a row of a subquery": asks("VALUE x FROM c JOIN (SELECT VALUE c.v) AS x", (v) => v),
  "a row of rows": asks("VALUE c.w FROM (SELECT c.id, c.v AS w FROM c) AS c", (v) => v),
  "an element": asks(
    "VALUE x FROM (SELECT c.id, [1, c.v] AS l FROM c) AS c JOIN x IN c.l",
    (v) => `1,${v}`,
  ),
  "an array of rows": asks(
    "VALUE ARRAY(SELECT VALUE x FROM (SELECT VALUE c.v) AS x) FROM c",
    (v) => `[${v}]`,
  ),
  "a distinct value": asks("DISTINCT VALUE c.v FROM c", (v) => v),
  "a group": asks("c.v AS k, COUNT(1) AS n FROM c", (v) => `{"k":${v},"n":1}`, " GROUP BY c.v"),
  "a value in order": asks("c.v FROM c", (v) => `{"v":${v}}`, " ORDER BY c.id DESC"),
};

const SPELLINGS: readonly [sent: string, normal: string][] = [
  ["10.0", "10"],
  ["10", "10"],
  ["0.1000", "0.1"],
  ["1E5", "100000"],
  ["1.0E+2", "100"],
  ["-0", "-0"],
  ["-0.0", "-0"],
  ["0.0", "0"],
  ["1e-7", "1e-7"],
  ["0.0000001", "1e-7"],
  ["0.00000012", "1.2e-7"],
  ["1e21", "1e+21"],
  ["9007199254740991", "9007199254740991"],
  ["9007199254740992", "9007199254740992"],
  ["9007199254740993", "9007199254740993"],
  ["-9007199254740993", "-9007199254740993"],
  ["9223372036854775807", "9223372036854775807"],
  ["-9223372036854775808", "-9223372036854775808"],
  ["18446744073709551615", "18446744073709551615"],
  ["1000000000000000000000", "1000000000000000000000"],
  ["123456789012345678901234567890", "123456789012345678901234567890"],
  ["9007199254740993.0", "9007199254740992"],
  ["0.30000000000000004", "0.30000000000000004"],
  ["0.84551240822557006", "0.8455124082255701"],
  ["0.1000000000000000055511151231257827", "0.1"],
  ["3.14159265358979323846", "3.141592653589793"],
];

describe("each spelling of a number comes back in one form", () => {
  test.each(SPELLINGS)("%s as %s, by every way in and out", async (sent, normal) => {
    expect(normalOf(sent)).toBe(normal);
    for (const [name, way] of Object.entries(WAYS_IN)) {
      const id = `s${made++}`;
      await way(id, sent);
      const [said, due] = await WAYS_OUT["a read"]!(id, normal);
      expect(said, name).toBe(due);
    }
    const id = `s${made++}`;
    await create(id, sent);
    for (const [name, way] of Object.entries(WAYS_OUT)) {
      const [said, due] = await way(id, normal);
      expect(said, name).toBe(due);
    }
  });

  test.each(["1e400", "-1e400", "1".repeat(400)])("but %s is refused", async (number) => {
    await expectStatus(400, post(itemText("huge", number)));
    const operation = operationText("Create", "huge", itemText("huge", number));
    const { body } = await post(`[${operation}]`, BULK);
    expect(body.toString()).toContain('"statusCode":400');
  });
});

/** A value as it is sent, and as it should come back. */
interface Written {
  readonly sent: string;
  readonly normal: string;
}

const anyNumber: fc.Arbitrary<Written> = fc
  .oneof(
    fc.constantFrom(...SPELLINGS.map(([sent]) => sent)),
    fc.bigInt({ min: -(2n ** 70n), max: 2n ** 70n }).map(String),
    fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
    fc.tuple(fc.nat(99), fc.stringMatching(/^[0-9]{1,20}$/)).map(([n, rest]) => `${n}.${rest}`),
  )
  .map((sent) => ({ sent, normal: normalOf(sent) }));
const anyWritten: fc.Arbitrary<Written> = fc.letrec<{ value: Written }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small", withCrossShrink: true },
    { arbitrary: anyNumber, weight: 4 },
    fc.constantFrom('"9007199254740993"', "null", "true").map((sent) => ({ sent, normal: sent })),
    fc.array(tie("value"), { maxLength: 4 }).map(listed),
    fc.array(tie("value"), { maxLength: 4 }).map(membered),
  ),
})).value;

function listed(elements: readonly Written[]): Written {
  const text = (form: keyof Written): string => `[${elements.map((e) => e[form]).join(",")}]`;
  return { sent: text("sent"), normal: text("normal") };
}

function membered(members: readonly Written[]): Written {
  const text = (form: keyof Written): string =>
    `{${members.map((member, index) => `"m${index}":${member[form]}`).join(",")}}`;
  return { sent: text("sent"), normal: text("normal") };
}

test("values with such numbers at any depth keep them, by every way in and out", async () => {
  const ways = fc.constantFrom(...Object.entries(WAYS_IN));
  await fc.assert(
    fc.asyncProperty(anyWritten, ways, async ({ sent, normal }, [, way]) => {
      const id = `r${made++}`;
      await way(id, sent);
      for (const [name, out] of Object.entries(WAYS_OUT)) {
        const [said, due] = await out(id, normal);
        expect(said, name).toBe(due);
      }
    }),
    { numRuns: process.env["ORRERY_LONG"] !== undefined ? 2_000 : 15 },
  );
});

describe("a container of its own", () => {
  const LARGE = ["9007199254740993", "9007199254740995", "-9223372036854775807"];
  const OWN = ["dbs", "d", "colls", "own"];
  const asked = (query: string, members: object = {}): Promise<string> => {
    const headers = { ...QUERY, "x-orrery-merge-query": "true" };
    const body = JSON.stringify({ query, ...members }).replace(/"#([-0-9]+)"/g, "$1");
    return rowsOf((more) =>
      wire.call("POST", [...OWN, "docs"], { headers: { ...headers, ...more }, body }),
    );
  };

  beforeAll(async () => {
    const definition = {
      id: "own",
      partitionKey: { paths: ["/pk"] },
      computedProperties: [{ name: "twin", query: "SELECT VALUE c.v FROM c" }],
      changeFeedPolicy: { retentionDuration: 60 },
    };
    const body = JSON.stringify(definition);
    await expectStatus(201, wire.call("POST", ["dbs", "d", "colls"], { body }));
    for (const [index, v] of LARGE.entries()) {
      const call = { headers: PARTITION_KEY, body: itemText(`o${index}`, v, `,"l":[${v},1]`) };
      await expectStatus(201, wire.call("POST", [...OWN, "docs"], call));
    }
  });

  test.each([
    // The index alone would say 9007199254740996 and 9007199254740992.
    ["SELECT VALUE MAX(c.v) FROM c", LARGE[1]],
    ["SELECT VALUE MIN(c.v) FROM c", LARGE[2]],
    ["SELECT VALUE [MAX(c.v), COUNT(c.v)] FROM c", `[${LARGE[1]},3]`],
    ["SELECT VALUE {a: MAX(c.v), b: MIN(c.v)} FROM c", `{"a":${LARGE[1]},"b":${LARGE[2]}}`],
    ["SELECT DISTINCT VALUE c.v FROM c", [LARGE[2], LARGE[0], LARGE[1]].join(",")],
    ["SELECT VALUE c.v FROM c ORDER BY c.v", [LARGE[2], LARGE[0], LARGE[1]].join(",")],
    ["SELECT TOP 1 c.v FROM c ORDER BY c.v DESC", `{"v":${LARGE[1]}}`],
    ["SELECT VALUE x FROM c JOIN x IN c.l WHERE x > 1", `${LARGE[0]},${LARGE[1]}`],
    ["SELECT VALUE c.twin FROM c", LARGE.join(",")],
    ["SELECT VALUE c.l[0] FROM c", LARGE.join(",")],
    ["SELECT VALUE IIF(true, c.v, 0) FROM c", LARGE.join(",")],
    // What is computed is a double.
    ["SELECT VALUE c.v + 0 FROM c WHERE c.id = 'o0'", "9007199254740992"],
    ["SELECT VALUE c.v = 9007199254740992 FROM c WHERE c.id = 'o0'", "true"],
    ["SELECT VALUE SUM(c.v) FROM c WHERE c.id = 'o0'", "9007199254740992"],
  ])("answers %s", async (query, due) => {
    expect(await asked(query)).toBe(due);
  });

  test("gives a parameter back as it came", async () => {
    const parameters = [
      { name: "@n", value: "#9007199254740993" },
      { name: "@l", value: ["#9007199254740995"] },
    ];
    const query = "SELECT TOP 1 VALUE [@n, @l, @n + 0] FROM c WHERE c.v = @n";
    const due = "[9007199254740993,[9007199254740995],9007199254740992]";
    expect(await asked(query, { parameters })).toBe(due);
  });

  test("gives clients that merge themselves rows with their digits", async () => {
    const query =
      "SELECT c._rid, [{'item': c.v}] AS orderByItems, c AS payload FROM c " +
      "WHERE c.id = 'o0' ORDER BY c.v";
    expect(await asked(query)).toContain(`"v":${LARGE[0]},`);
    expect(await asked(query)).toContain(`[{"item":${LARGE[0]}}]`);
  });

  test("keeps them in the feed of all versions and deletes", async () => {
    const headers = {
      "a-im": "Full-Fidelity Feed",
      "x-ms-cosmos-changefeed-wire-format-version": "2021-09-15",
    };
    const docs = [...OWN, "docs"];
    const now = { ...headers, "if-none-match": "*" };
    const { headers: told } = await expectStatus(304, wire.call("GET", docs, { headers: now }));
    const call = { headers: PARTITION_KEY, body: itemText("gone", LARGE[0]!) };
    await expectStatus(201, wire.call("POST", docs, call));
    const patched = { headers: PARTITION_KEY, body: '[{"op":"set","path":"/x","value":1}]' };
    await expectStatus(200, wire.call("PATCH", [...docs, "gone"], patched));
    await expectStatus(204, wire.call("DELETE", [...docs, "gone"], { headers: PARTITION_KEY }));
    const next = { ...headers, "if-none-match": told["etag"]! };
    const { body } = await expectStatus(200, wire.call("GET", docs, { headers: next }));
    expect(body.toString().match(/"v":9007199254740993,/g)).toHaveLength(3);
  });
});
