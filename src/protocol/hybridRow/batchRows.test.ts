/**
 * Operations and results as rows. The byte strings of the tables were written by the format's
 * reference implementation with the schemas of the .NET client.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { ru } from "../../base/units.ts";
import type { JsonValue } from "../../json/value.ts";
import { SERVICE_LIMITS } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { OperationResult } from "../answer/bulkBody.ts";
import type { BulkOperation } from "../request/bulk.ts";
import { parseBulk, parseOperations } from "../request/bulk.ts";
import { encodeBatchRows, OPERATION_SCHEMA, parseBatchRows, RESULT_SCHEMA } from "./batchRows.ts";
import { readRecords, writeRecords } from "./recordIo.ts";
import type { ColumnValue, Row, RowColumn, RowSchema } from "./row.ts";
import { decodeRow, encodeRow } from "./row.ts";

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ""), "hex");
const SEGMENT = "81f0d8ff7f 01 0a000000";

function parseJson(bytes: Buffer): Result<JsonValue, Refusal> {
  try {
    return ok(JSON.parse(bytes.toString()) as JsonValue);
  } catch {
    return no(badRequest("not JSON"));
  }
}

function parsed(bytes: Buffer): Result<readonly BulkOperation[], Refusal> {
  const sent = parseBatchRows(bytes, parseJson);
  return sent.ok ? parseOperations(sent.value, SERVICE_LIMITS) : sent;
}

const rowsOf = (rows: readonly Row[], schema: RowSchema): Buffer =>
  writeRecords(rows.map((row) => encodeRow(row, schema)));
const row = (columns: Readonly<Record<string, ColumnValue>>): Row =>
  new Map(Object.entries(columns));

describe("an operation is what the same words in JSON are", () => {
  const table: readonly (readonly [string, string, readonly JsonValue[]])[] = [
    ["none", SEGMENT, []],
    [
      "a read",
      `${SEGMENT} 81f1d8ff7f 10000000 2022835e 817054e17f 13 02000000 02000000 01 61`,
      [{ operationType: "Read", id: "a" }],
    ],
    [
      "a create with its key",
      `${SEGMENT} 81f1d8ff7f 17000000 8fa36d3f
       817054e17f 47 00000000 02000000 05 5b2261225d 02 7b7d`,
      [{ operationType: "Create", partitionKey: '["a"]', resourceBody: {} }],
    ],
    [
      "an upsert with a condition, of one who wants no answer",
      `${SEGMENT} 81f1d8ff7f 1c000000 2bff1c68
       817054e17f 53 14000000 02000000 02 c3a9 02 7b7d 14 09 03 223122 03 0c`,
      [
        {
          operationType: "Upsert",
          id: "é",
          resourceBody: {},
          ifMatch: '"1"',
          minimalReturnPreference: true,
        },
      ],
    ],
  ];
  test.each(table)("%s", (_what, text, members) => {
    expect(parsed(hex(text))).toEqual(parseBulk(members, SERVICE_LIMITS));
  });

  test.each([
    [0, "create"],
    [1, "patch"],
    [2, "read"],
    [4, "delete"],
    [5, "replace"],
    [20, "upsert"],
  ])("type %d is %s", (operationType, kind) => {
    const columns = { operationType, id: "a", resourceBody: Buffer.from("{}") };
    expect(parsed(rowsOf([row(columns)], OPERATION_SCHEMA))).toMatchObject({ value: [{ kind }] });
  });

  test("a body that is not JSON fails its own operation", () => {
    const rows = ["{}", "{", "[]"].map((body) =>
      row({ operationType: 0, resourceBody: Buffer.from(body) }),
    );
    expect(parsed(rowsOf(rows, OPERATION_SCHEMA))).toMatchObject({
      value: [{ resource: {} }, { problem: badRequest("not JSON") }, { resource: [] }],
    });
  });
});

describe("a batch is refused", () => {
  const read = (more: Readonly<Record<string, ColumnValue>>): string =>
    rowsOf([row({ operationType: 2, id: "a", ...more })], OPERATION_SCHEMA).toString("hex");
  /** A row of a read, its bytes changed; with the right checksum. */
  const changed = (change: (bytes: Buffer) => Buffer): string => {
    const bytes = encodeRow(row({ operationType: 2, id: "a", ifMatch: "b" }), OPERATION_SCHEMA);
    return writeRecords([change(bytes)]).toString("hex");
  };
  const withByte = (at: number, byte: number): string =>
    changed((bytes) => Buffer.from(bytes).fill(byte, at, at + 1));
  const table: readonly (readonly [string, string, RegExp])[] = [
    ["of an unknown type", read({ operationType: 3 }), /Operation 0: the operation type 3 is not/],
    [
      "without a type",
      rowsOf([row({ id: "a" })], OPERATION_SCHEMA).toString("hex"),
      /the operation type undefined is not known/,
    ],
    ["about something else than items", read({ resourceType: 1 }), /type 1, not about items/],
    ["with a ttl of the request", read({ timeToLiveInSeconds: 5 }), /give the item a ttl/],
    ["with a hashed key", read({ effectivePartitionKey: hex("01") }), /send partitionKey/],
    ["with an id in bytes", read({ binaryId: hex("01") }), /binaryId is not supported; send id/],
    ["with a key that is none", read({ partitionKey: "x" }), /Partition key x is invalid/],
    ["of too many", rowsOf(new Array(101).fill(row({})), OPERATION_SCHEMA).toString("hex"), /100/],
    ["with a damaged record", `${read({}).slice(0, -2)}62`, /cannot be read as such.*checksum/],
    ["with results", rowsOf([row({})], RESULT_SCHEMA).toString("hex"), /its schema is 2145473649/],
    ["with an empty row", writeRecords([hex("")]).toString("hex"), /operation 0, it ends inside/],
    ["with another version", withByte(0, 0x80), /does not begin like a row/],
    ["with an id that is not UTF-8", withByte(15, 0xff), /its column id is not UTF-8/],
    ["with a longer id than there are bytes", withByte(14, 9), /ends inside a column/],
    ["with a column of another type", withByte(16, 21), /ifMatch has another type than utf8/],
    ["with a type for a nested column", withByte(16, 34), /ifMatch has another type than utf8/],
    ["with a column stored elsewhere", withByte(17, 5), /has a column that is not known/],
    ["with a column without a name", withByte(17, 0), /has a column that is not known/],
    [
      "with a column of another schema",
      `${SEGMENT} 81f1d8ff7f 1e000000 b8a54fc1
       817054e17f 2a 00000000 02000000 02 01ff 01 00 14 14 666f726569676e 01 78`,
      /has a column that is not known/,
    ],
    [
      "with a length that never ends",
      changed((bytes) => Buffer.concat([bytes.subarray(0, 14), Buffer.alloc(9, 0xff)])),
      /length that is too long/,
    ],
  ];
  test.each(table)("%s", (_what, text, problem) => {
    const operations = parsed(hex(text));
    expect(operations.ok).toBe(false);
    if (!operations.ok) expect(operations.error).toMatchObject({ kind: "badRequest" });
    expect(JSON.stringify(operations)).toMatch(problem);
  });
});

