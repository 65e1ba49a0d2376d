/** What the outcomes of item operations are called on the wire. */
import { withoutLinks } from "../../../engine/item/itemBody.ts";
import type { ItemReceipt } from "../../../engine/item/itemCommand.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf, isTrue } from "../../../protocol/wire/wire.ts";

export const OUTCOME_STATUS: Readonly<Record<ItemReceipt["kind"], number>> = {
  created: 201,
  replaced: 200,
  found: 200,
  unchanged: 304,
  deleted: 204,
};

/** Clients that do not want their own words back say so. */
export function isReturnMinimal(headers: WireHeaders): boolean {
  return headerOf(headers, "prefer")?.toLowerCase().includes("return=minimal") ?? false;
}

/** An item as its reader wants it: some leave out what clients make up for themselves. */
export function shownItem(headers: WireHeaders, body: Buffer | undefined): Buffer | undefined {
  const isShort = body !== undefined && isTrue(headers, HEADER.excludeSystemProperties);
  return isShort ? withoutLinks(body) : body;
}
