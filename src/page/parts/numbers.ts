/**
 * Numbers as the page writes them: with their unit, three digits that count, commas between the
 * thousands. Bytes and counts are worded as on the command line (`base/wording.ts`).
 */
import { countText, grouped, threeDigits } from "../../base/wording.ts";

/** For what nobody has counted. It is never zero instead. */
const NONE = "–";

const LARGE: readonly (readonly [number, string])[] = [
  [1e12, "trillion"],
  [1e9, "billion"],
  [1e6, "million"],
];

/** A count: whole up to a million, then in words. */
export function amountText(amount: number): string {
  const large = LARGE.find(([unit]) => amount >= unit);
  if (large === undefined) return countText(amount);
  return `${threeDigits(amount / large[0])} ${large[1]}`;
}

/** The charge of one operation, or the sum of charges: two decimals. */
export function chargeText(ru: number): string {
  const [whole, decimals] = ru.toFixed(2).split(".");
  return `${grouped(Number(whole))}.${decimals} RU`;
}

export function rateText(ratePerSecond: number): string {
  return `${countText(ratePerSecond)} RU/s`;
}

/** A share from 0 to 1. A little is not nothing, and nearly all is not all. */
export function shareText(share: number | undefined): string {
  return share === undefined ? NONE : percentText(share * 100);
}

export function percentText(percent: number): string {
  if (percent > 0 && percent < 1) return "< 1 %";
  if (percent > 99 && percent < 100) return "> 99 %";
  const isFine = percent < 10 && !Number.isInteger(percent);
  return `${isFine ? percent.toFixed(1) : countText(percent)} %`;
}
