/** The way of an item, and names that are short enough to be read. */
import { expect, test } from "vitest";
import type { PlacedPile, PlacementAnswer } from "../../../protocol/adminLab.ts";
import { itemName, pileName, pileRows, placementSentence, shortEpk, wayOf } from "./placedItems.ts";

const pile = (name: string, itemIndexes: readonly number[]): PlacedPile => ({
  key: [name],
  isNone: false,
  epk: `${name}0123456789ABCDEF`,
  itemCount: itemIndexes.length,
  itemBytes: 1,
  itemIndexes,
});

const PLACEMENT = {
  itemCount: 4,
  keyCount: 2,
  missingCount: 0,
  partitions: [
    { id: "0", itemCount: 1, piles: [pile("books", [2])] },
    { id: "1", itemCount: 3, piles: [pile("toys", [0, 1, 3])] },
  ],
} as unknown as PlacementAnswer;

test("an item leads to its pile and its physical partition", () => {
  expect(wayOf(PLACEMENT, 3)).toMatchObject({ partitionId: "1", pile: { key: ["toys"] } });
  expect(wayOf(PLACEMENT, 9)).toBeUndefined();
  expect(pileRows(PLACEMENT).map(({ pile: { key } }) => key[0])).toEqual(["toys", "books"]);
  expect(placementSentence(PLACEMENT)).toBe(
    "4 items in 2 logical partitions, on 2 of 2 physical partitions.",
  );
});

test("names", () => {
  expect(pileName({ key: ["t1", 5], isNone: false })).toBe("t1 / 5");
  expect(pileName({ key: [null], isNone: true })).toBe("no value");
  expect(itemName({ id: "o1" }, 0)).toBe("Item o1");
  expect(itemName({ id: 5 }, 0)).toBe("Item 1");
  expect(shortEpk("05C1C9CD673398")).toBe("05C1C9…3398");
  expect(shortEpk("FF")).toBe("FF");
});
