/**
 * Heat as it is drawn: a row for each stretch of the key space, a column for each span of time. The
 * server answers the other way round, so it is turned here; RU and throttled requests are laid over
 * each other.
 *
 * The share of the allotment is held against the allotments of now, because nobody keeps what they
 * were. A stretch inside of one physical partition is held against all that the partition is
 * allotted; one that covers several, against theirs together. Sizes are known of whole physical
 * partitions only: all stretches of one have its size.
 */
import { bytesText } from "../../base/wording.ts";
import type { HeatReport } from "../../protocol/admin.ts";
import type { PartitionReport } from "../../statistics/report.ts";
import { firstShown } from "../chart/firstShown.ts";
import { heatStepOf } from "../chart/heatStep.ts";
import { shareText } from "../parts/numbers.ts";
import { type KeyLine, keyLineOf, placeText } from "./keyPlace.ts";
import { type CountedSizes, sizesAtEnds } from "./sizeOverTime.ts";

export const METRICS = ["share", "ru", "throttled", "bytes"] as const;
export type ShownMetric = (typeof METRICS)[number];

/** Both answers are about the same times and stretches. */
export interface HeatPair {
  readonly ru: HeatReport;
  readonly throttled: HeatReport;
  /** Asked for only where sizes are shown. */
  readonly sizes?: CountedSizes | undefined;
}

export interface HeatCell {
  readonly ru: number;
  readonly throttledCount: number;
  /** Of what the physical partition is allotted for that time. */
  readonly share: number;
  /** Of the whole physical partition, at the end of that time. */
  readonly bytes?: number | undefined;
}

export interface HeatGrid {
  readonly rowCount: number;
  readonly columnCount: number;
  readonly times: readonly number[];
  readonly bounds: readonly string[];
  /** Where each physical partition begins and ends, in rows from the top. */
  readonly spans: readonly PartitionSpan[];
  /** `undefined` where nobody counted. */
  cell(row: number, column: number): HeatCell | undefined;
  /** What the metric says of a cell, as a share of the end of its scale. */
  scaled(cell: HeatCell, metric: ShownMetric): number;
  /** The most in view: the end of the scale where there is no limit. */
  readonly most: { readonly ru: number; readonly throttled: number; readonly bytes: number };
}

interface PartitionSpan {
  readonly partition: PartitionReport;
  readonly from: number;
  readonly to: number;
}

type HeatPartitions = readonly PartitionReport[];

export function heatGridOf(
  { ru, throttled, sizes }: HeatPair,
  partitions: HeatPartitions,
): HeatGrid {
  const { times, bounds } = ru;
  const rowCount = bounds.length - 1;
  const columnCount = times.length - 1;
  const line = keyLineOf(partitions);
  const spans = partitions.map((partition) => ({
    partition,
    from: rowPlaceOf(bounds, partition.min, line),
    to: rowPlaceOf(bounds, partition.max, line),
  }));
  const known = sizes === undefined ? [] : [...sizesAtEnds(sizes, times)];
  const bytes = new Map(known);
  const owners = Array.from({ length: rowCount }, (_, row) => ownerAmong(spans, row)?.id ?? "");
  const allotted = Array.from({ length: rowCount }, (_, row) => allottedOf(spans, row));
  const cell = (row: number, column: number): HeatCell | undefined => {
    const spent = ru.cells[column]?.[row];
    if (spent === null || spent === undefined) return undefined;
    const seconds = (times[column + 1]! - times[column]!) / 1000;
    const rate = allotted[row]!;
    return {
      ru: spent,
      throttledCount: throttled.cells[column]?.[row] ?? 0,
      share: rate * seconds === 0 ? 0 : spent / (rate * seconds),
      bytes: bytes.get(owners[row]!)?.[column],
    };
  };
  const largest = Math.max(0, ...known.flatMap(([, each]) => each.map((size) => size ?? 0)));
  const most = { ru: mostOf(ru), throttled: mostOf(throttled), bytes: largest };
  return {
    rowCount,
    columnCount,
    times,
    bounds,
    spans,
    cell,
    most,
    scaled: ({ share, ru: spent, throttledCount, bytes: size = 0 }, metric) => {
      if (metric === "share") return share;
      if (metric === "bytes") return largest === 0 ? 0 : size / largest;
      if (metric === "ru") return most.ru === 0 ? 0 : spent / most.ru;
      return most.throttled === 0 ? 0 : throttledCount / most.throttled;
    },
  };
}

