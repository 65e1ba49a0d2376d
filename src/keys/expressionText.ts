/**
 * The text form of key expressions: printing, and parsing what users write. The grammar is in
 * docs/use/keys.md.
 *
 * Any text is answered, with an expression or with what is wrong and where; nothing is thrown.
 * Parsing what was printed gives the same tree again. Names of functions may be written in any
 * case; they are printed in small letters.
 */
import { no, ok, type Result } from "../base/result.ts";
import type {
  ChoosePart,
  CoalescePart,
  HashPart,
  KeyExpression,
  KeyLevels,
  PathPart,
  SpreadPart,
  SuffixPart,
  TimeGrain,
} from "./expression.ts";
import { TIME_GRAINS } from "./expression.ts";
import { ExpressionCursor, KeyTextFailure } from "./expressionCursor.ts";
import { pathText, quoted } from "./paths.ts";

export interface KeyTextProblem {
  readonly message: string;
  /** Where, in characters from the beginning; the first is 0. */
  readonly at: number;
}

export const LEVELS_MAX = 3;
/** Far above what helps: a reader without the value visits every one. */
export const COUNT_MAX = 1_000_000;
/** Of calls within calls. */
const DEPTH_MAX = 32;

/** How each function is used. Also the list of those there are. */
const USES: ReadonlyMap<string, string> = new Map([
  ["concat", "concat(/deviceId, '-', month(/ts))"],
  ...TIME_GRAINS.map((grain): [string, string] => [grain, `${grain}(/ts)`]),
  ["hash", "hash(/id) % 20"],
  ["suffix", "suffix(/date, hash(/vin), 400)"],
  ["random", "random(50)"],
  ["turn", "turn(50)"],
  ["choose", "choose(/source, ['a', 'b'], month(/ts), quarter(/ts))"],
  ["lower", "lower(/name)"],
  ["coalesce", "coalesce(/accountId, concat('none-', /id))"],
]);

export function parseKeyExpression(text: string): Result<KeyExpression, KeyTextProblem> {
  return parsed(text, (cursor) => {
    const expression = readExpression(cursor, 0);
    if (cursor.isNext(",")) {
      cursor.fail("there is more than one expression; levels are written as [/a, /b]");
    }
    return expression;
  });
}

export function parseKeyLevels(text: string): Result<KeyLevels, KeyTextProblem> {
  return parsed(text, (cursor) => {
    if (cursor.takeIf("[")) return readLevels(cursor);
    const expression = readExpression(cursor, 0);
    if (cursor.isNext(",")) cursor.fail("several levels are written in brackets: [/a, /b]");
    return [expression];
  });
}

export function printKeyLevels(levels: KeyLevels): string {
  if (levels.length === 1) return printKeyExpression(levels[0]!);
  return `[${levels.map(printKeyExpression).join(", ")}]`;
}

export function printKeyExpression(expression: KeyExpression): string {
  switch (expression.kind) {
    case "path":
      return pathText(expression);
    case "text":
      return quoted(expression.text, "'");
    case "period":
      return `${expression.grain}(${pathText(expression.of)})`;
    case "concat":
      return `concat(${expression.parts.map(printKeyExpression).join(", ")})`;
    case "hash":
      return `hash(${printKeyExpression(expression.of)}) % ${expression.count}`;
    case "random":
    case "turn":
      return `${expression.kind}(${expression.count})`;
    case "suffix": {
      const { base, by, count } = expression;
      const picked = typeof by === "string" ? `${by}()` : `hash(${printKeyExpression(by.hashOf)})`;
      return `suffix(${printKeyExpression(base)}, ${picked}, ${count})`;
    }
    case "choose": {
      const values = expression.values.map((value) => quoted(value, "'")).join(", ");
      const branches = [expression.chosen, expression.otherwise].map(printKeyExpression);
      return `choose(${pathText(expression.of)}, [${values}], ${branches.join(", ")})`;
    }
    case "lower":
      return `lower(${printKeyExpression(expression.of)})`;
    case "coalesce":
      return `coalesce(${expression.parts.map(printKeyExpression).join(", ")})`;
  }
}

function parsed<T>(text: string, read: (cursor: ExpressionCursor) => T): Result<T, KeyTextProblem> {
  const cursor = new ExpressionCursor(text);
  try {
    const value = read(cursor);
    if (cursor.isNext("%")) cursor.fail("% belongs after hash(…), random() or turn()");
    cursor.expectEnd();
    return ok(value);
  } catch (failure) {
    if (!(failure instanceof KeyTextFailure)) throw failure;
    return no({ message: failure.message, at: failure.at });
  }
}

function readLevels(cursor: ExpressionCursor): KeyLevels {
  const levels: KeyExpression[] = [];
  do {
    if (levels.length === LEVELS_MAX) {
      cursor.fail(`a partition key has at most ${LEVELS_MAX} levels, and this is one more`);
    }
    levels.push(readExpression(cursor, 0));
  } while (cursor.takeIf(","));
  cursor.expect("]", "after the last level");
  return levels;
}

function readExpression(cursor: ExpressionCursor, depth: number): KeyExpression {
  if (depth > DEPTH_MAX) cursor.fail(`there are more than ${DEPTH_MAX} calls within calls`);
  const steps = cursor.takePath();
  if (steps !== undefined) return { kind: "path", steps };
  const text = cursor.takeText();
  if (text !== undefined) return { kind: "text", text };
  const at = cursor.place();
  const word = cursor.takeWord();
  if (word !== undefined) return readCall(cursor, word, at, depth);
  if (cursor.takeNumber() !== undefined) {
    cursor.failAt(at, "a number is no part of a key; as a text it is written '5'");
  }
  return cursor.fail("a path such as /id, a text such as '-' or a function should follow here");
}