describe("a result is a row", () => {
  const table: readonly (readonly [string, readonly OperationResult[], string])[] = [
    ["none", [], SEGMENT],
    [
      "a write",
      [{ status: 201, charge: ru(6.29), etag: '"e"', body: Buffer.from("{}") }],
      `${SEGMENT} 81f1d8ff7f 1f000000 bed0a677
       817154e17f 0f c9000000 00000000 03 226522 02 7b7d 10 06 295c8fc2f5281940`,
    ],
    [
      "two without a body",
      [
        { status: 424, charge: ru(0) },
        { status: 204, charge: ru(1.5) },
      ],
      `${SEGMENT} 81f1d8ff7f 18000000 e3c14e24 817154e17f 03 a8010000 00000000 10 06
       0000000000000000 81f1d8ff7f 18000000 7e538825 817154e17f 03 cc000000 00000000 10 06
       000000000000f83f`,
    ],
    [
      "a refusal, with the reason as its body",
      [{ status: 400, charge: ru(0), refusal: badRequest("No.") }],
      `${SEGMENT} 81f1d8ff7f 2b000000 f56703da 817154e17f 0b 90010000 00000000 12
       7b224572726f7273223a5b224e6f2e225d7d 10 06 0000000000000000`,
    ],
  ];
  test.each(table)("%s", (_what, results, text) => {
    expect(encodeBatchRows(results).toString("hex")).toBe(hex(text).toString("hex"));
  });

  test("a throttled one says when to come again, in whole milliseconds", () => {
    const refusal: Refusal = { kind: "throttled", retryAfterMs: 16.5 };
    const records = readRecords(encodeBatchRows([{ status: 429, charge: ru(0.5), refusal }]));
    const result = decodeRow(records.ok ? records.value[0]! : hex(""), RESULT_SCHEMA);
    expect(result.ok && Object.fromEntries(result.value)).toMatchObject({
      statusCode: 429,
      subStatusCode: 3200,
      retryAfterMilliseconds: 17,
      requestCharge: 0.5,
    });
  });
});

