/** First the cuts that anybody can check by hand, then what must hold for all of them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import { epkOf } from "./epk.ts";
import type { Epk } from "./epkRange.ts";
import { contains, epkRange, splitAt, WHOLE_RANGE } from "./epkRange.ts";
import { initialRanges } from "./initialRanges.ts";
import { initialMap } from "./partitionMap.ts";
import type { LogicalSize } from "./splitPlan.ts";
import { medianCut, middleCut, widestEntry, widthOf } from "./splitPlan.ts";

const V2: PartitionKeyDefinition = { kind: "Hash", version: 2, paths: ["/pk"] };
const V1: PartitionKeyDefinition = { kind: "Hash", version: 1, paths: ["/pk"] };
const MULTI: PartitionKeyDefinition = { kind: "MultiHash", version: 2, paths: ["/a", "/b"] };

const sizesOf = (text: string): LogicalSize[] =>
  text.split(" ").map((entry) => {
    const [epk, bytes] = entry.split(":");
    return { epk: epk as Epk, bytes: Number(bytes) };
  });

describe("the cut by storage", () => {
  test.each([
    ["two of the same size", "05:10 20:10", "20"],
    ["the larger half is a single one", "05:90 20:10", "20"],
    ["the larger half comes last", "05:10 20:10 30:100", "30"],
    ["whole logical partitions only", "05:10 11:50 20:10 30:10", "20"],
    ["of two cuts alike the first", "05:10 11:10 20:10", "11"],
  ])("%s", (_rule, text, expected) => {
    const sizes = sizesOf(text);
    const total = sizes.reduce((sum, { bytes }) => sum + bytes, 0);
    expect(medianCut(sizes, total)).toBe(expected);
  });

  test("one logical partition has none", () => {
    expect(medianCut(sizesOf("05:100"), 100)).toBeUndefined();
    expect(medianCut([], 0)).toBeUndefined();
  });

  test("is as even as any cut between logical partitions", () => {
    const anySizes = fc.array(fc.integer({ min: 1, max: 1000 }), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(anySizes, (bytes) => {
        const sizes = bytes.map((size, index) => ({ epk: epkAt(index), bytes: size }));
        const total = bytes.reduce((sum, size) => sum + size, 0);
        const unevenness = (cut: number): number => {
          const left = bytes.slice(0, cut).reduce((sum, size) => sum + size, 0);
          return Math.abs(total - 2 * left);
        };
        const cut = sizes.findIndex(({ epk }) => epk === medianCut(sizes, total));
        const all = bytes.slice(1).map((_, index) => unevenness(index + 1));
        expect(unevenness(cut)).toBe(Math.min(...all));
      }),
    );
  });
});

describe("the cut by throughput", () => {
  test("halves the whole space where two partitions of a new container would meet", () => {
    for (const definition of [V2, MULTI]) {
      const [, second] = initialRanges(definition, 2);
      const cut = middleCut(definition, WHOLE_RANGE)!;
      expect(cut.slice(0, 16)).toBe(
        // The space has an even number of hashes: its middle is one above half of the largest.
        (BigInt(`0x${second!.min.slice(0, 16)}`) + 1n).toString(16).toUpperCase().padStart(16, "0"),
      );
    }
    expect(middleCut(V1, WHOLE_RANGE)! >= initialRanges(V1, 2)[1]!.min).toBe(true);
  });

  test("a single logical partition has no middle", () => {
    const epk = epkOf(V2, ["x"]);
    expect(middleCut(V2, epkRange(epk, `${epk}00` as Epk))).toBeUndefined();
  });

  test("falls below a prefix when a range is one", () => {
    const prefix = epkOf(MULTI, ["tenant"]);
    const range = epkRange(prefix, `${prefix}FF` as Epk);
    expect(middleCut(MULTI, range)).toBe(`${prefix}20${"0".repeat(30)}`);
  });

  test.each([
    ["V2", V2],
    ["V1", V1],
    ["hierarchical", MULTI],
  ] as const)("halves again and again: %s", (_name, definition) => {
    let range = WHOLE_RANGE;
    for (let depth = 0; depth < 20; depth++) {
      const width = widthOf(definition, range);
      const halves = splitAt(range, middleCut(definition, range)!);
      for (const half of halves) {
        expect(widthOf(definition, half) / width).toBeCloseTo(0.5, 3);
      }
      range = halves[depth % 2]!;
    }
  });

  test("keys fall evenly on both sides", () => {
    for (const definition of [V2, V1]) {
      const [left] = splitAt(WHOLE_RANGE, middleCut(definition, WHOLE_RANGE)!);
      const keys = Array.from({ length: 2000 }, (_, index) => epkOf(definition, [`key ${index}`]));
      const count = keys.filter((epk) => contains(left, epk)).length;
      expect(Math.abs(count - 1000)).toBeLessThan(120);
    }
  });
});

describe("the next to be cut", () => {
  test("is the widest, and of equals the oldest", () => {
    const three = initialMap(V2, 3, [1, 2, 3]);
    expect(widestEntry(V2, three.entries).id).toBe("0");
    const [first, second] = three.entries;
    const [left] = splitAt(first!.range, middleCut(V2, first!.range)!);
    const narrowed = [{ ...first!, range: left }, second!, three.entries[2]!];
    expect(widestEntry(V2, narrowed).id).toBe("1");
  });
});

function epkAt(index: number): Epk {
  return index.toString(16).toUpperCase().padStart(8, "0") as Epk;
}
