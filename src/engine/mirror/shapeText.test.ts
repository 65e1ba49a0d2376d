/** Queries of one shape have one text, and the values that a program fills in are not in it. */
import { expect, test } from "vitest";
import { assert } from "../../base/assert.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { shapeTextOf } from "./shapeText.ts";

function shapeOf(text: string): string {
  const parsed = parseQuery(text);
  assert(parsed.ok, `no query: ${text}`);
  return shapeTextOf(parsed.value);
}

test.each([
  ["SELECT * FROM c WHERE c.a = 1", "SELECT * FROM c WHERE (c.a = ?)"],
  ["select * from c where c.a = @x", "SELECT * FROM c WHERE (c.a = ?)"],
  ["SELECT * FROM c WHERE c.a = -1.5", "SELECT * FROM c WHERE (c.a = ?)"],
  ["SELECT * FROM c WHERE c.a = 'secret'", "SELECT * FROM c WHERE (c.a = ?)"],
  ["SELECT * FROM c WHERE c.a IN (1, 'b', null)", "SELECT * FROM c WHERE (c.a IN (?))"],
  ["SELECT * FROM c WHERE c.a IN (@x)", "SELECT * FROM c WHERE (c.a IN (?))"],
  [
    "SELECT * FROM c WHERE ARRAY_CONTAINS([1, 2], c.a)",
    "SELECT * FROM c WHERE ARRAY_CONTAINS(?, c.a)",
  ],
  ["SELECT * FROM c WHERE c.gone = false", "SELECT * FROM c WHERE (c.gone = false)"],
  ["SELECT TOP 10 c.list[0] FROM c", "SELECT TOP ? c.list[0] FROM c"],
  ["SELECT VALUE COUNT(1) FROM c", "SELECT VALUE COUNT(1) FROM c"],
  ["SELECT * FROM c OFFSET 5 LIMIT @n", "SELECT * FROM c OFFSET ? LIMIT ?"],
  ["SELECT * FROM c WHERE c.a LIKE 'x%'", "SELECT * FROM c WHERE (c.a LIKE ?)"],
  ["SELECT * FROM c WHERE c['a b'] = 1", 'SELECT * FROM c WHERE (c["a b"] = ?)'],
  [
    "SELECT * FROM c WHERE EXISTS(SELECT VALUE x FROM x IN c.l WHERE x = 5)",
    "SELECT * FROM c WHERE EXISTS( SELECT VALUE x FROM x IN c.l WHERE (x = ?) )",
  ],
])("%s", (text, shape) => {
  expect(shapeOf(text)).toBe(shape);
});
