/**
 * Columns of CSV: the way into an item that the name of each one shows.
 *
 * A name with dots in it is a way into nested objects; a dot behind a backslash is just a dot.
 */
import { no, ok, type Result } from "../base/result.ts";
import type { JsonObject, JsonValue } from "../json/value.ts";
import { type ColumnType, typeOfCells, valueOfCell } from "./csvCells.ts";
import { put } from "./properties.ts";

export interface CsvColumn {
  readonly steps: readonly string[];
  readonly type: ColumnType;
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
  return steps.length === 1 && steps[0] === "id" ? "text" : typeOfCells(cells);
}

export function itemOfCells(columns: readonly CsvColumn[], cells: readonly string[]): JsonObject {
  const item: Record<string, JsonValue> = {};
  columns.forEach(({ steps, type }, index) => {
    const cell = cells[index]!;
    if (cell !== "") put(item, steps, valueOfCell(cell, type));
  });
  return item;
}
