/** The partition map: one life of a map told step by step, then what holds for every life. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { Defect } from "../base/assert.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { assertTiles, contains, type Epk, epkRange, intersect, splitAt } from "./epkRange.ts";
import {
  byId,
  decodeMap,
  encodeMap,
  initialMap,
  overlapping,
  ownerOfEpk,
  type PartitionMap,
  rangeOfId,
  replaceEntries,
} from "./partitionMap.ts";

const V2: PartitionKeyDefinition = { paths: ["/pk"], kind: "Hash", version: 2 };
const HALF = "1FFFFFFFFFFFFFFFFFFFFFFFFFFFFFFF";
const QUARTER = "10" as Epk;

const fresh = initialMap(V2, 2, [7, 8]);
const afterSplit = split(fresh, "0", QUARTER, [9, 10]);
const afterMerge = merge(afterSplit, ["2", "3"], 11);

describe("the life of a map", () => {
  test("a fresh container has ids from 0 and no ancestors", () => {
    expect(fresh.version).toBe(1);
    expect(fresh.entries).toEqual([
      { id: "0", ordinal: 0, part: 7, range: { min: "", max: HALF }, parents: [] },
      { id: "1", ordinal: 1, part: 8, range: { min: HALF, max: "FF" }, parents: [] },
    ]);
  });

  test("a split retires the parent and gives its children the next ids", () => {
    expect(afterSplit.version).toBe(2);
    expect(afterSplit.entries).toEqual([
      { id: "2", ordinal: 2, part: 9, range: { min: "", max: QUARTER }, parents: ["0"] },
      { id: "3", ordinal: 3, part: 10, range: { min: QUARTER, max: HALF }, parents: ["0"] },
      { id: "1", ordinal: 1, part: 8, range: { min: HALF, max: "FF" }, parents: [] },
    ]);
  });

  test("a merge descends from both sides, each ancestor named once", () => {
    expect(afterMerge.version).toBe(3);
    expect(afterMerge.entries.map(({ id, parents }) => [id, parents])).toEqual([
      ["4", ["0", "2", "3"]],
      ["1", []],
    ]);
  });

  test("retired ids keep their ranges", () => {
    expect(byId(afterMerge, "0")).toBeUndefined();
    expect(rangeOfId(afterMerge, "0")).toEqual({ min: "", max: HALF });
    expect(rangeOfId(afterMerge, "3")).toEqual({ min: QUARTER, max: HALF });
    expect(rangeOfId(afterMerge, "1")).toEqual({ min: HALF, max: "FF" });
    expect(rangeOfId(afterMerge, "5")).toBeUndefined();
  });

  test("earlier maps stay as they were", () => {
    expect(fresh.entries.map((entry) => entry.id)).toEqual(["0", "1"]);
    expect(fresh.retired).toEqual([]);
  });

  test("keys and ranges find their entries", () => {
    expect(ownerOfEpk(afterSplit, "" as Epk).id).toBe("2");
    expect(ownerOfEpk(afterSplit, QUARTER).id).toBe("3");
    expect(ownerOfEpk(afterSplit, "3FFF" as Epk).id).toBe("1");
    const around = overlapping(afterSplit, epkRange("0F" as Epk, HALF as Epk));
    expect(around.map((entry) => entry.id)).toEqual(["2", "3"]);
  });
});

describe("changes that are defects", () => {
  const [left, right] = splitAt(fresh.entries[0]!.range, QUARTER);

  test.each([
    ["an unknown id", ["7"], [{ part: 9, range: left }]],
    ["an id named twice", ["0", "0"], [{ part: 9, range: left }]],
    ["nothing removed", [], []],
    ["nothing added", ["0"], []],
    ["a gap", ["0"], [{ part: 9, range: left }]],
    [
      "an overlap",
      ["0"],
      [
        { part: 9, range: fresh.entries[0]!.range },
        { part: 10, range: right },
      ],
    ],
    [
      "a shared part",
      ["0"],
      [
        { part: 9, range: left },
        { part: 8, range: right },
      ],
    ],
  ])("%s", (_, removed, added) => {
    expect(() => replaceEntries(fresh, removed, added)).toThrow(Defect);
  });

  test("a retired id", () => {
    const added = [{ part: 12, range: fresh.entries[0]!.range }];
    expect(() => replaceEntries(afterSplit, ["0"], added)).toThrow(Defect);
  });
});

describe("a map on disk", () => {
  const encoded = encodeMap(afterSplit);
  const [first, ...others] = encoded["entries"] as readonly JsonObject[];
  const [retired] = encoded["retired"] as readonly JsonObject[];

  test.each<[string, JsonValue]>([
    ["not an object", []],
    ["no version", { ...encoded, version: null }],
    ["a negative ordinal", { ...encoded, nextOrdinal: -1 }],
    ["no entries", { ...encoded, entries: {} }],
    ["an entry that is no object", { ...encoded, entries: [1] }],
    ["a missing entry", { ...encoded, nextOrdinal: 3, entries: others }],
    ["a gap", { ...encoded, entries: [{ ...first, max: "0F" }, ...others] }],
    ["a bound that is no EPK", { ...encoded, entries: [{ ...first, max: "x" }, ...others] }],
    ["entries out of order", { ...encoded, entries: [...others, first!] }],
    ["an id twice", { ...encoded, entries: [{ ...first, ordinal: 3 }, ...others] }],
    ["an id from the future", { ...encoded, entries: [{ ...first, ordinal: 9 }, ...others] }],
    ["a part twice", { ...encoded, entries: [{ ...first, part: 10 }, ...others] }],
    ["a live ancestor", { ...encoded, entries: [{ ...first, parents: ["1"] }, ...others] }],
    ["an ancestor that is no id", { ...encoded, entries: [{ ...first, parents: [0] }, ...others] }],
    ["a forgotten id", { ...encoded, retired: [] }],
    ["a retired id that is no ordinal", { ...encoded, retired: [{ ...retired, id: "00" }] }],
    ["an empty retired range", { ...encoded, retired: [{ ...retired, max: "" }] }],
  ])("with %s is refused", (_, damaged) => {
    expect(decodeMap(damaged).ok).toBe(false);
  });
});

describe("for all lives of a map", () => {
  /** Each number takes one step: it cuts the entry it picks, or joins it to its right neighbour. */
  const anyLife = fc.array(fc.tuple(fc.boolean(), fc.nat(), fc.nat(0x3fffffff)), { maxLength: 12 });
  const anyMap = fc.tuple(fc.integer({ min: 1, max: 5 }), anyLife).map(([count, life]) => {
    let map = initialMap(
      V2,
      count,
      Array.from({ length: count }, (_, index) => index + 100),
    );
    let nextPart = 1000;
    for (const [isSplit, pick, point] of life) {
      const position = pick % map.entries.length;
      const chosen = map.entries[position]!;
      const neighbour = map.entries[position + 1];
      const boundary = epkAt(point);
      if (!isSplit && neighbour !== undefined) {
        map = merge(map, [chosen.id, neighbour.id], nextPart++);
      } else if (chosen.range.min < boundary && boundary < chosen.range.max) {
        map = split(map, chosen.id, boundary, [nextPart++, nextPart++]);
      }
    }
    return map;
  });
  const anyEpk = fc.nat(0x3fffffff).map(epkAt);

  test("the ranges tile, and each key has the one owner that contains it", () => {
    fc.assert(
      fc.property(anyMap, anyEpk, (map, epk) => {
        assertTiles(map.entries.map((entry) => entry.range));
        const owners = map.entries.filter((entry) => contains(entry.range, epk));
        expect([ownerOfEpk(map, epk)]).toEqual(owners);
      }),
    );
  });

  test("the entries that overlap a range are those that share a key with it", () => {
    fc.assert(
      fc.property(anyMap, anyEpk, anyEpk, (map, a, b) => {
        fc.pre(a !== b);
        const asked = a < b ? epkRange(a, b) : epkRange(b, a);
        const expected = map.entries.filter(({ range }) => intersect(range, asked) !== undefined);
        expect(overlapping(map, asked)).toEqual(expected);
      }),
    );
  });

  test("whoever owned a key before its owner is an ancestor of that owner, named once", () => {
    fc.assert(
      fc.property(anyMap, anyEpk, (map, epk) => {
        const { parents } = ownerOfEpk(map, epk);
        const formerOwners = map.retired.filter(({ range }) => contains(range, epk));
        expect(parents).toEqual(expect.arrayContaining(formerOwners.map(({ id }) => id)));
        expect(new Set(parents).size).toBe(parents.length);
      }),
    );
  });

  test("a map survives the disk", () => {
    fc.assert(
      fc.property(anyMap, (map) => {
        const text = JSON.stringify(encodeMap(map));
        expect(decodeMap(JSON.parse(text))).toEqual({ ok: true, value: map });
      }),
    );
  });

  test("any JSON is a map or a refusal", () => {
    fc.assert(fc.property(fc.jsonValue(), (value) => void decodeMap(value as JsonValue)));
  });
});

function split(
  map: PartitionMap,
  id: string,
  boundary: Epk,
  [leftPart, rightPart]: readonly [number, number],
): PartitionMap {
  const [left, right] = splitAt(byId(map, id)!.range, boundary);
  return replaceEntries(
    map,
    [id],
    [
      { part: leftPart, range: left },
      { part: rightPart, range: right },
    ],
  );
}

function merge(map: PartitionMap, ids: readonly [string, string], part: number): PartitionMap {
  const [left, right] = [byId(map, ids[0])!.range, byId(map, ids[1])!.range];
  return replaceEntries(map, ids, [{ part, range: epkRange(left.min, right.max) }]);
}

function epkAt(point: number): Epk {
  return point.toString(16).toUpperCase().padStart(8, "0") as Epk;
}
