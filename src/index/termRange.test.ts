/** Ranges of terms: that they hold the values that pass, and no others where they say so. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { compareValues } from "../json/compare.ts";
import { type PathHash, pathHashOf } from "./hash.ts";
import { type Scalar, termOf, termOfNode } from "./term.ts";
import type { TermRanges, TypeName } from "./termRange.ts";
import * as ranges from "./termRange.ts";

const path = pathHashOf(["x"]);
const other = pathHashOf(["y"]);
const LONG = "k".repeat(198);

const scalar: fc.Arbitrary<Scalar> = fc.oneof(
  fc.constantFrom<Scalar>(null, false, true, 0, -0, 1, -1, 5e-324, 1.7e308, Infinity, -Infinity),
  fc.double({ noNaN: true }),
  fc.constantFrom<Scalar>("", "\u0000", "\u0001", "\u0001a", "a", "ab", "\ud83d", "\u{1F600}"),
  fc.constantFrom<Scalar>(`${LONG}`, `${LONG}ab`, `${LONG}abc`, `${LONG}abd`, `${LONG}\u{1F600}`),
  fc.string({ unit: "binary", maxLength: 4 }),
);

function isIn({ ranges: list }: TermRanges, term: string): boolean {
  return list.some(({ min, max }) => term >= min && term < max);
}

function holds(found: TermRanges, value: Scalar, at: PathHash = path): boolean {
  return isIn(found, termOf(at, value));
}

function typeOf(value: Scalar): TypeName {
  return value === null ? "null" : (typeof value as "boolean" | "number" | "string");
}

/** Every value that passes is in, and where the ranges are exact nothing else is. */
function expectSound(found: TermRanges, value: Scalar, isPassing: boolean): void {
  if (isPassing) expect(holds(found, value)).toBe(true);
  if (found.isExact) expect(holds(found, value)).toBe(isPassing);
  expect(holds(found, value, other)).toBe(false);
  found.ranges.forEach(({ min, max }, index) => {
    expect(min < max).toBe(true);
    if (index > 0) expect(found.ranges[index - 1]!.max <= min).toBe(true);
  });
}

const soundFor = (
  make: (a: Scalar) => TermRanges,
  passes: (value: Scalar, a: Scalar) => boolean,
): void => {
  const property = fc.property(scalar, scalar, (a, value) => {
    expectSound(make(a), value, passes(value, a));
    expectSound(make(a), a, passes(a, a));
  });
  fc.assert(property, { numRuns: 500 });
};

describe("exact are", () => {
  test.each<readonly [string, TermRanges, boolean]>([
    ["equality with a short string", ranges.equalTo(path, "a"), true],
    [
      "not with one of which a term has the beginning only",
      ranges.equalTo(path, `${LONG}abc`),
      false,
    ],
    ["everything but a value", ranges.different(path, 1), true],
    ["not everything but a long string", ranges.different(path, `${LONG}abc`), false],
    ["beginnings that fit", ranges.beginningWith(path, "a"), true],
    ["not those that do not", ranges.beginningWith(path, `${LONG}abc`), false],
    ["not half of a pair", ranges.beginningWith(path, "a\ud83d"), false],
    ["the other half", ranges.beginningWith(path, "\ude00"), true],
    ["types", ranges.ofTypes(path, ["null", "string"]), true],
  ])("%s", (_name, found, isExact) => expect(found.isExact).toBe(isExact));
});

describe("sound are", () => {
  test("equality", () => {
    soundFor(
      (a) => ranges.equalTo(path, a),
      (value, a) => compareValues(value, a) === 0,
    );
  });

  test("inequality", () => {
    soundFor(
      (a) => ranges.different(path, a),
      (value, a) => compareValues(value, a) !== 0,
    );
  });

  test("comparisons", () => {
    const property = fc.property(
      scalar,
      scalar,
      scalar,
      fc.boolean(),
      fc.boolean(),
      (low, high, value, isLowIn, isHighIn) => {
        const from = { value: low, isInclusive: isLowIn };
        const to = { value: high, isInclusive: isHighIn };
        const isOver =
          typeOf(value) === typeOf(low) && compareValues(value, low) >= (isLowIn ? 0 : 1e-9);
        const isUnder =
          typeOf(value) === typeOf(high) && compareValues(value, high) <= (isHighIn ? 0 : -1e-9);
        expectSound(ranges.between(path, from, undefined), value, isOver);
        expectSound(ranges.between(path, undefined, to), value, isUnder);
        expectSound(ranges.between(path, from, to), value, isOver && isUnder);
      },
    );
    fc.assert(property, { numRuns: 1_000 });
  });

  test("beginnings", () => {
    soundFor(
      (a) => ranges.beginningWith(path, String(a)),
      (value, a) => typeof value === "string" && value.startsWith(String(a)),
    );
  });

  test("types", () => {
    const types: readonly TypeName[] = ["null", "boolean", "number", "string", "array", "object"];
    const property = fc.property(fc.subarray([...types]), scalar, (some, value) => {
      const found = ranges.ofTypes(path, some);
      expectSound(found, value, some.includes(typeOf(value)));
      expect(isIn(found, termOfNode(path, "array"))).toBe(some.includes("array"));
      expect(isIn(found, termOfNode(path, "object"))).toBe(some.includes("object"));
    });
    fc.assert(property, { numRuns: 300 });
  });

  test("whatever there is", () => {
    soundFor(
      () => ranges.defined(path),
      () => true,
    );
    expect(isIn(ranges.defined(path), termOfNode(path, "object"))).toBe(true);
  });
});

test("a range of one term holds that and no other", () => {
  const property = fc.property(scalar, scalar, (a, value) => {
    const [range] = ranges.equalTo(path, a).ranges;
    expect(range!.isTerm).toBe(true);
    const isSame = termOf(path, a) === termOf(path, value);
    expect(holds({ ranges: [range!], isExact: true }, value)).toBe(isSame);
  });
  fc.assert(property, { numRuns: 300 });
});
