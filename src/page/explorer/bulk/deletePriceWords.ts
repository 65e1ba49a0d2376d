/** What a deletion of many items will cost, in words: an estimate, and from how many items. */
import { counted } from "../../../base/wording.ts";
import type { DeletePriceAnswer } from "../../../protocol/adminQuery.ts";
import { chargeText } from "../../parts/numbers.ts";

/** Empty where nobody knows, because there is no item to go by. */
export function deletePriceWords(price: DeletePriceAnswer, count: number): string {
  const { meanRu, lowRu = meanRu, highRu = meanRu, sampledCount } = price;
  if (meanRu === undefined) return "";
  return (
    `Deleting them costs about ${chargeText(meanRu * count)}: an estimate from ` +
    `${counted(sampledCount, "item")} of the whole container, of which one costs ` +
    `${chargeText(lowRu!)} to ${chargeText(highRu!)}.`
  );
}
