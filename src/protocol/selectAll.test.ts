/** Which texts are a read feed in other words; anything else is a query. */
import { expect, test } from "vitest";
import { isSelectAll } from "./selectAll.ts";

test.each([
  ["SELECT * from c", true],
  ["select  *\n FROM root r", true],
  ["SELECT * FROM c AS x ", true],
  ["SELECT * FROM c WHERE", false],
  ["SELECT * FROM c WHERE c.a = 1", false],
  ["SELECT * FROM c ORDER", false],
  ["SELECT * FROM c JOIN", false],
  ["SELECT * FROM c IN c.tags", false],
  ["SELECT * FROM c.tags", false],
  ["SELECT TOP 1 * FROM c", false],
  ["SELECT c FROM c", false],
  ["SELECT * FROM", false],
  ["SELECT * FROM c; DROP", false],
])("%s", (query, isAll) => {
  expect(isSelectAll({ query })).toBe(isAll);
});

test("a body that is no query is none", () => {
  for (const body of [null, "SELECT * FROM c", [], {}, { query: 5 }]) {
    expect(isSelectAll(body)).toBe(false);
  }
});
