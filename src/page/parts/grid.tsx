/**
 * A table to move in: one stop of the Tab key, arrows inside, Enter opens a row. Columns can be
 * sorted by their heads; the order does not change under somebody's hands. Numbers stand right.
 *
 * Long tables: `windowRows` draws only the rows in sight, in a box of that many rows.
 */
import type { ComponentChildren, VNode } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { cellAfter, cellsOf, focusCell, focusedCell, setTabStop } from "./gridFocus.ts";
import { keptOrder, nextSort, parseSort, sortedRows } from "./rowOrder.ts";
import { windowOf } from "./window.ts";

export interface Column<Row> {
  readonly id: string;
  readonly title: ComponentChildren;
  readonly cell: (row: Row) => ComponentChildren;
  readonly isNumber?: boolean | undefined;
  /** By what the column is sorted; without it, it is not. */
  readonly sortBy?: ((row: Row) => number | string) | undefined;
  /** On a narrow screen the column is left out: it says nothing that is needed first. */
  readonly isSecondary?: boolean | undefined;
}

interface GridProps<Row> {
  readonly label: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  /** Stays the same as long as it is the same thing. */
  readonly keyOf: (row: Row) => string;
  /** Enter, or a double click. */
  readonly onOpen?: ((row: Row) => void) | undefined;
  readonly onPick?: ((row: Row) => void) | undefined;
  readonly pickedKey?: string | undefined;
  /** `load` or `-load`; the column and whether downwards. */
  readonly sort?: string | undefined;
  readonly onSort?: ((sort: string) => void) | undefined;
  /** A line below a row, over its whole width. */
  readonly note?: ((row: Row) => ComponentChildren) | undefined;
  readonly windowRows?: number | undefined;
}

const ROW_HEIGHT = 28;
const OVERSCAN = 10;

export function Grid<Row>(props: GridProps<Row>): VNode {
  const { label, columns, keyOf, onSort, sort = "", windowRows } = props;
  const table = useRef<HTMLTableElement>(null);
  const active = useRef<readonly [number, number]>([0, 0]);
  const [scrollTop, setScrollTop] = useState(0);
  const rows = useSteadyRows(props, table);
  const shown =
    windowRows === undefined
      ? { from: 0, to: rows.length, above: 0, below: 0 }
      : windowOf({
          scrollTop,
          viewHeight: windowRows * ROW_HEIGHT,
          rowHeight: ROW_HEIGHT,
          count: rows.length,
          overscan: OVERSCAN,
        });
  useEffect(() => {
    if (table.current !== null) setTabStop(table.current, ...active.current);
  });
  const onKeyDown = (event: KeyboardEvent): void =>
    moveFocus(event, { ...props, rows }, active, shown.from);
  const body = rows.slice(shown.from, shown.to);
  return (
    <div
      class={`scroll ${windowRows === undefined ? "" : "windowed"}`}
      style={
        windowRows === undefined ? undefined : { maxHeight: `${(windowRows + 1) * ROW_HEIGHT}px` }
      }
      onScroll={(event) => {
        if (windowRows !== undefined) setScrollTop(event.currentTarget.scrollTop);
      }}
    >
      <table
        ref={table}
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the grid pattern.
        role="grid"
        aria-label={label}
        aria-rowcount={rows.length + 1}
        onKeyDown={onKeyDown}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <Head key={column.id} column={column} sort={sort} onSort={onSort} />
            ))}
          </tr>
        </thead>
        <tbody>
          <Spacer height={shown.above} span={columns.length} />
          {body.map((row, index) => (
            <GridRow key={keyOf(row)} row={row} index={shown.from + index} {...props} />
          ))}
          <Spacer height={shown.below} span={columns.length} />
        </tbody>
      </table>
    </div>
  );
}

interface HeadProps<Row> {
  readonly column: Column<Row>;
  readonly sort: string;
  readonly onSort: ((sort: string) => void) | undefined;
}

function Head<Row>({ column, sort, onSort }: HeadProps<Row>): VNode {
  const { id, title, isNumber, isSecondary, sortBy } = column;
  const { column: sorted, isDescending } = parseSort(sort);
  const isSorted = sorted === id;
  const order = isDescending ? "descending" : "ascending";
  return (
    <th scope="col" class={classOf(isNumber, isSecondary)} aria-sort={isSorted ? order : undefined}>
      {sortBy === undefined || onSort === undefined ? (
        title
      ) : (
        <button type="button" class="sort" onClick={() => onSort(nextSort(sort, id))}>
          {title}
          <span aria-hidden="true" class="sortMark">
            {isSorted ? (isDescending ? "↓" : "↑") : ""}
          </span>
        </button>
      )}
    </th>
  );
}

