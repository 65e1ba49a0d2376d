/**
 * The regular expression functions. An argument of the wrong type gives undefined, as everywhere;
 * an invalid pattern or modifier throws a `PatternProblem`, which refuses the query.
 *
 * The pattern language itself is in `query/regex`. Replacements are plain text: no reference to a
 * group is documented.
 */
import { PatternProblem } from "../regex/problem.ts";
import { Regex } from "../regex/regex.ts";
import type { Match } from "../regex/spanSearch.ts";
import type { BuiltIn, CallContext, Value } from "./builtIn.ts";

/**
 * Length of a replaced text: twice what an item may hold. A longer text could not be stored, and
 * memory is bounded.
 */
const REPLACED_LENGTH_MAX = 4 * 1024 * 1024;

/** Evaluates `REGEXMATCH(text, pattern [, modifiers])`. */
function regexMatch(
  [text, pattern, modifiers = ""]: readonly Value[],
  context: CallContext,
): Value {
  const regex = regexOf(pattern, modifiers, context);
  return regex === undefined || typeof text !== "string" ? undefined : regex.isMatch(text);
}

/**
 * Evaluates `REGEXEXTRACT(text, pattern [, modifiers [, group]])`; undefined when nothing matches.
 */
function regexExtract(args: readonly Value[], context: CallContext): Value {
  return extractsOf(args, context)?.next().value ?? undefined;
}

/** Evaluates `REGEXEXTRACTALL(text, pattern [, modifiers [, group]])`. */
function regexExtractAll(args: readonly Value[], context: CallContext): Value {
  const extracts = extractsOf(args, context);
  return extracts === undefined ? undefined : [...extracts];
}

/** Returns undefined when an argument has the wrong type, or there is no such group. */
function extractsOf(
  [text, pattern, modifiers = "", group = 0]: readonly Value[],
  context: CallContext,
): Generator<string, void> | undefined {
  const regex = regexOf(pattern, modifiers, context);
  if (regex === undefined || typeof text !== "string" || typeof group !== "number")
    return undefined;
  if (!Number.isInteger(group) || group < 0 || group > regex.groupCount) return undefined;
  return extracts(text, regex.matches(text, group));
}

/**
 * Gives the text of the group in each match. A group that took no part in a match gives an empty
 * text, so that matches stay countable.
 */
function* extracts(text: string, matches: Iterable<Match>): Generator<string, void> {
  for (const { group } of matches) {
    yield group === undefined ? "" : text.slice(group.start, group.end);
  }
}

/** Defines `REGEXREPLACE(text, pattern, replacement [, modifiers])` and `REGEXREPLACEALL`. */
function replacing(countMax: number): BuiltIn["call"] {
  return ([text, pattern, replacement, modifiers = ""], context) => {
    const regex = regexOf(pattern, modifiers, context);
    if (regex === undefined || typeof text !== "string" || typeof replacement !== "string") {
      return undefined;
    }
    return replaced(text, replacement, regex.matches(text), countMax);
  };
}

function replaced(
  text: string,
  replacement: string,
  matches: Iterable<Match>,
  countMax: number,
): string {
  const pieces: string[] = [];
  let keptFrom = 0;
  let length = text.length;
  for (const { start, end } of matches) {
    length += replacement.length - (end - start);
    if (length > REPLACED_LENGTH_MAX) {
      throw new PatternProblem("The text with all matches replaced is too long.");
    }
    pieces.push(text.slice(keptFrom, start), replacement);
    keptFrom = end;
    if (pieces.length === 2 * countMax) break;
  }
  pieces.push(text.slice(keptFrom));
  return pieces.join("");
}

function regexOf(pattern: Value, modifiers: Value, context: CallContext): Regex | undefined {
  if (typeof pattern !== "string" || typeof modifiers !== "string") return undefined;
  // Modifiers hold no slash, so different pairs have different keys.
  const key = `${modifiers}/${pattern}`;
  return context.memo("regex", key, () => new Regex(pattern, modifiers));
}

export const REGEX_FUNCTIONS: readonly BuiltIn[] = [
  { name: "REGEXMATCH", argMin: 2, argMax: 3, isPure: true, call: regexMatch },
  { name: "REGEXEXTRACT", argMin: 2, argMax: 4, isPure: true, call: regexExtract },
  { name: "REGEXEXTRACTALL", argMin: 2, argMax: 4, isPure: true, call: regexExtractAll },
  { name: "REGEXREPLACE", argMin: 3, argMax: 4, isPure: true, call: replacing(1) },
  { name: "REGEXREPLACEALL", argMin: 3, argMax: 4, isPure: true, call: replacing(Infinity) },
];
