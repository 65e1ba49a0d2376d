/** Places come back from their texts, and what is none is refused with what to do. */
import { describe, expect, test } from "vitest";
import type { NamedValue } from "../keys/client/queryText.ts";
import { encodePlace, parsePlace, placeCondition, RowTrail } from "./rowPlace.ts";

const BY_SPEED = { by: "/speed", isDescending: false };
const PLACE = { by: 7, names: ['["a",["0","k"]]'] };

test.each([7, "x", "Zoë ☃", true, null, undefined])("a place at %j comes back", (by) => {
  const place = { ...PLACE, by };
  expect(parsePlace(encodePlace(place, BY_SPEED), BY_SPEED)).toEqual(place);
});

describe("refused", () => {
  test.each([
    ["no text", 7],
    ["no JSON", "after"],
    ["null", "null"],
    ["without names", '{"order":"/speed ascending","by":7}'],
    ["names that are none", '{"order":"/speed ascending","by":7,"names":[1]}'],
  ])("%s", (_what, text) => {
    expect(() => parsePlace(text, BY_SPEED)).toThrow("this is not what a query had as `next`");
  });

  test("a place in another order", () => {
    const text = encodePlace(PLACE, BY_SPEED);
    for (const other of [
      { ...BY_SPEED, isDescending: true },
      { ...BY_SPEED, by: "/date" },
    ]) {
      expect(() => parsePlace(text, other)).toThrow(
        `ordered by /speed ascending, and this one is ordered by ${other.by}`,
      );
    }
  });
});

test.each<[unknown, boolean, string]>([
  [7, false, 'c["speed"] >= @routeAfter OR IS_STRING(c["speed"])'],
  [7, true, 'c["speed"] <= @routeAfter OR NOT IS_DEFINED(c["speed"]) OR IS_NULL(c["speed"])'],
  ["x", false, 'c["speed"] >= @routeAfter OR IS_ARRAY(c["speed"]) OR IS_OBJECT(c["speed"])'],
  [undefined, true, 'NOT IS_DEFINED(c["speed"])'],
  [null, true, 'IS_NULL(c["speed"]) OR NOT IS_DEFINED(c["speed"])'],
])("after %j, descending: %s", (by, isDescending, beginning) => {
  const parameters: NamedValue[] = [];
  const condition = placeCondition({ by, names: [] }, { ...BY_SPEED, isDescending }, parameters);
  expect(condition.startsWith(`(${beginning}`)).toBe(true);
  const isCompared = condition.includes("@routeAfter");
  expect(parameters).toEqual(isCompared ? [{ name: "@routeAfter", value: by }] : []);
});

test("an item is new once at each place", () => {
  const item = (id: string, by: unknown) => ({ id, key: { 0: "k" }, ts: 1, by });
  const trail = new RowTrail({ by: 1, names: ['["a",["0","k"]]'] });
  const rows = [item("a", 1), item("b", 1), item("b", 1), item("a", 2), item("b", 2)];
  expect(rows.map((row) => trail.isNew(row))).toEqual([false, true, false, true, true]);
  expect(trail.place).toEqual({ by: 2, names: ['["a",["0","k"]]', '["b",["0","k"]]'] });
  expect(new RowTrail(undefined).place).toBeUndefined();
});
