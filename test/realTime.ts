/**
 * Tests that wait for time to pass on a real clock: for items to expire, budgets to fill up again,
 * servers to come back. They run as a project of their own, so that everybody knows where the
 * seconds go. A test that waits and is not listed here is a complaint of `tidy`.
 */
export const REAL_TIME: readonly string[] = [
  "src/script/scriptPool.test.ts",
  "src/server/webhook.test.ts",
  "test/backup/underLoad.test.ts",
  "test/crash/acceptedRestart.test.ts",
  "test/crash/killLoop.test.ts",
  "test/crash/splitKills.test.ts",
  "test/database/nodeStorm.test.ts",
  "test/feed/expiry.test.ts",
  "test/feed/processor.test.ts",
  "test/http/connections.test.ts",
  "test/http/ranges.test.ts",
  "test/isolation/isolation.test.ts",
  "test/query/paging.test.ts",
  "test/query/reindex.test.ts",
  "test/sdk/embedding.test.ts",
  "test/sdk/hotPartition.test.ts",
  "test/sdk/keysBulkWriter.test.ts",
  "test/sdk/keysTypes.test.ts",
  "test/sdk/priorities.test.ts",
  "test/sdk/scaleUp.test.ts",
  "test/sdk/statistics.test.ts",
  "test/sdk/throttling.test.ts",
  "test/sdk/ttl.test.ts",
];
