/**
 * The counts of a span of time as a row of numbers, and tables with a row for each slot.
 *
 * Rows are arrays of doubles rather than objects because they are added to on every request. A slot
 * in which nothing was counted, because the server was down, is a gap: its numbers are NaN. A slot
 * without requests is not a gap and has zeros.
 */

/** The columns of a row. Up to `CROSS_PARTITION_COUNT` the numbers of rows are added up. */
export const RU = 0;
export const THROTTLED_COUNT = 1;
export const READ_COUNT = 2;
export const WRITE_COUNT = 3;
export const QUERY_PAGE_COUNT = 4;
export const FEED_COUNT = 5;
export const QUERY_COUNT = 6;
export const CROSS_PARTITION_COUNT = 7;
/** Of this column the greatest number counts. */
export const NORMALIZED_PERCENT = 8;
/** Of these columns the latest number counts; NaN while there is none. */
export const ITEM_COUNT = 9;
export const ITEM_BYTES = 10;
export const COLUMN_COUNT = 11;

/** A row of a table as an object, for reports and pictures. */
export interface Slot {
  /** RU spent; a throttled request spends nothing. */
  readonly ru: number;
  /** Number of requests to physical partitions, throttled ones included. */
  readonly requestCount: number;
  readonly throttledCount: number;
  readonly readCount: number;
  readonly writeCount: number;
  /** Number of query pages, counted once for each physical partition that worked on the page. */
  readonly queryPageCount: number;
  readonly feedCount: number;
  /** Number of queries, whatever number of physical partitions they visited. */
  readonly queryCount: number;
  readonly crossPartitionQueryCount: number;
  /**
   * The busiest second of the busiest physical partition, spent over allotted in percent; at most
   * 100.
   */
  readonly normalizedPercent: number;
  /** The number of items at the end of the slot. */
  readonly itemCount?: number | undefined;
  readonly itemBytes?: number | undefined;
}

export function newRow(): Float64Array {
  const row = new Float64Array(COLUMN_COUNT);
  clearRow(row);
  return row;
}

export function clearRow(row: Float64Array): void {
  row.fill(0);
  row[ITEM_COUNT] = Number.NaN;
  row[ITEM_BYTES] = Number.NaN;
}

/** Makes a table of gaps. */
export function newTable(slotCount: number): Float64Array {
  return new Float64Array(slotCount * COLUMN_COUNT).fill(Number.NaN);
}

export function isGap(table: Float64Array, slot: number): boolean {
  return Number.isNaN(table[slot * COLUMN_COUNT]!);
}

export function clearSlot(table: Float64Array, slot: number): void {
  table.fill(Number.NaN, slot * COLUMN_COUNT, (slot + 1) * COLUMN_COUNT);
}

/** Adds a row to a slot; the row must be later than what the slot has. */
export function addRow(table: Float64Array, slot: number, row: Float64Array): void {
  const start = slot * COLUMN_COUNT;
  if (isGap(table, slot)) {
    table.set(row, start);
    return;
  }
  for (let column = 0; column < NORMALIZED_PERCENT; column++)
    table[start + column]! += row[column]!;
  const percent = row[NORMALIZED_PERCENT]!;
  if (percent > table[start + NORMALIZED_PERCENT]!) table[start + NORMALIZED_PERCENT] = percent;
  if (Number.isNaN(row[ITEM_BYTES]!)) return;
  table[start + ITEM_COUNT] = row[ITEM_COUNT]!;
  table[start + ITEM_BYTES] = row[ITEM_BYTES]!;
}

export function rowAt(table: Float64Array, slot: number): Float64Array {
  return table.subarray(slot * COLUMN_COUNT, (slot + 1) * COLUMN_COUNT);
}

export function slotFrom(row: Float64Array): Slot {
  const hasSizes = !Number.isNaN(row[ITEM_BYTES]!);
  return {
    ru: row[RU]!,
    requestCount: requestCountOf(row),
    throttledCount: row[THROTTLED_COUNT]!,
    readCount: row[READ_COUNT]!,
    writeCount: row[WRITE_COUNT]!,
    queryPageCount: row[QUERY_PAGE_COUNT]!,
    feedCount: row[FEED_COUNT]!,
    queryCount: row[QUERY_COUNT]!,
    crossPartitionQueryCount: row[CROSS_PARTITION_COUNT]!,
    normalizedPercent: row[NORMALIZED_PERCENT]!,
    itemCount: hasSizes ? row[ITEM_COUNT] : undefined,
    itemBytes: hasSizes ? row[ITEM_BYTES] : undefined,
  };
}

export function requestCountOf(row: Float64Array): number {
  return row[READ_COUNT]! + row[WRITE_COUNT]! + row[QUERY_PAGE_COUNT]! + row[FEED_COUNT]!;
}
