/**
 * Reads items from CSV: a row of names, then one item from each row. Cells may be in double quotes
 * and then hold delimiters, line ends and doubled quotes. The delimiter is found in the row of
 * names.
 *
 * Types are guessed for whole columns, from the first rows (`csvCells.ts` says how).
 */

import type { JsonObject, JsonValue } from "../json/value.ts";
import { ByteLines } from "./byteLines.ts";
import {
  type ColumnType,
  cellsOf,
  delimiterIn,
  quoteCount,
  typeOfCells,
  valueOfCell,
} from "./csvCells.ts";
import { type ItemReader, type ItemSink, TOO_LONG } from "./itemReader.ts";

/** From as many rows types are guessed. */
const GUESS_ROWS = 1000;
/** A quote that stays open longer is a mistake. */
const QUOTED_LINES_MAX = 1000;

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
      this.#delimiter = delimiterIn(text);
      this.#names = namesOf(cellsOf(text, this.#delimiter));
      return;
    }
    const cells = cellsOf(text, this.#delimiter);
    const [found, wanted] = [cells.length, this.#names.length];
    if (found !== wanted) {
      const problem = `has ${found} cells where the first row has ${wanted}; it was not read`;
      this.#sink.problem(`line ${this.#openLine}`, problem);
    } else if (this.#sink.wants(cells.join())) this.#row({ cells, bytes });
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
      typeOfCells(this.#first.map(({ cells }) => cells[column]!)),
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
