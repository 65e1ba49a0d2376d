/** Sums by hash, beside a map. */
import { expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import { HashedSums, hashOf } from "./hashedSums.ts";

test("sums are those of a map, however many there are", () => {
  const random = seededRandom(5);
  const sums = new HashedSums();
  const naive = new Map<number, number>();
  for (let turn = 0; turn < 20_000; turn++) {
    const hash = hashOf(String(Math.floor(random.next() * 5000)));
    const amount = Math.floor(random.next() * 100);
    naive.set(hash, (naive.get(hash) ?? 0) + amount);
    expect(sums.add(hash, amount)).toBe(naive.get(hash));
  }
  expect(sums.count).toBe(naive.size);
  expect(sums.get(hashOf("never"))).toBeUndefined();
});