/** Without the time before the first count, in which there is nothing to be seen. */
export function sinceFirstCount({ ru, throttled, sizes }: HeatPair): HeatPair {
  const first = firstShown(ru.cells.map((row) => row.some((cell) => cell !== null)));
  const later = (report: HeatReport): HeatReport => ({
    ...report,
    times: report.times.slice(first),
    cells: report.cells.slice(first),
  });
  return { ru: later(ru), throttled: later(throttled), sizes };
}

function mostOf({ cells }: HeatReport): number {
  return cells.reduce(
    (most, row) => row.reduce<number>((max, value) => Math.max(max, value ?? 0), most),
    0,
  );
}

/** Where an EPK lies among the bounds, in rows from the top; between two bounds it is a part. */
export function rowPlaceOf(bounds: readonly string[], epk: string, line: KeyLine): number {
  let [low, high] = [0, bounds.length - 1];
  if (epk >= bounds[high]!) return high;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (bounds[middle]! <= epk) low = middle;
    else high = middle;
  }
  if (bounds[low] === epk) return low;
  if (!line.isEven) return low + 0.5;
  const [from, to] = [line.place(bounds[low]!), line.place(bounds[high]!)];
  return to === from ? low : low + (line.place(epk) - from) / (to - from);
}

/** RU a second that a row is held against. */
function allottedOf(spans: readonly PartitionSpan[], row: number): number {
  let [sum, most] = [0, 0];
  for (const { partition, from, to } of spans) {
    const overlap = Math.min(to, row + 1) - Math.max(from, row);
    if (overlap <= 0) continue;
    sum += partition.allottedRate * Math.min(1, overlap / (to - from));
    most = Math.max(most, partition.allottedRate);
  }
  return Math.max(sum, most);
}

/** The physical partition that most of a row belongs to. */
export function ownerOfRow({ spans }: HeatGrid, row: number): PartitionReport | undefined {
  return ownerAmong(spans, row);
}

function ownerAmong(spans: readonly PartitionSpan[], row: number): PartitionReport | undefined {
  return spans.find(({ from, to }) => from <= row + 0.5 && row + 0.5 < to)?.partition;
}

interface CellLook {
  /** From 0 to 9; `undefined` where nobody counted. */
  readonly step: number | undefined;
  /** Hatched: requests were refused there, so more was asked for than the allotment. */
  readonly isBeyond: boolean;
}

export function lookOf(grid: HeatGrid, row: number, column: number, metric: ShownMetric): CellLook {
  const cell = grid.cell(row, column);
  if (cell === undefined || (metric === "bytes" && cell.bytes === undefined)) {
    return { step: undefined, isBeyond: false };
  }
  const { step } = heatStepOf(grid.scaled(cell, metric));
  return { step, isBeyond: metric === "share" && (cell.share > 1 || cell.throttledCount > 0) };
}

interface CellPlace {
  readonly row: number;
  readonly column: number;
}

/** The cell under a place between 0 and 1 in both directions, by arithmetic. */
export function cellAt(grid: HeatGrid, x: number, y: number): CellPlace {
  const within = (place: number, count: number): number =>
    Math.min(count - 1, Math.max(0, Math.floor(place * count)));
  return { row: within(y, grid.rowCount), column: within(x, grid.columnCount) };
}

const LEAP = 10;

/** Where a key moves the cursor; `undefined` when it does not. */
export function cursorAfter(
  key: string,
  { row, column }: CellPlace,
  { rowCount, columnCount }: HeatGrid,
): CellPlace | undefined {
  const moves: Readonly<Record<string, CellPlace>> = {
    ArrowUp: { row: row - 1, column },
    ArrowDown: { row: row + 1, column },
    ArrowLeft: { row, column: column - 1 },
    ArrowRight: { row, column: column + 1 },
    PageUp: { row: row - LEAP, column },
    PageDown: { row: row + LEAP, column },
    Home: { row, column: 0 },
    End: { row, column: columnCount - 1 },
  };
  const moved = moves[key];
  if (moved === undefined) return undefined;
  return {
    row: Math.min(rowCount - 1, Math.max(0, moved.row)),
    column: Math.min(columnCount - 1, Math.max(0, moved.column)),
  };
}

