/** What several writes of one transaction come to, row by row. */
import { expect, test } from "vitest";
import { lsn } from "../../base/units.ts";
import type { ItemDelete, ItemPut } from "../partitionStore.ts";
import { FoldedWrites } from "./foldedWrites.ts";

const before = { lsn: lsn(1), bodyBytes: 3 };

function put(key: string, number: number, more: Partial<ItemPut> = {}): ItemPut {
  const body = Buffer.from(`${key}${number}`);
  const terms = { termsAdded: [], termsRemoved: [] };
  return { kind: "put", key, number, tag: 0, body, before: undefined, ...terms, ...more };
}

function end(key: string, number: number, more: Partial<ItemDelete> = {}): ItemDelete {
  return { kind: "delete", key, number, tag: 0, before, termsRemoved: [], ...more };
}

test("an item that several groups touch has the row of the last one", () => {
  const groups = [[put("a", 1)], [put("b", 2)], [put("a", 1, { before, tag: 9 })]];
  const { itemsPut, keysGone, ends } = FoldedWrites.ofCommit(groups, false);
  expect(itemsPut.map(({ key, back, tag, kind }) => [key, back, tag, kind])).toEqual([
    ["a", 0, 9, "replaced"],
    ["b", 1, 0, "created"],
  ]);
  expect([keysGone, ends]).toEqual([[], []]);
});

test("an item that comes and goes leaves its end only", () => {
  const { itemsPut, keysGone, ends } = FoldedWrites.ofCommit([[put("a", 1)], [end("a", 1)]], false);
  expect([itemsPut, keysGone]).toEqual([[], ["a"]]);
  expect(ends).toEqual([{ key: "a", number: 1, back: 0, kind: "deleted" }]);
});

test("a key passes from an item to the next", () => {
  const groups = [[end("a", 1, { isExpiry: true })], [put("a", 2)]];
  const { itemsPut, keysGone, ends } = FoldedWrites.ofCommit(groups, false);
  expect(itemsPut.map(({ key, number }) => [key, number])).toEqual([["a", 2]]);
  expect(keysGone).toEqual([]);
  expect(ends).toEqual([{ key: "a", number: 1, back: 1, kind: "expired" }]);
});

test("of a term the last word counts, and removals of one write come first", () => {
  const groups = [
    [put("a", 1, { termsAdded: ["x", "y"], termsRemoved: ["y"] })],
    [put("a", 1, { before, termsRemoved: ["x"], termsAdded: ["z"] })],
  ];
  const { termsAdded, termsRemoved } = FoldedWrites.ofCommit(groups, false);
  expect(termsAdded.map(({ term }) => term)).toEqual(["y", "z"]);
  expect(termsRemoved.map(({ term }) => term)).toEqual(["x"]);
});

test("kept versions are all there, each with its LSN", () => {
  const groups = [[put("a", 1)], [end("a", 1, { last: Buffer.from("was") })]];
  const { versions } = FoldedWrites.ofCommit(groups, true);
  expect(
    versions.map(({ back, kind, body }) => [back, kind, Buffer.from(body).toString()]),
  ).toEqual([
    [1, "created", "a1"],
    [0, "deleted", "was"],
  ]);
});

test("the end of an item that the part never had takes nothing away", () => {
  const write = { ...end("a", 1), before: undefined };
  const folded = FoldedWrites.ofAdoption([{ lsn: lsn(4), logKind: "deleted", write }], 9);
  expect(folded.keysGone).toEqual([]);
  expect(folded.ends).toEqual([{ key: "a", number: 1, back: 5, kind: "deleted" }]);
});
