/**
 * Units that must not be mixed. A brand exists only in the type checker; at run time
 * a `Ru` is a plain number. Arithmetic yields `number`, so every result is re-branded
 * on purpose, at the one place that knows its unit.
 */

declare const unit: unique symbol;
export type Brand<T, U extends string> = T & { readonly [unit]: U };

/** Request units: the price of an operation, or the allowance it is paid from. */
export type Ru = Brand<number, "Ru">;
/** Milliseconds of a monotonic clock. Only differences have meaning. */
export type Millis = Brand<number, "Millis">;
/** Position in the log of one physical partition; strictly increasing in commit order. */
export type Lsn = Brand<number, "Lsn">;

export const ru = (amount: number): Ru => amount as Ru;
export const millis = (amount: number): Millis => amount as Millis;
export const lsn = (position: number): Lsn => position as Lsn;

/** Spans of time in seconds and in milliseconds. */
export const MINUTE_SECONDS = 60;
export const HOUR_SECONDS = 3600;
export const DAY_SECONDS = 86_400;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** A mean year and a mean month of the Julian calendar: growth, retention and horizons use them. */
export const DAYS_PER_YEAR = 365.25;
export const DAYS_PER_MONTH: number = DAYS_PER_YEAR / 12;
/** A month of the price list, by which throughput is paid for. */
export const HOURS_PER_MONTH = 730;
