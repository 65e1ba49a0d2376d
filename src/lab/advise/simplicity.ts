/**
 * How much an application has to do for a key: nothing for a property that items have, most for a
 * suffix that readers have to try. Among keys that are alike otherwise the simpler one is better.
 */
import type { KeyExpression, KeyLevels } from "../../keys/expression.ts";
import { visitParts } from "../../keys/paths.ts";

/** Plain path, hierarchy of plain paths, period of one path, what is put together, suffixes. */
const SIMPLE = { path: 0, hierarchy: 1, period: 2, mixture: 3, suffix: 4 } as const;

/** The smaller, the simpler: the kind of the key, then its number of parts. */
export function complexityOf(levels: KeyLevels): readonly [kind: number, parts: number] {
  return [kindOf(levels), levels.reduce((sum, level) => sum + partCount(level), 0)];
}

function kindOf(levels: KeyLevels): number {
  const parts = levels.flatMap(partsOf);
  if (parts.some(isSpread)) return SIMPLE.suffix;
  if (levels.every(({ kind }) => kind === "path")) {
    return levels.length > 1 ? SIMPLE.hierarchy : SIMPLE.path;
  }
  return levels.length === 1 && levels[0]?.kind === "period" ? SIMPLE.period : SIMPLE.mixture;
}

function isSpread({ kind }: KeyExpression): boolean {
  return kind === "suffix" || kind === "hash" || kind === "random" || kind === "turn";
}

function partsOf(expression: KeyExpression): readonly KeyExpression[] {
  const parts: KeyExpression[] = [];
  visitParts(expression, (part) => parts.push(part));
  return parts;
}

/** Texts between values cost nobody anything. */
function partCount(expression: KeyExpression): number {
  return partsOf(expression).filter(({ kind }) => kind !== "text").length;
}
