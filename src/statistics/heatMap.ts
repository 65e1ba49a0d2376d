/**
 * Heat as a table to draw: rows are stretches of the key space, columns are spans of time. Both are
 * merged to as few as a picture needs.
 */
import type { PartitionKeyDefinition } from "../model/partitionKey.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import { epkRange } from "../partition/epkRange.ts";
import { boundaryAt } from "../partition/keySpace.ts";
import type { Heat } from "./heat.ts";
import { BUCKET_COUNT, type HeatMetric } from "./heatRow.ts";
import type { History } from "./history.ts";
import { type Timespan, timeColumns } from "./resolution.ts";

const HEAT_ROWS_MAX = 512;
const HEAT_COLUMNS_MAX = 360;

export interface HeatMapQuestion extends Timespan {
  readonly metric: HeatMetric;
  /** Number of rows at most; there are never more rows than buckets. */
  readonly rows: number;
  readonly columns: number;
}

export interface HeatMap {
  readonly metric: HeatMetric;
  /** The rows in key order. */
  readonly rows: readonly EpkRange[];
  /** The columns in order of time. */
  readonly columns: readonly Timespan[];
  /** The load by row, then column; null for a gap. */
  readonly cells: readonly (readonly (number | null)[])[];
}

/** `history` tells gaps from silence: it has a slot for every minute in which the server was up. */
export function heatMap(
  { heat, history, definition, wallNow }: HeatSources,
  question: HeatMapQuestion,
): HeatMap {
  const rowCount = within(question.rows, 1, Math.min(HEAT_ROWS_MAX, BUCKET_COUNT));
  const columnsMax = within(question.columns, 2, HEAT_COLUMNS_MAX);
  const { resolution, columns } = timeColumns(question, { wallNow, columnsMax });
  const sums = heat.sums(resolution, columns, question.metric);
  const lived = history.sums(resolution, columns);

  const edges = Array.from({ length: rowCount + 1 }, (_, row) =>
    Math.round((row * BUCKET_COUNT) / rowCount),
  );
  const rowNumbers = edges.slice(1).map((end, row) => ({ start: edges[row]!, end }));
  return {
    metric: question.metric,
    rows: rowNumbers.map(({ start, end }) => {
      const boundary = (bucket: number) => boundaryAt(definition, bucket / BUCKET_COUNT);
      return epkRange(boundary(start), boundary(end));
    }),
    columns: columns.map(({ from, to }) => ({ from, to })),
    cells: rowNumbers.map(({ start, end }) =>
      sums.map((buckets, column) => {
        if (lived[column] === undefined) return null;
        let sum = 0;
        for (let bucket = start; bucket < end; bucket++) sum += buckets[bucket]!;
        return sum;
      }),
    ),
  };
}

interface HeatSources {
  readonly heat: Heat;
  readonly history: History;
  readonly definition: PartitionKeyDefinition;
  readonly wallNow: number;
}

function within(number: number, min: number, max: number): number {
  return Math.max(min, Math.min(max, Math.floor(number)));
}
