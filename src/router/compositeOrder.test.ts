/** Which order a query names, so that a composite index has it. */
import { expect, test } from "vitest";
import type { KeyComponent } from "../keys/component.ts";
import type { RouteIndex } from "./compositeOrder.ts";
import { orderText, readIndexes } from "./compositeOrder.ts";

const INDEX: RouteIndex = [{ path: "/provider" }, { path: "/date", order: "descending" }];
const OF_ONE = new Map<string, readonly KeyComponent[]>([["/provider", ["reuters"]]]);
const OF_TWO = new Map([["/provider", ["reuters", "ap"]]]);
const OF_NONE = new Map([["/provider", [undefined]]]);

test.each([
  ["the index as it is", true, OF_ONE, [INDEX], 'c["provider"] ASC, c["date"] DESC'],
  ["from its end", false, OF_ONE, [INDEX], 'c["provider"] DESC, c["date"] ASC'],
  ["no index", true, OF_ONE, [], 'c["date"] DESC'],
  ["an index of something else", false, OF_ONE, [INDEX.toReversed()], 'c["date"] ASC'],
  ["no value", false, new Map(), [INDEX], 'c["date"] ASC'],
  ["several values", false, OF_TWO, [INDEX], 'c["date"] ASC'],
  ["items that have nothing there", false, OF_NONE, [INDEX], 'c["date"] ASC'],
])("%s", (_what, isDescending, values, indexes, text) => {
  expect(orderText({ by: "/date", isDescending, values }, readIndexes(indexes))).toBe(text);
});

test.each<[RouteIndex, string]>([
  [[{ path: "/date" }], "two paths or more"],
  [[], "two paths or more"],
  [
    [{ path: "/a" }, { path: "/date", order: "down" as "descending" }],
    'the order of /date is "down"',
  ],
  [[{ path: "/a/*" }, { path: "/date" }], "compositeIndexes: "],
])("%j is refused", (index, says) => {
  expect(() => readIndexes([index])).toThrow(says);
});
