/** Numbers as the page writes them. */
import { expect, test } from "vitest";
import { amountText, chargeText, percentText, rateText, shareText } from "./numbers.ts";

test.each<[string, string]>([
  [amountText(0), "0"],
  [amountText(999_999), "999,999"],
  [amountText(1_000_000), "1 million"],
  [amountText(46_230_000), "46.2 million"],
  [chargeText(0), "0.00 RU"],
  [chargeText(1234.5), "1,234.50 RU"],
  [rateText(40_000), "40,000 RU/s"],
  [shareText(undefined), "–"],
  [shareText(0), "0 %"],
  [shareText(0.001), "< 1 %"],
  [shareText(0.055), "5.5 %"],
  [shareText(0.995), "> 99 %"],
  [percentText(100), "100 %"],
  [percentText(46.6), "47 %"],
])("%s", (text, expected) => {
  expect(text).toBe(expected);
});
