/** The greatest of many. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { topOf } from "./top.ts";

describe("the top", () => {
  test.each<[readonly number[], number, readonly number[]]>([
    [[], 3, []],
    [[5, 1, 9], 0, []],
    [[5, 1, 9], 1, [9]],
    [[5, 1, 9], 2, [9, 5]],
    [[5, 1, 9], 7, [9, 5, 1]],
    [[4, 4, 4], 2, [4, 4]],
  ])("of %j: %d", (amounts, count, top) => {
    expect(topOf(amounts, count, (amount) => amount)).toEqual(top);
  });

  test("is where a sorted list begins", () => {
    fc.assert(
      fc.property(fc.array(fc.integer()), fc.nat(20), (amounts, count) => {
        const sorted = amounts.toSorted((one, other) => other - one).slice(0, count);
        expect(topOf(amounts, count, (amount) => amount)).toEqual(sorted);
      }),
    );
  });
});
