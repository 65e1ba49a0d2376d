/** What the page's own requests cost, added up. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { RuTally } from "./tally.ts";

class Kept {
  readonly #values = new Map<string, string>();
  getItem(key: string): string | null {
    return this.#values.get(key) ?? null;
  }
  setItem(key: string, value: string): void {
    this.#values.set(key, value);
  }
}

test.each<[string | null, number]>([
  ["2.83", 283],
  ["0", 0],
  ["10.29", 1029],
  [null, 0],
  ["", 0],
  ["none", 0],
  ["-1", 0],
  ["Infinity", 0],
])("a charge of %s adds %i hundredths", (charge, hundredths) => {
  const tally = new RuTally(new Kept());
  tally.add(charge);
  expect(tally.hundredths.value).toBe(hundredths);
});

test("the sum is exact, and outlives a reload", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 1_000_000 })), (charges) => {
      const kept = new Kept();
      for (const charge of charges) new RuTally(kept).add((charge / 100).toFixed(2));
      const sum = charges.reduce((total, charge) => total + charge, 0);
      expect(new RuTally(kept).hundredths.value).toBe(sum);
    }),
  );
});

test("what somebody else kept there is not believed", () => {
  const kept = new Kept();
  kept.setItem("orrery.spent", "a lot");
  expect(new RuTally(kept).hundredths.value).toBe(0);
});
