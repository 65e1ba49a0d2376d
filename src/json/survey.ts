/**
 * May a client's JSON text be stored as it came? It may when it is compact and says nothing twice:
 * then the bytes are what `JSON.stringify` would have said, less the cost of saying it.
 *
 * One pass over the bytes counts members and looks for white space outside strings; one walk over
 * the parsed value counts the members that survived parsing. A repeated key is parsed once.
 */
import type { JsonObject, JsonValue } from "./value.ts";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COLON = 0x3a;
const SPACE = 0x20;

export interface ValueSurvey {
  readonly memberCount: number;
  /** Levels of objects and arrays; a scalar has none. */
  readonly depth: number;
  /** False when a number is too large for a double: it was read as infinity. */
  readonly isFinite: boolean;
  readonly hasNegativeZero: boolean;
}

/** True when `bytes`, which parsed to a value of `memberCount` members, is its compact form. */
export function isCompact(bytes: Uint8Array, memberCount: number): boolean {
  let colonCount = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) {
      at++;
      while (bytes[at] !== QUOTE && at < bytes.length) at += bytes[at] === BACKSLASH ? 2 : 1;
    } else if (byte === COLON) colonCount++;
    else if (byte <= SPACE) return false;
  }
  return colonCount === memberCount;
}

export function surveyOf(value: JsonValue): ValueSurvey {
  const survey = { memberCount: 0, depth: 0, isFinite: true, hasNegativeZero: false };
  walk(value, 1, survey);
  return survey;
}

function walk(
  value: JsonValue,
  level: number,
  survey: { -readonly [K in keyof ValueSurvey]: ValueSurvey[K] },
): void {
  if (typeof value === "number") {
    if (!Number.isFinite(value)) survey.isFinite = false;
    if (Object.is(value, -0)) survey.hasNegativeZero = true;
    return;
  }
  if (typeof value !== "object" || value === null) return;
  if (level > survey.depth) survey.depth = level;
  if (Array.isArray(value)) {
    for (const element of value) walk(element, level + 1, survey);
    return;
  }
  for (const key of Object.keys(value)) {
    survey.memberCount++;
    walk((value as JsonObject)[key]!, level + 1, survey);
  }
}
