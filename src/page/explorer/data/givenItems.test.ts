/** Items that somebody pastes: in which forms, and what is said of those that cannot be read. */
import { expect, test } from "vitest";
import { givenItems } from "./givenItems.ts";

test.each<[string, string, readonly unknown[]]>([
  ["nothing", "  ", []],
  ["one", '{"id":"1"}', [{ id: "1" }]],
  ["one over lines", '{\n"id":"1"\n}', [{ id: "1" }]],
  ["a list", '[{"id":"1"},{"id":"2"}]', [{ id: "1" }, { id: "2" }]],
  ["one a line", '{"id":"1"}\n\n{"id":"2"}\r\n', [{ id: "1" }, { id: "2" }]],
  [
    "names and rows",
    "id,total,zip,isOpen,name\n7,1.5,010,true,\n8,2,10,x,Ada",
    [
      { id: "7", total: 1.5, zip: "010", isOpen: true },
      { id: "8", total: 2, zip: 10, isOpen: "x", name: "Ada" },
    ],
  ],
])("%s", (_, text, items) => {
  expect(givenItems(text)).toEqual({ ok: true, value: items });
});

test.each<[string, RegExp]>([
  ['{"id":"1"}\n{"id":', /^Line 2 is not JSON/],
  ['{"id":"1"}\n3', /^Line 2 is not an object/],
  ['[{"id":"1"},3]', /^Entry 2 of the list is not an object/],
  ['[{"id":"1"}', /^The list is not JSON/],
  ["hello", /this is none/],
])("%j cannot be read", (text, reason) => {
  const items = givenItems(text);
  expect(items.ok ? "" : items.error).toMatch(reason);
});
