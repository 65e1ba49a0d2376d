/** Which words are alike, whatever their letters are made of. */
import { expect, test } from "vitest";
import { isWithinDistance } from "./editDistance.ts";

test.each([
  ["bicycle", "bicycle", 0, true],
  ["bicycle", "bicyle", 1, true],
  ["bicycle", "bycicle", 1, false],
  ["bicycle", "bycicle", 2, true],
  ["", "ab", 2, true],
  ["", "abc", 2, false],
  // Each of these letters is two units.
  ["", "𝒶𝒷", 2, true],
  ["𝒶𝒷", "", 2, true],
  ["", "𝒶𝒷𝒸", 2, false],
  ["x", "𝒶𝒷x", 2, true],
  ["𝒶", "b", 1, true],
])("%s and %s, by %i: %s", (left, right, distance, isAlike) => {
  expect(isWithinDistance(left, right, distance)).toBe(isAlike);
  expect(isWithinDistance(right, left, distance)).toBe(isAlike);
});

test("a word of a megabyte is not taken apart for every short one", () => {
  const long = "a".repeat(1_000_000);
  const before = process.cpuUsage();
  for (let count = 0; count < 1_000; count++) isWithinDistance("abc", long, 2);
  const { user, system } = process.cpuUsage(before);
  expect(user + system).toBeLessThan(1_000_000);
});
