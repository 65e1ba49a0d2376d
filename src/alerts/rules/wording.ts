/**
 * Numbers, partition keys and lists as alerts word them: always with their unit, with three
 * significant digits, and percentages of what the sentence says.
 */
import type { JsonValue } from "../../json/value.ts";
import type { LogicalReport } from "../../statistics/report.ts";

/**
 * Characters of a partition key in a sentence. A key can have 2,048 bytes; the evidence has it
 * whole.
 */
const KEY_CHARACTERS_MAX = 80;

const LISTED_MAX = 5;

const BYTE_UNITS = ["B", "KiB", "MiB", "GiB", "TiB"] as const;

export function percentText(percent: number): string {
  return `${significant(percent)} %`;
}

export function bytesText(bytes: number): string {
  let amount = bytes;
  let unit = 0;
  while (Math.abs(amount) >= 1024 && unit < BYTE_UNITS.length - 1) {
    amount /= 1024;
    unit += 1;
  }
  return `${significant(amount)} ${BYTE_UNITS[unit]}`;
}

export function rateText(ratePerSecond: number): string {
  return `${countText(ratePerSecond)} RU/s`;
}

export function countText(count: number): string {
  return Math.round(count).toLocaleString("en-US");
}

/** `2 queries`, `1 query`. */
export function counted(count: number, one: string, many: string): string {
  return `${countText(count)} ${count === 1 ? one : many}`;
}

export function durationText(seconds: number): string {
  if (seconds < 120) return counted(Math.round(seconds), "second", "seconds");
  if (seconds < 7200) return counted(Math.round(seconds / 60), "minute", "minutes");
  if (seconds < 172_800) return counted(Math.round(seconds / 3600), "hour", "hours");
  return counted(Math.round(seconds / 86_400), "day", "days");
}

/** The partition key of a logical partition, or its EPK if no item tells the key. */
export function keyText({ partitionKey, epk }: LogicalReport): string {
  if (partitionKey === undefined) return `with the EPK ${epk}`;
  const text = JSON.stringify(partitionKey);
  const characters = Array.from(text);
  if (characters.length <= KEY_CHARACTERS_MAX) return text;
  return `${characters.slice(0, KEY_CHARACTERS_MAX).join("")}…`;
}

export function keysOf(logicals: readonly LogicalReport[]): readonly (readonly JsonValue[])[] {
  return logicals.flatMap(({ partitionKey }) => (partitionKey === undefined ? [] : [partitionKey]));
}

/** `0, 1 and 4`; of many entries only the first few, and how many more there are. */
export function listText(entries: readonly string[]): string {
  const shown = entries.length > LISTED_MAX ? entries.slice(0, LISTED_MAX - 1) : entries;
  const rest = entries.length - shown.length;
  const all = rest > 0 ? [...shown, `${countText(rest)} more`] : shown;
  return all.length < 2 ? all.join("") : `${all.slice(0, -1).join(", ")} and ${all.at(-1)}`;
}

/** A share as a percentage; 0 when the whole is 0. */
export function percentOf(part: number, whole: number): number {
  return whole > 0 ? (100 * part) / whole : 0;
}

function significant(amount: number): string {
  const digits = Math.abs(amount) >= 100 ? 0 : Math.abs(amount) >= 10 ? 1 : 2;
  return Number(amount.toFixed(digits)).toLocaleString("en-US");
}
