/** What the admin API knows of queries before they run: words to write them with, and a price. */
import type { Account } from "../../engine/account.ts";
import { objectOf, ownTextOf } from "../../engine/item/itemBody.ts";
import { epkOfKey } from "../../engine/item/itemKey.ts";
import { deletionCharge } from "../../engine/item/prepare.ts";
import type { Container } from "../../engine/partition/container.ts";
import type { QueryReach, ReachedPartition } from "../../engine/query/queryReach.ts";
import { FUNCTION_NAMES, pathsIn } from "../../engine/query/queryWords.ts";
import { member, optional, wholeNumberNamed } from "../../json/reading.ts";
import type { JsonObject } from "../../json/value.ts";
import type { QueryText } from "../../model/request/queryText.ts";
import type {
  DeletePriceAnswer,
  EstimateReply,
  QueryWordsAnswer,
} from "../../protocol/adminQuery.ts";
import { refusalMessage } from "../../protocol/answer/refusal.ts";
import type { LabDesk } from "../lab/labDesk.ts";

export interface AskedEstimate extends QueryText {
  readonly pageSize?: number | undefined;
}

const GLIMPSE_COUNT = 400;
const PAGE_SIZE_MAX = 100_000;
/** Keys whose logical partitions are looked up one by one. */
const LOCATED_MAX = 32;

export function pageSizeOf(members: JsonObject): { readonly pageSize?: number | undefined } {
  const size = member(members, "pageSize");
  return optional(
    "pageSize",
    size === undefined ? undefined : wholeNumberNamed(size, "pageSize", 1, PAGE_SIZE_MAX),
  );
}

export async function queryWords(
  { reporting }: Account,
  container: Container,
): Promise<QueryWordsAnswer> {
  const items = await reporting.glimpse(container, GLIMPSE_COUNT);
  const itemCount = [...container.partitions.values()].reduce(
    (sum, { head }) => sum + head.itemCount,
    0,
  );
  return {
    functions: FUNCTION_NAMES,
    paths: pathsIn(items.map(({ body }) => objectOf(body))),
    sampledCount: items.length,
    itemCount,
  };
}

/** Priced item by item, as a deletion would be; absent prices mean that there is no item. */
export async function deletePrice(
  { reporting }: Account,
  container: Container,
): Promise<DeletePriceAnswer> {
  const items = await reporting.glimpse(container, GLIMPSE_COUNT);
  const charges = items.map((item) => deletionCharge(container, item));
  if (charges.length === 0) return { sampledCount: 0 };
  const meanRu = charges.reduce((sum, each) => sum + each, 0) / charges.length;
  return {
    sampledCount: charges.length,
    meanRu: Math.round(meanRu * 100) / 100,
    lowRu: Math.min(...charges),
    highRu: Math.max(...charges),
  };
}

/** Never runs the query. */
export async function estimate(
  account: Account,
  lab: LabDesk,
  container: Container,
  asked: AskedEstimate,
): Promise<EstimateReply> {
  const reach = await account.queryReach(container, asked);
  if (!reach.ok) return { refusal: refusalMessage(reach.error) };
  const { keys, keyCount, partitions } = reach.value;
  const told = {
    keys,
    keyCount,
    keyPaths: container.definition.partitionKey.paths,
    partitionIds: partitions.map(({ partition }) => partition.entry.id),
    partitionCount: container.partitions.size,
  };
  const price = await priceOf(account, lab, container, asked, reach.value);
  const known = price.ok ? { price: price.value } : { reason: price.error };
  return { estimate: { reach: told, ...known } };
}

async function priceOf(
  { reporting }: Account,
  lab: LabDesk,
  container: Container,
  { text, parameters, pageSize }: AskedEstimate,
  { partitions }: QueryReach,
): Promise<ReturnType<LabDesk["estimate"]>> {
  const glimpsed = await reporting.glimpse(container, GLIMPSE_COUNT);
  const scope = partitions.flatMap(({ partition, ranges }) => ranges ?? [partition.entry.range]);
  const within = glimpsed.filter(({ key }) => {
    const epk = epkOfKey(key);
    return scope.some(({ min, max }) => min <= epk && epk < max);
  });
  const share = glimpsed.length === 0 ? 0 : within.length / glimpsed.length;
  const all = [...container.partitions.values()].reduce((sum, { head }) => sum + head.itemCount, 0);
  const parts = await Promise.all(
    partitions.map(async (reached) => ({
      itemCount: reached.partition.head.itemCount,
      heldCount: await heldCount(reached, (share * all) / partitions.length, async (epk) => {
        const { itemCount } = await reporting.locate(container, epk);
        return itemCount;
      }),
      isPart: reached.ranges !== undefined,
    })),
  );
  const bytes = (within.length > 0 ? within : glimpsed).map(({ body }) => ownTextOf(body).length);
  const { indexingPolicy } = container.definition;
  return lab.estimate({
    text,
    parameters,
    pageSize,
    policy: indexingPolicy,
    partitions: parts,
    sample: within.map(({ body }) => objectOf(body)),
    itemBytes: bytes.length === 0 ? 0 : bytes.reduce((sum, each) => sum + each, 0) / bytes.length,
  });
}

/** Items of logical partitions are counted; of a beginning of a key there is the sample only. */
async function heldCount(
  { partition, ranges, epks }: ReachedPartition,
  sampled: number,
  countAt: (epk: NonNullable<ReachedPartition["epks"]>[number]) => Promise<number>,
): Promise<number> {
  const { itemCount } = partition.head;
  if (ranges === undefined) return itemCount;
  if (epks === undefined || epks.length > LOCATED_MAX) return Math.min(itemCount, sampled);
  const counts = await Promise.all(epks.map(countAt));
  return counts.reduce((sum, each) => sum + each, 0);
}
