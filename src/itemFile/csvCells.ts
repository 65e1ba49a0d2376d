/**
 * Cells of CSV: from rows to cells, from cells to values.
 *
 * A cell in double quotes may hold delimiters, line ends and doubled quotes. Types are for whole
 * columns: one of numbers if every cell is a number as JSON writes it, so codes such as 00417 stay
 * texts; of booleans if every cell is true or false; else of texts. A cell that does not fit its
 * column is a text. An empty cell is no value at all.
 */
import type { JsonValue } from "../json/value.ts";

export type ColumnType = "number" | "boolean" | "text";

const DELIMITERS: readonly string[] = [",", ";", "\t", "|"];
/** Longer ones are ids: as a number they would lose digits. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/;

/** The one that is in the row of names most often, outside of quotes. */
export function delimiterIn(row: string): string {
  const bare = row.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

export function quoteCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

export function cellsOf(row: string, delimiter: string): readonly string[] {
  if (!row.includes('"')) return row.split(delimiter);
  const cells: string[] = [];
  for (let from = 0; from <= row.length; ) {
    const { cell, end } =
      row[from] === '"' ? quotedCell(row, from, delimiter) : bareCell(row, from, delimiter);
    cells.push(cell);
    from = end + delimiter.length;
  }
  return cells;
}

function bareCell(row: string, from: number, delimiter: string): { cell: string; end: number } {
  const found = row.indexOf(delimiter, from);
  const end = found === -1 ? row.length : found;
  return { cell: row.slice(from, end), end };
}

/** What stands between the closing quote and the delimiter belongs to the cell, too. */
function quotedCell(row: string, from: number, delimiter: string): { cell: string; end: number } {
  let cell = "";
  let at = from + 1;
  for (;;) {
    const quote = row.indexOf('"', at);
    if (quote === -1) return { cell: cell + row.slice(at), end: row.length };
    cell += row.slice(at, quote);
    if (row[quote + 1] !== '"') {
      const rest = bareCell(row, quote + 1, delimiter);
      return { cell: cell + rest.cell, end: rest.end };
    }
    cell += '"';
    at = quote + 2;
  }
}

/** Of a column with these cells. */
export function typeOfCells(cells: readonly string[]): ColumnType {
  const filled = cells.filter((cell) => cell !== "");
  if (filled.length === 0) return "text";
  if (filled.every((cell) => NUMBER.test(cell))) return "number";
  return filled.every((cell) => cell === "true" || cell === "false") ? "boolean" : "text";
}

export function valueOfCell(cell: string, type: ColumnType): JsonValue {
  if (type === "number" && NUMBER.test(cell)) return Number(cell);
  if (type === "boolean" && (cell === "true" || cell === "false")) return cell === "true";
  return cell;
}
