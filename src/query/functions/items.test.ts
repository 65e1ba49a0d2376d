/** Documented examples and odd cases. */
import { expect, test } from "vitest";
import { childRidPrefix, containerRid, itemRid, rangeRid } from "../../model/rid.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { ITEM_FUNCTIONS } from "./items.ts";

function call(name: string, ...args: Value[]): Value {
  return ITEM_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

const EXAMPLES: readonly Row[] = [
  [["CHOOSE", 1, "Vimero", "Hydration", "Pack"], "Vimero"],
  [["CHOOSE", 0, "Mt.", "Hood"], undefined],
  [["CHOOSE", 2, "Mt.", "Hood"], "Hood"],
  [["CHOOSE", 3, "Mt.", "Hood"], undefined],
  [["CHOOSE", -1, "Mt.", "Hood"], undefined],
  [["CHOOSE", 1.5, "Mt.", "Hood"], undefined],
  [["CHOOSE", "1", "Mt.", "Hood"], undefined],
  [["CHOOSE", 1, undefined, "Hood"], undefined],
  [["IIF", true, 123, 456], 123],
  [["IIF", false, 123, 456], 456],
  [["IIF", 123, 123, 456], 456],
  [["IIF", "ABC", 123, 456], 456],
  [["IIF", [1, 2, 3], 123, 456], 456],
  [["IIF", { name: "Alice" }, 123, 456], 456],
  [["IIF", null, 123, 456], 456],
  [["IIF", undefined, 123, 456], 456],
  [["IIF", true, undefined, 456], undefined],
  [["DOCUMENTID", { _rid: "36ZyAPW+uN8NAAAAAAAAAA==" }], 13],
  [["DOCUMENTID", { _rid: itemRid(childRidPrefix(1, 2), 2 ** 40) }], 2 ** 40],
  [["DOCUMENTID", { _rid: rangeRid(childRidPrefix(1, 2), 3) }], undefined],
  [["DOCUMENTID", { _rid: containerRid(1, 2) }], undefined],
  [["DOCUMENTID", { _rid: "nonsense" }], undefined],
  [["DOCUMENTID", { _rid: 13 }], undefined],
  [["DOCUMENTID", {}], undefined],
  [["DOCUMENTID", "36ZyAPW+uN8NAAAAAAAAAA=="], undefined],
  [["DOCUMENTID", undefined], undefined],
];
test.each(EXAMPLES)("%j is %j", ([name, ...args], expected) => {
  expect(call(name, ...args)).toEqual(expected);
});
