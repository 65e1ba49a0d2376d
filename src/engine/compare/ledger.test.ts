/** The ledger against a map, and its bound. */
import { expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { Imprint } from "./bucketSums.ts";
import { Ledger } from "./ledger.ts";

test.each([1, 2, 3])("a ledger holds what a map would, with seed %d", (seed) => {
  const random = seededRandom(seed);
  const ledger = new Ledger(1_000_000);
  const map = new Map<number, Imprint>();
  // Most come in order, as a scan gives them.
  for (let n = 1; n <= 3000; n++) {
    ledger.set(n * 3, imprintOf(n));
    map.set(n * 3, imprintOf(n));
  }
  for (let step = 0; step < 6000; step++) {
    const number = Math.floor(random.next() * 12_000) - 1000;
    if (random.next() < 0.4) {
      expect(ledger.remove(number)?.bytes).toBe(map.get(number)?.bytes);
      map.delete(number);
    } else {
      expect(ledger.set(number, imprintOf(step))).toBe(true);
      map.set(number, imprintOf(step));
    }
  }
  expect(ledger.entryCount).toBe(map.size);
  const numbers = Array.from({ length: 13_002 }, (_, at) => at - 1001);
  expect(numbers.map((number) => ledger.get(number))).toEqual(
    numbers.map((number) => map.get(number)),
  );
  for (const number of map.keys()) ledger.remove(number);
  expect(ledger.entryCount).toBe(0);
  expect(ledger.get(3)).toBeUndefined();
});

test("a full ledger takes no new numbers, and other imprints for those it has", () => {
  const ledger = new Ledger(2);
  expect([1, 2, 3].map((number) => ledger.set(number, imprintOf(number)))).toEqual([
    true,
    true,
    false,
  ]);
  expect(ledger.get(3)).toBeUndefined();
  expect(ledger.set(2, imprintOf(9))).toBe(true);
  expect(ledger.get(2)).toEqual(imprintOf(9));
  ledger.remove(1);
  expect(ledger.set(3, imprintOf(3))).toBe(true);
});

function imprintOf(n: number): Imprint {
  return { bucket: n % 1024, bytes: n * 7, words: [n, n * 5, 4_294_967_295 - n, 0] };
}
