/** What a query cost: sums are exact, and shares are those of all pages. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { ChargeShare, Explained } from "./explained.ts";
import { costRows, type FetchedPage, readToReturned, sumOfRu } from "./queryRun.ts";

function page(...partitions: readonly Partial<ChargeShare>[]): FetchedPage {
  const full = partitions.map((share) => ({
    ru: 0,
    items: 0,
    misses: 0,
    rows: 0,
    ms: 0,
    ...share,
  }));
  const explained = { charge: { ru: 0, parts: [], advice: [], partitions: full } };
  return {
    texts: [],
    rows: [],
    charge: sumOfRu(full.map(({ ru }) => ru)),
    explained: explained as unknown as Explained,
    continuation: undefined,
  };
}

test("pages add up by physical partition, the dearest first", () => {
  const rows = costRows([
    page({ id: "0", ru: 2.24, items: 3 }, { id: "1", ru: 0.1 }),
    page({ id: "1", ru: 5.2, items: 9, misses: 2, rows: 7 }, { others: 4, ru: 1 }),
  ]);
  expect(rows.map(({ name, ru, items }) => [name, ru, items])).toEqual([
    ["1", 5.3, 9],
    ["0", 2.24, 3],
    ["4 others", 1, 0],
  ]);
  expect(rows.reduce((sum, { share }) => sum + share, 0)).toBeCloseTo(1);
});

test("hundredths of RU add up exactly", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(1_000_000)), (hundredths) => {
      const whole = hundredths.reduce((sum, each) => sum + each, 0);
      expect(sumOfRu(hundredths.map((each) => each / 100))).toBe(whole / 100);
    }),
  );
});

test.each<[number, number, string]>([
  [5000, 12, "Read 5,000 items to return 12 rows: 417 for each row."],
  [1, 1, "Read 1 item to return 1 row: nothing in vain."],
  [9, 2, "Read 9 items to return 2 rows: 4.5 for each row."],
  [3, 0, "Read 3 items and returned none."],
  [0, 1, "Read no item; the index had the answer: 1 row."],
])("%i items for %i rows", (items, rows, words) => {
  expect(readToReturned(items, rows)).toBe(words);
});
