/**
 * What is counted over a span of time, as a row of numbers; and tables of such rows, a slot each.
 *
 * Rows are arrays of doubles rather than objects because they are added to on every request. A slot
 * in which nobody counted is a gap: its numbers are NaN. Counting nothing is something else and
 * gives zeros.
 */

/** Where in a row a number is. */
export const RU = 0;
export const THROTTLED_COUNT = 1;
export const READ_COUNT = 2;
export const WRITE_COUNT = 3;
export const QUERY_PAGE_COUNT = 4;
export const FEED_COUNT = 5;
export const QUERY_COUNT = 6;
export const CROSS_PARTITION_COUNT = 7;
/** Up to here numbers add up. Of this one the greatest counts. */
export const NORMALIZED_PERCENT = 8;
/** Of these the latest counts; NaN while there is none. */
export const ITEM_COUNT = 9;
export const ITEM_BYTES = 10;
export const COLUMN_COUNT = 11;

/** A row of a table, for whoever draws it. */
export interface Slot {
  /** Spent; a throttled request spends nothing. */
  readonly ru: number;
  /** Of physical partitions, throttled ones included. */
  readonly requestCount: number;
  readonly throttledCount: number;
  readonly readCount: number;
  readonly writeCount: number;
  /** Pages of queries, one for each physical partition that worked on it. */
  readonly queryPageCount: number;
  readonly feedCount: number;
  /** Queries, wherever they went. */
  readonly queryCount: number;
  readonly crossPartitionQueryCount: number;
  /** The busiest second of the busiest physical partition, spent over allotted; at most 100. */
  readonly normalizedPercent: number;
  /** At the end of the slot. */
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

/** A table without anything in it. */
export function newTable(slotCount: number): Float64Array {
  return new Float64Array(slotCount * COLUMN_COUNT).fill(Number.NaN);
}

export function isGap(table: Float64Array, slot: number): boolean {
  return Number.isNaN(table[slot * COLUMN_COUNT]!);
}

export function clearSlot(table: Float64Array, slot: number): void {
  table.fill(Number.NaN, slot * COLUMN_COUNT, (slot + 1) * COLUMN_COUNT);
}

/** Counts a row, which is later than what the slot has, towards a slot. */
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
