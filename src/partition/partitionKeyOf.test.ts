/** Where partition keys come from: items and headers. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { JsonObject } from "../json/value.ts";
import type { PartitionKey, PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";
import {
  compileKeyPaths,
  parseKeyHeader,
  parseKeyPath,
  partitionKeyOf,
  sameKey,
} from "./partitionKeyOf.ts";

describe("paths", () => {
  test.each([
    ["/pk", ["pk"]],
    ["/address/city", ["address", "city"]],
    ['/"a b"', ["a b"]],
    ["/'a b'/c", ["a b", "c"]],
    ['/"a/b"/c', ["a/b", "c"]],
    ['/"it\'s"', ["it's"]],
    ['/"a\\"b"/c', ['a\\"b', "c"]],
    ["/ padded ", ["padded"]],
    ["/é", ["é"]],
    ["", undefined],
    ["/", undefined],
    ["pk", undefined],
    ["/pk/", undefined],
    ["//pk", undefined],
    ['/"pk', undefined],
    ['/"pk\\"', undefined],
    ['/"pk"x', undefined],
    ['/""', undefined],
  ])("%j", (path, segments) => {
    expect(parseKeyPath(path)).toEqual(segments);
  });
});

interface Reading {
  readonly rule: string;
  readonly paths: readonly string[];
  readonly item: JsonObject;
  readonly key: PartitionKey;
  readonly systemKey?: true;
}

const READINGS: readonly Reading[] = [
  { rule: "a string", paths: ["/pk"], item: { pk: "a" }, key: ["a"] },
  { rule: "a number", paths: ["/pk"], item: { pk: -0 }, key: [-0] },
  { rule: "a boolean", paths: ["/pk"], item: { pk: false }, key: [false] },
  { rule: "null is a value", paths: ["/pk"], item: { pk: null }, key: [null] },
  { rule: "a missing value", paths: ["/pk"], item: { id: "1" }, key: [undefined] },
  { rule: "an object is no value", paths: ["/pk"], item: { pk: { a: 1 } }, key: [undefined] },
  { rule: "an array is no value", paths: ["/pk"], item: { pk: ["a"] }, key: [undefined] },
  { rule: "a nested value", paths: ["/a/b"], item: { a: { b: 1 } }, key: [1] },
  { rule: "a missing parent", paths: ["/a/b"], item: { b: 1 }, key: [undefined] },
  {
    rule: "a parent without properties",
    paths: ["/a/length"],
    item: { a: "xy" },
    key: [undefined],
  },
  { rule: "arrays are not walked", paths: ["/a/0"], item: { a: [1] }, key: [undefined] },
  { rule: "nothing is inherited", paths: ["/constructor/name"], item: {}, key: [undefined] },
  {
    rule: "a key may have any name",
    paths: ["/__proto__"],
    item: JSON.parse('{"__proto__":"a"}'),
    key: ["a"],
  },
  {
    rule: "one component per path",
    paths: ["/a", "/b", "/c"],
    item: { c: 3, a: 1 },
    key: [1, undefined, 3],
  },
  {
    rule: "no value in a container without a partition key",
    paths: ["/_partitionKey"],
    systemKey: true,
    item: {},
    key: [],
  },
  {
    rule: "a value in a container without a partition key",
    paths: ["/_partitionKey"],
    systemKey: true,
    item: { _partitionKey: "a" },
    key: ["a"],
  },
];

describe("the key of an item", () => {
  test.each(READINGS)("$rule", ({ paths, systemKey, item, key }) => {
    const kind = paths.length > 1 ? "MultiHash" : "Hash";
    const plain: PartitionKeyDefinition = { paths, kind, version: 2 };
    const definition = systemKey === true ? { ...plain, systemKey } : plain;
    expect(partitionKeyOf(definition, item)).toEqual({ ok: true, value: key });
  });

  test("a number that JSON can write but a double cannot hold is refused", () => {
    const reader = compileKeyPaths({ paths: ["/a/b"], kind: "Hash", version: 2 });
    expect(reader(JSON.parse('{"a":{"b":1e999}}'))).toEqual({
      ok: false,
      error: "The partition key value at /a/b is not a finite number.",
    });
  });
});

describe("the key in a header", () => {
  test.each<[string, PartitionKey]>([
    ['["a"]', ["a"]],
    ["[5]", [5]],
    ["[-0.0]", [-0]],
    ["[true]", [true]],
    ["[null]", [null]],
    ["[{}]", [undefined]],
    ["[]", []],
    ['["t", "u", 5]', ["t", "u", 5]],
    ['["\\u00e9\\ud83d\\ude00"]', ["é😀"]],
  ])("%s", (text, key) => {
    expect(parseKeyHeader(text)).toEqual({ ok: true, value: key });
  });

  test.each([
    "",
    "a",
    '"a"',
    "{}",
    "null",
    "[a]",
    '["a"',
    "[[]]",
    "[[1]]",
    '[{"a":1}]',
    '[{"__proto__":1}]',
    "[1e999]",
    "[NaN]",
    "[Infinity]",
  ])("%s is refused", (text) => {
    expect(parseKeyHeader(text)).toEqual({ ok: false, error: `Partition key ${text} is invalid.` });
  });
});

describe("for all keys", () => {
  const anyComponent = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, undefined),
  );
  const anyKey = fc.array(anyComponent, { maxLength: 3 });
  const levels: PartitionKeyDefinition = {
    paths: ["/a", "/b", "/c"],
    kind: "MultiHash",
    version: 2,
  };

  test("a header reads back as the key it states", () => {
    fc.assert(
      fc.property(anyKey, (key) => {
        // JSON.stringify writes -0 as 0, so a client cannot state -0 this way.
        const stated = key.map((component) => (component === 0 ? 0 : component));
        const header = JSON.stringify(
          stated.map((component) => (component === undefined ? {} : component)),
        );
        const read = parseKeyHeader(header);
        expect(read.ok && sameKey(read.value, stated)).toBe(true);
      }),
    );
  });

  test("any text is a key or a refusal", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.json()), (text) => void parseKeyHeader(text)));
  });

  test("any text is a path or not one", () => {
    const pathText = fc.string({ unit: fc.constantFrom("/", '"', "'", "\\", "a", " ") });
    fc.assert(fc.property(pathText, (text) => void parseKeyPath(text)));
  });

  test("the same key has the same EPK, and other than 0 and -0 nothing is close", () => {
    fc.assert(
      fc.property(anyKey, anyKey, (a, b) => {
        expect(sameKey(a, [...a])).toBe(true);
        if (sameKey(a, b)) expect(epkOf(levels, a)).toBe(epkOf(levels, b));
      }),
    );
    expect(sameKey([0], [-0])).toBe(false);
    expect(sameKey([null], [undefined])).toBe(false);
    expect(sameKey([], [undefined])).toBe(false);
    expect(sameKey(["1"], [1])).toBe(false);
  });
});
