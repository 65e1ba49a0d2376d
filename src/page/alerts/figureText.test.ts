/** Figures of evidence, name by name. */
import { expect, test } from "vitest";
import { figureOf, thresholdText, wordsIn } from "./figureText.ts";

test.each<[string, number, string, string]>([
  ["sharePercent", 82.4, "Share", "82 %"],
  ["largestBytes", 1536, "Largest", "1.5 KB"],
  ["growthBytesPerDay", 1024 ** 2, "Growth", "1 MB a day"],
  ["ratePerSecond", 10_000, "Rate", "10,000 RU/s"],
  ["busiestRu", 12.345, "Busiest", "12.3 RU"],
  ["unchangedSeconds", 300, "Unchanged", "5 minutes"],
  ["largestItemCount", 12_288, "Largest item count", "12,288"],
  ["keySharePercentMin", 99.4, "Key share min", "> 99 %"],
  ["throttledCount", 7, "Throttled count", "7"],
  ["gini", 0.25, "Gini", "0.25"],
  ["percent", 3, "Percent", "3"],
])("%s", (name, amount, words, text) => {
  expect(figureOf(name, amount)).toEqual({ name: words, text });
});

test("names are words", () => {
  expect(wordsIn("physicalPartitionCount")).toBe("Physical partition count");
  expect(wordsIn("spentRuPerPartition")).toBe("Spent RU per partition");
});

test.each<[number, string, string]>([
  [80, "percent", "80 %"],
  [20, "GiB", "20 GB"],
  [0.6, "fraction", "0.6"],
  [1000, "requests", "1,000 requests"],
])("%d %s", (amount, unit, text) => {
  expect(thresholdText(amount, unit)).toBe(text);
});