const VALUES: Readonly<Record<RowColumn["type"], fc.Arbitrary<ColumnValue>>> = {
  int32: fc.integer(),
  uint32: fc.nat().map((value) => value * 2 + 1),
  float64: fc.double(),
  bool: fc.boolean(),
  utf8: fc.string({ unit: "binary", maxLength: 200 }),
  binary: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
};

const anyRow = ({ columns }: RowSchema): fc.Arbitrary<Row> =>
  fc
    .tuple(...columns.map(({ type }) => fc.option(VALUES[type], { nil: undefined })))
    .map((values) => {
      const present = columns.map(({ name }, index) => [name, values[index]] as const);
      return new Map(
        present.filter((pair): pair is [string, ColumnValue] => pair[1] !== undefined),
      );
    });

describe("for all rows", () => {
  test.each([OPERATION_SCHEMA, RESULT_SCHEMA])("what is written is read again: %#", (schema) => {
    fc.assert(
      fc.property(anyRow(schema), (written) => {
        expect(decodeRow(encodeRow(written, schema), schema)).toEqual({ ok: true, value: written });
      }),
    );
  });

  test("a row says what its JSON says", () => {
    const member = fc.record(
      {
        operationType: fc.constantFrom("Create", "Patch", "Read", "Delete", "Replace", "Upsert"),
        partitionKey: fc.jsonValue({ maxDepth: 1 }).map((value) => JSON.stringify([value])),
        id: fc.string(),
        resourceBody: fc.jsonValue(),
        ifMatch: fc.string(),
        ifNoneMatch: fc.string(),
        minimalReturnPreference: fc.boolean(),
      },
      { requiredKeys: ["operationType"] },
    );
    const types = ["Create", "Patch", "Read", "", "Delete", "Replace"];
    fc.assert(
      fc.property(fc.array(member, { maxLength: 4 }), (members) => {
        const rows = members.map(({ resourceBody, operationType, ...columns }) => {
          const place = types.indexOf(operationType);
          return row({
            operationType: place < 0 ? 20 : place,
            ...columns,
            ...(resourceBody !== undefined && {
              resourceBody: Buffer.from(JSON.stringify(resourceBody)),
            }),
          });
        });
        const asJson = JSON.parse(JSON.stringify(members)) as JsonValue;
        const expected = parseBulk(asJson, SERVICE_LIMITS);
        expect(parsed(rowsOf(rows, OPERATION_SCHEMA))).toEqual(expected);
      }),
    );
  });
});

describe("damaged bytes are refused or read, and nothing else", () => {
  const damage = fc.array(fc.tuple(fc.nat({ max: 400 }), fc.nat({ max: 255 })), { maxLength: 3 });
  const damaged = (bytes: Buffer, changes: readonly (readonly [number, number])[]): Buffer => {
    const copy = Buffer.from(bytes);
    for (const [at, byte] of changes) if (at < copy.length) copy[at] = byte;
    return copy;
  };

  test("in rows, with the right checksums", () => {
    fc.assert(
      fc.property(
        anyRow(OPERATION_SCHEMA),
        damage,
        fc.nat({ max: 400 }),
        (written, changes, end) => {
          const bytes = damaged(encodeRow(written, OPERATION_SCHEMA), changes);
          for (const part of [bytes, bytes.subarray(0, end)]) {
            const operations = parsed(writeRecords([part]));
            if (!operations.ok) expect(operations.error).toMatchObject({ kind: "badRequest" });
          }
        },
      ),
      { numRuns: 500 },
    );
  });

  test("in all of a batch, of which no part but its whole segments and records can be read", () => {
    const rows = fc.array(anyRow(OPERATION_SCHEMA), { minLength: 1, maxLength: 3 });
    fc.assert(
      fc.property(rows, damage, fc.nat({ max: 400 }), (written, changes, end) => {
        const bytes = rowsOf(written, OPERATION_SCHEMA);
        for (const part of [damaged(bytes, changes), bytes.subarray(0, end)]) {
          const operations = parsed(part);
          if (!operations.ok) expect(operations.error).toMatchObject({ kind: "badRequest" });
        }
      }),
      { numRuns: 300 },
    );
  });
});
