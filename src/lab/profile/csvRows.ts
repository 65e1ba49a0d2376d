/**
 * Reads items from CSV: a row of names, then one item from each row. Cells may be in double quotes
 * and then hold delimiters, line ends and doubled quotes. The delimiter is found in the row of
 * names.
 *
 * Types are guessed for whole columns, from the first rows: a column is one of numbers if every
 * cell there is a number as JSON writes it, of booleans if every one is true or false, else of
 * texts, so codes such as 00417 stay as they are. A cell that does not fit its column is a text. An
 * empty cell is no value at all.
 */

import type { JsonObject, JsonValue } from "../../json/value.ts";
import { ByteLines } from "./byteLines.ts";
import { type ItemReader, type ItemSink, TOO_LONG } from "./itemReader.ts";

/** From as many rows types are guessed. */
const GUESS_ROWS = 1000;
/** A quote that stays open longer is a mistake. */
const QUOTED_LINES_MAX = 1000;
const DELIMITERS = [",", ";", "\t", "|"];
/** Longer ones are ids: as a number they would lose digits. */
const NUMBER = /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?$/;

type ColumnType = "number" | "boolean" | "text";

interface Row {
  readonly cells: readonly string[];
  readonly bytes: number;
}

export class CsvRows implements ItemReader {
  readonly #lines: ByteLines;
  readonly #sink: ItemSink;
  /** Lines of a row in which a quote is open, and the number of the first. */
  #open: { readonly text: string; readonly bytes: number }[] = [];
  #openQuotes = 0;
  #openLine = 0;
  #delimiter = ",";
  #names: readonly string[] | undefined;
  #types: readonly ColumnType[] | undefined;
  #first: Row[] = [];

  constructor(sink: ItemSink) {
    this.#sink = sink;
    this.#lines = new ByteLines(
      (text, bytes, number) => {
        if (text === undefined) sink.problem(`line ${number}`, TOO_LONG);
        else this.#line(text, bytes, number);
      },
      (number) => sink.problem(`line ${number}`, "has bytes that are no UTF-8"),
    );
  }

  get remarks(): readonly string[] {
    if (this.#names === undefined) return [];
    const types = this.#types ?? [];
    const named = (type: ColumnType): string =>
      this.#names!.filter((_, column) => types[column] === type).join(", ") || "none";
    const delimiter = this.#delimiter === "\t" ? "a tab" : `'${this.#delimiter}'`;
    return [
      `CSV with ${delimiter} between cells. Columns taken for numbers: ${named("number")}; for ` +
        `booleans: ${named("boolean")}; all others are texts, and an empty cell is no value.`,
    ];
  }

  push(chunk: Uint8Array): void {
    this.#lines.push(chunk);
  }

  end(): void {
    this.#lines.end();
    while (this.#open.length > 0) this.#giveUpRow();
    this.#guessTypes();
  }

  #line(text: string, bytes: number, number: number): void {
    if (this.#open.length === 0) {
      if (text.trim() === "") return;
      this.#openLine = number;
    }
    this.#open.push({ text, bytes });
    this.#openQuotes += quoteCount(text);
    if (this.#openQuotes % 2 === 0) this.#endRow();
    else if (this.#open.length > QUOTED_LINES_MAX) this.#giveUpRow();
  }

  /**
   * Reports the line in which a quote was opened, and reads those behind it as if it had not been.
   */
  #giveUpRow(): void {
    const [, ...others] = this.#open;
    const line = this.#openLine;
    this.#sink.problem(`line ${line}`, "has a quote that is never closed");
    this.#open = [];
    this.#openQuotes = 0;
    for (const [at, { text, bytes }] of others.entries()) this.#line(text, bytes, line + 1 + at);
  }

  #endRow(): void {
    const text = this.#open.map((line) => line.text).join("\n");
    const bytes = this.#open.reduce((sum, line) => sum + line.bytes + 1, -1);
    this.#open = [];
    this.#openQuotes = 0;
    if (this.#names === undefined) {
      this.#delimiter = delimiterOf(text);
      this.#names = namesOf(cellsOf(text, this.#delimiter));
      return;
    }
    const cells = cellsOf(text, this.#delimiter);
    const [found, wanted] = [cells.length, this.#names.length];
    if (found !== wanted) {
      const problem = `has ${found} cells where the first row has ${wanted}; it was not read`;
      this.#sink.problem(`line ${this.#openLine}`, problem);
    } else if (this.#sink.wants()) this.#row({ cells, bytes });
  }

  #row(row: Row): void {
    if (this.#types !== undefined) {
      this.#sink.item(this.#itemOf(row.cells), row.bytes);
      return;
    }
    this.#first.push(row);
    if (this.#first.length === GUESS_ROWS) this.#guessTypes();
  }

  #guessTypes(): void {
    if (this.#types !== undefined || this.#names === undefined) return;
    this.#types = this.#names.map((_, column) =>
      typeOf(this.#first.map(({ cells }) => cells[column]!).filter((cell) => cell !== "")),
    );
    for (const row of this.#first) this.#row(row);
    this.#first = [];
  }

  #itemOf(cells: readonly string[]): JsonObject {
    const entries: [string, JsonValue][] = [];
    this.#names!.forEach((name, column) => {
      const cell = cells[column]!;
      if (cell !== "") entries.push([name, valueOfCell(cell, this.#types![column]!)]);
    });
    return Object.fromEntries(entries);
  }
}

function quoteCount(text: string): number {
  let count = 0;
  for (let at = text.indexOf('"'); at !== -1; at = text.indexOf('"', at + 1)) count++;
  return count;
}

/** The one that is in the row most often, outside of quotes. */
function delimiterOf(row: string): string {
  const bare = row.replace(/"[^"]*"/g, "");
  const counts = DELIMITERS.map((delimiter) => bare.split(delimiter).length);
  return DELIMITERS[counts.indexOf(Math.max(...counts))]!;
}

/** Each once: the second of a name gets a number. */
function namesOf(cells: readonly string[]): readonly string[] {
  const seen = new Map<string, number>();
  return cells.map((cell, column) => {
    const name = cell.trim() || `column ${column + 1}`;
    const count = (seen.get(name) ?? 0) + 1;
    seen.set(name, count);
    return count === 1 ? name : `${name} (${count})`;
  });
}

function cellsOf(row: string, delimiter: string): readonly string[] {
  if (!row.includes('"')) return row.split(delimiter);
  const cells: string[] = [];
  for (let from = 0; from <= row.length; ) {
    const { cell, end } =
      row[from] === '"' ? quotedCell(row, from, delimiter) : bareCell(row, from, delimiter);
    cells.push(cell);
    from = end + 1;
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

function typeOf(cells: readonly string[]): ColumnType {
  if (cells.length === 0) return "text";
  if (cells.every((cell) => NUMBER.test(cell))) return "number";
  return cells.every((cell) => cell === "true" || cell === "false") ? "boolean" : "text";
}

function valueOfCell(cell: string, type: ColumnType): JsonValue {
  if (type === "number" && NUMBER.test(cell)) return Number(cell);
  if (type === "boolean" && (cell === "true" || cell === "false")) return cell === "true";
  return cell;
}
