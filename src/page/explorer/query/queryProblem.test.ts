/** What is wrong with a query, out of what the server says. */
import { expect, test } from "vitest";
import { positionText, queryProblems } from "./queryProblem.ts";

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
