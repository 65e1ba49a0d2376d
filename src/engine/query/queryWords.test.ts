/** The words of a query: functions of the language, and paths of sampled items. */
import { expect, test } from "vitest";
import { FUNCTION_NAMES, pathsIn } from "./queryWords.ts";

test("functions are those of the language, aggregates too", () => {
  expect(FUNCTION_NAMES).toEqual(expect.arrayContaining(["ABS", "COUNT", "STARTSWITH", "SUM"]));
  expect(new Set(FUNCTION_NAMES).size).toBe(FUNCTION_NAMES.length);
});

test("paths of members, the most frequent first, with the types they have", () => {
  const items = [
    { id: "1", address: { city: "Rome", "no name": 1 } },
    { id: "2", address: { city: null }, tags: [{ x: 1 }] },
  ];
  expect(pathsIn(items)).toEqual([
    { path: "address", itemCount: 2, types: ["object"] },
    { path: "address.city", itemCount: 2, types: ["null", "string"] },
    { path: "id", itemCount: 2, types: ["string"] },
    { path: 'address["no name"]', itemCount: 1, types: ["number"] },
    { path: "tags", itemCount: 1, types: ["array"] },
  ]);
});
