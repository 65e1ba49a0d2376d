/**
 * The table shows the bytes; they are on disk, so a row that changes is a format that changed.
 * The properties say what the bytes are for: order.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareValues } from "../json/compare.ts";
import { pathHashOf } from "./hash.ts";
import { ELEMENTS, type PathSegment } from "./policyPath.ts";
import {
  decodeValue,
  encodeValue,
  endOfValue,
  isTruncated,
  type Scalar,
  termOf,
  termOfNode,
  termRangeOfPath,
} from "./term.ts";

describe("the bytes of a value", () => {
  const ROWS: readonly (readonly [value: Scalar, hex: string])[] = [
    [null, "02"],
    [false, "03"],
    [true, "04"],
    [-Infinity, "05 00 07"],
    [-1000, "05 3e b8 2f"],
    [-1, "05 40 07"],
    [0, "05 80"],
    [-0, "05 80"],
    [5e-324, "05 81 01 01 01 01 01 01 01 01"],
    [0.5, "05 bf f0"],
    [1, "05 bf f8"],
    [2, "05 c0"],
    [3, "05 c1 04"],
    [1000, "05 c1 47 d0"],
    [1700000001, "05 c1 ed 55 9f c5 02"],
    [0.1, "05 bf dd 67 33 99 cd 67 33 9a"],
    ["", "06 00"],
    ["abc", "06 61 62 63 00"],
    ["\0\x01\x02", "06 01 01 01 02 02 00"],
    ["é€😀", "06 c3 a9 e2 82 ac f0 9f 98 80 00"],
    ["\ud800", "06 ed a0 80 00"],
  ];
  test.each(ROWS)("%j", (value, hex) => {
    expect(hexOf(encodeValue(value))).toBe(hex);
  });

  test("a string of 200 bytes is whole, a longer one ends in a hash", () => {
    expect(encodeValue("x".repeat(200))).toBe(`\x06${"x".repeat(200)}\0`);
    expect(hexOf(encodeValue("x".repeat(201)).slice(201))).toBe("01 9d 12 22 7c 80 56 91 80");
    expect(isTruncated(encodeValue("x".repeat(200)))).toBe(false);
    expect(isTruncated(encodeValue("€".repeat(67)))).toBe(true);
    expect(decodeValue(encodeValue("x".repeat(201)))).toBeUndefined();
  });
});

describe("terms of a path", () => {
  test("begin with its hash, which is on disk too", () => {
    expect(hexOf(pathHashOf(["id"]))).toBe("c0 9c 59 dd 4d 67");
    expect(hexOf(pathHashOf(["a", ELEMENTS, "b"]))).toBe("a3 60 d1 a7 26 f4");
  });

  test("steps, their order and their kind all matter", () => {
    const paths: PathSegment[][] = [
      ["a"],
      ["a", "b"],
      ["b", "a"],
      ["ab"],
      ["a", ELEMENTS],
      ["a", "[]"],
      ["a", ""],
    ];
    expect(new Set(paths.map(pathHashOf)).size).toBe(paths.length);
  });

  test("all lie in the range of the path, arrays and objects last", () => {
    const hash = pathHashOf(["a"]);
    const { min, max } = termRangeOfPath(hash);
    const terms = [
      termOf(hash, null),
      termOf(hash, "\u{10ffff}".repeat(9)),
      termOfNode(hash, "array"),
      termOfNode(hash, "object"),
    ];
    expect([...terms].sort()).toEqual(terms);
    expect(terms.every((term) => min <= term && term < max)).toBe(true);
    expect(decodeValue(termOfNode(hash, "array").slice(6))).toBeUndefined();
  });

  test("a hundred thousand paths have as many hashes", () => {
    const hashes = new Set<string>();
    for (let n = 0; n < 100_000; n++) hashes.add(pathHashOf([`p${n}`]));
    expect(hashes.size).toBe(100_000);
  });
});

describe("properties of the encoding", () => {
  const unit = fc.oneof(fc.constantFrom(0, 1, 2, 0x61, 0xd800, 0xdc00, 0xe000), fc.nat(0xffff));
  const anyText = fc.array(unit, { maxLength: 12 }).map((units) => String.fromCharCode(...units));
  const anyNumber = fc.oneof(
    fc.double({ noNaN: true }),
    fc.integer(),
    fc.constantFrom(0, -0, 5e-324, -5e-324, 2 ** 53, Infinity, -Infinity, 0.1, -0.1),
  );
  const anyScalar = fc.oneof(fc.constantFrom(null, false, true), anyNumber, anyText);
  /** Strings around the length where the hash sets in, many of them with a common beginning. */
  const anyLongText = fc
    .tuple(fc.integer({ min: 190, max: 205 }), fc.constantFrom("x", "é", "\0"), anyText)
    .map(([count, fill, tail]) => fill.repeat(count) + tail);

  test("the order of the bytes is the order of the values", () => {
    fc.assert(
      fc.property(anyScalar, anyScalar, (a, b) => {
        expect(byteOrder(encodeValue(a), encodeValue(b))).toBe(Math.sign(compareValues(a, b)));
      }),
      { numRuns: 5_000 },
    );
  });

  test("numbers that are close to each other keep their order", () => {
    const anyFinite = anyNumber.filter(Number.isFinite);
    fc.assert(
      fc.property(anyFinite, fc.integer({ min: -3, max: 3 }), (number, steps) => {
        const neighbour = number + steps * Number.EPSILON * Math.abs(number);
        const order = Math.sign(compareValues(number, neighbour));
        expect(byteOrder(encodeValue(number), encodeValue(neighbour))).toBe(order);
      }),
      { numRuns: 2_000 },
    );
  });

  test("a value comes back as it went in", () => {
    fc.assert(
      fc.property(anyScalar, (value) => {
        expect(decodeValue(encodeValue(value))).toBe(Object.is(value, -0) ? 0 : value);
      }),
      { numRuns: 5_000 },
    );
  });

  test("no encoding is the beginning of another", () => {
    const anyValue = fc.oneof(anyScalar, anyLongText);
    fc.assert(
      fc.property(anyValue, anyValue, (a, b) => {
        const [encodedA, encodedB] = [encodeValue(a), encodeValue(b)];
        expect(encodedA.startsWith(encodedB)).toBe(compareValues(a, b) === 0);
      }),
      { numRuns: 2_000 },
    );
  });

  test("where an encoding ends is seen from its own bytes", () => {
    fc.assert(
      fc.property(fc.oneof(anyScalar, anyLongText), anyScalar, (value, next) => {
        const encoded = encodeValue(value);
        expect(endOfValue(`xx${encoded}${encodeValue(next)}`, 2)).toBe(2 + encoded.length);
      }),
      { numRuns: 2_000 },
    );
  });

  test("cutting a long string never turns an order around", () => {
    fc.assert(
      fc.property(anyLongText, fc.oneof(anyLongText, anyText), (a, b) => {
        const [encodedA, encodedB] = [encodeValue(a), encodeValue(b)];
        const isTie = isTruncated(encodedA) && encodedA.slice(0, 201) === encodedB.slice(0, 201);
        const order = Math.sign(compareValues(a, b));
        if (isTie && isTruncated(encodedB)) expect(encodedA === encodedB).toBe(order === 0);
        else expect(byteOrder(encodedA, encodedB)).toBe(order);
      }),
      { numRuns: 2_000 },
    );
  });

  test("an item's number after the term sorts by term first", () => {
    const anyKey = fc.tuple(anyScalar, fc.nat(0xff));
    fc.assert(
      fc.property(anyKey, anyKey, ([a, numberA], [b, numberB]) => {
        const keyOf = (value: Scalar, number: number): string =>
          encodeValue(value) + String.fromCharCode(number).repeat(8);
        const order = Math.sign(compareValues(a, b) || numberA - numberB);
        expect(byteOrder(keyOf(a, numberA), keyOf(b, numberB))).toBe(order);
      }),
      { numRuns: 2_000 },
    );
  });
});

function byteOrder(a: string, b: string): number {
  return Math.sign(Buffer.compare(Buffer.from(a, "latin1"), Buffer.from(b, "latin1")));
}

function hexOf(bytes: string): string {
  return [...Buffer.from(bytes, "latin1")]
    .map((byte) => byte.toString(16).padStart(2, "0"))
    .join(" ");
}
