/** Scripts of a container: their kinds, what a run is asked with, and what went wrong. */
import { expect, test } from "vitest";
import { lineIn, parametersProblem } from "./script.ts";

test.each([
  ["Error: no\n    at procedure (script.js:3:9)", 3],
  ["SyntaxError on line 12", 12],
  ["at <eval> (script:7)", 7],
  ["something else", undefined],
])("the line in %j is %s", (message, line) => {
  expect(lineIn(message)).toBe(line);
});

test.each([
  ["[]", true],
  ['["a", {"b": 1}]', true],
  ["{}", false],
  ["[", false],
])("parameters %s are right: %s", (text, isRight) => {
  expect(parametersProblem(text) === undefined).toBe(isRight);
});
