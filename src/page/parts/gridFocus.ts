/**
 * The focus inside a table that is one stop of the Tab key: arrows move between its cells. In a
 * cell with a link or a button the focus is on that, otherwise on the cell.
 */

const OPERABLE = "a[href], button, input, select";

/** The cells of the body, row by row. A row that only explains the one before it has no cells. */
export function cellsOf(table: HTMLTableElement): readonly (readonly HTMLElement[])[] {
  return [...table.querySelectorAll<HTMLTableRowElement>("tbody > tr[data-row]")].map((row) => [
    ...row.cells,
  ]);
}

/** What gets the focus in a cell. */
function targetIn(cell: HTMLElement): HTMLElement {
  return cell.querySelector<HTMLElement>(OPERABLE) ?? cell;
}

/** Makes one cell the stop of the Tab key, and everything else in the table none. */
export function setTabStop(table: HTMLTableElement, row: number, column: number): void {
  const cells = cellsOf(table);
  for (const cell of cells.flat()) {
    cell.tabIndex = -1;
    for (const each of cell.querySelectorAll<HTMLElement>(OPERABLE)) each.tabIndex = -1;
  }
  const target = cells[row]?.[column] ?? cells[0]?.[0];
  if (target !== undefined) targetIn(target).tabIndex = 0;
}

/** Row and column of the cell that has the focus. */
export function focusedCell(table: HTMLTableElement): readonly [number, number] | undefined {
  const focused = document.activeElement?.closest("td, th");
  if (focused === null || focused === undefined) return undefined;
  for (const [row, cells] of cellsOf(table).entries()) {
    const column = cells.indexOf(focused as HTMLElement);
    if (column >= 0) return [row, column];
  }
  return undefined;
}

export function focusCell(table: HTMLTableElement, row: number, column: number): void {
  setTabStop(table, row, column);
  const cell = cellsOf(table)[row]?.[column];
  if (cell !== undefined) targetIn(cell).focus();
}

interface Extent {
  readonly rowCount: number;
  readonly columnCount: number;
}

/** Where a key leads from a cell; `undefined` when it leads nowhere. */
export function cellAfter(
  { key, ctrlKey, metaKey }: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey">,
  [row, column]: readonly [number, number],
  { rowCount, columnCount }: Extent,
): readonly [number, number] | undefined {
  const isMod = ctrlKey || metaKey;
  const [lastRow, lastColumn] = [rowCount - 1, columnCount - 1];
  switch (key) {
    case "ArrowDown":
      return [isMod ? lastRow : Math.min(lastRow, row + 1), column];
    case "ArrowUp":
      return [isMod ? 0 : Math.max(0, row - 1), column];
    case "ArrowRight":
      return [row, isMod ? lastColumn : Math.min(lastColumn, column + 1)];
    case "ArrowLeft":
      return [row, isMod ? 0 : Math.max(0, column - 1)];
    case "Home":
      return [isMod ? 0 : row, 0];
    case "End":
      return [isMod ? lastRow : row, lastColumn];
    default:
      return undefined;
  }
}
