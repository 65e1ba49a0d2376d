/**
 * Conformance cases as text: what the language promises, one topic a file.
 *
 * A file is a row of blocks with blank lines between them; lines that start with `#` are remarks.
 *
 *     container {"indexingPolicy": …}      how the container differs from the usual one
 *
 *     items                                one item a line
 *     {"id": "1", "pk": "a"}
 *
 *     query A title that says what holds
 *     SELECT VALUE c.id FROM c WHERE c.n = @n
 *     parameters {"@n": 1}
 *     ----
 *     "1"                                  one row a line, or: error SC2001 part of the message
 *
 *     table A title for many expressions
 *     ABS(-1) => 1
 *     ABS("x") => undefined
 *     SIN(1) ~> 0.8414709848               equal to nine digits
 *
 * A `beyond` line before the `----` gives the reason why the naive model cannot judge the case:
 * it knows nothing of policies.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { JsonObject, JsonValue } from "../../src/json/value.ts";

export interface CaseFile {
  readonly name: string;
  readonly container: JsonObject;
  readonly items: readonly JsonObject[];
  readonly queries: readonly QueryCase[];
  readonly tables: readonly TableCase[];
}

export interface QueryCase {
  readonly title: string;
  readonly text: string;
  readonly parameters: Readonly<Record<string, JsonValue>>;
  readonly beyondModel?: string;
  readonly expected: ExpectedRows | ExpectedError;
}

interface ExpectedRows {
  readonly kind: "rows";
  readonly rows: readonly JsonValue[];
}

interface ExpectedError {
  readonly kind: "error";
  /** Empty when the service gives none. */
  readonly code: string;
  /** Part of it, or empty. */
  readonly message: string;
}

export interface TableCase {
  readonly title: string;
  readonly lines: readonly TableLine[];
}

export interface TableLine {
  readonly expression: string;
  readonly expected: JsonValue | undefined;
  readonly isRough: boolean;
}

const FOLDER = fileURLToPath(new URL("cases/", import.meta.url));

export function readCaseFiles(): readonly CaseFile[] {
  const names = readdirSync(FOLDER).filter((name) => name.endsWith(".case"));
  return names.toSorted().map((name) => parseCaseFile(name, readFileSync(FOLDER + name, "utf8")));
}

function parseCaseFile(file: string, text: string): CaseFile {
  const queries: QueryCase[] = [];
  const tables: TableCase[] = [];
  let container: JsonObject = {};
  let items: readonly JsonObject[] = [];
  for (const block of blocksOf(text)) {
    const [opening, ...lines] = block as [string, ...string[]];
    const [, word, rest] = /^(\w+) ?(.*)$/.exec(opening) ?? [];
    if (word === "container") container = JSON.parse(block.join("\n").slice(word.length));
    else if (word === "items") items = lines.map((line) => JSON.parse(line) as JsonObject);
    else if (word === "query") queries.push(parseQueryCase(rest!, lines));
    else if (word === "table") tables.push({ title: rest!, lines: lines.map(parseTableLine) });
    else throw new Error(`${file}: no block starts with "${opening}"`);
  }
  return { name: file.replace(/\.case$/, ""), container, items, queries, tables };
}

function blocksOf(text: string): readonly (readonly string[])[] {
  const blocks = text
    .split(/\n(?:[ \t]*\n)+/)
    .map((block) => block.split("\n").filter((line) => line !== "" && !line.startsWith("#")));
  return blocks.filter((block) => block.length > 0);
}

function parseQueryCase(title: string, lines: readonly string[]): QueryCase {
  const bar = lines.indexOf("----");
  if (bar === -1) throw new Error(`"${title}" has no ----`);
  const asked = lines.slice(0, bar);
  const setting = (word: string): string | undefined =>
    asked.find((line) => line.startsWith(`${word} `))?.slice(word.length + 1);
  const isSetting = (line: string): boolean => /^(parameters|beyond) /.test(line);
  const beyondModel = setting("beyond");
  return {
    title,
    text: asked.filter((line) => !isSetting(line)).join("\n"),
    parameters: JSON.parse(setting("parameters") ?? "{}"),
    ...(beyondModel === undefined ? {} : { beyondModel }),
    expected: parseExpected(lines.slice(bar + 1)),
  };
}

function parseExpected(lines: readonly string[]): ExpectedRows | ExpectedError {
  const error = /^error ?(SC\d+|\d+)? ?(.*)$/.exec(lines[0] ?? "");
  if (error !== null) return { kind: "error", code: error[1] ?? "", message: error[2] ?? "" };
  return { kind: "rows", rows: lines.map((line) => JSON.parse(line) as JsonValue) };
}

function parseTableLine(line: string): TableLine {
  const [, expression, arrow, expected] = /^(.*\S)\s+([=~]>)\s+(.*)$/.exec(line) ?? [];
  if (expected === undefined) throw new Error(`not a line of a table: ${line}`);
  return {
    expression: expression!,
    expected: expected === "undefined" ? undefined : (JSON.parse(expected) as JsonValue),
    isRough: arrow === "~>",
  };
}
