/** The parts of a charge: they are the charge. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Consistency } from "../model/consistency.ts";
import { NO_WORK, ruOfPage, type VisitWork } from "./charge.ts";
import { partsOfPage } from "./chargeParts.ts";

const count = fc.nat({ max: 50_000 });
const visit: fc.Arbitrary<VisitWork> = fc.record({
  isOpened: fc.boolean(),
  lookupCount: fc.nat({ max: 40 }),
  postingCount: count,
  scannedEntryCount: count,
  orderedEntryCount: count,
  itemCount: count,
  itemBytes: fc.nat(),
  largeItemBytes: fc.nat(),
  rowBytes: fc.nat(),
  textCallCount: count,
  otherCallCount: count,
});
const consistency = fc.constantFrom<Consistency>("strong", "session", "eventual");

describe("the parts of a page", () => {
  test("add up to what it comes to, whatever it did", () => {
    fc.assert(
      fc.property(fc.array(visit, { maxLength: 5 }), consistency, (visits, promise) => {
        const parts = partsOfPage({ visits }, promise);
        const sum = parts.reduce((total, { ru }) => total + ru, 0);
        const whole = ruOfPage({ visits }, promise);
        expect(Math.abs(sum - whole)).toBeLessThanOrEqual(1e-9 * Math.max(1, whole));
      }),
    );
  });

  test("have the counts of all visits, and nothing that costs nothing", () => {
    const walked = { ...NO_WORK, isOpened: true, orderedEntryCount: 10_000 };
    expect(partsOfPage({ visits: [walked, walked] })).toEqual([
      { part: "open", count: 2, ru: expect.closeTo(4.48) },
      { part: "orderedEntries", count: 20_000, ru: expect.closeTo(82) },
    ]);
  });
});
