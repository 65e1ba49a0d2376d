/** Key strategies and patterns for applications: `import … from "orrery/keys"`. */
export type { AdaptiveOptions, AdaptiveStrategy, VolumeOptions } from "./keys/adaptive.ts";
export { adaptive, adaptiveByVolume } from "./keys/adaptive.ts";
export type {
  BulkFailure,
  BulkProgress,
  BulkResult,
  BulkWriterOptions,
} from "./keys/client/bulkReport.ts";
export type { BulkWriter } from "./keys/client/bulkWriter.ts";
export { BulkSourceFailure, bulkWriter } from "./keys/client/bulkWriter.ts";
export type {
  CircularBuffer,
  CircularBufferOptions,
  RingPlace,
  RingRows,
  RingWrite,
} from "./keys/client/circularBuffer.ts";
export { circularBuffer } from "./keys/client/circularBuffer.ts";
export type {
  ClientBulkContainer,
  ClientContainer,
  ClientWorld,
  Item,
  JsonLike,
  QuerySpec,
} from "./keys/client/container.ts";
export type { KeyCount } from "./keys/client/keyTally.ts";
export type {
  LinkedList,
  LinkedListOptions,
  ListQueryOptions,
  ListRead,
  ListRows,
  ListWrite,
} from "./keys/client/linkedList.ts";
export { linkedList } from "./keys/client/linkedList.ts";
export type { KeyTotals } from "./keys/client/mergedQuery.ts";
export type { Key } from "./keys/client/partitionKey.ts";
export type {
  PeriodsOptions,
  PeriodsQuery,
  PeriodsResult,
} from "./keys/client/queryPeriods.ts";
export { queryPeriods } from "./keys/client/queryPeriods.ts";
export type { CsharpOptions } from "./keys/code/csharp.ts";
export { csharpFor } from "./keys/code/csharp.ts";
export type { TypescriptOptions } from "./keys/code/typescript.ts";
export { typescriptFor } from "./keys/code/typescript.ts";
export type { Draw, KeyComponent } from "./keys/component.ts";
export { componentOf, keyOf } from "./keys/component.ts";
export type { KeyExpression, KeyLevels, TimeGrain } from "./keys/expression.ts";
export type { KeyTextProblem } from "./keys/expressionText.ts";
export {
  parseKeyExpression,
  parseKeyLevels,
  printKeyExpression,
  printKeyLevels,
} from "./keys/expressionText.ts";
export { pathsOf, pathText, periodsIn } from "./keys/paths.ts";
export { periodOf, periodStart, periodsBetween } from "./keys/period.ts";
export { hashBucket, stableHash } from "./keys/stableHash.ts";
export {
  calculatedSuffix,
  category,
  concatenation,
  customerAndStatus,
  entityId,
  geoAndTime,
  hashBuckets,
  hierarchical,
  randomSuffix,
  roundRobin,
  tenant,
  timeAndHash,
  timeBucket,
  typeTimeAndHash,
} from "./keys/strategies.ts";
export type { ClientKey, KeyInput, KeyStrategy, StrategyOptions } from "./keys/strategy.ts";
export { BadStrategy, clientKey, strategyOf } from "./keys/strategy.ts";
export { timeOf } from "./keys/time.ts";
export type { Known, TimeRange, Visits } from "./keys/visits.ts";
export { visitsFor, visitsForLevels } from "./keys/visits.ts";
