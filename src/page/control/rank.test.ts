/** Which title somebody means who has typed a few letters. */
import { expect, test } from "vitest";
import { ranked } from "./rank.ts";

const TITLES = [
  "Overview",
  "Explorer",
  "Partitions",
  "shop/orders",
  "shop/orders-by-item",
  "Settings",
];

test.each<[string, readonly string[]]>([
  ["", TITLES],
  ["ord", ["shop/orders", "shop/orders-by-item"]],
  ["over", ["Overview"]],
  ["so", ["shop/orders", "shop/orders-by-item"]],
  ["SHOP/ORDERS-", ["shop/orders-by-item"]],
  ["p", ["Partitions", "Explorer", "shop/orders", "shop/orders-by-item"]],
  ["zz", []],
])("'%s' finds %j", (typed, found) => {
  expect(ranked(typed, TITLES, (title) => title)).toEqual(found);
});
