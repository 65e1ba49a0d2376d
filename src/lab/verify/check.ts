/** One figure that was predicted and measured, how far the two are apart, and what follows. */

/**
 * `undecided`: what was measured says nothing about the prediction. `noted`: the figure is no
 * prediction but what the others are measured against.
 */
export type FigureFinding = "held" | "failed" | "undecided" | "noted";

type FigureUnit = "RU/s" | "RU" | "requests/s" | "bytes" | "count" | "share";

export interface FigureCheck {
  /** Part of the JSON output; does not change. */
  readonly name: string;
  /** The same for people. */
  readonly title: string;
  readonly unit: FigureUnit;
  readonly predicted: number;
  /** Undefined: nobody could measure it. */
  readonly measured: number | undefined;
  /** What was measured over what was predicted, less one; of a share in points of a hundred. */
  readonly difference: number | undefined;
  /** In the terms of `difference`; undefined: none was set. */
  readonly tolerance: number | undefined;
  readonly finding: FigureFinding;
  /** Why it is undecided, or what was taken into account. */
  readonly note?: string | undefined;
}

/** Fewer requests than that say nothing about a rate. */
export const REQUESTS_MIN = 100;

/** Within so many standard errors lie 95 of 100 measurements. */
export const STANDARD_ERRORS = 2;

interface Compared extends Pick<FigureCheck, "name" | "title" | "unit" | "note"> {
  readonly predicted: number;
  readonly measured: number;
  readonly tolerance: number;
  /** Why nothing can be said, if there is a reason. */
  readonly openBecause?: string | undefined;
}

export function compared({ openBecause, note, ...figure }: Compared): FigureCheck {
  const difference = differenceOf(figure.predicted, figure.measured);
  if (openBecause !== undefined) {
    return { ...figure, difference, finding: "undecided", note: openBecause };
  }
  const isHeld = difference !== undefined && Math.abs(difference) <= figure.tolerance;
  return { ...figure, difference, finding: isHeld ? "held" : "failed", note };
}

/** Undefined where nothing was predicted and something came. */
function differenceOf(predicted: number, measured: number): number | undefined {
  if (predicted === 0) return measured === 0 ? 0 : undefined;
  return measured / predicted - 1;
}
