/**
 * CSV needs its columns first, and those are known when the last item has come. So items wait in a
 * temporary file, and what is held is the list of columns.
 *
 * A column for every way to a value that is no object; what a nested object holds has dots in its
 * name, as `orrery import` reads it. Where one item has an object and another has none, the object
 * is written as JSON, and so is every array. Null is an empty cell, like a property that is not
 * there: CSV has no words for the difference, nor for that between 1 and "1".
 */
import { createReadStream, mkdtempSync, rmSync } from "node:fs";
import { appendFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { LineSplitter } from "../../itemFile/lines.ts";
import { type Carried, CarriedNumber, carriedAt, noteDigits, plainOf } from "../../json/digits.ts";
import { parseCarried, parseJson } from "../../json/parse.ts";
import { jsonText } from "../../json/stringify.ts";
import { isObject, type JsonObject } from "../../json/value.ts";
import { CommandFailure } from "../terminal/failure.ts";

const COLUMNS_MAX = 10_000;
/** Of a row that is no object. */
const LONE_COLUMN = "value";

export class CsvSpool {
  readonly #folder = mkdtempSync(join(tmpdir(), "orrery-export-"));
  /** Names of the ways to values, in the order in which they were met. */
  readonly #names = new Set<string>();
  readonly #removeAtExit = (): void => this.remove();

  constructor() {
    // A reader who has seen enough ends the process.
    process.once("exit", this.#removeAtExit);
  }

  async add(texts: readonly string[]): Promise<void> {
    if (texts.length === 0) return;
    for (const text of texts) this.#collect(asObject(parseJson(text)), "");
    await appendFile(this.#file, `${texts.join("\n")}\n`);
  }

  /** The row of names, then a row for each item, in pieces. */
  async *rows(): AsyncGenerator<string, void> {
    const names = [...this.#names].filter((name) => !this.#isInside(name));
    if (names.length === 0) return;
    yield `${names.map(cellText).join(",")}\n`;
    const columns = new Map(names.map((name, index) => [name, index]));
    const lines = new LineSplitter();
    for await (const chunk of createReadStream(this.#file, { highWaterMark: 1024 * 1024 })) {
      const found = lines.push(chunk as Buffer);
      yield found.map(({ bytes }) => rowOf(bytes!.toString("utf8"), columns)).join("");
    }
  }

  remove(): void {
    process.off("exit", this.#removeAtExit);
    rmSync(this.#folder, { recursive: true, force: true });
  }

  get #file(): string {
    return join(this.#folder, "items.ndjson");
  }

  #collect(object: JsonObject, prefix: string): void {
    for (const [key, value] of Object.entries(object)) {
      const name = prefix + escaped(key);
      if (isObject(value) && Object.keys(value).length > 0) this.#collect(value, `${name}.`);
      else if (value !== null) this.#names.add(name);
    }
    if (this.#names.size <= COLUMNS_MAX) return;
    throw new CommandFailure(
      `There are more than ${COLUMNS_MAX} columns. Use --format ndjson, or choose with --query.`,
    );
  }

  /** Whether an object on the way is a column by itself. */
  #isInside(name: string): boolean {
    for (let at = name.indexOf("."); at !== -1; at = name.indexOf(".", at + 1)) {
      if (name[at - 1] !== "\\" && this.#names.has(name.slice(0, at))) return true;
    }
    return false;
  }
}

function asObject(value: Carried): JsonObject {
  if (!(value instanceof CarriedNumber) && isObject(value)) return value;
  const lone = { [LONE_COLUMN]: plainOf(value) };
  noteDigits(lone, LONE_COLUMN, value);
  return lone;
}

function escaped(key: string): string {
  return key.replaceAll(".", "\\.");
}

function rowOf(text: string, columns: ReadonlyMap<string, number>): string {
  const cells = new Array<string>(columns.size).fill("");
  const fill = (object: JsonObject, prefix: string): void => {
    for (const [key, value] of Object.entries(object)) {
      const name = prefix + escaped(key);
      const index = columns.get(name);
      if (index !== undefined) cells[index] = cellText(textOf(carriedAt(object, key, value)));
      else if (isObject(value)) fill(value, `${name}.`);
    }
  };
  fill(asObject(parseCarried(text)), "");
  return `${cells.join(",")}\n`;
}

function textOf(value: Carried): string {
  if (value === null) return "";
  return typeof value === "string" ? value : jsonText(value);
}

function cellText(text: string): string {
  return /[",;|\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
