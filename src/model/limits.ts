/**
 * The limits of the imitated service, each once, with its unit and where it is documented.
 *
 * No other code writes such a number down, except `geo`, which may not import limits. A server may
 * be given a smaller world (`scaledLimits.ts`). What a limit does, and which of the service's own
 * limits are not enforced, is in docs/operate/limits.md, and a test compares the two.
 *
 * "Service quotas" stands for the page "Azure Cosmos DB service quotas and default limits". Sizes
 * are in powers of 1,024.
 */
export interface Limits {
  /** Bytes of one item, as UTF-8 JSON. Service quotas, per-item limits. */
  readonly itemBytesMax: number;
  /** Id of an item, in bytes of UTF-8. Service quotas, per-item limits. */
  readonly itemIdBytesMax: number;
  /**
   * Bytes of a partition key value under hash version 2, in UTF-8. Service quotas, per-item limits.
   */
  readonly partitionKeyBytesMax: number;
  /** Levels of objects and arrays in an item. Service quotas, per-item limits. */
  readonly nestingMax: number;
  /** Seconds of a ttl: the largest signed 32-bit integer. Documented: "Time to live". */
  readonly ttlSecondsMax: number;

  /** Bytes of the body of one request. Service quotas, per-request limits. */
  readonly requestBytesMax: number;
  /** Bytes of one page of an answer. Service quotas, per-request limits. */
  readonly pageBytesMax: number;
  /** Items or rows of one page. The REST reference says 1,000; pages of 9,999 were measured. */
  readonly pageItemsMax: number;
  /** Operations of one patch. Documented: "Partial document update". */
  readonly patchOperationsMax: number;
  /** Operations of one bulk request. Service quotas, per-request limits (transactional batch). */
  readonly batchOperationsMax: number;
  /** Milliseconds that a client's clock may be off. Documented: "Access control on resources". */
  readonly clockSkewMsMax: number;
  /** Seconds that the token of a permission is good, at least. Documented: "CreatePermission". */
  readonly tokenSecondsMin: number;
  /**
   * Seconds that the token of a permission is good, at most. Service quotas, per-request limits
   * (resource token expiry).
   */
  readonly tokenSecondsMax: number;

  /** Characters of a query: 512 KB in UTF-16. Service quotas, SQL query limits. */
  readonly queryCharactersMax: number;
  /** JOINs of one query, subqueries included. Same place. */
  readonly queryJoinsMax: number;
  /** Calls of user-defined functions in one query. Same place. */
  readonly queryUdfCallsMax: number;
  /** ANDs of one query. As the account document of the service states it. */
  readonly queryAndsMax: number;
  /** ORs of one query. As the account document of the service states it. */
  readonly queryOrsMax: number;
  /** Values of one IN. As the account document of the service states it. */
  readonly queryInItemsMax: number;

  /** Id of a database or container, in characters. Service quotas, account limits. */
  readonly nameCharactersMax: number;
  /** Levels of a hierarchical partition key. Documented: "Hierarchical partition keys". */
  readonly keyLevelsMax: number;
  /** Unique keys of one container. Documented: "Unique keys". */
  readonly uniqueKeysMax: number;
  /** Paths of one unique key. Same page. */
  readonly uniqueKeyPathsMax: number;
  /** Computed properties of one container. Documented: "Computed properties". */
  readonly computedPropertiesMax: number;
  /** Materialised views of one container. Documented: "Global secondary indexes". */
  readonly viewsMax: number;
  /** Paths an indexing policy includes, and as many that it excludes. Service quotas, indexing. */
  readonly indexedPathsMax: number;
  /** Composite indexes of one policy. Same place. */
  readonly compositeIndexesMax: number;
  /** Paths of one composite index. Same place. */
  readonly compositePathsMax: number;
  /**
   * Milliseconds that a script may run, its operations included. Service quotas, per-request
   * limits.
   */
  readonly scriptTimeMsMax: number;
  /** Bytes that a script may hold. A bound of our own; the service does not say. */
  readonly scriptMemoryBytesMax: number;
  /** Stored procedures of one container. Service quotas, per-container limits. */
  readonly proceduresMax: number;
  /** Triggers of one container. As the quota header of the service states it. */
  readonly triggersMax: number;
  /** User-defined functions of one container. Service quotas, per-container limits. */
  readonly functionsMax: number;
  /** Dimensions of a vector. Documented: "Vector search in Azure Cosmos DB for NoSQL". */
  readonly vectorDimensionsMax: number;
  /** Dimensions of a vector under a flat index. Same page. */
  readonly flatVectorDimensionsMax: number;
  /** Bytes that a vector is quantized to. Same page. */
  readonly quantizationBytesMax: number;

