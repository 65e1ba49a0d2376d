/**
 * Cells of CSV: from rows to cells and names, from cells to values.
 *
 * A cell in double quotes may hold delimiters, line ends and doubled quotes. A name with dots in it
 * is a way into nested objects; a dot behind a backslash is just a dot. Types are guessed for whole
 * columns: one of numbers if every cell is a number as JSON writes it, so codes such as 00417 stay
 * texts; of booleans if every cell is true or false; else of texts. A cell that does not fit its
 * column is a text. An empty cell is no value at all.
 */
import { no, ok, type Result } from "../../base/result.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { put } from "./properties.ts";

export type ColumnType = "number" | "boolean" | "text";

export interface Column {
  readonly steps: readonly string[];
  readonly type: ColumnType;
}

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

/** The ways that the row of names shows, or why they cannot all be. */
export function columnSteps(
  names: readonly string[],
): Result<readonly (readonly string[])[], string> {
  const all: (readonly string[])[] = [];
  const seen = new Map<string, string>();
  for (const [index, name] of names.entries()) {
    const steps = name
      .trim()
      .split(/(?<!\\)\./)
      .map((step) => step.replaceAll("\\.", "."));
    if (steps.includes("")) return no(`column ${index + 1} has no name, or one with an empty part`);
    const text = JSON.stringify(steps);
    if (seen.has(text)) return no(`there are two columns of the name '${name.trim()}'`);
    seen.set(text, name.trim());
    all.push(steps);
  }
  for (const steps of all) {
    for (let length = 1; length < steps.length; length++) {
      const outer = seen.get(JSON.stringify(steps.slice(0, length)));
      if (outer === undefined) continue;
      return no(`'${steps.join(".")}' would be inside of '${outer}', which is a column by itself`);
    }
  }
  return ok(all);
}

/** Ids are texts, whatever they look like. */
export function typeOfColumn(steps: readonly string[], cells: readonly string[]): ColumnType {
  const filled = cells.filter((cell) => cell !== "");
  if (filled.length === 0 || (steps.length === 1 && steps[0] === "id")) return "text";
  if (filled.every((cell) => NUMBER.test(cell))) return "number";
  return filled.every((cell) => cell === "true" || cell === "false") ? "boolean" : "text";
}

export function itemOfCells(columns: readonly Column[], cells: readonly string[]): JsonObject {
  const item: Record<string, JsonValue> = {};
  columns.forEach(({ steps, type }, index) => {
    const cell = cells[index]!;
    if (cell !== "") put(item, steps, valueOfCell(cell, type));
  });
  return item;
}

function valueOfCell(cell: string, type: ColumnType): JsonValue {
  if (type === "number" && NUMBER.test(cell)) return Number(cell);
  if (type === "boolean" && (cell === "true" || cell === "false")) return cell === "true";
  return cell;
}
