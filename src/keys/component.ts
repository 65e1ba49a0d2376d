/**
 * The key of an item: what an expression gives for it.
 *
 * A path alone gives the value as it is: text, number, boolean or null, and undefined when the
 * property is missing or holds an array or an object. Everything else gives a text, made of the
 * texts of the values. A value is needed wherever it is written out, hashed, or taken as a time; if
 * a needed one is missing, null or not a time, the whole is undefined, never half a key. What
 * `choose` asks for is not needed: an item without it is one of the others. `coalesce` goes on to
 * the next of its parts instead.
 *
 * An undefined component is the key of items that have none; the service keeps those together.
 */
import type { KeyExpression, KeyLevels } from "./expression.ts";
import { valueAt } from "./paths.ts";
import { periodOf } from "./period.ts";
import { hashBucket } from "./stableHash.ts";
import { timeOf } from "./time.ts";

export type KeyComponent = string | number | boolean | null | undefined;

/** Where numbers come from that do not depend on the item. */
export interface Draw {
  /** In [0, 1), such as `Math.random`. */
  random(): number;
  /** The next whole number. */
  turn(): number;
}

export function keyOf(levels: KeyLevels, item: unknown, draw: Draw): readonly KeyComponent[] {
  return levels.map((level) => componentOf(level, item, draw));
}

export function componentOf(expression: KeyExpression, item: unknown, draw: Draw): KeyComponent {
  if (expression.kind === "path") return scalarOf(valueAt(item, expression.steps));
  return textFor(expression, item, draw);
}

/** The text a value has inside a longer key; undefined when it has none. */
export function textOf(component: KeyComponent): string | undefined {
  if (component === null || component === undefined) return undefined;
  return String(component);
}

/** Lower case letter by letter, so that no language, and no neighbour of a letter, changes it. */
export function lowerText(text: string): string {
  let lower = "";
  for (const letter of text) {
    const small = letter.toLowerCase();
    // One letter that would become two stays as it is, as in .NET.
    lower += small.length === letter.length ? small : letter;
  }
  return lower;
}

/** Lists of heavy values can be long, and every item is looked up in them. */
const sets = new WeakMap<readonly string[], ReadonlySet<string>>();

export function isAmong(values: readonly string[], text: string): boolean {
  let set = sets.get(values);
  if (set === undefined) {
    set = new Set(values);
    sets.set(values, set);
  }
  return set.has(text);
}

/** From 0 to `count` - 1, by chance or in turn. */
function drawn(kind: "random" | "turn", count: number, draw: Draw): number {
  if (kind === "random") return Math.min(Math.floor(draw.random() * count), count - 1);
  const turn = draw.turn() % count;
  return turn < 0 ? turn + count : turn;
}

function textFor(expression: KeyExpression, item: unknown, draw: Draw): string | undefined {
  switch (expression.kind) {
    case "path":
      return textOf(scalarOf(valueAt(item, expression.steps)));
    case "text":
      return expression.text;
    case "period": {
      const at = timeOf(valueAt(item, expression.of.steps));
      return at === undefined ? undefined : periodOf(expression.grain, at);
    }
    case "concat":
      return concatenated(expression.parts, item, draw);
    case "hash": {
      const text = textFor(expression.of, item, draw);
      return text === undefined ? undefined : String(hashBucket(text, expression.count));
    }
    case "random":
    case "turn":
      return String(drawn(expression.kind, expression.count, draw));
    case "suffix": {
      const base = textFor(expression.base, item, draw);
      if (base === undefined) return undefined;
      if (typeof expression.by === "string") {
        return `${base}.${drawn(expression.by, expression.count, draw) + 1}`;
      }
      const text = textFor(expression.by.hashOf, item, draw);
      return text === undefined ? undefined : `${base}.${hashBucket(text, expression.count) + 1}`;
    }
    case "choose": {
      const text = textOf(scalarOf(valueAt(item, expression.of.steps)));
      const isChosen = text !== undefined && isAmong(expression.values, text);
      return textFor(isChosen ? expression.chosen : expression.otherwise, item, draw);
    }
    case "lower": {
      const text = textFor(expression.of, item, draw);
      return text === undefined ? undefined : lowerText(text);
    }
    case "coalesce":
      return firstText(expression.parts, item, draw);
  }
}

function concatenated(
  parts: readonly KeyExpression[],
  item: unknown,
  draw: Draw,
): string | undefined {
  let whole = "";
  for (const part of parts) {
    const text = textFor(part, item, draw);
    if (text === undefined) return undefined;
    whole += text;
  }
  return whole;
}

function firstText(parts: readonly KeyExpression[], item: unknown, draw: Draw): string | undefined {
  for (const part of parts) {
    const text = textFor(part, item, draw);
    if (text !== undefined) return text;
  }
  return undefined;
}

/** What JSON makes of a value, when that is a scalar. */
function scalarOf(value: unknown): KeyComponent {
  switch (typeof value) {
    case "string":
    case "boolean":
      return value;
    case "number":
      return Number.isFinite(value) ? value : null;
    case "object":
      if (value === null) return null;
      return value instanceof Date ? scalarOf(value.toJSON()) : undefined;
    default:
      return undefined;
  }
}
