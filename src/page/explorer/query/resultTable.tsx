/**
 * Rows of one page of results as a table. A whole item opens with its id, and its key leads to all
 * items of that key. Sorting is of the rows that are there: nothing is asked for it.
 */
import type { VNode } from "preact";
import { useState } from "preact/hooks";
import { useParameter } from "../../control/page.ts";
import { Button } from "../../parts/button.tsx";
import type { Column } from "../../parts/grid.tsx";
import { Grid } from "../../parts/grid.tsx";
import { Empty } from "../../parts/states.tsx";
import {
  COLUMNS_MAX,
  cellOf,
  columnsOf,
  isNumeric,
  isObject,
  type ResultColumn,
  sortValueIn,
} from "../data/tableColumns.ts";
import type { FetchedPage } from "./queryRun.ts";

export interface ResultTableProps {
  readonly page: FetchedPage;
  readonly keyPaths: readonly string[];
  readonly onOpen: (item: Item) => void;
  /** Asks for all items with the key of this one, down to a level of the key. */
  readonly onSameKey: (item: Item, level: number) => void;
}

type Item = Readonly<Record<string, unknown>>;

interface ResultRow {
  readonly key: string;
  readonly row: unknown;
}

const ROWS_SHOWN = 16;
/** The end of an item has its etag, so that rows of another page are other rows. */
const TELLING_LENGTH = 120;

export function ResultTable(props: ResultTableProps): VNode {
  const { page, keyPaths, onOpen } = props;
  const [isSystemShown, setSystemShown] = useState(false);
  const [sort, setSort] = useParameter("sort", "");
  if (page.rows.length === 0) {
    return <Empty title="No rows.">Nothing in the container passes this query.</Empty>;
  }
  const all = columnsOf(page.rows, keyPaths, isSystemShown);
  const columns = all.slice(0, COLUMNS_MAX).map((column): Column<ResultRow> => {
    const isNumber = isNumeric(column, page.rows);
    return {
      // The mark keeps a property whose name begins with "-" apart from a descending order.
      id: `.${column.id}`,
      title: <Title column={column} />,
      isNumber,
      sortBy: ({ row }) => sortValueIn(isNumber, column.read(row)),
      cell: ({ row }) => <Cell {...props} column={column} row={row} />,
    };
  });
  return (
    <>
      <Grid
        label="Results"
        columns={columns}
        rows={page.rows.map((row, index) => {
          const text = page.texts[index] ?? "";
          return { row, key: `${index} ${text.length} ${text.slice(-TELLING_LENGTH)}` };
        })}
        keyOf={({ key }) => key}
        onOpen={({ row }) => {
          if (isWholeItem(row)) onOpen(row);
        }}
        sort={sort}
        onSort={setSort}
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
        {sort === "" ? null : (
          <>
            <span class="small">Sorted within this page; ORDER BY sorts across all pages.</span>
            <Button kind="quiet" onPress={() => setSort("")}>
              As the query gave them
            </Button>
          </>
        )}
      </div>
    </>
  );
}

function Title({ column: { title, isKey } }: { readonly column: ResultColumn }): VNode {
  return (
    <span>
      {title}
      {isKey ? (
        <>
          <br />
          <span class="small">partition key</span>
        </>
      ) : null}
    </span>
  );
}

interface CellProps extends Pick<ResultTableProps, "keyPaths" | "onOpen" | "onSameKey"> {
  readonly column: ResultColumn;
  readonly row: unknown;
}

function Cell({ column, row, keyPaths, onOpen, onSameKey }: CellProps): VNode {
  const { text, isFaint } = cellOf(column.read(row));
  const shown = <span class={isFaint ? "faint" : "cellText"}>{text}</span>;
  if (!isWholeItem(row)) return shown;
  if (column.isKey) {
    const level = keyPaths.findIndex((path) => `key ${path.slice(1)}` === column.id);
    return (
      <Button
        kind="quiet"
        class="cellButton"
        label={`${text}: only the items of this key`}
        onPress={() => onSameKey(row, level)}
      >
        {shown}
      </Button>
    );
  }
  if (column.id !== "id") return shown;
  return (
    <Button kind="quiet" class="cellButton" onPress={() => onOpen(row)}>
      {shown}
    </Button>
  );
}

/** What has an id and an etag can be read again and changed; parts of items cannot. */
function isWholeItem(row: unknown): row is Item {
  return isObject(row) && typeof row["id"] === "string" && typeof row["_etag"] === "string";
}
