/** The even ranges of a fresh container. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";
import { assertTiles, contains } from "./epkRange.ts";
import { initialRanges } from "./initialRanges.ts";

const V1: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 1 };
const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const LEVELS: PartitionKeyDefinition = { paths: ["/a", "/b"], kind: "MultiHash", version: 2 };

describe("boundaries", () => {
  test.each([
    ["V1", V1, 1, []],
    ["V1", V1, 2, ["05C1DFFFFFFFFC"]],
    ["V1", V1, 5, ["05C1C9CD673398", "05C1D9CD673398", "05C1E399CD6732", "05C1E9CD673398"]],
    ["V2", V2, 1, []],
    ["V2", V2, 2, ["1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"]],
    ["V2", V2, 3, ["15555555555555555555555555555555", "2AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"]],
    ["MultiHash", LEVELS, 2, ["1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF"]],
  ])("%s: %#", (_, definition, count, boundaries) => {
    const ranges = initialRanges(definition, count);
    expect(ranges.map((range) => range.min)).toEqual(["", ...boundaries]);
    expect(ranges.map((range) => range.max)).toEqual([...boundaries, "FF"]);
  });

  test.each([0, -1, 1.5])("%d ranges are a defect", (count) => {
    expect(() => initialRanges(V2, count)).toThrow(Defect);
  });
});

describe("for all keys and counts", () => {
  const anyDefinition = fc.constantFrom(V1, V2, LEVELS);
  const anyComponent = fc.oneof(
    fc.string({ unit: "binary", maxLength: 150 }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom(true, false, null, undefined),
  );

  test("the ranges tile, and an EPK lies in exactly one of them", () => {
    const anyKey = fc.array(anyComponent, { maxLength: 2 });
    fc.assert(
      fc.property(anyDefinition, fc.integer({ min: 1, max: 200 }), anyKey, (definition, n, key) => {
        const ranges = initialRanges(definition, n);
        assertTiles(ranges);
        const epk = epkOf(definition, key);
        expect(ranges.filter((range) => contains(range, epk))).toHaveLength(1);
      }),
    );
  });

  test.each([
    ["V1", V1],
    ["V2", V2],
  ])("%s shares many keys evenly", (_, definition) => {
    const ranges = initialRanges(definition, 4);
    const counts = ranges.map(() => 0);
    for (let user = 0; user < 4000; user++) {
      const epk = epkOf(definition, [`user-${user}`]);
      counts[ranges.findIndex((range) => contains(range, epk))]! += 1;
    }
    for (const count of counts) expect(Math.abs(count - 1000)).toBeLessThan(150);
  });
});
