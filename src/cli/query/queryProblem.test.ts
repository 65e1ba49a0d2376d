/** What a server says of a query it refuses, with the place shown. */
import { describe, expect, test } from "vitest";
import { problemText } from "./queryProblem.ts";

const ACTIVITY = "\r\nActivityId: 7d1c, Microsoft.Azure.Documents.Common/2.14.0";

function answer(message: string): Parameters<typeof problemText>[0] {
  const body = JSON.stringify({ code: "BadRequest", message: message + ACTIVITY });
  return { status: 400, headers: {}, body };
}

function diagnosed(
  start: number,
  end: number,
  message = "Syntax error.",
): Parameters<typeof problemText>[0] {
  const errors = [{ severity: "Error", location: { start, end }, code: "SC1001", message }];
  return answer(`Message: ${JSON.stringify({ errors })}`);
}

describe("a place in the text", () => {
  test.each<[string, string, number, number, readonly string[]]>([
    ["a word", "SELECT * FRM c", 9, 12, ["  SELECT * FRM c", "           ^^^"]],
    ["in the second of three lines", "SELECT *\nFRM c\nWHERE 1", 9, 12, ["  FRM c", "  ^^^"]],
    ["at the end", "SELECT", 6, 6, ["  SELECT", "        ^"]],
    ["beyond the end", "SELECT", 60, 61, ["  SELECT", "        ^"]],
    [
      "over several lines: as far as the first goes",
      "SELECT (\n1",
      7,
      10,
      ["  SELECT (", "         ^"],
    ],
    ["behind a tab, which stays one", "SELECT\tx y", 9, 10, ["  SELECT\tx y", "        \t  ^"]],
    ["in a line of Windows", "SELECT *\r\nFRM c\r\n", 10, 13, ["  FRM c", "  ^^^"]],
  ])("%s", (_rule, query, start, end, expected) => {
    const [said, ...shown] = problemText(diagnosed(start, end), query).split("\n");
    expect(said).toBe("Syntax error. (SC1001)");
    expect(shown).toEqual(expected);
  });
});

test.each<[string, Parameters<typeof problemText>[0], string]>([
  ["a reason without a place", answer('Message: {"Errors":["Not so."]}'), "Not so."],
  ["a plain message", answer("Not so."), "Not so."],
  ["no JSON at all", { status: 502, headers: {}, body: "Bad Gateway" }, "Bad Gateway"],
  ["nothing", { status: 503, headers: {}, body: "" }, "The server said 503."],
])("%s", (_rule, said, expected) => {
  expect(problemText(said, "SELECT 1")).toBe(expected);
});
