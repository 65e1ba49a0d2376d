/**
 * The containers of the feed, as the guide configures them.
 *
 * `setUpFeeds` makes one container for everything. `setUpHotAndWarm` makes two: the days that are
 * written and read most, with a time to live, and the months behind them. Who moves articles from
 * the one to the other, and how both are read, is in `hotWarm/`.
 */
import {
  type Container,
  type ContainerRequest,
  type Database,
  type FullTextPolicy,
  type IndexingPolicy,
  type PartitionKeyDefinition,
  PartitionKeyDefinitionVersion,
  PartitionKeyKind,
} from "@azure/cosmos";
import { PARTITION_KEY_PATH } from "./months.ts";

/** The client names no version by itself; then it is the first, that of old containers. */
const PARTITION_KEY: PartitionKeyDefinition = {
  paths: [PARTITION_KEY_PATH],
  kind: PartitionKeyKind.Hash,
  version: PartitionKeyDefinitionVersion.V2,
};

/** The largest rate of the container, in RU/s; autoscale goes down to a tenth of it. */
export const RATE_MAX = 4000;

const WARM_RATE = 800;
const DAY_SECONDS = 86_400;
/** Nothing stays longer in the hot container, even if nobody moves it. */
const HOT_TTL_DAYS = 45;

/** Long texts are not indexed: nobody compares them with anything. */
const UNINDEXED = ["/content/*", "/metadata/rawData/*"];

interface OrderedPath {
  path: string;
  order: "ascending" | "descending";
}

export const BY_PROVIDER_AND_DATE: OrderedPath[] = [
  { path: "/feedProviderId", order: "ascending" },
  { path: "/publishedDate", order: "descending" },
];

const BY_BOTH_DATES = [
  { path: "/publishedDate", order: "descending" as const },
  { path: "/crawledDate", order: "descending" as const },
];

export const FEED_INDEXING: IndexingPolicy = {
  automatic: true,
  indexingMode: "consistent",
  includedPaths: [{ path: "/*" }],
  excludedPaths: UNINDEXED.map((path) => ({ path })),
  compositeIndexes: [BY_PROVIDER_AND_DATE, BY_BOTH_DATES],
};

/** Paths that are searched by words, where a container has indexes for that. */
const WORD_PATHS = ["/title", "/content"];

const FULL_TEXT: FullTextPolicy = {
  defaultLanguage: "en-US",
  fullTextPaths: WORD_PATHS.map((path) => ({ path, language: "en-US" })),
};

interface SetUpOptions {
  readonly id?: string;
  readonly rateMax?: number;
  /** Adds full-text indexes of titles and contents; the account must have full-text search. */
  readonly fullText?: boolean;
}

export async function setUpFeeds(
  database: Database,
  { id = "feeds", rateMax = RATE_MAX, fullText = false }: SetUpOptions = {},
): Promise<Container> {
  const indexingPolicy = fullText
    ? { ...FEED_INDEXING, fullTextIndexes: WORD_PATHS.map((path) => ({ path })) }
    : FEED_INDEXING;
  return made(database, {
    id,
    partitionKey: PARTITION_KEY,
    indexingPolicy,
    maxThroughput: rateMax,
    ...(fullText && { fullTextPolicy: FULL_TEXT }),
  });
}

export interface HotAndWarm {
  readonly current: Container;
  readonly historical: Container;
}

export async function setUpHotAndWarm(database: Database): Promise<HotAndWarm> {
  const current = await made(database, {
    id: "feeds_current",
    partitionKey: PARTITION_KEY,
    maxThroughput: RATE_MAX,
    defaultTtl: HOT_TTL_DAYS * DAY_SECONDS,
    indexingPolicy: {
      automatic: true,
      indexingMode: "consistent",
      includedPaths: [{ path: "/*" }],
      excludedPaths: [],
      compositeIndexes: [BY_PROVIDER_AND_DATE],
    },
  });
  const historical = await made(database, {
    id: "feeds_historical",
    partitionKey: PARTITION_KEY,
    throughput: WARM_RATE,
    indexingPolicy: {
      automatic: true,
      indexingMode: "consistent",
      includedPaths: [{ path: "/*" }],
      excludedPaths: [{ path: "/content/*" }],
    },
  });
  return { current, historical };
}

async function made(database: Database, definition: ContainerRequest): Promise<Container> {
  const { container } = await database.containers.createIfNotExists(definition);
  return container;
}
