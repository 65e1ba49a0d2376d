/** What an examination of a database finds, promise by promise. */

/**
 * - `held`: it is as a server needs it.
 * - `broken`: it is not, and a server must not run there.
 * - `note`: a server runs there, but whoever runs it should know this.
 */
export type TrialVerdict = "held" | "broken" | "note";

export interface TrialFinding {
  readonly promise: string;
  readonly verdict: TrialVerdict;
  /** What a server and its clients have of the promise. */
  readonly meaning: string;
  /** What was seen: a figure, or what was there instead. */
  readonly seen?: string | undefined;
  /** What to do about it. */
  readonly advice?: string | undefined;
}
