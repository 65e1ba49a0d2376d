/** The table of what the heat map draws: all cells that are not simply nothing, newest first. */
import type { VNode } from "preact";
import { useMemo } from "preact/hooks";
import { bytesText, countText } from "../../base/wording.ts";
import { useParameter } from "../control/page.ts";
import type { Column } from "../parts/grid.tsx";
import { Grid } from "../parts/grid.tsx";
import { shareText } from "../parts/numbers.ts";
import { Empty } from "../parts/states.tsx";
import { useTimes } from "../parts/times.ts";
import { type CellRow, cellRows } from "./cellRows.ts";
import { type HeatGrid, type ShownMetric, stretchText } from "./heatGrid.ts";

const SHOWN_ROWS = 12;

interface HeatTableProps {
  readonly grid: HeatGrid;
  readonly metric: ShownMetric;
}

export function HeatTable({ grid, metric }: HeatTableProps): VNode {
  const { dayText } = useTimes();
  const [sort, setSort] = useParameter("cellSort", "");
  const rows = useMemo(() => cellRows(grid, metric), [grid, metric]);
  if (rows.length === 0) {
    return <Empty title="Every cell is nothing.">All of them were counted.</Empty>;
  }
  const listed = new Set(rows.map(({ column, row }) => `${column} ${row}`)).size;
  const columns = columnsFor(grid, metric, dayText);
  return (
    <>
      <p class="small">
        {countText(listed)} rows; the map has {grid.rowCount} × {grid.columnCount} cells.
        {metric === "bytes" ? "" : " A cell that is not listed had nothing, and was counted."}
      </p>
      <Grid
        label="Heat"
        columns={columns}
        rows={rows}
        keyOf={({ column, row }) => `${column} ${row}`}
        sort={sort}
        onSort={setSort}
        windowRows={rows.length > SHOWN_ROWS ? SHOWN_ROWS : undefined}
      />
    </>
  );
}

const SIZE_COLUMN: Column<CellRow> = {
  id: "size",
  title: "Size of the partition",
  isNumber: true,
  sortBy: ({ cell }) => cell?.bytes ?? -1,
  cell: ({ cell }) => (cell?.bytes === undefined ? "nobody counted" : bytesText(cell.bytes)),
};

function columnsFor(
  grid: HeatGrid,
  metric: ShownMetric,
  timeText: (at: number) => string,
): readonly Column<CellRow>[] {
  return [
    {
      id: "time",
      title: "From",
      sortBy: ({ column }) => column,
      cell: ({ column }) => timeText(grid.times[column]!),
    },
    {
      id: "keys",
      title: "Keys",
      sortBy: ({ row }) => row ?? -1,
      cell: ({ row }) => (row === undefined ? "all" : stretchText(grid, row)),
    },
    {
      id: "on",
      title: "On",
      isNumber: true,
      isSecondary: true,
      cell: ({ partitionId }) => partitionId ?? "–",
    },
    {
      id: "ru",
      title: "RU",
      isNumber: true,
      sortBy: ({ cell }) => cell?.ru ?? -1,
      cell: ({ cell }) => (cell === undefined ? "nobody counted" : countText(cell.ru)),
    },
    {
      id: "share",
      title: "Of allotment",
      isNumber: true,
      isSecondary: metric !== "share",
      sortBy: ({ cell }) => cell?.share ?? -1,
      cell: ({ cell }) => shareText(cell?.share),
    },
    {
      id: "refused",
      title: "429s",
      isNumber: true,
      sortBy: ({ cell }) => cell?.throttledCount ?? -1,
      cell: ({ cell }) => (cell === undefined ? "–" : countText(cell.throttledCount)),
    },
    ...(metric === "bytes" ? [SIZE_COLUMN] : []),
  ];
}
