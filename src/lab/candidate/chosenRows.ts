/**
 * Rows under a key that chooses between expressions: what the expression of a row does not look at
 * does not tell its keys apart, and rows that differ in nothing else are one.
 */
import type { ChoosePart, KeyExpression } from "../../keys/expression.ts";
import { pathsOf, pathText, visitParts } from "../../keys/paths.ts";
import type { PopulationRow } from "../data/facts.ts";
import { type KeyShape, takenPart } from "./keyShape.ts";

export function chosenRows(
  shape: KeyShape,
  paths: readonly string[],
  rows: readonly PopulationRow[],
): readonly PopulationRow[] {
  if (!shape.hasChoice) return rows;
  const byName = new Map<string, PopulationRow>();
  for (const row of rows) {
    const levels = levelsOf(shape, paths, row);
    const used = new Set(levels.flatMap((level) => pathsOf(level).map(pathText)));
    const counts = row.counts.map((count, at) => (used.has(paths[at]!) ? count : 1));
    const told = row.values.map((value, at) => (used.has(paths[at]!) ? [typeof value, value] : 0));
    const name = JSON.stringify([levels, told, counts]);
    const known = byName.get(name);
    byName.set(name, {
      values: known?.values ?? row.values,
      counts,
      keyCount: counts.reduce((product, count) => product * count, 1),
      itemShare: row.itemShare + (known?.itemShare ?? 0),
      byteShare: row.byteShare + (known?.byteShare ?? 0),
      requestShare: row.requestShare + (known?.requestShare ?? 0),
    });
  }
  return [...byName.values()];
}

/**
 * What the key of those is made of that are asked for by values at some paths: who names a value
 * asks for items that have it, so what comes after it in a `coalesce` counts for nobody.
 */
export function pathsAsked(
  part: KeyExpression,
  isNamed: (path: string) => boolean,
): readonly string[] {
  switch (part.kind) {
    case "coalesce": {
      const first = pathsAsked(part.parts[0]!, isNamed);
      return first.length > 0 && first.every(isNamed) ? first : pathsOf(part).map(pathText);
    }
    case "concat":
      return part.parts.flatMap((each) => pathsAsked(each, isNamed));
    case "hash":
    case "lower":
      return pathsAsked(part.of, isNamed);
    case "suffix": {
      const by = typeof part.by === "object" ? pathsAsked(part.by.hashOf, isNamed) : [];
      return [...pathsAsked(part.base, isNamed), ...by];
    }
    default:
      return pathsOf(part).map(pathText);
  }
}

/** What is drawn for each item of a row: so many keys where there would be one. */
export function spreadOf(shape: KeyShape, paths: readonly string[], row: PopulationRow): number {
  if (!shape.hasChoice || shape.spreadCount === 1) return shape.spreadCount;
  let spread = 1;
  for (const level of levelsOf(shape, paths, row)) {
    visitParts(level, (part) => {
      const isDrawn = part.kind === "random" || part.kind === "turn";
      if (isDrawn || (part.kind === "suffix" && typeof part.by !== "object")) spread *= part.count;
    });
  }
  return spread;
}

/** The levels of a row's key, with every choice made. */
function levelsOf(
  { candidate }: KeyShape,
  paths: readonly string[],
  row: PopulationRow,
): readonly KeyExpression[] {
  const valueAt = valuesIn(paths, row);
  return candidate.levels.map((level) => chosen(level, valueAt));
}

/** By path; times are not among the values of a row, and are always there. */
export function valuesIn(
  paths: readonly string[],
  { values }: Pick<PopulationRow, "values">,
): (path: string) => unknown {
  return (path) => {
    const at = paths.indexOf(path);
    return at < 0 ? A_TIME : values[at];
  };
}

const A_TIME = "a time";

/** The way that a choice goes for who has these values. */
export function wayOf(part: ChoosePart, valueAt: (path: string) => unknown): KeyExpression {
  const value = valueAt(pathText(part.of));
  const isChosen = value !== null && value !== undefined && part.values.includes(String(value));
  return isChosen ? part.chosen : part.otherwise;
}

function chosen(part: KeyExpression, valueAt: (path: string) => unknown): KeyExpression {
  switch (part.kind) {
    case "coalesce":
      return chosen(
        takenPart(part, (path) => valueAt(path) !== null && valueAt(path) !== undefined),
        valueAt,
      );
    case "choose":
      return chosen(wayOf(part, valueAt), valueAt);
    case "concat":
      return { ...part, parts: part.parts.map((each) => chosen(each, valueAt)) };
    case "hash":
    case "lower":
      return { ...part, of: chosen(part.of, valueAt) };
    case "suffix": {
      const by =
        typeof part.by === "object" ? { hashOf: chosen(part.by.hashOf, valueAt) } : part.by;
      return { ...part, base: chosen(part.base, valueAt), by };
    }
    default:
      return part;
  }
}
