/**
 * The names of the headers that the protocol has beside those of HTTP itself, in lower case as Node
 * gives them. This is their one home: no other file of `src` spells such a name out.
 *
 * Members are named for what a header says; names of the service that say something else are not
 * repeated.
 */
export const HEADER = {
  // Headers of any request and of any answer.
  activityId: "x-ms-activity-id",
  version: "x-ms-version",
  date: "x-ms-date",
  continuation: "x-ms-continuation",
  sessionToken: "x-ms-session-token",
  partitionKey: "x-ms-documentdb-partitionkey",
  rangeId: "x-ms-documentdb-partitionkeyrangeid",
  // What a POST to a feed is meant to be.
  isQueryPlan: "x-ms-cosmos-is-query-plan-request",
  isBatch: "x-ms-cosmos-is-batch-request",
  isQuery: "x-ms-documentdb-isquery",
  isUpsert: "x-ms-documentdb-is-upsert",
  isBatchAtomic: "x-ms-cosmos-batch-atomic",
  continueOnError: "x-ms-cosmos-batch-continue-on-error",
  // Which items are meant, and on what terms.
  startEpk: "x-ms-start-epk",
  endEpk: "x-ms-end-epk",
  intendedRid: "x-ms-cosmos-intended-collection-rid",
  consistencyLevel: "x-ms-consistency-level",
  priorityLevel: "x-ms-cosmos-priority-level",
  throughputBucket: "x-ms-cosmos-throughput-bucket",
  indexingDirective: "x-ms-indexing-directive",
  preTrigger: "x-ms-documentdb-pre-trigger-include",
  postTrigger: "x-ms-documentdb-post-trigger-include",
  scriptLogging: "x-ms-documentdb-script-enable-logging",
  bypassCache: "x-ms-dedicatedgateway-bypass-cache",
  excludeSystemProperties: "x-ms-exclude-system-properties",
  // How a page is to be read.
  maxItemCount: "x-ms-max-item-count",
  changeFeedFormat: "x-ms-cosmos-changefeed-wire-format-version",
  correlatedActivityId: "x-ms-cosmos-correlated-activityid",
  crossPartition: "x-ms-documentdb-query-enablecrosspartition",
  parallelCrossPartition: "x-ms-documentdb-query-parallelizecrosspartitionquery",
  queryFeatures: "x-ms-cosmos-supported-query-features",
  populateQueryMetrics: "x-ms-documentdb-populatequerymetrics",
  populateIndexMetrics: "x-ms-cosmos-populateindexmetrics",
  populateIndexMetricsV2: "x-ms-cosmos-populateindexmetrics-v2",
  // What is asked of databases, containers, offers and permissions.
  offerThroughput: "x-ms-offer-throughput",
  autoscaleSettings: "x-ms-cosmos-offer-autopilot-settings",
  toAutoscale: "x-ms-cosmos-migrate-offer-to-autopilot",
  toManual: "x-ms-cosmos-migrate-offer-to-manual-throughput",
  populateQuota: "x-ms-documentdb-populatequotainfo",
  populateStatistics: "x-ms-documentdb-populatepartitionstatistics",
  expirySeconds: "x-ms-documentdb-expiry-seconds",
  // What answers say.
  gatewayVersion: "x-ms-gatewayversion",
  serviceVersion: "x-ms-serviceversion",
  requestCharge: "x-ms-request-charge",
  requestDuration: "x-ms-request-duration-ms",
  substatus: "x-ms-substatus",
  retryAfter: "x-ms-retry-after-ms",
  contentPath: "x-ms-content-path",
  altContentPath: "x-ms-alt-content-path",
  itemCount: "x-ms-item-count",
  itemLsn: "x-ms-item-lsn",
  cacheBypass: "x-ms-cosmos-cache-bypass",
  queryMetrics: "x-ms-documentdb-query-metrics",
  indexUtilization: "x-ms-cosmos-index-utilization",
  scriptLog: "x-ms-documentdb-script-log-results",
  indexProgress: "x-ms-documentdb-collection-index-transformation-progress",
  resourceQuota: "x-ms-resource-quota",
  resourceUsage: "x-ms-resource-usage",
  offerReplacePending: "x-ms-offer-replace-pending",
  minThroughput: "x-ms-cosmos-min-throughput",
  mediaStorageMax: "x-ms-max-media-storage-usage-mb",
  mediaStorageUsed: "x-ms-media-storage-usage-mb",
  // This server's own, of which the service knows nothing.
  explain: "x-orrery-explain",
  mergeQuery: "x-orrery-merge-query",
  /** Says that the web page of this server sent a request, and that its session is to be judged. */
  page: "x-orrery-page",
} as const;

/** How the name of every header of the service itself begins. */
export const SERVICE_HEADER_START = "x-ms-";
