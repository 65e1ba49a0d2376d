/** Changes that wait to be saved: one for each item, found by key and id. */
import { expect, test } from "vitest";
import { type StagedItem, stagedAt, withoutStaged, withStaged } from "./stagedItems.ts";

const change = (key: string, id: string, text: string): StagedItem => ({
  place: { keys: [key], id },
  before: "{}",
  text,
});

const ITEMS = [change("a", "1", "one"), change("b", "1", "other")];

test("items of one id under two keys are two items", () => {
  expect(stagedAt(ITEMS, { keys: ["b"], id: "1" })?.text).toBe("other");
  expect(stagedAt(ITEMS, { keys: ["c"], id: "1" })).toBeUndefined();
  expect(stagedAt(ITEMS, undefined)).toBeUndefined();
});

test("a later change of an item takes the place of the former", () => {
  const changed = withStaged(ITEMS, change("a", "1", "again"));
  expect(changed.map(({ text }) => text)).toEqual(["again", "other"]);
  expect(withStaged(ITEMS, change("a", "2", "new"))).toHaveLength(3);
});

test("what is saved or discarded waits no more", () => {
  expect(withoutStaged(ITEMS, { keys: ["a"], id: "1" })).toEqual([ITEMS[1]]);
  expect(withoutStaged(ITEMS, { keys: ["x"], id: "1" })).toEqual(ITEMS);
});
