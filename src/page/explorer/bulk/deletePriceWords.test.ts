/** An estimate says that it is one, and what it rests on. */
import { expect, test } from "vitest";
import { deletePriceWords } from "./deletePriceWords.ts";

test("the price of many is that of one, times their number", () => {
  const price = { meanRu: 6, lowRu: 5, highRu: 9, sampledCount: 40 };
  expect(deletePriceWords(price, 10)).toBe(
    "Deleting them costs about 60.00 RU: an estimate from 40 items of the whole container, " +
      "of which one costs 5.00 RU to 9.00 RU.",
  );
});

test("nothing is said where there is nothing to go by", () => {
  expect(deletePriceWords({ sampledCount: 0 }, 10)).toBe("");
});
