/** What is remembered of places is right, whatever was forgotten. */
import { describe, expect, test } from "vitest";
import type { Epk, EpkRange } from "../../partition/epkRange.ts";
import { rangeOfKey, WHOLE_RANGE } from "../../partition/epkRange.ts";
import { ItemPlaces } from "./itemPlaces.ts";

const DEFINITION = { paths: ["/t", "/u"], kind: "MultiHash", version: 2 } as const;
const pointOf = (t: string, u: number): EpkRange => rangeOfKey(DEFINITION, [t, u]);
const epkAt = (number: number): Epk => pointOf(`t${number % 5}`, number % 3).min as Epk;

describe("places of items", () => {
  const places = new ItemPlaces();
  for (let number = 1; number <= 70_000; number++) places.learn(number, epkAt(number));

  test("an item inside is never said to be outside, and one of another key is", () => {
    const isOutside = places.outside([pointOf("t1", 1)]);
    for (let number = 60_000; number <= 70_000; number++) {
      const isIn = number % 5 === 1 && number % 3 === 1;
      expect(isOutside(number)).toBe(!isIn);
    }
  });

  test("of a beginning of keys, too, and of several", () => {
    const ranges = [rangeOfKey(DEFINITION, ["t1"]), rangeOfKey(DEFINITION, ["t4"])];
    const isOutside = places.outside(ranges);
    for (let number = 60_000; number <= 60_100; number++) {
      expect(isOutside(number)).toBe(number % 5 !== 1 && number % 5 !== 4);
    }
    expect(places.outside([WHOLE_RANGE])(60_001)).toBe(false);
  });

  test("what was pushed out, or never learnt, is not said to be anywhere", () => {
    const isOutside = places.outside([pointOf("t9", 9)]);
    expect(isOutside(1)).toBe(false);
    expect(isOutside(70_001)).toBe(false);
    expect(new ItemPlaces().outside([pointOf("t9", 9)])(5)).toBe(false);
  });
});
