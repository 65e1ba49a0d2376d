/**
 * Rows as a table for people: a column for each member that any row has, in the order in which they
 * come up, with what the service adds to items at the end. What does not fit is cut and said to be.
 *
 * Nothing in a row can move the cursor or change colours: control characters are shown escaped.
 */
import { SYSTEM_PROPERTIES } from "../../base/systemProperties.ts";
import { type Carried, CarriedNumber, carriedAt, plainOf } from "../../json/digits.ts";
import { jsonText } from "../../json/stringify.ts";
import { isObject, type JsonObject, property } from "../../json/value.ts";

const CELL_WIDTH_MAX = 40;
const GAP = "  ";
/** The column of rows that are no objects. */
const VALUE = "value";

/** `width` is that of the terminal, if there is one. */
export function tableOf(rows: readonly Carried[], width?: number): string {
  if (rows.length === 0) return "";
  const columns = columnsOf(rows).map((name) => columnOf(name, rows));
  const shown = width === undefined ? columns : fitting(columns, width);
  const lines = [shown.map((column) => pad(column.name, column)).join(GAP)];
  lines.push(shown.map((column) => "─".repeat(column.width)).join(GAP));
  rows.forEach((_, at) => {
    lines.push(shown.map((column) => pad(column.cells[at]!, column)).join(GAP));
  });
  const hidden = columns.slice(shown.length).map(({ name }) => name);
  if (hidden.length > 0) lines.push(`not shown: ${hidden.join(", ")}`);
  return `${lines.map((line) => line.trimEnd()).join("\n")}\n`;
}

interface Column {
  readonly name: string;
  readonly cells: readonly string[];
  readonly width: number;
  /** Numbers are, so that their places line up. */
  readonly isRight: boolean;
}

function columnsOf(rows: readonly Carried[]): readonly string[] {
  const names = new Set<string>();
  for (const row of rows) {
    for (const name of isMembered(row) ? Object.keys(row) : [VALUE]) names.add(name);
  }
  const all = [...names];
  const isSystem = (name: string): boolean => SYSTEM_PROPERTIES.has(name);
  return [...all.filter((name) => !isSystem(name)), ...all.filter(isSystem)];
}

function columnOf(name: string, rows: readonly Carried[]): Column {
  const values = rows.map((row) =>
    isMembered(row) ? carriedAt(row, name, property(row, name)) : name === VALUE ? row : undefined,
  );
  const cells = values.map(cellOf);
  const shownName = cut(escaped(name));
  const width = cells.reduce((widest, cell) => Math.max(widest, widthOf(cell)), widthOf(shownName));
  const isRight = values.every(
    (value) => value === undefined || typeof plainOf(value) === "number",
  );
  return { name: shownName, cells, width, isRight };
}

function isMembered(row: Carried): row is JsonObject {
  return !(row instanceof CarriedNumber) && isObject(row);
}

function cellOf(value: Carried | undefined): string {
  if (value === undefined) return "";
  return cut(escaped(typeof value === "string" ? value : jsonText(value)));
}

/** The columns from the left that have room; one at least. */
function fitting(columns: readonly Column[], width: number): readonly Column[] {
  let used = columns[0]!.width;
  let count = 1;
  for (const column of columns.slice(1)) {
    used += GAP.length + column.width;
    if (used > width) break;
    count++;
  }
  return columns.slice(0, count);
}

function pad(text: string, { width, isRight }: Column): string {
  const blank = " ".repeat(Math.max(0, width - widthOf(text)));
  return isRight ? blank + text : text + blank;
}

function cut(text: string): string {
  const units = [...text];
  return units.length <= CELL_WIDTH_MAX ? text : `${units.slice(0, CELL_WIDTH_MAX - 1).join("")}…`;
}

function widthOf(text: string): number {
  return [...text].length;
}

/** As in JSON, and beyond it what JSON leaves as it is and a terminal does not. */
function escaped(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (unit) => {
    const quoted = JSON.stringify(unit).slice(1, -1);
    return quoted === unit ? `\\u{${unit.codePointAt(0)!.toString(16)}}` : quoted;
  });
}
