/** Which items a bulk deletion is about, and what became of each. */
import { describe, expect, test } from "vitest";
import { newDeletion, selectionQuery, targetOf, withEnding } from "./selection.ts";

describe("what is asked for before items are deleted", () => {
  test("names of any kind are quoted", () => {
    expect(selectionQuery("c.n > 1", ["/a/b c", '/"'])).toBe(
      'SELECT c.id, c._etag AS etag, c["a"]["b c"] AS k0, c["\\""] AS k1 FROM c WHERE c.n > 1',
    );
  });

  test("a missing key is an empty object, a null one is null", () => {
    expect(targetOf({ id: "1", etag: "e", k1: null }, 2).keys).toEqual([{}, null]);
  });
});

test("every item ends in one of four ways, and charges add up exactly", () => {
  let now = newDeletion(4);
  now = withEnding(now, "a", { kind: "deleted", ru: 0.1 });
  now = withEnding(now, "b", { kind: "changed", ru: 0.2 });
  now = withEnding(now, "c", { kind: "gone", ru: 1 });
  now = withEnding(now, "d", { kind: "failed", reason: "no", ru: 0 });
  expect(now).toEqual({
    total: 4,
    deletedCount: 1,
    changed: ["b"],
    goneCount: 1,
    failed: ["d: no"],
    ru: 1.3,
    isOver: false,
  });
});
