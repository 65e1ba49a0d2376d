/** What the outcomes of item operations are called on the wire. */
import { withoutLinks } from "../../../engine/item/itemBody.ts";
import type { ItemReceipt } from "../../../engine/item/itemCommand.ts";
import type { ShownItem } from "../../../protocol/request/itemRequest.ts";

export const OUTCOME_STATUS: Readonly<Record<ItemReceipt["kind"], number>> = {
  created: 201,
  replaced: 200,
  found: 200,
  unchanged: 304,
  deleted: 204,
};

/** The body of an answer about one item; a reader has asked for the item, and always gets it. */
export function shownBody(
  { isMinimal, isWithoutLinks }: ShownItem,
  { kind, body }: Pick<ItemReceipt, "kind" | "body">,
): Buffer | undefined {
  if (body === undefined || (isMinimal && kind !== "found")) return undefined;
  return isWithoutLinks ? withoutLinks(body) : body;
}
