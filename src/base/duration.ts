/** Durations as people type (`45s`, `15m`, `12h`, `30d`, `2w`, `2y`) and as fields show them. */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "./units.ts";

/** A year is 365 days; a month has no length that everybody would expect. */
const UNITS: Readonly<Record<string, number>> = {
  y: 365 * DAY_SECONDS,
  w: 7 * DAY_SECONDS,
  d: DAY_SECONDS,
  h: HOUR_SECONDS,
  m: MINUTE_SECONDS,
  s: 1,
};
/** Those in which a field shows a duration, the largest first. */
const SHOWN = ["d", "h", "m", "s"] as const;

/** As long as an item may live. */
const SECONDS_MAX = 2 ** 31 - 1;

/** Undefined when the text is no duration. */
export function secondsOfDuration(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,10})([ywdhms])$/.exec(text.trim()) ?? [];
  const seconds = Number(digits) * (UNITS[unit] ?? 0);
  return seconds >= 1 && seconds <= SECONDS_MAX ? seconds : undefined;
}

/** In the largest unit that leaves a whole number; `secondsOfDuration` reads it back. */
export function durationField(seconds: number): string {
  const unit = SHOWN.find((one) => seconds % UNITS[one]! === 0) ?? "s";
  return `${seconds / UNITS[unit]!}${unit}`;
}
