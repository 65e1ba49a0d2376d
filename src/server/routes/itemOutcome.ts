/** What the outcomes of item operations are called on the wire. */
import type { ItemReceipt } from "../../engine/itemCommand.ts";
import type { WireHeaders } from "../../protocol/wire.ts";
import { headerOf } from "../../protocol/wire.ts";

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
