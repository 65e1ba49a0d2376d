/** What is said of a query before it runs: whom it will ask, and about what it will cost. */
import { expect, test } from "vitest";
import { priceWords, reachWords } from "./estimateWords.ts";

const ALL = {
  keys: "all",
  keyCount: 0,
  keyPaths: ["/customerId"],
  partitionIds: ["0", "1"],
  partitionCount: 2,
} as const;

test("says which physical partitions are asked, and why", () => {
  expect(reachWords({ reach: ALL })).toBe("No filter on /customerId → all 2 physical partitions.");
  expect(reachWords({ reach: { ...ALL, partitionIds: ["0"], partitionCount: 1 } })).toBe(
    "No filter on /customerId → the one physical partition.",
  );
  const one = { ...ALL, keys: "some", keyCount: 1, partitionIds: ["1"] } as const;
  expect(reachWords({ reach: one })).toBe(
    "1 key of /customerId → 1 of 2 physical partitions (partition 1).",
  );
  expect(reachWords({ reach: { ...ALL, keys: "none", partitionIds: [] } })).toContain("nothing");
});

test("an estimate is called one, and says how far it may be off", () => {
  const price = { ru: 5, lowRu: 4, highRu: 7.5, matchCount: 20, sampledCount: 10, heldCount: 100 };
  expect(priceWords({ reach: ALL, price })).toBe(
    "Estimate: about 5.00 RU for all pages. By 10 of about 100 items in reach, about 20 items " +
      "would pass; it may be from 4.00 to 7.50 RU.",
  );
  expect(priceWords({ reach: ALL, price: { ...price, sampledCount: 100 } })).toContain(
    "All 100 items in reach were looked at.",
  );
  expect(priceWords({ reach: ALL, price: { ...price, sampledCount: 0 } })).toContain(
    "No item in reach was among those looked at",
  );
  expect(priceWords({ reach: ALL, reason: "no." })).toBe("No estimate of the price: no.");
});
