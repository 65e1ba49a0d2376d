/**
 * Why a pattern is refused: it is malformed, it asks for what a linear-time search cannot do, or it
 * needs more work than one call may spend. The text of a query or of an item can cause that, so it
 * is never a defect: `problemOf` catches it, and the request is refused.
 */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

/** Makes a problem at a place of the pattern, counted in UTF-16 code units from 0. */
export function patternProblemAt(offset: number, what: string): PatternProblem {
  return new PatternProblem(`Invalid regular expression at offset ${offset}: ${what}.`);
}
