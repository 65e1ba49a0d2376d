/** What is wrong with a query, out of what the server says. */
import { expect, test } from "vitest";
import { positionText, queryProblems, underlined } from "./queryProblem.ts";

test("errors have their places", () => {
  const errors = [
    { severity: "Error", location: { start: 9, end: 12 }, code: "SC1001", message: "no" },
  ];
  const message = `Message: ${JSON.stringify({ errors })}\r\nActivityId: 1-2`;
  expect(queryProblems(message)).toEqual([{ message: "no (SC1001)", start: 9, end: 12 }]);
});

test.each<[string, string]>([
  ['Message: {"Errors":["too long"]}\r\nActivityId: 1', "too long"],
  ["Something else.\r\nActivityId: 1", "Something else."],
  ["Message: {broken}", "Message: {broken}"],
])("%j", (message, told) => {
  expect(queryProblems(message)).toEqual([{ message: told }]);
});

test("lines and columns count from 1", () => {
  expect(positionText("SELECT *\nFRM c", 9)).toBe("line 2, column 1");
  expect(positionText("SELECT", 3)).toBe("line 1, column 4");
});

test("what is underlined lies within the text", () => {
  const at = (start: number, end: number, length: number): unknown =>
    underlined([{ message: "", start, end }], length)[0];
  expect(at(9, 12, 14)).toEqual({ from: 9, to: 12 });
  expect(at(6, 6, 6)).toEqual({ from: 5, to: 6 });
  expect(at(9, 12, 3)).toEqual({ from: 2, to: 3 });
  expect(at(0, 1, 0)).toBeUndefined();
  expect(underlined([{ message: "nowhere" }], 3)).toEqual([]);
});
