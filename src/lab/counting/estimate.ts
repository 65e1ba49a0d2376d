/** A number that was not counted exactly: what it is taken to be, and between what it lies. */
export interface Estimate {
  readonly value: number;
  /** Of 95 %, unless what made it says otherwise. */
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

export function times({ value, low, high }: Estimate, factor: number): Estimate {
  return { value: value * factor, low: low * factor, high: high * factor };
}
