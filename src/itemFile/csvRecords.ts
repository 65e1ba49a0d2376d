/**
 * Reads items from CSV: a row of names, then an item from each row. What the types of the columns
 * are is decided when the first rows have come, and from those alone: the same input gives the same
 * items whenever it is read.
 *
 * A row of names that cannot be used throws a `HeaderProblem`: there is no item to be had.
 */
import { Buffer, isUtf8 } from "node:buffer";
import { type ColumnType, cellsOf, delimiterIn, quoteCount } from "./csvCells.ts";
import { type CsvColumn, columnSteps, typeOfColumn } from "./csvColumns.ts";
import { type Line, LineSplitter } from "./lines.ts";
import type { FoundRecord, RecordPlace, RecordReader } from "./record.ts";
import { RECORD_BYTES_MAX, TOO_LONG_REASON } from "./record.ts";

interface CsvOptions {
  /** Undefined: the one that the row of names has most of. */
  readonly delimiter: string | undefined;
  readonly areAllTexts: boolean;
  /** Of the input, for what is said of the row of names. */
  readonly name: string;
}

export class HeaderProblem extends Error {
  override readonly name = "HeaderProblem";
}

/** From as many rows, or rows of as many bytes, types are guessed. */
const GUESS_ROWS = 1000;
const GUESS_BYTES: number = 4 * 1024 * 1024;
/** A quote that stays open longer is a mistake. */
const QUOTED_LINES_MAX = 1000;

interface Row extends RecordPlace {
  readonly kind: "cells";
  readonly cells: readonly string[];
  readonly bytes: Buffer;
}

export class CsvRecords implements RecordReader {
  readonly #lines = new LineSplitter();
  readonly #options: CsvOptions;
  /** Lines of a row in which a quote is open. */
  #open: Line[] = [];
  #openText = "";
  #openBytes = 0;
  #openQuotes = 0;
  #delimiter = ",";
  #steps: readonly (readonly string[])[] | undefined;
  #columns: readonly CsvColumn[] | undefined;
  /** Rows, and what was broken between them, that wait for the types. */
  #waiting: (Row | FoundRecord)[] = [];
  #waitingBytes = 0;

  constructor(options: CsvOptions) {
    this.#options = options;
  }

  get remarks(): readonly string[] {
    if (this.#columns === undefined || this.#steps === undefined) return [];
    const named = (wanted: ColumnType): string =>
      this.#columns!.flatMap(({ steps, type }) => (type === wanted ? [steps.join(".")] : [])).join(
        ", ",
      ) || "none";
    const delimiter = this.#delimiter === "\t" ? "a tab" : `'${this.#delimiter}'`;
    return [
      `CSV with ${delimiter} between cells. Columns taken for numbers: ${named("number")}; for ` +
        `booleans: ${named("boolean")}; all others are texts, and an empty cell is no value.`,
    ];
  }

  push(chunk: Buffer): readonly FoundRecord[] {
    for (const line of this.#lines.push(chunk)) this.#line(line);
    return this.#columns === undefined ? [] : this.#released();
  }

  end(): readonly FoundRecord[] {
    for (const line of this.#lines.end()) this.#line(line);
    while (this.#open.length > 0) this.#giveUpRow();
    this.#columns ??= this.#guessed();
    return this.#released();
  }

  #line(line: Line): void {
    const { bytes, number, end } = line;
    if (bytes === undefined) this.#broken(TOO_LONG_REASON, { line: number, column: 1, end }, bytes);
    else if (!isUtf8(bytes)) {
      this.#broken("it has bytes that are no UTF-8", { line: number, column: 1, end }, bytes);
    } else {
      const text = bytes.toString("utf8");
      if (this.#open.length === 0 && text.trim() === "") return;
      this.#openText += this.#open.length === 0 ? text : `\n${text}`;
      this.#openBytes += bytes.length;
      this.#openQuotes += quoteCount(text);
      this.#open.push(line);
      if (this.#openQuotes % 2 === 0) this.#endRow();
      else if (this.#open.length > QUOTED_LINES_MAX || this.#openBytes > RECORD_BYTES_MAX) {
        this.#giveUpRow();
      }
    }
  }

  /** Tells of the line whose quote is open, and reads those behind it as if it had not been. */
  #giveUpRow(): void {
    const [first, ...others] = this.#open;
    const { bytes, number, end } = first!;
    const column = this.#openText.indexOf('"') + 1;
    this.#forgetOpen();
    this.#broken("its quote is never closed", { line: number, column, end }, bytes);
    for (const line of others) this.#line(line);
  }

  #forgetOpen(): void {
    this.#open = [];
    this.#openText = "";
    this.#openBytes = 0;
    this.#openQuotes = 0;
  }

  #endRow(): void {
    const [text, lines] = [this.#openText, this.#open];
    const place = { line: lines[0]!.number, column: 1, end: lines.at(-1)!.end };
    this.#forgetOpen();
    if (this.#steps === undefined) {
      this.#readNames(text, place.line);
      return;
    }
    const bytes = lines.length === 1 ? lines[0]!.bytes! : Buffer.from(text);
    const cells = cellsOf(text, this.#delimiter);
    const [found, wanted] = [cells.length, this.#steps.length];
    if (found === wanted) {
      this.#wait({ kind: "cells", cells, bytes, ...place });
    } else {
      this.#broken(`it has ${found} cells where the first row has ${wanted}`, place, bytes);
    }
  }

  #readNames(text: string, line: number): void {
    this.#delimiter = this.#options.delimiter ?? delimiterIn(text);
    const steps = columnSteps(cellsOf(text, this.#delimiter));
    if (!steps.ok) throw new HeaderProblem(`${this.#options.name}:${line}: ${steps.error}.`);
    this.#steps = steps.value;
  }

  #broken(reason: string, place: RecordPlace, bytes: Buffer | undefined): void {
    this.#wait({ kind: "broken", reason, bytes, ...place });
  }

  /** The row that makes enough of them settles the types, wherever the chunk with it ends. */
  #wait(row: Row | FoundRecord): void {
    this.#waiting.push(row);
    this.#waitingBytes += row.bytes?.length ?? 0;
    const isEnough = this.#waiting.length >= GUESS_ROWS || this.#waitingBytes >= GUESS_BYTES;
    if (isEnough && this.#columns === undefined) this.#columns = this.#guessed();
  }

  #released(): readonly FoundRecord[] {
    const rows = this.#waiting;
    this.#waiting = [];
    this.#waitingBytes = 0;
    const columns = this.#columns!;
    return rows.map((row) => {
      if (row.kind !== "cells") return row;
      const { cells, bytes, line, column, end } = row;
      return { kind: "row", columns, cells, bytes, line, column, end };
    });
  }

  #guessed(): readonly CsvColumn[] {
    const cells = this.#waiting.flatMap((row) => (row.kind === "cells" ? [row.cells] : []));
    return (this.#steps ?? []).map((steps, index) => ({
      steps,
      type: this.#options.areAllTexts
        ? "text"
        : typeOfColumn(
            steps,
            cells.map((row) => row[index]!),
          ),
    }));
  }
}
