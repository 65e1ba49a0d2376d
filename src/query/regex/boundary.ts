/**
 * Where an assertion holds: between two neighbours, of which only the kind matters. The edge of the
 * text is a neighbour, too.
 */
import { contains, LINE_FEED, WORD } from "./charSet.ts";
import type { Assertion } from "./node.ts";

/** Kinds of neighbours, as bits. */
export const WORD_CHARACTER = 1;
export const LINE_BREAK = 2;
/** A line break with nothing behind it. */
export const LAST_LINE_BREAK = 4;
export const EDGE = 8;

/** Returns the kind of a character that is not the last one. */
export function kindOf(codePoint: number): number {
  if (codePoint === LINE_FEED) return LINE_BREAK;
  return contains(WORD, codePoint) ? WORD_CHARACTER : 0;
}

export function kindBefore(text: string, at: number): number {
  // No half of a surrogate pair is a word character or a line break, so the unit alone tells the
  // kind.
  return at === 0 ? EDGE : kindOf(text.charCodeAt(at - 1));
}

export function kindAfter(text: string, at: number): number {
  if (at >= text.length) return EDGE;
  const kind = kindOf(text.charCodeAt(at));
  return kind === LINE_BREAK && at === text.length - 1 ? LINE_BREAK | LAST_LINE_BREAK : kind;
}

export function holds(assertion: Assertion, before: number, after: number): boolean {
  switch (assertion) {
    case "textStart":
      return (before & EDGE) !== 0;
    case "lineStart":
      return (before & (EDGE | LINE_BREAK)) !== 0;
    case "textEnd":
      return (after & EDGE) !== 0;
    case "lastLineEnd":
      return (after & (EDGE | LAST_LINE_BREAK)) !== 0;
    case "lineEnd":
      return (after & (EDGE | LINE_BREAK)) !== 0;
    case "wordBoundary":
      return ((before ^ after) & WORD_CHARACTER) !== 0;
    case "notWordBoundary":
      return ((before ^ after) & WORD_CHARACTER) === 0;
  }
}
