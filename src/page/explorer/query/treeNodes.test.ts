/** Rows as a tree: what each branch is called and what is below it. */
import { expect, test } from "vitest";
import { branchText, childrenOf, rowName } from "./treeNodes.ts";

test("objects and arrays have children, other values none", () => {
  expect(childrenOf({ a: 1, b: null })).toEqual([
    { name: "a", value: 1 },
    { name: "b", value: null },
  ]);
  expect(childrenOf(["x"])).toEqual([{ name: "0", value: "x" }]);
  expect([childrenOf(null), childrenOf(""), childrenOf(7)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test("a closed branch says how much is in it, a row who it is", () => {
  expect([branchText({ a: 1 }), branchText([]), branchText([1, 2])]).toEqual([
    "{1 property}",
    "[0 elements]",
    "[2 elements]",
  ]);
  expect([rowName({ id: "o1" }, 0), rowName(5, 1)]).toEqual(["o1", "2"]);
});
