/** The judge judged: what it lets pass, what it does not, and that there is something to judge. */
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../src/base/world.ts";
import type { JsonValue } from "../../src/json/value.ts";
import { parseQuery } from "../../src/query/language/parser.ts";
import { drawQuery } from "./generate.ts";
import { Draw, drawItems } from "./generateItems.ts";
import { differenceOf } from "./judge.ts";
import { naiveRows } from "./naive.ts";

const ITEMS = [
  { id: "1", n: 1, s: "b" },
  { id: "2", n: 1, s: "a" },
  { id: "3", n: 2, s: "c" },
  { id: "4", n: 0, s: "d" },
];

/** What is wrong with an answer to a query over `ITEMS`. */
function verdict(text: string, actual: readonly JsonValue[], hasLooseArrays = false): boolean {
  const parsed = parseQuery(text);
  if (!parsed.ok) throw new Error(text);
  const expected = naiveRows(parsed.value, ITEMS);
  if (expected.kind === "refused") throw new Error(expected.message);
  const isUnordered = parsed.value.orderBy === undefined;
  return differenceOf(expected, actual, { isUnordered, hasLooseArrays }) === undefined;
}

const ORDERED = "SELECT VALUE c.id FROM c ORDER BY c.n";
const UNORDERED = "SELECT VALUE c.id FROM c";

describe("rows are accepted or not", () => {
  test.each([
    ["the order asked for", ORDERED, ["4", "1", "2", "3"], true],
    ["rows that tie, the other way round", ORDERED, ["4", "2", "1", "3"], true],
    ["rows that do not tie, exchanged", ORDERED, ["1", "4", "2", "3"], false],
    ["a row too few", ORDERED, ["4", "1", "2"], false],
    ["a row too many", ORDERED, ["4", "1", "2", "3", "3"], false],
    ["a row twice", ORDERED, ["4", "1", "1", "3"], false],
    ["a cut that takes one of a tie", `${ORDERED} OFFSET 0 LIMIT 2`, ["4", "2"], true],
    ["a cut that takes another row", `${ORDERED} OFFSET 0 LIMIT 2`, ["4", "3"], false],
    ["a cut that skips into a tie", `${ORDERED} OFFSET 2 LIMIT 2`, ["1", "3"], true],
    ["any order where none is asked for", UNORDERED, ["3", "1", "4", "2"], true],
    ["any two of them", "SELECT TOP 2 VALUE c.id FROM c", ["3", "1"], true],
    ["the same one twice", "SELECT TOP 2 VALUE c.id FROM c", ["3", "3"], false],
    ["members in another order", "SELECT c.n, c.s FROM c WHERE c.n = 0", [{ s: "d", n: 0 }], true],
    ["another value", "SELECT c.n, c.s FROM c WHERE c.n = 0", [{ s: "d", n: 1 }], false],
    ["a list in another order", "SELECT VALUE [1, 2]", [[2, 1]], false],
  ])("%s", (_what, text, actual, isAccepted) => {
    expect(verdict(text, actual)).toBe(isAccepted);
  });

  test("a list in another order, where that is free", () => {
    expect(verdict("SELECT VALUE MAKELIST(c.n) FROM c", [[2, 1, 0, 1]], true)).toBe(true);
    expect(verdict("SELECT VALUE MAKELIST(c.n) FROM c", [[2, 1, 0]], true)).toBe(false);
  });
});

test("queries that are drawn make sense, and most of them give rows", () => {
  const items = drawItems(new Draw(seededRandom(1)), 60);
  let withRowsCount = 0;
  for (let seed = 0; seed < 500; seed++) {
    const { text, parameters } = drawQuery(new Draw(seededRandom(seed)));
    const parsed = parseQuery(text);
    if (!parsed.ok) throw new Error(text);
    const outcome = naiveRows(parsed.value, items, parameters);
    expect(outcome.kind === "rows" ? "" : outcome.message, text).toBe("");
    if (outcome.kind === "rows" && outcome.rows.length > 0) withRowsCount++;
  }
  expect(withRowsCount).toBeGreaterThan(250);
});