/** The cell with most of what the metric shows: where the cursor begins. */
export function warmestOf(grid: HeatGrid, metric: ShownMetric): CellPlace {
  let [best, most] = [{ row: 0, column: grid.columnCount - 1 }, 0];
  for (let column = 0; column < grid.columnCount; column++) {
    for (let row = 0; row < grid.rowCount; row++) {
      const cell = grid.cell(row, column);
      const value = cell === undefined ? 0 : grid.scaled(cell, metric);
      if (value > most) [best, most] = [{ row, column }, value];
    }
  }
  return best;
}

/** The stretch of keys of a row, such as `37.5 % to 38.3 %`. */
export function stretchText({ bounds, rowCount }: HeatGrid, row: number): string {
  // Rows are of one length, whatever version the hashes have.
  return bounds.length < 2
    ? ""
    : `${placeText(row / rowCount)} to ${placeText((row + 1) / rowCount)}`;
}

/** RU of each span of time, over all keys; `undefined` where nobody counted. */
export function columnSums(grid: HeatGrid): readonly (number | undefined)[] {
  return Array.from({ length: grid.columnCount }, (_, column) => {
    let sum: number | undefined;
    for (let row = 0; row < grid.rowCount; row++) {
      const cell = grid.cell(row, column);
      if (cell !== undefined) sum = (sum ?? 0) + cell.ru;
    }
    return sum;
  });
}

/** The largest physical partition in view and how it came to its size. */
export function sizeSummary({ spans, cell, columnCount, rowCount }: HeatGrid): string {
  const sizesOf = (row: number): readonly number[] =>
    Array.from({ length: columnCount }, (_, column) => cell(row, column)?.bytes).filter(
      (size) => size !== undefined,
    );
  let largest: { readonly id: string; readonly sizes: readonly number[] } | undefined;
  for (let row = 0; row < rowCount; row++) {
    const sizes = sizesOf(row);
    const owner = ownerAmong(spans, row);
    if (owner === undefined || sizes.length === 0) continue;
    if (sizes.at(-1)! > (largest?.sizes.at(-1) ?? -1)) largest = { id: owner.id, sizes };
  }
  if (largest === undefined) return "Nobody counted sizes in the time shown.";
  const [first, last] = [largest.sizes[0]!, largest.sizes.at(-1)!];
  const change = last - first;
  const since =
    change === 0
      ? "as large as when counting began"
      : `${bytesText(Math.abs(change))} ${change > 0 ? "more" : "less"} than when counting began`;
  const now = `Partition ${largest.id} is the largest with ${bytesText(last)}`;
  return `${now}, ${since} in the time shown.`;
}

/** Times an even share: with less than that, what is said of one stretch holds for many. */
const EVEN_MOST = 3;

/** What the map shows, in a sentence or two. */
export function heatSummary(grid: HeatGrid, spanText: string): string {
  const sums = columnSums(grid);
  const known = sums.filter((sum) => sum !== undefined);
  if (known.length === 0) return `Nobody counted in the ${spanText}.`;
  const total = known.reduce((all, sum) => all + sum, 0);
  const gapCount = sums.length - known.length;
  const gaps = gapCount === 0 ? "" : ` Nobody counted in ${gapCount} of ${sums.length} spans.`;
  if (total === 0) return `Nothing was spent in the ${spanText}.${gaps}`;
  const rows = Array.from({ length: grid.rowCount }, (_, row) => {
    let sum = 0;
    for (let column = 0; column < grid.columnCount; column++)
      sum += grid.cell(row, column)?.ru ?? 0;
    return sum;
  });
  const top = rows.indexOf(Math.max(...rows));
  const topShare = shareText(rows[top]! / total);
  if (rows[top]! / total < EVEN_MOST / rows.length) {
    const none = `none of ${rows.length} stretches of keys took more than ${topShare} of all RU`;
    return `In the ${spanText} the load was spread: ${none}.${gaps}`;
  }
  const owner = ownerOfRow(grid, top);
  return (
    `In the ${spanText} the keys from ${stretchText(grid, top)}` +
    `${owner === undefined ? "" : `, on partition ${owner.id},`} took ` +
    `${topShare} of all RU.${gaps}`
  );
}