interface RowProps<Row> extends GridProps<Row> {
  readonly row: Row;
  readonly index: number;
}

function GridRow<Row>(props: RowProps<Row>): VNode {
  const { row, index, columns, keyOf, pickedKey, onPick, onOpen, note } = props;
  const noted = note?.(row);
  const isPicked = pickedKey !== undefined && keyOf(row) === pickedKey;
  return (
    <>
      <tr
        data-row={index}
        aria-rowindex={index + 2}
        aria-selected={pickedKey === undefined ? undefined : isPicked}
        class={noted === undefined ? undefined : "noted"}
        onClick={(event) => {
          if (!isOperated(event)) onPick?.(row);
        }}
        onDblClick={() => onOpen?.(row)}
      >
        {columns.map(({ id, cell, isNumber, isSecondary }, column) =>
          column === 0 ? (
            <th key={id} scope="row" class={classOf(isNumber, isSecondary)}>
              {cell(row)}
            </th>
          ) : (
            <td key={id} class={classOf(isNumber, isSecondary)}>
              {cell(row)}
            </td>
          ),
        )}
      </tr>
      {noted === undefined ? null : (
        <tr class="note">
          <td colSpan={columns.length}>{noted}</td>
        </tr>
      )}
    </>
  );
}

/** A link or a button in a row does what it does, and nothing else. */
function isOperated({ target }: Event): boolean {
  return target instanceof Element && target.closest("a, button, input, select") !== null;
}

function Spacer({
  height,
  span,
}: {
  readonly height: number;
  readonly span: number;
}): VNode | null {
  if (height === 0) return null;
  return (
    // biome-ignore lint/a11y/noInteractiveElementToNoninteractiveRole: it stands for no row.
    <tr role="presentation" class="spacer">
      <td colSpan={span} style={{ height: `${height}px` }} />
    </tr>
  );
}

function classOf(
  isNumber: boolean | undefined,
  isSecondary: boolean | undefined,
): string | undefined {
  const names = [
    ...(isNumber === true ? ["number"] : []),
    ...(isSecondary === true ? ["secondary"] : []),
  ];
  return names.length === 0 ? undefined : names.join(" ");
}

/** The rows in their order, which stays while the pointer or the focus is in the table. */
function useSteadyRows<Row>(
  { rows, columns, keyOf, sort }: GridProps<Row>,
  table: { readonly current: HTMLTableElement | null },
): readonly Row[] {
  const former = useRef<{ readonly sort: string | undefined; readonly keys: readonly string[] }>({
    sort: undefined,
    keys: [],
  });
  const { column, isDescending } = parseSort(sort ?? "");
  const sortValueOf = columns.find(({ id }) => id === column)?.sortBy;
  const isInUse = table.current?.matches(":hover, :focus-within") === true;
  const known = new Set(former.current.keys);
  // Where not one row is left, it is another table, which nobody has under his hands yet.
  const isSameTable = rows.some((row) => known.has(keyOf(row)));
  const isKept = isInUse && isSameTable && former.current.sort === sort;
  const ordered = isKept
    ? keptOrder(rows, keyOf, former.current.keys)
    : sortedRows(rows, sortValueOf && { column, isDescending, sortValueOf });
  former.current = { sort, keys: ordered.map(keyOf) };
  return ordered;
}

function moveFocus<Row>(
  event: KeyboardEvent,
  { rows, columns, onOpen, onPick }: GridProps<Row>,
  active: { current: readonly [number, number] },
  drawnFrom: number,
): void {
  const table = event.currentTarget as HTMLTableElement;
  const from = focusedCell(table);
  if (from === undefined) return;
  const row = rows[from[0] + drawnFrom];
  if (event.key === "Enter" && row !== undefined) {
    // A link or a button in the cell does what it does.
    if (document.activeElement?.matches("a, button, input") === true) return;
    event.preventDefault();
    (onOpen ?? onPick)?.(row);
    return;
  }
  const extent = { rowCount: cellsOf(table).length, columnCount: columns.length };
  const to = cellAfter(event, from, extent);
  if (to === undefined) return;
  event.preventDefault();
  active.current = to;
  focusCell(table, ...to);
  cellsOf(table)[to[0]]?.[to[1]]?.scrollIntoView({ block: "nearest", inline: "nearest" });
}
