/**
 * Numbers as people read them: the unit always with them, three digits that count, commas between
 * thousands. And texts of users, which may hold anything, made harmless for terminals and pages.
 */

import { countText, threeDigits } from "../../base/wording.ts";
import type { Estimate } from "../counting/estimate.ts";
import type { Routing } from "../simulate/simulation.ts";

/** For what has no value: not possible, or not within the horizon. */
export const NONE = "–";

/** Three significant digits; whole numbers above a thousand. */
export function numberText(amount: number): string {
  if (!Number.isFinite(amount)) return "∞";
  const size = Math.abs(amount);
  if (size >= 100_000) return shortText(Math.round(amount));
  return threeDigits(amount);
}

const SHORT: readonly (readonly [number, string])[] = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];

/** Large ones by word, where a word is shorter. */
function shortText(amount: number): string {
  for (const [unit, word] of SHORT) {
    if (Math.abs(amount) >= unit) return `${Number((amount / unit).toPrecision(3))} ${word}`;
  }
  return countText(amount);
}

export function rateText(rate: number): string {
  return `${numberText(rate)} RU/s`;
}

/** A share from 0 to 1. A little is not nothing, and nearly all is not all. */
export function percentText(share: number): string {
  const percent = share * 100;
  if (percent > 0 && percent < 0.1) return "<0.1 %";
  if (percent > 99.9 && percent < 100) return ">99.9 %";
  return `${percent >= 100 ? countText(percent) : Number(percent.toFixed(1))} %`;
}

/** US dollars; cents only where there are few dollars. */
export function moneyText(dollars: number | undefined): string {
  if (dollars === undefined) return NONE;
  if (!Number.isFinite(dollars)) return "∞";
  if (dollars > 0 && dollars < 0.01) return "<$0.01";
  return `$${dollars < 10 ? dollars.toFixed(2) : countText(dollars)}`;
}

/** Days from the beginning of the horizon. */
export function dayText(day: number | undefined): string {
  return day === undefined ? "not within the horizon" : `day ${countText(Math.ceil(day))}`;
}

/** With its bounds, where they say more than the value does. */
export function estimateText(
  { value, low, high }: Estimate,
  text: (amount: number) => string,
): string {
  const [middle, least, most] = [text(value), text(Math.max(0, low)), text(high)];
  return least === middle && most === middle ? middle : `${middle} (${least} to ${most})`;
}

/** How many keys one operation has to ask, in a word or two. */
export function routingText(routing: Routing): string {
  switch (routing.kind) {
    case "key":
      return "1 key";
    case "keys":
      return plural(routing.count, "key");
    case "prefix":
      return `prefix, ${plural(routing.count, "key")}`;
    case "everywhere":
      return "everywhere";
  }
}

/** What would move the cursor, turn the direction of writing or hide is shown as its escape. */
export function visible(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (unit) => {
    const quoted = JSON.stringify(unit).slice(1, -1);
    return quoted === unit ? `\\u{${unit.codePointAt(0)!.toString(16)}}` : quoted;
  });
}

/** At most so many letters. */
export function cut(text: string, length: number): string {
  const units = [...text];
  return units.length <= length ? text : `${units.slice(0, length - 1).join("")}…`;
}

export function plural(count: number, one: string, many: string = `${one}s`): string {
  const text = numberText(count);
  return `${text} ${text === "1" ? one : many}`;
}
