/**
 * The table pins the byte forms down one by one; the properties read random values back with a
 * decoder that is too simple to share the writer's mistakes.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import * as der from "./der.ts";

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(" ", ""), "hex");
const hexOf = (value: Uint8Array): string => Buffer.from(value).toString("hex");

const FORMS: readonly (readonly [rule: string, made: Uint8Array, hex: string])[] = [
  ["zero has one byte", der.integer(bytes("00")), "02 01 00"],
  ["no bytes at all are zero", der.integer(bytes("")), "02 01 00"],
  ["many zeros are zero", der.integer(bytes("000000")), "02 01 00"],
  ["127 needs no room for a sign", der.integer(bytes("7f")), "02 01 7f"],
  ["128 looks negative, so a zero leads it", der.integer(bytes("80")), "02 02 00 80"],
  ["leading zeros are dropped", der.integer(bytes("0000 0102")), "02 02 01 02"],
  ["dropped, but for the one the sign needs", der.integer(bytes("0000 ff02")), "02 03 00 ff 02"],
  ["zeros inside and at the end stay", der.integer(bytes("01 0000")), "02 03 01 00 00"],
  ["true", der.booleanTrue(), "01 01 ff"],
  ["octets", der.octetString(bytes("0102")), "04 02 01 02"],
  ["bits, whole bytes", der.bitString(bytes("0102")), "03 03 00 01 02"],
  ["bits, with padding", der.bitString(bytes("06"), 1), "03 02 01 06"],
  ["text", der.utf8String("é"), "0c 02 c3 a9"],
  ["an empty sequence", der.sequence(), "30 00"],
  ["a sequence", der.sequence(der.booleanTrue(), der.sequence()), "30 05 01 01 ff 30 00"],
  ["a set", der.setOf(der.booleanTrue()), "31 03 01 01 ff"],
  ["an explicit tag", der.explicitTag(3, der.integer(bytes("02"))), "a3 03 02 01 02"],
  ["an implicit tag", der.implicitTag(7, bytes("7f000001")), "87 04 7f 00 00 01"],
  ["a small object identifier", der.oid("2.5.29.19"), "06 03 55 1d 13"],
  ["one with large arcs", der.oid("1.2.840.10045.4.3.2"), "06 08 2a 86 48 ce 3d 04 03 02"],
  ["one with zero arcs", der.oid("2.5.0.128"), "06 04 55 00 81 00"],
];

/** `17` is UTCTime and `18` is GeneralizedTime. */
const TIMES: readonly (readonly [at: string, tag: number, text: string])[] = [
  ["1950-01-01T00:00:00.000Z", 0x17, "500101000000Z"],
  ["1999-12-31T23:59:59.999Z", 0x17, "991231235959Z"],
  ["2026-03-04T05:06:07.000Z", 0x17, "260304050607Z"],
  ["2049-12-31T23:59:59.999Z", 0x17, "491231235959Z"],
  ["2050-01-01T00:00:00.000Z", 0x18, "20500101000000Z"],
  ["9999-12-31T23:59:59.000Z", 0x18, "99991231235959Z"],
];

const LENGTHS: readonly (readonly [count: number, header: string])[] = [
  [0, "04 00"],
  [127, "04 7f"],
  [128, "04 81 80"],
  [255, "04 81 ff"],
  [256, "04 82 01 00"],
  [65_535, "04 82 ff ff"],
  [65_536, "04 83 01 00 00"],
];

describe("DER forms", () => {
  test.each(FORMS)("%s", (_, made, hex) => {
    expect(hexOf(made)).toBe(hexOf(bytes(hex)));
  });

  test.each(TIMES)("time %s", (at, tag, text) => {
    const made = der.time(Date.parse(at));
    expect([made[0], Buffer.from(made.subarray(2)).toString()]).toEqual([tag, text]);
  });

  test.each(["1949-12-31T23:59:59Z", "+010000-01-01T00:00:00Z"])("no time %s", (at) => {
    expect(() => der.time(Date.parse(at))).toThrow("no time for a certificate");
  });

  test.each(LENGTHS)("a length of %d", (count, header) => {
    const made = der.octetString(new Uint8Array(count).fill(7));
    expect(hexOf(made.subarray(0, made.length - count))).toBe(hexOf(bytes(header)));
  });
});

describe("DER properties", () => {
  test("an integer reads back as the same number, in its shortest form", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (magnitude) => {
        const content = contentOf(der.integer(magnitude));
        expect(numberOf(content)).toBe(numberOf(magnitude));
        expect(content[0]! & 0x80).toBe(0);
        if (content.length > 1) expect(content[0]! > 0 || content[1]! >= 0x80).toBe(true);
      }),
    );
  });

  test("contents of any length read back", () => {
    fc.assert(
      fc.property(fc.nat(70_000), (count) => {
        expect(contentOf(der.octetString(new Uint8Array(count))).length).toBe(count);
      }),
    );
  });

  test("object identifiers read back", () => {
    const anyArc = fc.oneof(fc.nat(300), fc.nat());
    fc.assert(
      fc.property(fc.nat(2), fc.nat(39), fc.array(anyArc), (root, second, rest) => {
        const arcs = arcsOf(contentOf(der.oid([root, second, ...rest].join("."))));
        expect(arcs).toEqual([root * 40 + second, ...rest]);
      }),
    );
  });
});

function contentOf(value: Uint8Array): Uint8Array {
  const first = value[1]!;
  const lengthBytes = first < 0x80 ? 0 : first - 0x80;
  const length = lengthBytes === 0 ? BigInt(first) : numberOf(value.subarray(2, 2 + lengthBytes));
  const content = value.subarray(2 + lengthBytes);
  expect(BigInt(content.length)).toBe(length);
  return content;
}

const numberOf = (magnitude: Uint8Array): bigint => BigInt(`0x0${hexOf(magnitude)}`);

function arcsOf(content: Uint8Array): number[] {
  const bits = [...content].map((byte) => byte.toString(2).padStart(8, "0"));
  const ended = bits.map((byte) => byte.slice(1) + (byte.startsWith("0") ? " " : ""));
  return ended
    .join("")
    .trim()
    .split(" ")
    .map((arc) => Number.parseInt(arc, 2));
}
