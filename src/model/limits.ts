/**
 * The limits of the imitated service, each once, with its unit and where it is documented.
 * Tests construct a scaled copy; nothing else in the code base writes such a number down.
 */
export interface Limits {
  /** One item, as UTF-8 JSON. Documented: "Azure Cosmos DB service quotas", per-item limits. */
  readonly itemBytesMax: number;
  /** One request body. Same page, per-request limits. */
  readonly requestBytesMax: number;
  /** One response page. Same page. */
  readonly pageBytesMax: number;
  /** Nesting of objects and arrays in an item. Same page. */
  readonly nestingMax: number;
  /** Id of an item, in bytes of UTF-8. Same page. */
  readonly itemIdBytesMax: number;
  /** Id of a database or container, in characters. Same page. */
  readonly nameCharactersMax: number;
  /** A partition key value under hash version 2, in bytes of UTF-8. Same page. */
  readonly partitionKeyBytesMax: number;
  /** Levels of a hierarchical partition key. Documented: "Hierarchical partition keys". */
  readonly keyLevelsMax: number;
  /** Operations of one patch. Documented: "Partial document update". */
  readonly patchOperationsMax: number;
  /** Rate one physical partition can serve. Documented: "Partitioning and scaling". */
  readonly partitionRateMax: number;
  /** How the rate of a container or database may be set. Documented: "Provisioned throughput". */
  readonly manualRate: RateLimits;
  /** The same for the highest rate under autoscale. Documented: "Autoscale throughput". */
  readonly autoscaleRate: RateLimits;
  /** Highest rate of one container or database. Documented: "Azure Cosmos DB service quotas". */
  readonly rateMax: number;
  /** Containers that share the rate of their database. Same page. */
  readonly sharingContainersMax: number;
  readonly uniqueKeysMax: number;
  readonly uniqueKeyPathsMax: number;
  readonly computedPropertiesMax: number;
  /** Seconds. The largest signed 32-bit integer. Documented: "Time to live". */
  readonly ttlSecondsMax: number;
}

/** All but the last in RU per second. */
export interface RateLimits {
  readonly rateMin: number;
  /** Rates are multiples of it. */
  readonly rateStep: number;
  /** What each GB stored asks for. */
  readonly ratePerGb: number;
  /** How many times lower than the highest rate ever provisioned it may become. */
  readonly fallMax: number;
}

export const SERVICE_LIMITS: Limits = {
  itemBytesMax: 2 * 1024 * 1024,
  requestBytesMax: 2 * 1024 * 1024,
  pageBytesMax: 4 * 1024 * 1024,
  nestingMax: 128,
  itemIdBytesMax: 1023,
  nameCharactersMax: 255,
  partitionKeyBytesMax: 2048,
  keyLevelsMax: 3,
  patchOperationsMax: 10,
  partitionRateMax: 10_000,
  manualRate: { rateMin: 400, rateStep: 100, ratePerGb: 1, fallMax: 100 },
  autoscaleRate: { rateMin: 1000, rateStep: 1000, ratePerGb: 10, fallMax: 10 },
  rateMax: 1_000_000,
  sharingContainersMax: 25,
  uniqueKeysMax: 10,
  uniqueKeyPathsMax: 16,
  computedPropertiesMax: 20,
  ttlSecondsMax: 2_147_483_647,
};
