/**
 * Batches in the binary form of the .NET client, beside the same batches in JSON: in two logical
 * partitions, which must end alike.
 */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import { OPERATION_SCHEMA, RESULT_SCHEMA } from "../../src/protocol/hybridRow/batchRows.ts";
import { readRecords, writeRecords } from "../../src/protocol/hybridRow/recordIo.ts";
import type { ColumnValue } from "../../src/protocol/hybridRow/row.ts";
import { decodeRow, encodeRow } from "../../src/protocol/hybridRow/row.ts";
import type { Answer, Wire } from "./wire.ts";
import { expectStatus, ITEMS, openWire } from "./wire.ts";

let wire: Wire;
beforeAll(async () => {
  wire = await openWire();
});
afterAll(() => wire[Symbol.asyncDispose]());

interface Operation {
  readonly operationType: keyof typeof TYPES;
  readonly partitionKey?: string;
  readonly id?: string;
  readonly resourceBody?: unknown;
  readonly ifMatch?: string;
  readonly ifNoneMatch?: string;
  readonly minimalReturnPreference?: boolean;
}

const TYPES = { Create: 0, Patch: 1, Read: 2, Delete: 4, Replace: 5, Upsert: 20 };
const BATCH = { "x-ms-cosmos-is-batch-request": "True" };
const ATOMIC = {
  ...BATCH,
  "x-ms-cosmos-batch-atomic": "True",
  "x-ms-cosmos-batch-ordered": "True",
};
const BULK = {
  ...BATCH,
  "x-ms-cosmos-batch-atomic": "False",
  "x-ms-cosmos-batch-continue-on-error": "True",
  "x-ms-documentdb-partitionkeyrangeid": "0",
};

const send = (
  headers: Readonly<Record<string, string>>,
  body: Buffer | string,
  pk?: string,
): Promise<Answer> => {
  const key = pk === undefined ? {} : { "x-ms-documentdb-partitionkey": JSON.stringify([pk]) };
  return wire.call("POST", ITEMS, { headers: { ...headers, ...key }, body });
};

function rowsOf(operations: readonly Operation[]): Buffer {
  return writeRecords(
    operations.map(({ operationType, resourceBody, ...columns }) => {
      const row = new Map<string, ColumnValue>(Object.entries(columns));
      row.set("operationType", TYPES[operationType]).set("resourceType", 2);
      if (Buffer.isBuffer(resourceBody)) row.set("resourceBody", resourceBody);
      else if (resourceBody !== undefined) {
        row.set("resourceBody", Buffer.from(JSON.stringify(resourceBody)));
      }
      return encodeRow(row, OPERATION_SCHEMA);
    }),
  );
}

/** What the form has no part in: system properties and the key differ between the two. */
interface Outcome {
  readonly status: unknown;
  readonly substatus: unknown;
  readonly charge: unknown;
  readonly hasEtag: boolean;
  readonly retryAfter: unknown;
  readonly reason?: unknown;
  readonly item?: unknown;
}

function outcomeOf(fields: Readonly<Record<string, unknown>>, body: unknown): Outcome {
  const { pk, _rid, _self, _etag, _ts, _attachments, ...item } = (body ?? {}) as typeof fields;
  const isRefused = "Errors" in item;
  return {
    status: fields["statusCode"],
    substatus: fields["subStatusCode"],
    charge: fields["requestCharge"],
    hasEtag: fields["eTag"] !== undefined && (body === undefined || fields["eTag"] === _etag),
    retryAfter: fields["retryAfterMilliseconds"],
    reason: isRefused ? (item["Errors"] as readonly unknown[])[0] : fields["message"],
    item: body === undefined || isRefused ? undefined : item,
  };
}

