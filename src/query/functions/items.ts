/** Choosing among values, and what the system knows about an item. */
import { isObject, property } from "../../json/value.ts";
import { parseRid } from "../../model/rid.ts";
import type { BuiltIn, Value } from "./builtIn.ts";
import { isString, isWhole, pure } from "./define.ts";

export const ITEM_FUNCTIONS: readonly BuiltIn[] = [
  // The first value has index one: argument zero is the index itself.
  pure("CHOOSE", 2, Infinity, (args) => {
    const [index] = args;
    return isWhole(index) && index >= 1 ? args[index] : undefined;
  }),
  pure("DOCUMENTID", 1, 1, ([item]) => itemNumberOf(item)),
  // Any condition but `true` chooses the third argument, as in `?:`.
  pure("IIF", 3, 3, ([condition, yes, no]) => (condition === true ? yes : no)),
];

/**
 * Returns the item number from the `_rid`; undefined for anything but a stored item. The number is
 * unique within a physical partition.
 */
function itemNumberOf(item: Value): number | undefined {
  const rid = isObject(item) ? property(item, "_rid") : undefined;
  const numbers = isString(rid) ? parseRid(rid) : undefined;
  return numbers?.kind === "item" ? numbers.child : undefined;
}
