/**
 * Writes many items, each to its logical partition, as fast as the container takes them.
 *
 * Requests go out as bulks (`items.bulk`) of up to 100 operations, because such a bulk says for
 * each operation what became of it: when to send it again, and whether it may have been done, is
 * decided here. The client's `executeBulkOperations` sleeps for each throttled operation of a
 * request, one after the other, and what fails in its background is an unhandled rejection.
 *
 * Speed decides only against single requests. Version 4.10 of the client on a shared machine with
 * two cores, one run of each, in items a second without throttling: single requests 900 to 1,200,
 * `executeBulkOperations` 2,600, plain `items.bulk` 6,000 to 9,000. Three later runs under load
 * showed no difference between this writer and `executeBulkOperations` (1,000 to 3,000 each).
 * Throttled, 3,000 items at 2,000 RU/s took 9.3 s here and 10.4 s there, once.
 *
 * One bad item is one failure in the result, and stops nothing unless asked. A source may be
 * endless: it is read only as fast as is written, and what is remembered is bounded.
 *
 * A create whose answer was lost may have been done. If it is then refused as a conflict, the
 * stored item is read, and if it is the same, it counts as written.
 */
import type { BulkResult, BulkWriterOptions } from "./bulkReport.ts";
import { BulkRun } from "./bulkRun.ts";
import type { ClientBulkContainer } from "./container.ts";

/** The source threw. What it gave before was written, and `result` says so. */
export class BulkSourceFailure extends Error {
  override readonly name = "BulkSourceFailure";
  readonly result: BulkResult;

  constructor(cause: unknown, result: BulkResult) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(`the source of items failed after ${result.count} were written: ${reason}`, { cause });
    this.result = result;
  }
}

export interface BulkWriter<T extends object = object> {
  write(items: Iterable<T> | AsyncIterable<T>): Promise<BulkResult<T>>;
}

export function bulkWriter<T extends object = object>(
  container: ClientBulkContainer,
  options: BulkWriterOptions<T>,
): BulkWriter<T> {
  return {
    async write(items) {
      const run = new BulkRun<T>(container, options);
      const failed = await run.readAll(items);
      const result = run.result();
      if (failed !== undefined) throw new BulkSourceFailure(failed.cause, result);
      return result;
    },
  };
}
