/**
 * Items in a text that somebody pastes or a file has: one a line, one list, a single one, or CSV
 * with a row of names. What cannot be read is said with its line.
 */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { JsonObject } from "../../../json/value.ts";
import { csvCells } from "./csv.ts";

export function givenItems(text: string): Result<readonly JsonObject[], string> {
  const trimmed = text.trim();
  if (trimmed === "") return ok([]);
  if (trimmed.startsWith("[") || trimmed.startsWith("{")) return jsonItems(trimmed);
  return csvItems(trimmed);
}

function jsonItems(text: string): Result<readonly JsonObject[], string> {
  const whole = parsed(text);
  if (whole.ok) {
    const list: readonly unknown[] = Array.isArray(whole.value) ? whole.value : [whole.value];
    const wrong = list.findIndex((each) => !isItem(each));
    return wrong < 0
      ? ok(list as readonly JsonObject[])
      : no(`Entry ${wrong + 1} of the list is not an object.`);
  }
  if (text.startsWith("[")) return no(`The list is not JSON: ${whole.error}`);
  const items: JsonObject[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === "") continue;
    const item = parsed(line);
    if (!item.ok) return no(`Line ${index + 1} is not JSON: ${item.error}`);
    if (!isItem(item.value)) return no(`Line ${index + 1} is not an object.`);
    items.push(item.value);
  }
  return ok(items);
}

function csvItems(text: string): Result<readonly JsonObject[], string> {
  const [names = [], ...rows] = csvCells(text);
  if (rows.length === 0) {
    return no("One item a line as JSON, a JSON list, or CSV with a row of names: this is none.");
  }
  return ok(
    rows.map((cells) =>
      Object.fromEntries(
        names.flatMap((name, at) => {
          const cell = cells[at];
          return cell === undefined || cell === "" ? [] : [[name, cellValue(name, cell)] as const];
        }),
      ),
    ),
  );
}

/** An id is always a text, whatever it looks like. */
function cellValue(name: string, cell: string): string | number | boolean {
  if (name === "id") return cell;
  if (cell === "true" || cell === "false") return cell === "true";
  // A number only if nothing is lost: "007" and "1e3" stay what they are.
  return String(Number(cell)) === cell ? Number(cell) : cell;
}

function parsed(text: string): Result<unknown, string> {
  try {
    return ok(JSON.parse(text) as unknown);
  } catch (error) {
    return no(error instanceof Error ? error.message : "it cannot be read");
  }
}

function isItem(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
