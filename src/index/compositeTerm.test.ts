/**
 * The terms of composite indexes. The table shows their bytes, which are on disk; the properties
 * say that their order is that of the index, and that ranges hold what a filter would keep.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareValues } from "../json/compare.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import {
  type CompositeLayout,
  compositeLayoutOf,
  compositeLayoutsOf,
  compositeRange,
  compositeTermOf,
  decodeComposite,
  hasLongString,
} from "./compositeTerm.ts";
import type { CompositeIndex } from "./policyIndexes.ts";
import { encodeValue, isTruncated } from "./term.ts";
import type { ValueSpan } from "./valueSpan.ts";

/** Thousands of cases with ORRERY_LONG. */
const RUN_COUNT = process.env["ORRERY_LONG"] !== undefined ? 1_000 : 200;

/** `a b-`: by /a ascending, then by /b descending. */
function indexOf(text: string): CompositeIndex {
  return text.split(" ").map((step) => ({
    path: `/${step.replace("-", "")}`,
    order: step.endsWith("-") ? "descending" : "ascending",
  }));
}

describe("the bytes behind the hash", () => {
  const ROWS: readonly (readonly [rule: string, index: string, item: JsonObject, hex: string])[] = [
    ["values follow each other", "a b", { a: 1, b: "x" }, "05 bf f8 06 78 00"],
    ["a missing one is the lowest", "a b", { b: null }, "01 02"],
    ["arrays and objects are there", "a b", { a: [1], b: { c: 1 } }, "07 08"],
    ["the other way: all bytes turned", "a b-", { a: 1, b: "x" }, "05 bf f8 f9 87 ff"],
    ["only relative to the first", "a- b-", { a: 1, b: "x" }, "05 bf f8 06 78 00"],
    ["and so", "a- b", { a: 1, b: "x" }, "05 bf f8 f9 87 ff"],
    ["a path may lead down", "a/c b", { a: { c: true } }, "04 01"],
    ["but not into arrays", "a/0 b", { a: [1] }, "01 01"],
    ["own properties only", "toString b", { b: false }, "01 03"],
  ];
  test.each(ROWS)("%s", (_rule, index, item, hex) => {
    expect(hexOf(compositeTermOf(compositeLayoutOf(indexOf(index)), item).slice(6))).toBe(hex);
  });
});

describe("the hash", () => {
  test("is on disk", () => {
    expect(hexOf(compositeLayoutOf(indexOf("a b")).hash)).toBe("cc 5d 41 8d 74 b6");
  });

  test("is the same for an index and its reverse, and in any spelling", () => {
    const all = [...["a b-", "a- b", "a b", "a- b-", "b a"].map(indexOf)];
    const spelled: CompositeIndex = [
      { path: '/"a"/?', order: "ascending" },
      { path: "/b/?", order: "ascending" },
    ];
    const layouts = compositeLayoutsOf([...all, spelled]);
    expect(layouts.length).toBe(3);
    expect(new Set(layouts.map(({ hash }) => hash)).size).toBe(3);
    for (const { hash } of layouts) expect(hash.charCodeAt(0)).toBeGreaterThanOrEqual(0x80);
  });
});

test("the longest term fits into the keys of the store", () => {
  const names = ["a", "b", "c", "d", "e", "f", "g", "h"];
  const item = Object.fromEntries(names.map((name) => [name, "\0".repeat(500)]));
  const term = compositeTermOf(compositeLayoutOf(indexOf(names.join(" "))), item);
  expect(term.length).toBe(6 + 8 * 210);
  expect(hasLongString(compositeLayoutOf(indexOf(names.join(" "))), term)).toBe(true);
});

