/** An estimate in words: whom a query will ask, why, and about what it costs. */
import { counted, countText } from "../../../base/wording.ts";
import type { EstimateAnswer, EstimatedPrice } from "../../../protocol/adminQuery.ts";

export function reachWords({ reach }: EstimateAnswer): string {
  const { keys, keyCount, keyPaths, partitionIds, partitionCount } = reach;
  const path = keyPaths[0] ?? "the partition key";
  if (keys === "none") return "No item can pass this filter: nothing is read.";
  const all = counted(partitionCount, "physical partition");
  if (keys === "all") {
    const asked = partitionCount === 1 ? `the one ${all.slice(2)}` : `all ${all}`;
    return `No filter on ${path} → ${asked}.`;
  }
  const named = `${counted(keyCount, "key")} of ${keyPaths.join(", ")}`;
  const which = partitionIds.length === 1 ? ` (partition ${partitionIds[0]})` : "";
  return `${named} → ${partitionIds.length} of ${all}${which}.`;
}

export function priceWords({ price, reason }: EstimateAnswer): string {
  if (price === undefined) return `No estimate of the price: ${reason ?? "nobody knows why"}`;
  return `Estimate: about ${price.ru.toFixed(2)} RU for all pages. ${sureness(price)}`;
}

function sureness({ lowRu, highRu, sampledCount, heldCount, matchCount }: EstimatedPrice): string {
  const passing = `about ${counted(matchCount, "item")} would pass`;
  if (sampledCount === 0 && heldCount > 0) {
    return (
      `No item in reach was among those looked at, so it may be from ${lowRu.toFixed(2)} to ` +
      `${highRu.toFixed(2)} RU.`
    );
  }
  if (sampledCount >= heldCount)
    return `All ${countText(heldCount)} items in reach were looked at.`;
  const looked = `${countText(sampledCount)} of about ${countText(Math.round(heldCount))} items`;
  return (
    `By ${looked} in reach, ${passing}; it may be from ${lowRu.toFixed(2)} to ` +
    `${highRu.toFixed(2)} RU.`
  );
}