function outcomesInRows(body: Buffer): readonly Outcome[] {
  const records = readRecords(body);
  if (!records.ok) throw new Error(records.error);
  return records.value.map((record) => {
    const row = decodeRow(record, RESULT_SCHEMA);
    if (!row.ok) throw new Error(row.error);
    const { resourceBody, ...fields } = Object.fromEntries(row.value);
    return outcomeOf(fields, resourceBody && JSON.parse(String(resourceBody)));
  });
}

function outcomesInJson(body: Buffer): readonly Outcome[] {
  const results = JSON.parse(body.toString()) as readonly Readonly<Record<string, unknown>>[];
  return results.map(({ resourceBody, ...fields }) => outcomeOf(fields, resourceBody));
}

/** Sends both forms of a batch, and says what both came to. */
async function bothWays(
  headers: Readonly<Record<string, string>>,
  operationsOf: (pk: string) => readonly Operation[],
  names: { readonly json: string; readonly rows: string },
): Promise<{ readonly status: number; readonly outcomes: readonly Outcome[] }> {
  const isAtomic = headers === ATOMIC;
  const [inJson, inRows] = [operationsOf(names.json), operationsOf(names.rows)];
  const json = await send(headers, JSON.stringify(inJson), isAtomic ? names.json : undefined);
  const rows = await send(headers, rowsOf(inRows), isAtomic ? names.rows : undefined);
  const outcomes = outcomesInRows(rows.body);
  expect(outcomes).toEqual(outcomesInJson(json.body));
  expect(rows.status).toBe(json.status);
  const named = ["x-ms-request-charge", "content-type"];
  if (isAtomic) named.push("x-ms-documentdb-partitionkeyrangeid");
  for (const name of named) expect(rows.headers[name]).toBe(json.headers[name]);
  return { status: rows.status, outcomes };
}

const all = (pk: string): readonly Operation[] => [
  { operationType: "Create", resourceBody: { id: "1", pk, n: 1 } },
  { operationType: "Upsert", resourceBody: { id: "2", pk, text: "grün" }, ifNoneMatch: "*" },
  {
    operationType: "Patch",
    id: "1",
    resourceBody: {
      operations: [{ op: "incr", path: "/n", value: 1 }],
      condition: "FROM c WHERE c.n = 1",
    },
  },
  { operationType: "Read", id: "1", minimalReturnPreference: true },
  {
    operationType: "Replace",
    id: "2",
    resourceBody: { id: "2", pk, text: "blau" },
    minimalReturnPreference: true,
  },
  { operationType: "Delete", id: "1" },
];

describe("a transaction", () => {
  test("does all operations, and answers each", async () => {
    const names = { json: "t1", rows: "t2" };
    const { status, outcomes } = await bothWays(ATOMIC, all, names);
    expect(status).toBe(200);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([201, 201, 200, 200, 200, 204]);
    expect(outcomes[3]!.item).toEqual({ id: "1", n: 2 });
    expect(outcomes[4]).toMatchObject({ hasEtag: true, item: undefined });
  });

  test("is rolled back when one is refused, and says why", async () => {
    const names = { json: "r1", rows: "r2" };
    const operations = (pk: string): readonly Operation[] => [
      { operationType: "Create", resourceBody: { id: "1", pk } },
      { operationType: "Create", resourceBody: { id: "1", pk } },
      { operationType: "Delete", id: "1" },
    ];
    const { status, outcomes } = await bothWays(ATOMIC, operations, names);
    expect(status).toBe(207);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([424, 409, 424]);
    expect(outcomes[1]!.reason).toMatch(/already exists/);
  });

  test("is rolled back when an item is none", async () => {
    const names = { json: "n1", rows: "n2" };
    const { status, outcomes } = await bothWays(
      ATOMIC,
      (pk) => [{ operationType: "Create", resourceBody: { pk } }, ...all(pk)],
      names,
    );
    expect(status).toBe(207);
    expect(outcomes[0]!.status).toBe(400);
  });
});

