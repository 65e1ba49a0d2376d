/** Which texts may stand in a query of a router. */
import { expect, test } from "vitest";
import { BadRoute } from "./badRoute.ts";
import { checkText } from "./checkedText.ts";

test.each([
  "c.speed > @least",
  "c.order = 1 AND c['group'] = 2 AND c.limit < 3",
  "c.title = 'SELECT this; it\\'s (odd' -- and ( more",
  'c.title = "a \\" ) quote" /* ORDER BY */',
  "EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'x')",
  "ARRAY_LENGTH(c.tags) > (SELECT VALUE COUNT(1) FROM t IN c.tags)",
  "c.count > 1 AND c.max = 2",
  "CONTAINS(c.text, 'select')",
])("a condition: %s", (text) => {
  expect(checkText("where", text)).toBe(text);
});

test.each([
  "{ id: c.id, order: c.order, limit: 3, from: c.from }",
  '{ "count": c.count, "tags": ARRAY(SELECT VALUE t FROM t IN c.tags) }',
  "[c.id, c.pk]",
  "c",
])("what becomes of an item: %s", (text) => {
  expect(checkText("select", text)).toBe(text);
});

test.each([
  ["select * from c", /SELECT begins a clause/],
  ["  SELECT VALUE c", /SELECT begins a clause/],
  ["/* x */ WHERE c.a", /WHERE begins a clause/],
  ["c.a = 1 group by c.b", /GROUP begins a clause/],
  ["c.a = 1 OFFSET 0 LIMIT 1", /OFFSET begins a clause/],
  ["{ a: SELECT 1 }", /SELECT begins a clause/],
  ["count(1) > 2", /COUNT would be made .* Use count\(\)/],
  ["{ a: MAX (c.n) }", /MAX would be made .* Make it of the rows/],
  ["(c.a", /"\)" is missing/],
  ["c.a]", /"\]" closes nothing/],
  ["(c.a]", /"\]" closes nothing/],
  ["c.a = 'x", /quote ' is not closed/],
  ["c.n, c.id", /a comma outside of brackets\. Join conditions by AND/],
  [" ", /a text is expected/],
  [7, /a text is expected/],
])("%s is refused", (text, message) => {
  expect(() => checkText("where", text)).toThrow(BadRoute);
  expect(() => checkText("where", text)).toThrow(message);
});
