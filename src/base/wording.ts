/**
 * Counts, bytes and durations as people read them, for every room that writes sentences or tables.
 * A KB has 1,024 bytes, as in all limits of the service.
 *
 * The forms differ by who reads them: sentences have three digits that count, tables of the command
 * one decimal, limits two, and alerts the unit's strict name (KiB). What is the same in all of
 * them, the choice of the unit, is written once (`inUnit`).
 */
import { DAY_SECONDS, HOUR_SECONDS, MINUTE_SECONDS } from "./units.ts";

/** Each 1,024 times the one before it. */
export const BYTE_UNITS: readonly string[] = ["bytes", "KB", "MB", "GB", "TB", "PB"];
const SHORT_BYTE_UNITS: readonly string[] = ["B", "KB", "MB", "GB", "TB"];
const STRICT_BYTE_UNITS: readonly string[] = ["B", "KiB", "MiB", "GiB", "TiB"];
const UNIT_FACTOR = 1024;

/** Rounded to a whole number, with commas between the thousands. */
export function countText(count: number): string {
  return grouped(Math.round(count));
}

/** `2 queries`, `1 query`. */
export function counted(count: number, one: string, many: string = `${one}s`): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

/** With commas between the thousands, and as many decimals as the number has. */
export function grouped(amount: number): string {
  if (!Number.isFinite(amount)) return amount < 0 ? "-∞" : "∞";
  const [whole, decimals] = String(amount).split(".");
  const text = whole!.replace(/(?<=\d)(?=(\d{3})+$)/g, ",");
  return decimals === undefined ? text : `${text}.${decimals}`;
}

/** Three digits that count; whole numbers above a hundred. */
export function threeDigits(amount: number): string {
  const size = Math.abs(amount);
  if (!(size < 100) || Number.isInteger(amount)) return countText(amount);
  if (size > 0 && size < 0.01) return "<0.01";
  return String(Number(amount.toPrecision(3)));
}

/** For sentences: `1,023 bytes`, `1.54 KB`. */
export function bytesText(bytes: number): string {
  return inUnit(bytes, BYTE_UNITS, threeDigits);
}

/** For tables and progress lines, where room is short: `1023 B`, `1.5 KB`, `200 MB`. */
export function shortBytesText(bytes: number): string {
  return inUnit(bytes, SHORT_BYTE_UNITS, (amount) =>
    amount.toFixed(amount < 100 && !Number.isInteger(amount) ? 1 : 0),
  );
}

/** For alerts: `1.54 KiB`. */
export function strictBytesText(bytes: number): string {
  return inUnit(bytes, STRICT_BYTE_UNITS, threeDigits);
}

/** For limits, which are round numbers of a unit: with two decimals at most. */
export function limitBytesText(bytes: number): string {
  return inUnit(bytes, BYTE_UNITS, (amount) => grouped(Math.round(amount * 100) / 100));
}

/** In the largest unit that leaves at least one of it. */
function inUnit(
  bytes: number,
  units: readonly string[],
  amountText: (amount: number) => string,
): string {
  let amount = bytes;
  let unit = 0;
  while (Math.abs(amount) >= UNIT_FACTOR && unit < units.length - 1) {
    amount /= UNIT_FACTOR;
    unit++;
  }
  return `${amountText(amount)} ${units[unit]}`;
}

/** For sentences: `90 seconds`, `2 hours`; a unit is used from two of it on. */
export function durationText(seconds: number): string {
  if (seconds < 2 * MINUTE_SECONDS) return counted(Math.round(seconds), "second");
  if (seconds < 2 * HOUR_SECONDS) return counted(Math.round(seconds / MINUTE_SECONDS), "minute");
  if (seconds < 2 * DAY_SECONDS) return counted(Math.round(seconds / HOUR_SECONDS), "hour");
  return counted(Math.round(seconds / DAY_SECONDS), "day");
}

/** For forecasts of days, in which minutes say nothing: `less than an hour`, `3 hours`. */
export function daysText(days: number): string {
  const seconds = days * DAY_SECONDS;
  if (seconds < HOUR_SECONDS) return "less than an hour";
  if (seconds >= 2 * HOUR_SECONDS) return durationText(seconds);
  return counted(Math.round(seconds / HOUR_SECONDS), "hour");
}

/** For progress lines: `99 s`, `12 min`, `1.7 h`; seconds are rounded up, so none is not said. */
export function shortDurationText(seconds: number): string {
  if (seconds < 100) return `${Math.ceil(seconds)} s`;
  const minutes = Math.round(seconds / MINUTE_SECONDS);
  return minutes < 100 ? `${minutes} min` : `${(minutes / 60).toFixed(1)} h`;
}

/** For waits: `12 ms`, `1.5 s`. */
export function millisText(millis: number): string {
  return millis >= 1000 ? `${threeDigits(millis / 1000)} s` : `${threeDigits(millis)} ms`;
}
