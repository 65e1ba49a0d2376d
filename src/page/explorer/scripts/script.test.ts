/** Scripts of a container: their kinds, what a run is asked with, and what went wrong. */
import { expect, test } from "vitest";
import { lineIn, parametersProblem, plainError } from "./script.ts";

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

test("what a script threw is told without its wrapping", () => {
  const wrapped =
    'Message: {"Errors":["Exception = Error: no\\r\\nStack trace: at f (s.js:2:5)"]}\r\n' +
    "ActivityId: 1";
  expect(plainError(wrapped)).toBe("Exception = Error: no\nStack trace: at f (s.js:2:5)");
  expect(plainError("Plain words.")).toBe("Plain words.");
});
