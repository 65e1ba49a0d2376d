/**
 * Rows of log files, one after the other: JSON lines, CSV with a line of names, or one JSON value
 * (a list, {"records": […]}, or the tables of a query of Log Analytics). Files that end in .gz are
 * unpacked on the way. Lines are streamed; only one JSON value has to fit into memory.
 */
import { createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { isObject, type JsonObject, type JsonValue } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";
import { CsvReader } from "./workloadCsv.ts";

const VALUE_LENGTH_MAX = 256 * 1024 * 1024;

interface LogFileOutcome {
  readonly rowCount: number;
  /** Lines that are no rows: how many, and the first. */
  readonly brokenCount: number;
  readonly firstBroken: string | undefined;
}

export async function readLogFile(
  file: string,
  take: (row: JsonObject) => void,
): Promise<LogFileOutcome> {
  const reader = /\.csv(\.gz)?$/i.test(file) ? new CsvRows(take) : new JsonRows(take);
  try {
    for await (const chunk of textOf(file)) reader.push(chunk as string);
    return reader.end();
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    throw new CommandFailure(`${file} cannot be read: ${(error as Error).message}`);
  }
}

function textOf(file: string): Readable {
  const bytes = createReadStream(file);
  if (!/\.gz$/i.test(file)) return bytes.setEncoding("utf8");
  const unpacked = createGunzip();
  bytes.on("error", (error) => unpacked.destroy(error));
  return bytes.pipe(unpacked).setEncoding("utf8");
}

/** Counts rows, and what is none. */
class RowCounter {
  rowCount = 0;
  brokenCount = 0;
  firstBroken: string | undefined;
  readonly #take: (row: JsonObject) => void;

  constructor(take: (row: JsonObject) => void) {
    this.#take = take;
  }

  row(row: JsonObject): void {
    this.rowCount += 1;
    this.#take(row);
  }

  broken(place: string, message: string): void {
    this.brokenCount += 1;
    this.firstBroken ??= `${place}: ${message}`;
  }

  get outcome(): LogFileOutcome {
    const { rowCount, brokenCount, firstBroken } = this;
    return { rowCount, brokenCount, firstBroken };
  }
}

class JsonRows {
  readonly #counter: RowCounter;
  /** What came since the last line end, or all of it. */
  #rest = "";
  #lineNumber = 0;
  /** A line of its own for each row, or one value over many lines; undefined before the first. */
  #form: "lines" | "value" | undefined;

  constructor(take: (row: JsonObject) => void) {
    this.#counter = new RowCounter(take);
  }

  push(chunk: string): void {
    this.#rest += chunk;
    this.#form ??= formOf(this.#rest);
    if (this.#form === "lines") {
      const lines = this.#rest.split("\n");
      this.#rest = lines.pop()!;
      for (const line of lines) this.#line(line);
    } else if (this.#rest.length > VALUE_LENGTH_MAX) {
      const most = `${VALUE_LENGTH_MAX / 1024 ** 2} MB`;
      throw new CommandFailure(
        `A file that is one JSON value may have at most ${most}; export JSON lines or CSV.`,
      );
    }
  }

  end(): LogFileOutcome {
    const whole = this.#form === "lines" ? undefined : parsedJson(this.#rest);
    const rows = whole === undefined ? undefined : rowsIn(whole);
    // What is not one value may still be lines, of which the first is broken.
    if (rows === undefined) for (const line of this.#rest.split("\n")) this.#line(line);
    for (const row of rows ?? []) {
      if (isObject(row)) this.#counter.row(row);
      else this.#counter.broken("the list", "an element is no object");
    }
    return this.#counter.outcome;
  }

  #line(line: string): void {
    this.#lineNumber += 1;
    if (line.trim() === "") return;
    const parsed = parsedJson(line);
    if (isObject(parsed)) this.#counter.row(parsed);
    else this.#counter.broken(`line ${this.#lineNumber}`, "no JSON object");
  }
}

/** Told by the first line that says something; undefined before its end. */
function formOf(text: string): "lines" | "value" | undefined {
  const first = /^\uFEFF?\s*([^\n]+)\n/.exec(text)?.[1];
  if (first === undefined) return undefined;
  const parsed = parsedJson(first);
  return isObject(parsed) && rowsIn(parsed) === undefined ? "lines" : "value";
}

class CsvRows {
  readonly #counter: RowCounter;
  readonly #reader: CsvReader;
  #names: readonly string[] | undefined;

  constructor(take: (row: JsonObject) => void) {
    this.#counter = new RowCounter(take);
    this.#reader = new CsvReader((cells) => this.#row(cells));
  }

  push(chunk: string): void {
    this.#reader.push(chunk);
  }

  end(): LogFileOutcome {
    this.#reader.end();
    return this.#counter.outcome;
  }

  #row(cells: readonly string[]): void {
    if (this.#names === undefined) {
      this.#names = cells.map((name) => name.replace(/^\uFEFF/, "").trim());
      return;
    }
    const names = this.#names;
    if (cells.length !== names.length) {
      const place = `row ${this.#counter.rowCount + this.#counter.brokenCount + 2}`;
      this.#counter.broken(place, `${cells.length} cells for ${names.length} names`);
      return;
    }
    this.#counter.row(Object.fromEntries(names.map((name, at) => [name, cells[at]!])));
  }
}

/** The rows of a value that holds some. */
function rowsIn(value: JsonValue): readonly JsonValue[] | undefined {
  if (Array.isArray(value)) return value as readonly JsonValue[];
  if (!isObject(value)) return undefined;
  const { records, tables } = value;
  if (Array.isArray(records)) return records as readonly JsonValue[];
  return Array.isArray(tables) ? (tables as readonly JsonValue[]).flatMap(tableRows) : undefined;
}

/** Of a table with names and lists of cells, as the query API gives it out. */
function tableRows(table: JsonValue): readonly JsonValue[] {
  if (!isObject(table)) return [];
  const { columns, rows } = table;
  if (!Array.isArray(columns) || !Array.isArray(rows)) return [];
  const names = (columns as readonly JsonValue[]).map((column) =>
    isObject(column) ? String(column["name"]) : String(column),
  );
  return (rows as readonly JsonValue[]).map((cells) =>
    Array.isArray(cells)
      ? Object.fromEntries(names.map((name, at) => [name, (cells[at] as JsonValue) ?? null]))
      : cells,
  );
}

function parsedJson(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, "")) as JsonValue;
  } catch {
    return undefined;
  }
}