describe("a bulk", () => {
  const withKeys = (operationsOf: typeof all): typeof all => {
    return (pk) => operationsOf(pk).map((one) => ({ ...one, partitionKey: JSON.stringify([pk]) }));
  };

  test("does each operation for itself", async () => {
    const names = { json: "b1", rows: "b2" };
    const operations = withKeys((pk) => [
      ...all(pk),
      { operationType: "Read", id: "missing" },
      { operationType: "Replace", id: "2", resourceBody: { id: "2", pk }, ifMatch: '"stale"' },
      { operationType: "Create", resourceBody: { id: "2", pk } },
      { operationType: "Create", resourceBody: { id: "3", pk: "another" } },
    ]);
    const { status, outcomes } = await bothWays(BULK, operations, names);
    expect(status).toBe(207);
    expect(outcomes.map((outcome) => outcome.status)).toEqual([
      201, 201, 200, 200, 200, 204, 404, 412, 409, 400,
    ]);
  });

  test("a body that cannot be read fails its own operation", async () => {
    const body = (text: string): Operation => ({
      operationType: "Create",
      partitionKey: '["u"]',
      resourceBody: Buffer.from(text),
    });
    const operations = [body('{"id":"1","pk":"u"}'), body('{"id":'), body("\u0080")];
    const { status, body: answer } = await send(BULK, rowsOf(operations));
    expect(status).toBe(207);
    expect(outcomesInRows(answer).map((outcome) => outcome.status)).toEqual([201, 400, 400]);
    const { body: undone } = await send(ATOMIC, rowsOf(operations), "u");
    expect(outcomesInRows(undone).map((outcome) => outcome.status)).toEqual([424, 400, 424]);
  });

  test("takes items in the binary form of JSON", async () => {
    const binary = (...bytes: number[]): Operation => ({
      operationType: "Create",
      partitionKey: '["x"]',
      resourceBody: Buffer.from([0x80, ...bytes]),
    });
    // {"id":"1","pk":"x"}, and an object that claims to be longer than it is.
    const item = [0xea, 0x08, 0x2c, 0x81, 0x31, 0x82, 0x70, 0x6b, 0x81, 0x78];
    const { body } = await send(BULK, rowsOf([binary(...item), binary(0xea, 0x09)]));
    const [created, refused] = outcomesInRows(body);
    expect(created).toMatchObject({ status: 201, item: { id: "1" } });
    expect(refused).toMatchObject({ status: 400 });
  });
});

describe("a batch that is refused as a whole is refused in JSON", () => {
  const read: Operation = { operationType: "Read", id: "kept" };
  const other = { ...read, partitionKey: '["z"]' };
  const table: readonly (readonly [string, () => Buffer, RegExp])[] = [
    ["without operations", () => rowsOf([]), /no operations/],
    ["with two keys", () => rowsOf([read, other]), /different partition key/],
    ["with too many", () => rowsOf(new Array<Operation>(101).fill(read)), /at most 100/],
    ["cut off", () => rowsOf([read]).subarray(0, -1), /cannot be read as such/],
    ["that only begins like one", () => Buffer.from([0x81, 1, 2, 3]), /cannot be read as such/],
  ];
  test.each(table)("%s", async (_what, body, message) => {
    const answer = await expectStatus(400, send(ATOMIC, body(), "a"));
    expect(answer.body.toString()).toMatch(message);
  });
});

test("damaged batches never make the server fail", async () => {
  const random = seededRandom(7);
  const below = (bound: number): number => Math.floor(random.next() * bound);
  const batch = rowsOf(all("damaged"));
  for (let round = 0; round < 60; round++) {
    const bytes = Buffer.from(batch);
    bytes[1 + below(bytes.length - 1)] = below(256);
    const cut = round % 3 === 0 ? below(bytes.length) : bytes.length;
    await send(round % 2 === 0 ? ATOMIC : BULK, bytes.subarray(0, cut), "damaged");
  }
  await wire.assertAlive();
});
