/** The binary form of JSON: a table of its forms, then random values in random forms. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decodeBinary, textOfBinary } from "./binary.ts";
import type { JsonObject, JsonValue } from "./value.ts";
import { isObject } from "./value.ts";

const BOUNDS = { depthMax: 128, textBytesMax: 2 * 1024 * 1024 };

function decoded(hex: string): JsonValue {
  const result = decodeBinary(Buffer.from(`80${hex.replace(/\s/g, "")}`, "hex"), BOUNDS);
  if (!result.ok) throw new Error(JSON.stringify(result.error));
  return result.value;
}

describe("each form of a value", () => {
  const table: readonly (readonly [string, string, JsonValue])[] = [
    ["null", "d0", null],
    ["false", "d1", false],
    ["true", "d2", true],
    ["a small number, which is its own marker", "1f", 31],
    ["a number of one byte", "c8 ff", 255],
    ["a number of two bytes", "c9 00ff", -256],
    ["a number of four bytes", "ca ffffff7f", 2 ** 31 - 1],
    ["a number of eight bytes", "cb 00f2052a01000000", 5_000_000_000],
    ["a number of eight bytes without sign", "c7 0000000000000080", 2 ** 63],
    ["a double", "cc 000000000000e03f", 0.5],
    ["minus zero", "cc 0000000000000080", -0],
    [
      "other markers of numbers",
      "e2 11 d7ff d8ff d9ffff daffffffff dc01000000",
      [255, -1, -1, -1, 1],
    ],
    ["floats", "e2 0e cd0000003f ce000000000000e03f", [0.5, 0.5]],
    ["a well-known name", "2c", "id"],
    ["the first and the last of them", "e2 02 203f", ["$s", "_id"]],
    ["an empty string", "80", ""],
    ["a short string", "85 c3bc786161", "üxaa"],
    [
      "strings with lengths of 1, 2 and 4 bytes",
      "e2 0d c00161 c1010062 c20100000063",
      ["a", "b", "c"],
    ],
    ["a reference to an earlier string", "e2 05 826869 c303", ["hi", "hi"]],
    ["base64, with padding", "71 02 01 73617665 64", "c2F2ZWQ="],
    ["base64, its padding left out", "71 02 fe 73617665 64", "c2F2ZWQ"],
    ["base64 for addresses, a longer count", "74 0100 00 fbffff", "-___"],
    ["an id in lower case", `75 ${"10325476".repeat(4)}`, "01234567-0123-4567-0123-456701234567"],
    ["an id in upper case", `76 ${"ab".repeat(16)}`, "BABABABA-BABA-BABA-BABA-BABABABABABA"],
    [
      "a quoted id, as an etag is",
      `77 ${"00".repeat(16)}`,
      '"00000000-0000-0000-0000-000000000000"',
    ],
    [
      "an id as a value",
      "d3 33221100 5544 7766 8899aabbccddeeff",
      "00112233-4455-6677-8899-aabbccddeeff",
    ],
    ["hexadecimal digits", "78 05 edfa 0b", "deafb"],
    ["hexadecimal digits in upper case", "79 02 ba", "AB"],
    ["a time", "7a 05 324b01", "12:30"],
    ["four bits from a base", "7b 04 61 1032", "abcd"],
    ["five bits from a base", "7c 03 61 410c", "bcd"],
    ["seven bits", "7e 02 e834", "hi"],
    ["bytes", "dd 02 ffff", "//8="],
    ["an empty list", "e0", []],
    ["a list of one", "e1 d2", [true]],
    ["a list with its count", "e5 02 02 0102", [1, 2]],
    ["an empty object", "e8", {}],
    ["an object of one", "e9 2c 8161", { id: "a" }],
    ["an object with its count", "ed 05 02 2c01 815802", { id: 1, X: 2 }],
    ["numbers of one kind", "f0 d7 03 01ff02", [1, 255, 2]],
    [
      "lists of numbers of one kind",
      "f2 f0 d8 02 02 01ff0203",
      [
        [1, -1],
        [2, 3],
      ],
    ],
  ];

  test.each(table)("%s", (_, hex, expected) => {
    expect(decoded(hex)).toEqual(expected);
  });
});

describe("what is refused", () => {
  const table: readonly (readonly [string, string])[] = [
    ["nothing at all", ""],
    ["bytes behind the end", "d0 d0"],
    ["a string that is cut off", "85 6162"],
    ["a string that is not UTF-8", "c0 01 ff"],
    ["a string of a dictionary that was not sent", "40"],
    ["a reference to what is no string", "e2 03 01 c303"],
    ["a reference to itself", "c3 01"],
    ["a name that is no string", "e9 01 02"],
    ["a list that is shorter than it says", "e2 02 c9 0100"],
    ["a list with another count than it says", "e5 01 02 01"],
    ["a number that JSON has not", "cc 000000000000f07f"],
    ["a half float, which the service does not know", "cf 0000"],
    ["the marker of nothing", "ff"],
    ["lists of other lists than they say", "f2 f1 d8 01 01 01"],
  ];

  test.each(table)("%s", (_, hex) => {
    const bytes = Buffer.from(`80${hex.replace(/\s/g, "")}`, "hex");
    expect(decodeBinary(bytes, BOUNDS)).toMatchObject({
      ok: false,
      error: { kind: "malformed", message: expect.stringMatching(/^The binary body .+\.$/) },
    });
  });

  test("deeper than allowed", () => {
    const bytes = Buffer.from(`80${"e1".repeat(200_000)}01`, "hex");
    expect(decodeBinary(bytes, BOUNDS)).toEqual({ ok: false, error: { kind: "tooDeep" } });
  });

  test("little that stands for much", () => {
    const text = `c1ffff${"61".repeat(0xffff)}`;
    const references = "c306".repeat(100);
    const byteCount = Buffer.alloc(4);
    byteCount.writeUInt32LE((text.length + references.length) / 2);
    const repeated = Buffer.from(`80e4${byteCount.toString("hex")}${text}${references}`, "hex");
    const emptyLists = Buffer.from(`80e2fc${"f3f1d70000ffff".repeat(36)}`, "hex");
    const bounds = { ...BOUNDS, textBytesMax: 2 ** 17 };
    for (const bytes of [repeated, emptyLists]) {
      expect(decodeBinary(bytes, bounds)).toEqual({ ok: false, error: { kind: "tooLarge" } });
    }
  });
});

test.each([
  ["cb ffffffffffffff7f", "9223372036854775807"],
  ["cb 0100000000000080", "-9223372036854775807"],
  ["c7 ffffffffffffffff", "18446744073709551615"],
  ["cc 50efe2d6e41a4b44", "1e+21"],
])("whole numbers keep their digits: %s is %s", (hex, text) => {
  const bytes = Buffer.from(`80${hex.replace(/\s/g, "")}`, "hex");
  expect(textOfBinary(bytes, BOUNDS)).toEqual({ ok: true, value: text });
});

test("a property called __proto__ is one like any other", () => {
  const found = decoded(`e9 89 ${Buffer.from("__proto__").toString("hex")} e9 2c 01`);
  expect(Object.keys(found as JsonObject)).toEqual(["__proto__"]);
  expect((found as JsonObject)["id"]).toBeUndefined();
});

test("any value, in whichever forms, is what JSON.parse makes of its text", () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 5 }), fc.infiniteStream(fc.nat(7)), (value, choices) => {
      const plain = JSON.parse(JSON.stringify(value)) as JsonValue;
      const choose = (): number => choices.next().value!;
      const bytes = Buffer.concat([Buffer.of(0x80), encoded(plain, choose)]);
      expect(decodeBinary(bytes, BOUNDS)).toEqual({ ok: true, value: plain });
    }),
  );
});

test("no bytes do anything but decode or be refused", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
      decodeBinary(Buffer.concat([Buffer.of(0x80), bytes]), BOUNDS);
    }),
    { numRuns: 2_000 },
  );
});

/** The plainest writer: each value in one of the forms that can hold it. */
function encoded(value: JsonValue, choose: () => number): Buffer {
  if (value === null) return Buffer.of(0xd0);
  if (typeof value === "boolean") return Buffer.of(value ? 0xd2 : 0xd1);
  if (typeof value === "number") return encodedNumber(value, choose);
  if (typeof value === "string") return encodedString(value, choose);
  const members = isObject(value)
    ? Object.entries(value).map(([name, member]) =>
        Buffer.concat([encodedString(name, choose), encoded(member, choose)]),
      )
    : (value as readonly JsonValue[]).map((item) => encoded(item, choose));
  const first = isObject(value) ? 0xe8 : 0xe0;
  if (members.length < 2 && choose() < 4) {
    return Buffer.concat([Buffer.of(first + members.length), ...members]);
  }
  const payload = Buffer.concat(members);
  const hasCount = choose() < 4;
  const header = Buffer.alloc(hasCount ? 9 : 5);
  header[0] = first + (hasCount ? 7 : 4);
  header.writeUInt32LE(payload.length, 1);
  if (hasCount) header.writeUInt32LE(members.length, 5);
  return Buffer.concat([header, payload]);
}

function encodedNumber(value: number, choose: () => number): Buffer {
  const isInteger = Number.isSafeInteger(value) && !Object.is(value, -0);
  if (isInteger && value >= 0 && value < 32 && choose() < 4) return Buffer.of(value);
  const bytes = Buffer.alloc(9);
  bytes[0] = isInteger && choose() < 4 ? 0xcb : 0xcc;
  if (bytes[0] === 0xcb) bytes.writeBigInt64LE(BigInt(value), 1);
  else bytes.writeDoubleLE(value, 1);
  return bytes;
}

function encodedString(value: string, choose: () => number): Buffer {
  const text = Buffer.from(value, "utf8");
  if (text.length < 64 && choose() < 4) return Buffer.concat([Buffer.of(0x80 + text.length), text]);
  const header = Buffer.alloc(5);
  header[0] = 0xc2;
  header.writeUInt32LE(text.length, 1);
  return Buffer.concat([header, text]);
}
