/**
 * What a query would cost that nobody has run: the lab's prices, over what a sample of the items in
 * reach says of the filter.
 */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { leafCountOf } from "../../lab/price/itemPrice.ts";
import type { PriceSetting, QueryPrice } from "../../lab/price/price.ts";
import { queryPriceOf } from "../../lab/price/queryPrice.ts";
import { type SampleMatches, sampleMatches } from "../../lab/price/sampleMatches.ts";
import type { EstimatedPrice } from "../../protocol/adminQuery.ts";

export interface EstimateSetting {
  readonly text: string;
  readonly parameters: ReadonlyMap<string, JsonValue>;
  readonly pageSize: number | undefined;
  readonly policy: PriceSetting["policy"];
  /** The physical partitions in reach; `heldCount` are the items in the part that is asked. */
  readonly partitions: readonly {
    readonly itemCount: number;
    readonly heldCount: number;
    readonly isPart: boolean;
  }[];
  /** Items in reach. */
  readonly sample: readonly JsonObject[];
  /** Mean bytes of an item, without system properties. */
  readonly itemBytes: number;
}

export function queryEstimate(setting: EstimateSetting): Result<EstimatedPrice, string> {
  const { text, parameters, policy, partitions, sample, itemBytes } = setting;
  const example = sample[0];
  const leafCount = example === undefined ? 0 : leafCountOf(example, policy);
  const priced = { itemBytes, leafCount, example, consistency: "session", policy } as const;
  const price = queryPriceOf(text, parameters, priced);
  if (!price.ok) return price;
  const found = sampleMatches(text, parameters, priced, sample);
  if (!found.ok) return found;
  const heldCount = partitions.reduce((sum, each) => sum + each.heldCount, 0);
  const { low, likely, high } = shareOf(found.value.matchCount, sample.length, heldCount);
  const at = (share: number): number => ruAt(price.value, found.value, setting, share);
  const [lowRu, ru, highRu] = [at(low), at(likely), at(high)].toSorted((a, b) => a - b);
  const matchCount = Math.round(likely * heldCount);
  const sampledCount = sample.length;
  return ok({ ru: ru!, lowRu: lowRu!, highRu: highRu!, matchCount, sampledCount, heldCount });
}

function ruAt(
  price: QueryPrice,
  { matchCount, rowCount, isGrouped }: SampleMatches,
  { partitions, itemBytes, pageSize }: EstimateSetting,
  share: number,
): number {
  const rowsPerMatch = matchCount === 0 ? 1 : rowCount / matchCount;
  const visits = partitions.map(({ itemCount, heldCount, isPart }) => ({
    matchCount: share * heldCount,
    rowCount: isGrouped
      ? Math.max(1, rowCount) / partitions.length
      : share * heldCount * rowsPerMatch,
    heldItems: heldCount,
    ...(isPart && { partitionItems: itemCount }),
    itemBytes,
    pageSize,
  }));
  const ru = price.ruOfVisits(visits).reduce((sum, each) => sum + each, 0);
  return Math.round(ru * 100) / 100;
}

/** Two standard deviations: 19 of 20 samples are nearer to the truth. */
const DEVIATIONS = 1.96;

interface LikelyShare {
  readonly low: number;
  readonly likely: number;
  readonly high: number;
}

/**
 * The share of all items that pass, by those of a sample (Wilson's interval). All of them, sampled,
 * leave nothing to be guessed; none of them, nothing to be known.
 */
export function shareOf(matched: number, sampled: number, all: number): LikelyShare {
  if (sampled === 0) return { low: 0, likely: all === 0 ? 0 : 1, high: all === 0 ? 0 : 1 };
  const likely = matched / sampled;
  if (sampled >= all) return { low: likely, likely, high: likely };
  const z2 = DEVIATIONS ** 2;
  const middle = (likely + z2 / (2 * sampled)) / (1 + z2 / sampled);
  const spread =
    (DEVIATIONS * Math.sqrt((likely * (1 - likely)) / sampled + z2 / (4 * sampled ** 2))) /
    (1 + z2 / sampled);
  return { low: Math.max(0, middle - spread), likely, high: Math.min(1, middle + spread) };
}
