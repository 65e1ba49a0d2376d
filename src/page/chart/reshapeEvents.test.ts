/** Splits and merges above a chart, and since when two neighbours have been apart. */
import { expect, test } from "vitest";
import { cutAt, jobEvents, rateEvents } from "./reshapeEvents.ts";

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
  expect(jobEvents({ jobs: [SPLIT, MERGE, ELSEWHERE], copies: [] }, SHOP)).toEqual([
    { at: 5000, text: "split 1 → 3, 4" },
    { at: 9000, text: "merge 0, 3" },
  ]);
});

test("a copy is an event of its source and of its target, a dry run of neither", () => {
  const target = { ...SHOP, container: "orders2" };
  const copy = {
    id: "c1",
    source: SHOP,
    target,
    startedAt: 1000,
    endedAt: 9000,
    state: "reverted",
    asked: {},
    cutOver: { at: 5000 },
  };
  const planned = { ...copy, id: "c2", asked: { isDryRun: true } };
  for (const about of [SHOP, target]) {
    expect(jobEvents({ jobs: [], copies: [copy, planned] }, about)).toEqual([
      { at: 1000, text: "copy c1 began" },
      { at: 5000, text: "copy c1 cut over" },
      { at: 9000, text: "copy c1 reverted" },
    ]);
  }
  expect(jobEvents({ jobs: [], copies: [copy] }, { ...SHOP, container: "carts" })).toEqual([]);
});

test("changes of the rate are events, and nobody has to tell of any", () => {
  expect(rateEvents([{ at: 3000, from: 400, to: 12_000 }])).toEqual([
    { at: 3000, text: "rate 400 → 12,000 RU/s" },
  ]);
  expect(rateEvents(undefined)).toEqual([]);
});

test("halves of a split are apart since it ended", () => {
  const jobs = [MERGE, SPLIT];
  expect(cutAt(jobs, SHOP, ["3", "4"])).toBe(7000);
  expect(cutAt(jobs, SHOP, ["0", "3"])).toBeUndefined();
  expect(cutAt([ELSEWHERE], SHOP, ["3", "4"])).toBeUndefined();
});