function readCall(
  cursor: ExpressionCursor,
  word: string,
  at: number,
  depth: number,
): KeyExpression {
  const name = word.toLowerCase();
  const use = USES.get(name);
  if (use === undefined) {
    const known = [...USES.keys()].join(", ");
    const path = cursor.isNext("(") ? "" : ` (a property is written with a slash: /${word})`;
    cursor.failAt(at, `there is no function "${word}"; there are ${known}${path}`);
  }
  cursor.expect("(", `after ${name}: ${use}`);
  if (isGrain(name)) {
    const of = readPath(cursor, `${name} takes a path: ${use}`);
    cursor.expect(")", `after the path: ${use}`);
    return { kind: "period", grain: name, of };
  }
  switch (name) {
    case "hash":
      return readHash(cursor, depth);
    case "random":
    case "turn":
      return readSpread(cursor, name);
    case "suffix":
      return readSuffix(cursor, depth);
    case "choose":
      return readChoose(cursor, depth);
    case "lower": {
      const of = readExpression(cursor, depth + 1);
      cursor.expect(")", `after what is in small letters: ${use}`);
      return { kind: "lower", of };
    }
    case "coalesce":
      return readCoalesce(cursor, depth);
    default:
      return { kind: "concat", parts: readParts(cursor, depth, "concat") };
  }
}

function readParts(
  cursor: ExpressionCursor,
  depth: number,
  name: "concat" | "coalesce",
): readonly KeyExpression[] {
  const parts: KeyExpression[] = [];
  do parts.push(readExpression(cursor, depth + 1));
  while (cursor.takeIf(","));
  cursor.expect(")", `or a comma after a part of ${name}`);
  return parts;
}

function readCoalesce(cursor: ExpressionCursor, depth: number): CoalescePart {
  const at = cursor.place();
  const parts = readParts(cursor, depth, "coalesce");
  if (parts.length < 2) {
    cursor.failAt(at, `coalesce needs what to take instead: ${USES.get("coalesce")}`);
  }
  return { kind: "coalesce", parts };
}

function readHash(cursor: ExpressionCursor, depth: number): HashPart {
  const of = readExpression(cursor, depth + 1);
  cursor.expect(")", `after what is hashed: ${USES.get("hash")}`);
  cursor.expect("%", `and a count after hash(…): ${USES.get("hash")}`);
  return { kind: "hash", of, count: readCount(cursor) };
}

/** `random(50)`, or `random() % 50` as after hash. */
function readSpread(cursor: ExpressionCursor, kind: SpreadPart["kind"]): SpreadPart {
  if (cursor.takeIf(")")) {
    cursor.expect("%", `and a count after ${kind}(), or the count within it: ${USES.get(kind)}`);
    return { kind, count: readCount(cursor) };
  }
  const count = readCount(cursor);
  cursor.expect(")", `after the count: ${USES.get(kind)}`);
  return { kind, count };
}

function readSuffix(cursor: ExpressionCursor, depth: number): SuffixPart {
  const use = USES.get("suffix")!;
  const base = readExpression(cursor, depth + 1);
  cursor.expect(",", `after what gets the suffix: ${use}`);
  const at = cursor.place();
  const by = cursor.takeWord()?.toLowerCase();
  if (by !== "hash" && by !== "random" && by !== "turn") {
    cursor.failAt(at, `a suffix is made by hash(…), random() or turn(): ${use}`);
  }
  cursor.expect("(", `after ${by}: ${use}`);
  const hashOf = by === "hash" ? readExpression(cursor, depth + 1) : undefined;
  cursor.expect(")", `after ${by}(: ${use}`);
  if (cursor.isNext("%")) cursor.fail(`the count is the third argument: ${use}`);
  cursor.expect(",", `and a count: ${use}`);
  const count = readCount(cursor);
  cursor.expect(")", `after the count: ${use}`);
  return { kind: "suffix", base, by: by === "hash" ? { hashOf: hashOf! } : by, count };
}

function readChoose(cursor: ExpressionCursor, depth: number): ChoosePart {
  const use = USES.get("choose")!;
  const of = readPath(cursor, `choose asks for the value of a path: ${use}`);
  cursor.expect(",", `after the path: ${use}`);
  cursor.expect("[", `and the values: ${use}`);
  const values: string[] = [];
  while (!cursor.takeIf("]")) {
    if (values.length > 0) cursor.expect(",", "or ] after a value");
    values.push(cursor.takeText() ?? cursor.fail(`a value should follow here, in quotes: ${use}`));
  }
  cursor.expect(",", `after the values: ${use}`);
  const chosen = readExpression(cursor, depth + 1);
  cursor.expect(",", `and the expression for all others: ${use}`);
  const otherwise = readExpression(cursor, depth + 1);
  cursor.expect(")", `after the expression for all others: ${use}`);
  return { kind: "choose", of, values, chosen, otherwise };
}

function readPath(cursor: ExpressionCursor, otherwise: string): PathPart {
  return { kind: "path", steps: cursor.takePath() ?? cursor.fail(otherwise) };
}

function readCount(cursor: ExpressionCursor): number {
  const at = cursor.place();
  const count = cursor.takeNumber();
  if (count === undefined || !Number.isInteger(count) || count < 1 || count > COUNT_MAX) {
    const max = COUNT_MAX.toLocaleString("en-US");
    cursor.failAt(at, `a whole number from 1 to ${max} should follow here`);
  }
  return count;
}

function isGrain(name: string): name is TimeGrain {
  return (TIME_GRAINS as readonly string[]).includes(name);
}
