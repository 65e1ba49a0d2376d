/** Paths that could be a key, with the figures that tell good ones from bad ones. */
import { expect, test } from "vitest";
import { keyProposals, proposalWords } from "./keyProposals.ts";

const ITEMS = Array.from({ length: 40 }, (_, at) => ({
  id: `o${at}`,
  _etag: "x",
  customer: { id: `c${at % 8}`, tags: ["a"] },
  category: at < 30 ? "toys" : "books",
  type: "order",
  ...(at > 0 && { coupon: "FREE" }),
  note: at % 2 === 0 ? null : "n",
  price: 1.5 + at,
}));

test("shared and even values first, then unique ones, then one value for all", () => {
  expect(keyProposals(ITEMS, 9).map(({ path, valueCount }) => [path, valueCount])).toEqual([
    ["/customer/id", 8],
    ["/category", 2],
    ["/id", 40],
    ["/type", 1],
  ]);
  expect(keyProposals(ITEMS, 2)).toHaveLength(2);
});

test("no item, no proposal; names that would need quotes are left out", () => {
  expect(keyProposals([], 5)).toEqual([]);
  expect(keyProposals([{ "a/b": 1, 'q"': 2, ok: true }], 5).map(({ path }) => path)).toEqual([
    "/ok",
  ]);
});

test.each([
  ["/customer/id", "the largest has 13 %"],
  ["/category", "the largest has 75 %: uneven"],
  ["/id", "every item by itself: no two are ever together"],
  ["/type", "one value: everything would lie together"],
])("%s: %s", (path, words) => {
  const proposal = keyProposals(ITEMS, 9).find((each) => each.path === path)!;
  expect(proposalWords(proposal)).toBe(words);
});
