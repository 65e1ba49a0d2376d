/** The cache remembers what is asked for, within its bounds, until it is cleared. */
import { expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { StoredItem } from "../partitionStore.ts";
import { ItemCache } from "./itemCache.ts";

function itemOf(number: number): StoredItem {
  return { key: `k${number}`, number, lsn: lsn(1), tag: 0, body: Buffer.alloc(96, number) };
}

test("what was put is found, with its own copy of the body", () => {
  const cache = new ItemCache(10_000);
  const item = itemOf(1);
  cache.put("a", item);
  item.body.fill(9);
  expect(cache.get("a")?.body[0]).toBe(1);
  expect(cache.get("b")).toBeUndefined();
});

test("what is asked for stays, what is not goes, and memory stays bounded", () => {
  const cache = new ItemCache(2000);
  cache.put("hot", itemOf(1));
  for (let number = 2; number < 200; number++) {
    cache.put(`cold ${number}`, itemOf(number));
    expect(cache.get("hot")?.number).toBe(1);
  }
  const kept = Array.from({ length: 200 }, (_, n) => cache.get(`cold ${n}`)).filter(Boolean);
  expect(kept.length).toBeLessThan(25);
});

test("clearing forgets everything", () => {
  const cache = new ItemCache(10_000);
  cache.put("a", itemOf(1));
  cache.clear();
  expect(cache.get("a")).toBeUndefined();
});
