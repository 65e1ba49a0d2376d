/**
 * Why a pattern is not taken: it is malformed, it asks for what a linear-time search cannot do, or
 * it needs more work than one call may spend. The text of a query or of an item can cause it, so it
 * is never a defect: whoever runs the query catches it and refuses the request.
 */
export class PatternProblem extends Error {
  override readonly name = "PatternProblem";
}

/** A problem at a place of the pattern, counted in UTF-16 code units from 0. */
export function patternProblemAt(offset: number, what: string): PatternProblem {
  return new PatternProblem(`Invalid regular expression at offset ${offset}: ${what}.`);
}
