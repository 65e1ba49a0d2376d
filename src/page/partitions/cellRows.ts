/** The cells of a heat map as rows of a table, newest first. */
import { type HeatCell, type HeatGrid, ownerOfRow, type ShownMetric } from "./heatGrid.ts";

export interface CellRow {
  readonly column: number;
  /** `undefined` when the row is about all keys: nobody counted then. */
  readonly row?: number | undefined;
  readonly partitionId?: string | undefined;
  /** `undefined` where nobody counted. */
  readonly cell?: HeatCell | undefined;
}

/**
 * All cells but those that were counted and had nothing; a time that nobody counted is one row. Of
 * sizes, all cells: every physical partition has one.
 */
export function cellRows(grid: HeatGrid, metric: ShownMetric): readonly CellRow[] {
  const rows: CellRow[] = [];
  for (let column = grid.columnCount - 1; column >= 0; column--) {
    const cells = Array.from({ length: grid.rowCount }, (_, row) => grid.cell(row, column));
    if (cells.every((cell) => cell === undefined)) {
      rows.push({ column });
      continue;
    }
    cells.forEach((cell, row) => {
      const isNothing = cell !== undefined && cell.ru === 0 && cell.throttledCount === 0;
      if (isNothing && metric !== "bytes") return;
      rows.push({ column, row, partitionId: ownerOfRow(grid, row)?.id, cell });
    });
  }
  return rows;
}
