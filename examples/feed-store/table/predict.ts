/**
 * What a pattern will hit and cost, from the declared volume alone: no item is looked at but one
 * example. Prices, the price list behind them, hashes and ranges are those of the lab, and the lab
 * has them from the server; nothing is priced here.
 *
 * This file needs a clone of Orrery, the rest of the example only the package.
 */
import { parseIndexingPolicy } from "../../../src/index/policy.ts";
import type { JsonObject, JsonValue } from "../../../src/json/value.ts";
import { leafCountOf } from "../../../src/lab/price/itemPrice.ts";
import type { FoundItems, PriceSetting } from "../../../src/lab/price/price.ts";
import { queryPriceOf } from "../../../src/lab/price/queryPrice.ts";
import { SERVICE_LIMITS } from "../../../src/model/limits.ts";
import type { PartitionKeyDefinition } from "../../../src/model/partitionKey.ts";
import { partitionCountNeeded } from "../../../src/model/throughput.ts";
import { epkOf } from "../../../src/partition/epk.ts";
import { ownerOf } from "../../../src/partition/epkRange.ts";
import { initialRanges } from "../../../src/partition/initialRanges.ts";
import { PAGE_SIZE } from "../ask.ts";
import { type FeedVolume, generateItems } from "../generate.ts";
import { dateRangeOf, monthsIn, PARTITION_KEY_PATH, withMonth } from "../months.ts";
import { FEED_INDEXING } from "../setUp.ts";
import type { Pattern } from "./patterns.ts";

export interface Figures {
  readonly logicalPartitions: number;
  readonly physicalPartitions: number;
  readonly ru: number;
}

const DAY_MS = 86_400_000;
const KEY: PartitionKeyDefinition = { paths: [PARTITION_KEY_PATH], kind: "Hash", version: 2 };

export class Prediction {
  readonly #volume: FeedVolume;
  readonly #setting: PriceSetting;
  readonly #months: readonly string[];
  /** Month → the index of the physical partition that has it. */
  readonly #owners: ReadonlyMap<string, number>;
  readonly #partitionCount: number;

  constructor(volume: FeedVolume, rateMax: number) {
    this.#volume = volume;
    this.#setting = settingOf(volume);
    this.#months = monthsIn(dateRangeOf(volume.from, volume.to));
    const throughput = { kind: "autoscale", rateMax } as const;
    this.#partitionCount = partitionCountNeeded(throughput, SERVICE_LIMITS);
    const ranges = initialRanges(KEY, this.#partitionCount);
    this.#owners = new Map(
      this.#months.map((month) => [month, ownerOf(ranges, epkOf(KEY, [month]))]),
    );
  }

  of(pattern: Pattern): Figures {
    return pattern.asks === "months" ? this.#byMonth(pattern) : this.#everywhere(pattern);
  }

  /** A query for each month, whether the month has items or not. */
  #byMonth(pattern: Pattern): Figures {
    const price = priceOf(pattern, this.#setting);
    const months = monthsIn(pattern.range);
    const owners = new Set(months.map((month) => this.#owners.get(month)));
    const ru = months.map((month) => price([this.#foundIn(month, pattern)]));
    return {
      logicalPartitions: months.length,
      physicalPartitions: owners.size,
      ru: ru.reduce((sum, each) => sum + each, 0),
    };
  }

  /** The client asks every physical partition by itself, and all months lie in one of them. */
  #everywhere(pattern: Pattern): Figures {
    const price = priceOf(pattern, this.#setting);
    const found = Array.from({ length: this.#partitionCount }, (_, at) => {
      const held = this.#itemsIn(this.#monthsOf(at));
      const matchCount = this.#itemsIn(this.#monthsOf(at), pattern.range) * pattern.share;
      const rowCount = Math.min(matchCount, pattern.rowCount ?? matchCount);
      return { matchCount, rowCount, heldItems: held, pageSize: PAGE_SIZE };
    });
    return {
      logicalPartitions: monthsIn(pattern.range).length,
      physicalPartitions: this.#partitionCount,
      ru: found.reduce((sum, each) => sum + price([each]), 0),
    };
  }

  #foundIn(month: string, { range, share }: Pattern): FoundItems {
    const inRange = this.#itemsIn([month], range);
    const neighbours = this.#monthsOf(this.#owners.get(month));
    const partitionItems = this.#itemsIn(neighbours);
    const heldItems = this.#itemsIn([month]);
    return {
      matchCount: inRange * share,
      rowCount: inRange * share,
      heldItems,
      partitionItems,
      pageSize: PAGE_SIZE,
      candidateCount: inRange,
      orderedShare: this.#itemsIn(neighbours, range) / Math.max(1, partitionItems),
      heldOrderedShare: inRange / Math.max(1, heldItems),
    };
  }

  #monthsOf(owner: number | undefined): readonly string[] {
    return this.#months.filter((month) => this.#owners.get(month) === owner);
  }

  /** Declared items of these months, of the whole of them or of what is in the range. */
  #itemsIn(
    months: readonly string[],
    range = dateRangeOf(this.#volume.from, this.#volume.to),
  ): number {
    const { itemsPerDay, from, to } = this.#volume;
    const millis = months.map((month) => {
      const [start, end] = [new Date(`${month}-01`), new Date(`${month}-01`)];
      end.setUTCMonth(end.getUTCMonth() + 1);
      const first = Math.max(start.getTime(), from.getTime(), Date.parse(range.from));
      const last = Math.min(end.getTime(), to.getTime(), Date.parse(range.to));
      return Math.max(0, last - first);
    });
    return (millis.reduce((sum, each) => sum + each, 0) / DAY_MS) * itemsPerDay;
  }
}

function settingOf(volume: FeedVolume): PriceSetting {
  const policy = parseIndexingPolicy(FEED_INDEXING as unknown as JsonObject);
  if (!policy.ok) throw new Error(`The indexing policy of the feed: ${policy.error}`);
  const [first] = generateItems(volume);
  if (first === undefined) throw new Error("A volume without items costs nothing.");
  const example = withMonth(first) as unknown as JsonObject;
  return {
    itemBytes: Buffer.byteLength(JSON.stringify(example)),
    leafCount: leafCountOf(example, policy.value),
    example,
    consistency: "session",
    policy: policy.value,
  };
}

/** RU of one request with all its pages, to the partitions that are given. */
function priceOf(
  { query: { query, parameters = [] } }: Pattern,
  setting: PriceSetting,
): (found: readonly FoundItems[]) => number {
  const values = parameters.map(({ name, value }) => [name, value as JsonValue] as const);
  const price = queryPriceOf(query, new Map(values), setting);
  if (!price.ok) throw new Error(`${query}: ${price.error}`);
  return (found) => price.value.ruOfVisits(found).reduce((sum, ru) => sum + ru, 0);
}
