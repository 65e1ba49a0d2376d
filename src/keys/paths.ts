/** What an expression looks at: its paths and periods, and the values there are at a path. */
import type { KeyExpression, PathPart, PeriodPart } from "./expression.ts";

/** Steps that need no quotes in a path's text; one character of them. */
const PLAIN_STEP = /^[\p{L}\p{M}\p{N}_$@.-]+$/u;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["\\", "\\\\"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ["\t", "\\t"],
]);

/** Every path, in the order in which they are first met. */
export function pathsOf(expression: KeyExpression): readonly PathPart[] {
  const found = new Map<string, PathPart>();
  visitParts(expression, (part) => {
    if (part.kind === "path" && !found.has(pathText(part))) found.set(pathText(part), part);
  });
  return [...found.values()];
}

/** Every period, likewise. */
export function periodsIn(expression: KeyExpression): readonly PeriodPart[] {
  const found = new Map<string, PeriodPart>();
  visitParts(expression, (part) => {
    const name = part.kind === "period" ? `${part.grain}${pathText(part.of)}` : "";
    if (part.kind === "period" && !found.has(name)) found.set(name, part);
  });
  return [...found.values()];
}

/** Calls `action` for an expression and everything below it, from left to right. */
export function visitParts(expression: KeyExpression, action: (part: KeyExpression) => void): void {
  action(expression);
  for (const child of childrenOf(expression)) visitParts(child, action);
}

/** True of an expression that gives one item another key each time: its value is drawn. */
export function isDrawn(expression: KeyExpression): boolean {
  let isFound = false;
  visitParts(expression, (part) => {
    const isSuffix = part.kind === "suffix" && typeof part.by === "string";
    if (part.kind === "random" || part.kind === "turn" || isSuffix) isFound = true;
  });
  return isFound;
}

/** "/a/b"; steps with other characters than letters, digits and _ $ @ . - are quoted. */
export function pathText(path: PathPart): string {
  return path.steps.map((step) => `/${PLAIN_STEP.test(step) ? step : quoted(step, '"')}`).join("");
}

/** The value at a path; undefined where there is none. Only own properties of objects count. */
export function valueAt(item: unknown, steps: readonly string[]): unknown {
  let value = item;
  for (const step of steps) {
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    if (!isObject || !Object.hasOwn(value as object, step)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[step];
  }
  return value;
}

/** A text between quotes, as the parser reads it. */
export function quoted(text: string, quote: "'" | '"'): string {
  let inside = "";
  for (let index = 0; index < text.length; index++) {
    const unit = text[index]!;
    inside += unit === quote ? `\\${quote}` : (ESCAPES.get(unit) ?? visible(unit));
  }
  return `${quote}${inside}${quote}`;
}

function visible(unit: string): string {
  const code = unit.charCodeAt(0);
  return code >= 0x20 && code !== 0x7f ? unit : `\\u${code.toString(16).padStart(4, "0")}`;
}

function childrenOf(expression: KeyExpression): readonly KeyExpression[] {
  switch (expression.kind) {
    case "path":
    case "text":
    case "random":
    case "turn":
      return [];
    case "period":
    case "hash":
    case "lower":
      return [expression.of];
    case "concat":
    case "coalesce":
      return expression.parts;
    case "suffix": {
      const { base, by } = expression;
      return typeof by === "string" ? [base] : [base, by.hashOf];
    }
    case "choose":
      return [expression.of, expression.chosen, expression.otherwise];
  }
}
