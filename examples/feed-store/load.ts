/**
 * Many items into a container: `bulkWriter` of `orrery/keys` sends them side by side, waits where a
 * partition is throttled, and says what could not be written.
 */
import type { Container } from "@azure/cosmos";
import { type BulkResult, bulkWriter } from "orrery/keys";
import { type FeedItem, parseFeedItem, type StoredFeedItem } from "./feedItem.ts";
import { withMonth } from "./months.ts";

interface LoadOptions {
  /** Resolves after that many milliseconds. */
  readonly wait: (ms: number) => Promise<unknown>;
  readonly onProgress?: (writtenCount: number) => void;
}

export async function loadItems(
  container: Container,
  items: Iterable<FeedItem>,
  { wait, onProgress }: LoadOptions,
): Promise<BulkResult> {
  const writer = bulkWriter<StoredFeedItem>(container, {
    key: ({ partitionKey }) => partitionKey,
    operation: "upsert",
    world: { wait },
    ...(onProgress && { onProgress: ({ writtenCount }) => onProgress(writtenCount) }),
  });
  const result = await writer.write(stored(items));
  const [first] = result.failures;
  if (first === undefined) return result;
  throw new Error(
    `${result.failureCount} items could not be written; the first, ${first.id}: ${first.message}`,
  );
}

function* stored(items: Iterable<FeedItem>): Generator<StoredFeedItem> {
  for (const item of items) yield withMonth(parseFeedItem(item));
}
