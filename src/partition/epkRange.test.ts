/** Ranges: the rules in tables, then what must hold for all ranges and keys. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import type { KeyComponent, PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";
import {
  assertTiles,
  contains,
  type Epk,
  type EpkRange,
  epkRange,
  intersect,
  ownerOf,
  parseEpk,
  prefixRange,
  rangeOfKey,
  splitAt,
  tilingProblem,
  WHOLE_RANGE,
} from "./epkRange.ts";

const range = (min: string, max: string): EpkRange => epkRange(min as Epk, max as Epk);

describe("reading an EPK", () => {
  test.each([
    ["", ""],
    ["FF", "FF"],
    ["05C1DFFFFFFFFC", "05C1DFFFFFFFFC"],
    ["1fffFFff", "1FFFFFFF"],
    ["F", undefined],
    ["FF00", undefined],
    ["ff00", undefined],
    ["0G", undefined],
    [" 00 ", undefined],
    ["00\n", undefined],
    ["0x00", undefined],
  ])("%j reads as %j", (text, epk) => {
    expect(parseEpk(text)).toBe(epk);
  });
});

describe("ranges", () => {
  test("hold their lower bound and not their upper one", () => {
    expect(contains(range("10", "20"), "10" as Epk)).toBe(true);
    expect(contains(range("10", "20"), "1FFF" as Epk)).toBe(true);
    expect(contains(range("10", "20"), "20" as Epk)).toBe(false);
  });

  test("are never empty", () => {
    expect(() => range("10", "10")).toThrow(Defect);
    expect(() => splitAt(range("10", "20"), "10" as Epk)).toThrow(Defect);
    expect(() => splitAt(range("10", "20"), "20" as Epk)).toThrow(Defect);
  });

  test("that only touch share nothing", () => {
    expect(intersect(range("", "10"), range("10", "FF"))).toBeUndefined();
    expect(intersect(range("", "20"), range("10", "FF"))).toEqual(range("10", "20"));
  });

  test.each([
    ["nothing", [], 'the ranges end at ""'],
    ["an early end", [range("", "20")], 'the ranges end at "20"'],
    ["a late start", [range("20", "FF")], 'a range starts at "20" where "" was expected'],
    [
      "a gap",
      [range("", "10"), range("20", "FF")],
      'a range starts at "20" where "10" was expected',
    ],
    [
      "an overlap",
      [range("", "20"), range("10", "FF")],
      'a range starts at "10" where "20" was expected',
    ],
    ["an empty range", [{ ...WHOLE_RANGE, max: "" as Epk }], 'the range at "" is empty'],
  ])("with %s do not tile the key space", (_, ranges, problem) => {
    expect(tilingProblem(ranges)).toBe(problem);
    expect(() => assertTiles(ranges)).toThrow(Defect);
  });
});

const V1: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 1 };
const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const SYSTEM: PartitionKeyDefinition = {
  paths: ["/_partitionKey"],
  kind: "Hash",
  version: 2,
  systemKey: true,
};
const LEVELS: PartitionKeyDefinition = { paths: ["/a", "/b", "/c"], kind: "MultiHash", version: 2 };

describe("the range of a key", () => {
  test.each([
    ["a full V1 key", V1, [null], "05C1ED45D7475601", "05C1ED45D747560100"],
    [
      "a full V2 key",
      V2,
      ["a"],
      "3A5381E1114EB8D3FCC90795045B49B7",
      "3A5381E1114EB8D3FCC90795045B49B700",
    ],
    [
      "a hierarchical prefix",
      LEVELS,
      ["a"],
      "3A5381E1114EB8D3FCC90795045B49B7",
      "3A5381E1114EB8D3FCC90795045B49B7FF",
    ],
    ["no components at all", LEVELS, [], "", "FF"],
    ["no value in a container without a partition key", SYSTEM, [], "", "00"],
  ])("%s", (_, definition, key, min, max) => {
    expect(rangeOfKey(definition, key)).toEqual({ min, max });
  });
});

describe("for all ranges and keys", () => {
  /** Few and short, so that bounds and keys often meet. */
  const anyEpk = fc
    .array(fc.constantFrom("00", "01", "3F", "40", "FE"), { maxLength: 3 })
    .map((bytes) => bytes.join("") as Epk);
  const anyRange = fc
    .tuple(anyEpk, fc.oneof(anyEpk, fc.constant("FF" as Epk)))
    .filter(([a, b]) => a !== b)
    .map(([a, b]) => (a < b ? epkRange(a, b) : epkRange(b, a)));
  const anyComponent = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.constantFrom<KeyComponent[]>(true, false, null, undefined),
  );

  test("an intersection holds what both ranges hold", () => {
    fc.assert(
      fc.property(anyRange, anyRange, anyEpk, (a, b, epk) => {
        const shared = intersect(a, b);
        const isInShared = shared !== undefined && contains(shared, epk);
        expect(isInShared).toBe(contains(a, epk) && contains(b, epk));
        expect(intersect(b, a)).toEqual(shared);
      }),
    );
  });

  test("the owner in any tiling is the one range that contains the key", () => {
    const anyCuts = fc.uniqueArray(anyEpk.filter((epk) => epk !== ""));
    fc.assert(
      fc.property(anyCuts, anyEpk, (cuts, epk) => {
        const bounds = ["" as Epk, ...cuts.sort(), "FF" as Epk];
        const tiling = bounds.slice(1).map((max, index) => epkRange(bounds[index]!, max));
        assertTiles(tiling);
        const owners = tiling.flatMap((each, index) => (contains(each, epk) ? [index] : []));
        expect([ownerOf(tiling, epk)]).toEqual(owners);
      }),
    );
  });

  test("the range of a full key holds its EPK and no neighbour", () => {
    const anyKey = fc.tuple(fc.constantFrom(V1, V2), anyComponent);
    fc.assert(
      fc.property(anyKey, anyComponent, anyEpk, ([definition, component], other, tail) => {
        const epk = epkOf(definition, [component]);
        const own = rangeOfKey(definition, [component]);
        expect(contains(own, epk)).toBe(true);
        const otherEpk = epkOf(definition, [other]);
        expect(contains(own, otherEpk)).toBe(otherEpk === epk);
        const extended = (epk + tail) as Epk;
        expect(contains(own, extended)).toBe(tail === "");
      }),
    );
  });

  test("a hierarchical prefix covers its extensions and no other key", () => {
    const few = fc.constantFrom<KeyComponent[]>("a", "b", 1, null, undefined);
    fc.assert(
      fc.property(
        fc.array(few, { minLength: 1, maxLength: 2 }),
        fc.tuple(few, few, few),
        (prefix, key) => {
          const isUnder = prefix.every((component, level) => component === key[level]);
          const covered = rangeOfKey(LEVELS, prefix);
          expect(covered).toEqual(prefixRange(epkOf(LEVELS, prefix)));
          expect(contains(covered, epkOf(LEVELS, key))).toBe(isUnder);
          const full = rangeOfKey(LEVELS, key);
          expect(intersect(covered, full)).toEqual(isUnder ? full : undefined);
        },
      ),
    );
  });
});
