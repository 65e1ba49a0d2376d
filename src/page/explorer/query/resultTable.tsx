/** Rows of one page of results as a table; a whole item opens with Enter. */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../parts/grid.tsx";
import { Grid } from "../../parts/grid.tsx";
import { Empty } from "../../parts/states.tsx";
import {
  COLUMNS_MAX,
  cellOf,
  columnsOf,
  isObject,
  type ResultColumn,
} from "../data/tableColumns.ts";
import type { FetchedPage } from "./queryRun.ts";

interface ResultTableProps {
  readonly page: FetchedPage;
  readonly keyPaths: readonly string[];
  readonly onOpen: (item: Readonly<Record<string, unknown>>) => void;
}

interface ResultRow {
  readonly index: number;
  readonly row: unknown;
}

const ROWS_SHOWN = 16;

export function ResultTable({ page, keyPaths, onOpen }: ResultTableProps): VNode {
  const [isSystemShown, setSystemShown] = useState(false);
  if (page.rows.length === 0) {
    return <Empty title="No rows.">Nothing in the container passes this query.</Empty>;
  }
  const all = columnsOf(page.rows, keyPaths, isSystemShown);
  const columns = all.slice(0, COLUMNS_MAX).map(
    (column): Column<ResultRow> => ({
      id: column.id,
      title: column.isKey ? (
        <>
          {column.title}
          <br />
          <span class="small">partition key</span>
        </>
      ) : (
        column.title
      ),
      cell: ({ row }) => <Cell column={column} row={row} onOpen={onOpen} />,
    }),
  );
  return (
    <>
      <Grid
        label="Results"
        columns={columns}
        rows={page.rows.map((row, index) => ({ row, index }))}
        keyOf={({ index }) => String(index)}
        onOpen={({ row }) => {
          if (isWholeItem(row)) onOpen(row);
        }}
        windowRows={page.rows.length > ROWS_SHOWN ? ROWS_SHOWN : undefined}
      />
      <div class="tableFoot">
        <Button
          kind="quiet"
          isPressed={isSystemShown}
          onPress={() => setSystemShown(!isSystemShown)}
        >
          System properties
        </Button>
        {all.length > COLUMNS_MAX ? (
          <span class="small">{all.length - COLUMNS_MAX} more columns are in the JSON.</span>
        ) : null}
      </div>
    </>
  );
}

interface CellProps {
  readonly column: ResultColumn;
  readonly row: unknown;
  readonly onOpen: ResultTableProps["onOpen"];
}

function Cell({ column, row, onOpen }: CellProps): VNode {
  const { text, isFaint } = cellOf(column.read(row));
  if (column.id === "id" && isWholeItem(row)) {
    return (
      <Button kind="quiet" class="cellButton" onPress={() => onOpen(row)}>
        {text}
      </Button>
    );
  }
  return <span class={isFaint ? "faint" : "cellText"}>{text}</span>;
}

/** What has an id and an etag can be read again and changed; parts of items cannot. */
function isWholeItem(row: unknown): row is Readonly<Record<string, unknown>> {
  return isObject(row) && typeof row["id"] === "string" && typeof row["_etag"] === "string";
}
