/** Durations as people type them (`30d`, `12h`, `15m`, `45s`) and as fields show them. */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "../../../base/units.ts";

const UNITS: readonly (readonly [unit: string, seconds: number])[] = [
  ["d", DAY_SECONDS],
  ["h", HOUR_SECONDS],
  ["m", MINUTE_SECONDS],
  ["s", 1],
];

/** As long as an item may live. */
const SECONDS_MAX = 2 ** 31 - 1;

/** Undefined when the text is no duration. */
export function secondsOf(text: string): number | undefined {
  const [, digits = "", unit = ""] = /^(\d{1,10})([smhd])$/.exec(text.trim()) ?? [];
  const seconds = Number(digits) * (UNITS.find(([name]) => name === unit)?.[1] ?? 0);
  return seconds >= 1 && seconds <= SECONDS_MAX ? seconds : undefined;
}

/** In the largest unit that leaves a whole number; `secondsOf` reads it back. */
export function durationField(seconds: number): string {
  const [unit, size] = UNITS.find(([, length]) => seconds % length === 0) ?? ["s", 1];
  return `${seconds / size}${unit}`;
}
