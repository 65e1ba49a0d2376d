/** Segments and records: what they look like, and what is wrong with those that cannot be read. */
import { crc32 } from "node:zlib";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { isHybridRow, readRecords, writeRecords } from "./recordIo.ts";

const hex = (text: string): Buffer => Buffer.from(text.replace(/\s/g, ""), "hex");

const SEGMENT = "81 f0d8ff7f 01 0a000000";
/** The checksum is that of "123456789", which every description of CRC-32 has. */
const RECORD = "81 f1d8ff7f 09000000 2639f4cb 313233343536373839";
const EMPTY_RECORD = "81 f1d8ff7f 00000000 00000000";

function recordsIn(text: string): readonly string[] | string {
  const records = readRecords(hex(text));
  return records.ok ? records.value.map(String) : records.error;
}

describe("what can be read", () => {
  const table: readonly (readonly [string, string, readonly string[]])[] = [
    ["nothing", "", []],
    ["a segment without records", SEGMENT, []],
    ["a record", `${SEGMENT} ${RECORD}`, ["123456789"]],
    ["an empty record", `${SEGMENT} ${EMPTY_RECORD}`, [""]],
    ["two segments", `${SEGMENT} ${RECORD} ${SEGMENT} ${RECORD}`, ["123456789", "123456789"]],
    [
      "a segment with a comment, which is passed over",
      `81 f0d8ff7f 01 0e000000 14 02 01 61 ${RECORD}`,
      ["123456789"],
    ],
  ];
  test.each(table)("%s", (_what, text, records) => {
    expect(recordsIn(text)).toEqual(records);
  });
});

describe("what cannot", () => {
  const table: readonly (readonly [string, string, RegExp])[] = [
    ["half a header", "81 f0d8", /^At byte 0, it ends inside a header/],
    ["a record without a segment", RECORD, /should be a segment, not a row of schema 2147473649/],
    ["another version", "80 f0d8ff7f 01 0a000000", /should be a header, and is none/],
    ["another schema", "81 ffffff7f 01 0a000000", /should be a segment, not a row of schema/],
    [
      "another row among the records",
      `${SEGMENT} 81 7054e17f 0000000000`,
      /At byte 10, .*2145473648/,
    ],
    ["a segment without a length", "81 f0d8ff7f 00 0a000000", /no length that it can have/],
    ["a segment that is too short", "81 f0d8ff7f 01 09000000", /no length that it can have/],
    ["a segment of no length", "81 f0d8ff7f 01 00000000", /no length that it can have/],
    ["a segment of less than none", "81 f0d8ff7f 01 ffffffff", /no length that it can have/],
    ["a segment that is not all there", "81 f0d8ff7f 01 0b000000", /no length that it can have/],
    ["a header that ends in its checksum", `${SEGMENT} 81 f1d8ff7f 00000000 0000`, /ends inside/],
    ["a record that is not all there", `${SEGMENT} ${RECORD.slice(0, -2)}`, /claims .* 9 bytes/],
    ["a record of less than none", `${SEGMENT} 81 f1d8ff7f ffffffff 00000000`, /claims to have -1/],
    ["a record as long as can be", `${SEGMENT} 81 f1d8ff7f ffffff7f 00000000`, /2147483647/],
    ["a record that was changed", `${SEGMENT} ${RECORD.slice(0, -2)}38`, /At byte 10, .* checksum/],
    ["something behind the last record", `${SEGMENT} ${RECORD} 81`, /At byte 32, it ends inside/],
  ];
  test.each(table)("%s", (_what, text, problem) => {
    expect(recordsIn(text)).toMatch(problem);
  });
});

test("what is written is read again, and has the checksums that everybody computes", () => {
  const rows = fc.array(fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)));
  fc.assert(
    fc.property(rows, (written) => {
      const bytes = writeRecords(written);
      expect(isHybridRow(bytes)).toBe(true);
      const read = readRecords(bytes);
      expect(read).toEqual({ ok: true, value: written });
      let at = 10;
      for (const row of written) {
        expect(bytes.readUInt32LE(at + 9)).toBe(crc32(row) >>> 0);
        at += 13 + row.length;
      }
    }),
  );
});

test("whatever the bytes are, reading them ends", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
      const records = readRecords(Buffer.concat([hex(SEGMENT), bytes]));
      expect(records.ok).toBe(bytes.length === 0);
    }),
  );
});
