/** What a point read comes to: the item, word that it has not changed, or that there is none. */
import type { ReadTerms } from "../../model/request/readTerms.ts";
import type { StoredItem } from "../../store/partitionStore.ts";
import { chargeOf } from "../../throughput/charge.ts";
import { etagOf } from "../item/itemBody.ts";
import type { ItemOutcome } from "../item/itemCommand.ts";
import { isSameEtag } from "../item/prepare.ts";
import type { PhysicalPartition } from "./physicalPartition.ts";

export function readOutcome(
  partition: Pick<PhysicalPartition, "entry" | "lsn" | "isLive">,
  found: StoredItem | undefined,
  { ifNoneMatch, consistency }: ReadTerms,
): ItemOutcome {
  const standing = { lsn: partition.lsn, rangeId: partition.entry.id };
  if (found === undefined || !partition.isLive(found)) {
    const charge = chargeOf({ kind: "readMissing" });
    return { kind: "refused", refusal: { kind: "notFound" }, charge, ...standing };
  }
  const etag = etagOf(found.body);
  const answer = { ...standing, etag, itemLsn: found.lsn };
  if (ifNoneMatch !== undefined && (ifNoneMatch === "*" || isSameEtag(ifNoneMatch, etag))) {
    return { kind: "unchanged", ...answer, charge: chargeOf({ kind: "readUnchanged" }) };
  }
  const charge = chargeOf({ kind: "read", bytes: found.body.length }, consistency);
  return { kind: "found", ...answer, charge, body: found.body };
}
