/**
 * Numbers, partition keys and lists as alerts word them: always with their unit, with three
 * significant digits, and percentages of what the sentence says.
 */
import { countText, threeDigits } from "../../base/wording.ts";
import type { JsonValue } from "../../json/value.ts";
import type { LogicalReport } from "../../statistics/report.ts";

/**
 * Characters of a partition key in a sentence. A key can have 2,048 bytes; the evidence has it
 * whole.
 */
const KEY_CHARACTERS_MAX = 80;

const LISTED_MAX = 5;

export function percentText(percent: number): string {
  return `${threeDigits(percent)} %`;
}

export function rateText(ratePerSecond: number): string {
  return `${countText(ratePerSecond)} RU/s`;
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
