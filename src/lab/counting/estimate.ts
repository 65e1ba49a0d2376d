/** A number that was not counted exactly: its estimate, and the bounds between which it lies. */
export interface Estimate {
  readonly value: number;
  /** Bounds of a 95 % interval, unless the source of the estimate says otherwise. */
  readonly low: number;
  readonly high: number;
}

export function exactly(value: number): Estimate {
  return { value, low: value, high: value };
}

export function within(value: number, relativeError: number): Estimate {
  const error = Math.abs(value * relativeError);
  return { value, low: value - error, high: value + error };
}
