/**
 * What generated code asks for: the values that go into a key, what each is called, and which of
 * them a reader must have.
 *
 * A reader gives one value for a property, or the ends of a span for a time that only its periods
 * are used of. What the first level writes out must be given; what is only hashed, or asked by
 * `choose`, may be; what a later level writes out may be, and without it the keys are prefixes.
 */
import type { KeyExpression, KeyLevels, PathPart } from "../expression.ts";
import { pathsOf, pathText, visitParts } from "../paths.ts";

export interface CodeInput {
  readonly path: PathPart;
  /** A name in lower camel case, unique in the plan. */
  readonly name: string;
  /** The reader gives the ends of a span of time instead of a value. */
  readonly isSpan: boolean;
  /** Somewhere its period is used, somewhere its text. */
  readonly isTimed: boolean;
  readonly isTexted: boolean;
  /** The first level cannot do without it. */
  readonly isRequired: boolean;
  /** An item may lack it: something else takes its place. */
  readonly isNullable: boolean;
}

export interface CodePlan {
  readonly levels: KeyLevels;
  readonly inputs: readonly CodeInput[];
  inputAt(path: PathPart): CodeInput;
  /** What each level cannot do without. */
  readonly neededBy: readonly (readonly CodeInput[])[];
}

export function codePlanOf(levels: KeyLevels): CodePlan {
  const needed = levels.map(neededPaths);
  const written = new Set(levels.flatMap((level) => textPaths(level, "written")));
  const texted = new Set(levels.flatMap((level) => textPaths(level, "all")));
  const timed = new Set(levels.flatMap(timedPaths));
  const nullable = new Set(levels.flatMap(nullablePaths));
  // Every object has those of the prototype: they would never look as if they were left out.
  const taken = new Set([...Object.getOwnPropertyNames(Object.prototype), "keys"].map(lowered));
  const inputs = new Map<string, CodeInput>();
  for (const path of levels.flatMap(pathsOf)) {
    const text = pathText(path);
    if (inputs.has(text)) continue;
    const isNeeded = needed.some((paths) => paths.has(text));
    inputs.set(text, {
      path,
      name: nameOf(path, taken),
      isSpan: timed.has(text) && isNeeded && !written.has(text),
      isTimed: timed.has(text),
      isTexted: texted.has(text),
      isRequired: needed[0]!.has(text),
      isNullable: nullable.has(text),
    });
  }
  return {
    levels,
    inputs: [...inputs.values()],
    inputAt: (path) => inputs.get(pathText(path))!,
    neededBy: needed.map((paths) => [...paths].map((text) => inputs.get(text)!)),
  };
}

/** Upper camel case, for types and parts of names; empty when nothing is left of it. */
export function upperName(words: string): string {
  const name = words
    .split(/[^\p{L}\p{Nd}]+/u)
    .map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
    .join("");
  return /^\p{Nd}/u.test(name) ? `Number${name}` : name;
}

/** Everything that is written out: not what is only hashed, or only asked by `choose`. */
export function neededPaths(expression: KeyExpression): Set<string> {
  switch (expression.kind) {
    case "path":
      return new Set([pathText(expression)]);
    case "period":
      return new Set([pathText(expression.of)]);
    case "concat":
      return new Set(expression.parts.flatMap((part) => [...neededPaths(part)]));
    case "suffix":
      return neededPaths(expression.base);
    case "choose":
      return new Set([...neededPaths(expression.chosen), ...neededPaths(expression.otherwise)]);
    case "lower":
      return neededPaths(expression.of);
    case "coalesce":
      // Who knows the first needs no other.
      return neededPaths(expression.parts[0]!);
    case "text":
    case "hash":
    case "random":
    case "turn":
      return new Set();
  }
}

/** Where the value itself is looked at: everywhere, or only where it is not hashed. */
export function textPaths(expression: KeyExpression, which: "all" | "written"): readonly string[] {
  const inside = (part: KeyExpression): readonly string[] => textPaths(part, which);
  switch (expression.kind) {
    case "path":
      return [pathText(expression)];
    case "concat":
    case "coalesce":
      return expression.parts.flatMap(inside);
    case "hash":
      return which === "all" ? inside(expression.of) : [];
    case "suffix": {
      const { base, by } = expression;
      return typeof by === "string" || which === "written"
        ? inside(base)
        : [...inside(base), ...inside(by.hashOf)];
    }
    case "choose":
      return [expression.of, expression.chosen, expression.otherwise].flatMap(inside);
    case "lower":
      return inside(expression.of);
    case "text":
    case "period":
    case "random":
    case "turn":
      return [];
  }
}

function timedPaths(expression: KeyExpression): readonly string[] {
  const found: string[] = [];
  visitParts(expression, (part) => {
    if (part.kind === "period") found.push(pathText(part.of));
  });
  return found;
}

/** In a part of `coalesce` that another one follows. */
function nullablePaths(expression: KeyExpression): readonly string[] {
  const found: string[] = [];
  visitParts(expression, (part) => {
    if (part.kind !== "coalesce") return;
    for (const each of part.parts.slice(0, -1)) found.push(...pathsOf(each).map(pathText));
  });
  return found;
}

function nameOf(path: PathPart, taken: Set<string>): string {
  const upper = upperName(path.steps.join(" ")) || "Value";
  const wanted = upper.slice(0, 1).toLowerCase() + upper.slice(1);
  let name = wanted;
  for (let number = 2; derivedFrom(name).some((one) => taken.has(one)); number++) {
    name = `${wanted}${number}`;
  }
  for (const one of derivedFrom(name)) taken.add(one);
  return name;
}

/** The names that code makes of a name. */
function derivedFrom(name: string): readonly string[] {
  return ["", "From", "To", "At"].map((ending) => lowered(`${name}${ending}`));
}

function lowered(name: string): string {
  return name.toLowerCase();
}
