/** The key space as a line from 0 to 1. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf, orderedNumberText } from "./epk.ts";
import type { Epk } from "./epkRange.ts";
import { initialRanges } from "./initialRanges.ts";
import { boundaryAt, positionOf } from "./keySpace.ts";

const V1: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 1 };
const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const LEVELS: PartitionKeyDefinition = { paths: ["/a", "/b"], kind: "MultiHash", version: 2 };

describe("positions", () => {
  test.each<[string, PartitionKeyDefinition, string, number]>([
    ["the start", V1, "", 0],
    ["the start", V2, "", 0],
    ["the end", V1, "FF", 1],
    ["the end", V2, "FF", 1],
    ["the hash 0", V1, orderedNumberText(0), 0],
    ["the hash 1", V1, orderedNumberText(1), 2 ** -32],
    ["a quarter", V1, orderedNumberText(2 ** 30), 0.25],
    ["the largest hash", V1, orderedNumberText(2 ** 32 - 1), 1 - 2 ** -32],
    ["a hash with its key after it", V1, `${orderedNumberText(3 * 2 ** 30)}0862626200`, 0.75],
    ["a bound that is no key", V1, "04", 0],
    ["the mark alone", V1, "05", 0],
    ["a number no hash can be", V1, orderedNumberText(-1), 0],
    ["another", V1, orderedNumberText(2 ** 40), 1],
    ["a bound of one byte", V2, "20", 0.5],
    ["half", V2, "20000000000000000000000000000000", 0.5],
    ["the largest hash", V2, "3FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF", 1 - 2 ** -30],
    ["two levels: the first counts", LEVELS, `${"10".padEnd(32, "0")}${"3F".repeat(16)}`, 0.25],
  ])("%s: %#", (_, definition, epk, position) => {
    expect(positionOf(definition, epk as Epk)).toBe(position);
  });

  test.each([
    ["V1", V1],
    ["V2", V2],
  ])("%s: the ranges of a fresh container are equally long", (_, definition) => {
    initialRanges(definition, 5).forEach(({ min, max }, index) => {
      expect(positionOf(definition, min)).toBeCloseTo(index / 5, 8);
      expect(positionOf(definition, max)).toBeCloseTo((index + 1) / 5, 8);
    });
  });
});

describe("boundaries", () => {
  test.each<[PartitionKeyDefinition, number, string]>([
    [V1, 0, ""],
    [V1, 0.5, "05C1E0"],
    [V1, 1, "FF"],
    [V2, 0, ""],
    [V2, 1 / 256, "00400000000000000000000000000000"],
    [V2, 0.75, "30000000000000000000000000000000"],
    [V2, 1, "FF"],
  ])("%#", (definition, position, boundary) => {
    expect(boundaryAt(definition, position)).toBe(boundary);
  });
});

describe("for all keys", () => {
  const anyDefinition = fc.constantFrom(V1, V2, LEVELS);
  const anyComponent = fc.oneof(
    fc.string({ unit: "binary", maxLength: 150 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, undefined),
  );
  const anyKey = fc.array(anyComponent, { maxLength: 2 });

  test("positions are below 1 and in the order of EPKs", () => {
    fc.assert(
      fc.property(anyDefinition, anyKey, anyKey, (definition, one, other) => {
        const [lower, upper] = [epkOf(definition, one), epkOf(definition, other)].sort();
        const from = positionOf(definition, lower!);
        const to = positionOf(definition, upper!);
        expect(from).toBeGreaterThanOrEqual(0);
        expect(from).toBeLessThanOrEqual(to);
        expect(to).toBeLessThan(1);
      }),
      { numRuns: 1000 },
    );
  });

  test("a boundary parts the keys before its position from the others", () => {
    const anyShare = fc.integer({ min: 0, max: 512 }).map((step) => step / 512);
    fc.assert(
      fc.property(anyDefinition, anyKey, anyShare, (definition, key, position) => {
        const epk = epkOf(definition, key);
        expect(epk >= boundaryAt(definition, position)).toBe(
          positionOf(definition, epk) >= position,
        );
      }),
      { numRuns: 1000 },
    );
  });

  test("version 1: the position is the hash", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 2 ** 32 - 1 }), (hash) => {
        expect(positionOf(V1, orderedNumberText(hash) as Epk)).toBe(hash / 2 ** 32);
      }),
      { numRuns: 1000 },
    );
  });
});
