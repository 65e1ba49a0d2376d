/**
 * The one scale of heat, everywhere: ten steps, h0 to h9 of the style sheet. Exactly nothing is h0,
 * anything more is at least h1, and the limit is h9.
 */

const STEP_COUNT = 10;

interface HeatStep {
  /** From 0 to 9. */
  readonly step: number;
  /** True when more was asked for than the limit allows: such a cell is hatched. */
  readonly isBeyond: boolean;
}

/** `share` is of 1, which is the limit, or the most in view where there is none. */
export function heatStepOf(share: number): HeatStep {
  if (!(share > 0)) return { step: 0, isBeyond: false };
  const step = Math.min(STEP_COUNT - 1, 1 + Math.floor(share * (STEP_COUNT - 1)));
  return { step, isBeyond: share > 1 };
}
