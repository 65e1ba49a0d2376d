/** What differs between two texts, line by line. */
import { expect, test } from "vitest";
import { lineChanges } from "./lineChanges.ts";

const SIGNS = { same: " ", gone: "-", new: "+" } as const;

function drawn(before: string, after: string): readonly string[] {
  return lineChanges(before, after).map(({ kind, text }) => SIGNS[kind] + text);
}

test.each([
  ["a\nb\nc", "a\nb\nc", [" a", " b", " c"]],
  ["a\nb\nc", "a\nx\nc", [" a", "-b", "+x", " c"]],
  ["a\nc", "a\nb\nc\nd", [" a", "+b", " c", "+d"]],
  ["a\nb\na\nb", "b\na", ["-a", " b", " a", "-b"]],
  ["a", "b", ["-a", "+b"]],
])("%j becomes %j", (before, after, lines) => {
  expect(drawn(before, after)).toEqual(lines);
});