describe("properties", () => {
  const anyScalar = fc.oneof(
    fc.constantFrom(null, false, true, 0, -0, 1, -1, 1.5, -1000, 1e300, "", "a", "ab", "b", "\0"),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.string({ maxLength: 3, unit: "binary" }),
  );
  const anyLong = fc
    .tuple(fc.constantFrom("x", "é"), fc.integer({ min: 199, max: 202 }), fc.string())
    .map(([fill, count, tail]) => fill.repeat(count) + tail);
  const anyValue = fc.oneof(
    { weight: 8, arbitrary: anyScalar },
    { weight: 1, arbitrary: anyLong },
    fc.constantFrom<JsonValue | undefined>(undefined, [], [1], {}, { a: 1 }),
  );
  const NAMES = ["a", "b", "c"];
  const anyIndex = fc
    .array(fc.boolean(), { minLength: 2, maxLength: 3 })
    .map((turns) => indexOf(turns.map((isDown, n) => `${NAMES[n]}${isDown ? "-" : ""}`).join(" ")));
  const anyTuple = fc.tuple(anyValue, anyValue, anyValue);

  test("the order of terms is the order of the index", () => {
    fc.assert(
      fc.property(anyIndex, anyTuple, anyTuple, (index, a, b) => {
        const layout = compositeLayoutOf(index);
        const [termA, termB] = [a, b].map((values) => compositeTermOf(layout, itemOf(values)));
        const firstTie = index.findIndex((_, n) => isTie(a[n], b[n]));
        const firstDifference = index.findIndex((_, n) => plainOrder(a[n], b[n]) !== 0);
        if (firstTie !== -1 && firstTie <= firstDifference) {
          expect(hasLongString(layout, termA!) && hasLongString(layout, termB!)).toBe(true);
        } else {
          expect(textOrder(termA!, termB!)).toBe(tupleOrder(layout, a, b));
        }
      }),
      { numRuns: 5 * RUN_COUNT },
    );
  });

  test("no term is the beginning of another", () => {
    fc.assert(
      fc.property(anyIndex, anyTuple, anyTuple, (index, a, b) => {
        const layout = compositeLayoutOf(index);
        const [termA, termB] = [a, b].map((values) => compositeTermOf(layout, itemOf(values)));
        const isSame = index.every((_, n) => plainOrder(a[n], b[n]) === 0);
        expect(termA!.startsWith(termB!)).toBe(isSame);
      }),
      { numRuns: 2 * RUN_COUNT },
    );
  });

  test("terms tell their values", () => {
    fc.assert(
      fc.property(anyIndex, anyTuple, (index, values) => {
        const layout = compositeLayoutOf(index);
        const term = compositeTermOf(layout, itemOf(values));
        const parts = decodeComposite(layout, term);
        expect(parts.length).toBe(index.length);
        parts.forEach((part, n) => {
          const value = values[n];
          if (part.kind === "value") expect(part.value === value).toBe(true);
          else if (part.kind === "longString") expect(isLong(value)).toBe(true);
          else expect(plainKind(value)).toBe(part.kind);
        });
        const isAnyLong = index.some((_, n) => isLong(values[n]));
        expect(hasLongString(layout, term)).toBe(isAnyLong);
      }),
      { numRuns: 2 * RUN_COUNT },
    );
  });

  const anyBound = fc.record({ value: fc.oneof(anyScalar, anyLong), isInclusive: fc.boolean() });
  const anySpan: fc.Arbitrary<ValueSpan | undefined> = fc.oneof(
    fc.constant(undefined),
    fc.constant<ValueSpan>({ kind: "defined" }),
    anyBound.map((min): ValueSpan => ({ kind: "between", min })),
    anyBound.map((max): ValueSpan => ({ kind: "between", max })),
    fc
      .tuple(anyBound, anyBound)
      .filter(([min, max]) => typeof min.value === typeof max.value && min.value !== null)
      .filter(([, max]) => max.value !== null)
      .map(([min, max]): ValueSpan => ({ kind: "between", min, max })),
    fc
      .oneof(fc.constantFrom("", "a", "\ud83d", "x".repeat(200)), anyLong)
      .map((text): ValueSpan => ({ kind: "startsWith", text })),
    fc
      .constantFrom("undefined", "null", "boolean", "number", "string", "array", "object")
      .map((type) => ({ kind: "type", type }) as ValueSpan),
  );

  test("a range holds what a filter keeps; an exact one nothing else", () => {
    const anyEqual = fc.array(anyValue, { maxLength: 1 });
    fc.assert(
      fc.property(anyIndex, anyEqual, anySpan, fc.array(anyTuple), (index, equal, span, rest) => {
        const layout = compositeLayoutOf(index);
        const { min, max, isExact } = compositeRange(layout, equal, span);
        const near = rest.map((values) => [...equal, ...values].slice(0, 3));
        for (const values of [...rest, ...near]) {
          const isKept =
            equal.every((value, n) => plainOrder(values[n], value) === 0) &&
            (span === undefined || isInSpan(values[equal.length], span));
          const term = compositeTermOf(layout, itemOf(values));
          const isInside = term >= min && term < max;
          if (isKept || isExact) expect(isInside).toBe(isKept);
        }
      }),
      { numRuns: 5 * RUN_COUNT },
    );
  });

  function isInSpan(value: JsonValue | undefined, span: ValueSpan): boolean {
    switch (span.kind) {
      case "defined":
        return value !== undefined;
      case "type":
        return span.type === plainKind(value);
      case "startsWith":
        return typeof value === "string" && value.startsWith(span.text);
      case "between": {
        const { min, max } = span;
        const type = plainKind((min ?? max)!.value);
        const low = min === undefined ? 1 : compareValues(value, min.value);
        const high = max === undefined ? -1 : compareValues(value, max.value);
        const isAbove = low > 0 || (low === 0 && min!.isInclusive);
        const isBelow = high < 0 || (high === 0 && max!.isInclusive);
        return plainKind(value) === type && isAbove && isBelow;
      }
    }
  }
});

function itemOf(values: readonly (JsonValue | undefined)[]): JsonObject {
  const members = values.map((value, n) => [["a", "b", "c"][n]!, value] as const);
  return Object.fromEntries(members.filter(([, value]) => value !== undefined)) as JsonObject;
}

/** As the index orders: all arrays are equal, and all objects. */
function plainOrder(a: JsonValue | undefined, b: JsonValue | undefined): number {
  const isNode = plainKind(a) === "array" || plainKind(a) === "object";
  if (isNode && plainKind(a) === plainKind(b)) return 0;
  return Math.sign(compareValues(a, b));
}

function tupleOrder(
  { steps }: CompositeLayout,
  a: readonly (JsonValue | undefined)[],
  b: readonly (JsonValue | undefined)[],
): number {
  for (const [n, { isDescending }] of steps.entries()) {
    const order = plainOrder(a[n], b[n]);
    if (order !== 0) return isDescending ? -order : order;
  }
  return 0;
}

function plainKind(value: JsonValue | undefined): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function isLong(value: JsonValue | undefined): boolean {
  return typeof value === "string" && isTruncated(encodeValue(value));
}

/** Two long strings of which terms have the same beginning. */
function isTie(a: JsonValue | undefined, b: JsonValue | undefined): boolean {
  if (!isLong(a) || !isLong(b) || a === b) return false;
  return encodeValue(a as string).slice(0, 201) === encodeValue(b as string).slice(0, 201);
}

function textOrder(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function hexOf(bytes: string): string {
  const codes = [...bytes].map((byte) => byte.charCodeAt(0).toString(16).padStart(2, "0"));
  return codes.join(" ");
}
