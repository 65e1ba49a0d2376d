/** Splits and merges above a chart, and since when two neighbours have been apart. */
import { expect, test } from "vitest";
import { cutAt, reshapeEvents } from "./reshapeEvents.ts";

const SHOP = { database: "shop", container: "orders" };
const SPLIT = {
  ...SHOP,
  startedAt: 5000,
  kind: "split",
  partitionIds: ["1"],
  outcome: { state: "done", seconds: 2, newPartitionIds: ["3", "4"] },
};
const MERGE = { ...SHOP, startedAt: 9000, kind: "merge", partitionIds: ["0", "3"] };
const ELSEWHERE = { ...SPLIT, container: "carts" };

test("events of the container, those under way too", () => {
  expect(reshapeEvents([SPLIT, MERGE, ELSEWHERE], SHOP)).toEqual([
    { at: 5000, text: "split 1 → 3, 4" },
    { at: 9000, text: "merge 0, 3" },
  ]);
});

test("halves of a split are apart since it ended", () => {
  const jobs = [MERGE, SPLIT];
  expect(cutAt(jobs, SHOP, ["3", "4"])).toBe(7000);
  expect(cutAt(jobs, SHOP, ["0", "3"])).toBeUndefined();
  expect(cutAt([ELSEWHERE], SHOP, ["3", "4"])).toBeUndefined();
});