  /**
   * Bytes of the items of one logical partition, as stored. Documented: "Partitioning and scaling".
   */
  readonly logicalPartitionBytesMax: number;
  /** Bytes of the items of one physical partition, as stored; a larger one is split. Same page. */
  readonly physicalPartitionBytesMax: number;
  /** RU/s that one physical partition can serve. Same page. */
  readonly partitionRateMax: number;
  /**
   * RU/s that one physical partition can serve under serverless. Documented: "Azure Cosmos DB
   * serverless account type".
   */
  readonly serverlessPartitionRateMax: number;
  /** RU/s of a physical partition that spends what it saved. Documented: "Burst capacity". */
  readonly burstRateMax: number;
  /** Seconds of its own rate that a physical partition can save. Same page. */
  readonly burstSecondsMax: number;
  /** Throughput buckets of one container. Documented: "Throughput buckets". */
  readonly throughputBucketsMax: number;

  /** How the rate of a container or database may be set. Documented: "Provisioned throughput". */
  readonly manualRate: RateLimits;
  /** How the highest rate under autoscale may be set. Documented: "Autoscale throughput". */
  readonly autoscaleRate: RateLimits;
  /** RU/s of one container or database. Service quotas, provisioned throughput. */
  readonly rateMax: number;
  /** Containers that share the rate of their database. Same place. */
  readonly sharingContainersMax: number;

  /** Writes that reads may lag behind, at least. Documented: "Consistency levels", one region. */
  readonly stalenessWritesMin: number;
  /** Seconds that reads may lag behind, at least. Same page. */
  readonly stalenessSecondsMin: number;
}

/** Limits of rates, documented with the kind of throughput that they are for. */
export interface RateLimits {
  /** Lowest rate, in RU/s. */
  readonly rateMin: number;
  /** Rates are multiples of this, in RU/s. */
  readonly rateStep: number;
  /** RU/s that a rate must have for each GB stored. */
  readonly ratePerGb: number;
  /** How many times lower than the highest rate ever provisioned a rate may become. */
  readonly fallMax: number;
}

const KB = 1024;
const MB: number = 1024 * KB;
const GB: number = 1024 * MB;

export const SERVICE_LIMITS: Limits = {
  itemBytesMax: 2 * MB,
  itemIdBytesMax: 1023,
  partitionKeyBytesMax: 2048,
  nestingMax: 128,
  ttlSecondsMax: 2_147_483_647,

  requestBytesMax: 2 * MB,
  pageBytesMax: 4 * MB,
  pageItemsMax: 10_000,
  patchOperationsMax: 10,
  batchOperationsMax: 100,
  clockSkewMsMax: 15 * 60 * 1000,
  tokenSecondsMin: 10,
  tokenSecondsMax: 86_400,

  queryCharactersMax: 262_144,
  queryJoinsMax: 10,
  queryUdfCallsMax: 10,
  queryAndsMax: 2000,
  queryOrsMax: 2000,
  queryInItemsMax: 16_000,

  nameCharactersMax: 255,
  keyLevelsMax: 3,
  uniqueKeysMax: 10,
  uniqueKeyPathsMax: 16,
  computedPropertiesMax: 20,
  viewsMax: 5,
  indexedPathsMax: 1500,
  compositeIndexesMax: 100,
  compositePathsMax: 8,
  scriptTimeMsMax: 5000,
  scriptMemoryBytesMax: 64 * MB,
  proceduresMax: 100,
  triggersMax: 25,
  functionsMax: 50,
  vectorDimensionsMax: 4096,
  flatVectorDimensionsMax: 505,
  quantizationBytesMax: 512,

  logicalPartitionBytesMax: 20 * GB,
  physicalPartitionBytesMax: 50 * GB,
  partitionRateMax: 10_000,
  serverlessPartitionRateMax: 5000,
  burstRateMax: 3000,
  burstSecondsMax: 300,
  throughputBucketsMax: 5,

  manualRate: { rateMin: 400, rateStep: 100, ratePerGb: 1, fallMax: 100 },
  autoscaleRate: { rateMin: 1000, rateStep: 1000, ratePerGb: 10, fallMax: 10 },
  rateMax: 1_000_000,
  sharingContainersMax: 25,

  stalenessWritesMin: 10,
  stalenessSecondsMin: 5,
};
