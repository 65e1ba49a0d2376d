/** The strip: key order, widths that add up, keys inside their partitions. */
import { describe, expect, test } from "vitest";
import { keyLineOf, keyText, ownerIndexOf, placeText } from "./keyPlace.ts";
import { keyRows } from "./keyRows.ts";
import { layoutMarks, visibleWidths, WIDTHS } from "./layoutMarks.ts";
import { GB, load, logical, partition, report } from "./sampleReport.fake.ts";

const TWO = [
  partition(0, 2, { itemBytes: 3 * GB, itemCount: 10, lastFiveMinutes: load({ ru: 500 }) }),
  partition(1, 2, { itemBytes: GB, itemCount: 30, lastFiveMinutes: load({ ru: 500 }) }),
];
const KEYS = {
  bySize: [logical("a", "0", { itemBytes: 1.5 * GB }), logical("b", "1", { itemBytes: GB })],
  byLoad: [logical("b", "1", { ru: 400 })],
};

describe("the strip", () => {
  test.each([
    ["keySpace", 0.5],
    ["bytes", 0.75],
    ["items", 0.25],
    ["load", 0.5],
  ] as const)("by %s", (by, first) => {
    expect(layoutMarks(TWO, KEYS, by)[0]!.width).toBeCloseTo(first);
  });

  test("fills itself and stays in order with 200 partitions and a thousand keys", () => {
    const many = Array.from({ length: 200 }, (_, index) =>
      partition(index, 200, { itemBytes: index === 7 ? 50 * GB : 0 }),
    );
    const keys = Array.from({ length: 1000 }, (_, index) => logical(`k${index}`, `${index % 200}`));
    for (const by of WIDTHS) {
      const marks = layoutMarks(many, { bySize: keys, byLoad: keys }, by);
      expect(marks.map(({ partition: { id } }) => Number(id))).toEqual([...many.keys()]);
      const last = marks.at(-1)!;
      expect(last.from + last.width).toBeCloseTo(1);
      expect(Math.min(...marks.map(({ width }) => width))).toBeGreaterThanOrEqual(0.001);
      expect(marks.flatMap((mark) => mark.keys).length).toBeLessThanOrEqual(600);
    }
  });

  test("keys stand largest first, inside their partition; heat is their share of the allotment", () => {
    const [first, second] = layoutMarks(TWO, KEYS, "bytes");
    expect(first!.keys.map(({ from, width }) => [from, width])).toEqual([[0, 0.5]]);
    expect(second!.keys[0]!.width).toBe(1);
    const [, loaded] = layoutMarks(TWO, KEYS, "load");
    expect(loaded!.keys[0]).toMatchObject({ width: 0.8, step: 1 });
    const busy = [TWO[0]!, { ...TWO[1]!, lastFiveMinutes: load({ ru: 300_000 }) }];
    const [, full] = layoutMarks(
      busy,
      { ...KEYS, byLoad: [logical("b", "1", { ru: 240_000 })] },
      "load",
    );
    expect(full!.keys[0]).toMatchObject({ width: 0.8, step: 8 });
  });

  test("no weight at all makes all alike", () => {
    expect(visibleWidths([0, 0])).toEqual([0.5, 0.5]);
  });
});

describe("places", () => {
  test("hashes of the second version lie evenly between 00 and 40", () => {
    const { place, isEven } = keyLineOf(TWO);
    expect([isEven, place(""), place("20"), place("FF")]).toEqual([true, 0, 0.5, 1]);
  });

  test("those of the first version are drawn alike", () => {
    const old = [
      { id: "0", min: "", max: "05C1A" },
      { id: "1", min: "05C1A", max: "05C1F" },
      { id: "2", min: "05C1F", max: "FF" },
    ];
    const { place, isEven } = keyLineOf(old);
    expect(isEven).toBe(false);
    expect([place(""), place("05C1A"), place("05C1B"), place("FF")]).toEqual([0, 1 / 3, 0.5, 1]);
  });

  test("keys and places have names", () => {
    expect(keyText({ epk: "1", partitionKey: ["a"] })).toBe('"a"');
    expect(keyText({ epk: "1", partitionKey: ["a", 5] })).toBe('["a", 5]');
    expect(keyText({ epk: "0123456789" })).toBe("EPK 01234567…");
    expect([placeText(0.375), placeText(1)]).toEqual(["37.5 %", "100 %"]);
    expect([
      ownerIndexOf(TWO, "00"),
      ownerIndexOf(TWO, "20000000"),
      ownerIndexOf(TWO, "FF"),
    ]).toEqual([0, 1, 1]);
  });
});

describe("the state of a key", () => {
  const full = partition(0, 1, {
    lastFiveMinutes: load({ ru: 1000, requestCount: 10, throttledCount: 1 }),
  });
  test.each<[string, Parameters<typeof logical>[2], string | undefined]>([
    ["the first of a calm partition is only first", { ru: 100 }, undefined],
    ["hot is who fills a full partition", { ru: 900 }, "hot"],
    ["nearly full", { itemBytes: 17 * GB }, "nearly full"],
    ["full", { itemBytes: 20 * GB, ru: 900 }, "full"],
  ])("%s", (_case, more, word) => {
    const [row] = keyRows(report([full]), [logical("a", "0", more)]);
    expect(row!.word).toBe(word);
  });

  test("a rank alone is no state", () => {
    const calm = partition(0, 1, { lastFiveMinutes: load({ ru: 1000, requestCount: 10 }) });
    const [row] = keyRows(report([calm]), [logical("a", "0", { ru: 1000 })]);
    expect(row).toMatchObject({ loadShare: 1, wholeShare: 1 });
    expect(row!.word).toBeUndefined();
  });
});
