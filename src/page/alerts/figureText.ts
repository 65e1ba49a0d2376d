/**
 * Figures of evidence as people read them. Their names end in their unit, as in `largestBytes` or
 * `sharePercent`: the unit goes to the number, and the rest of the name is words.
 */
import { bytesText, countText, durationText, threeDigits } from "../../base/wording.ts";
import { percentText } from "../parts/numbers.ts";

/** What is counted keeps its word: "Throttled count" is not the share that was throttled. */
const UNITS: readonly (readonly [ending: RegExp, text: (amount: number) => string])[] = [
  [/Percent(?=$|Min$|Max$)/, percentText],
  [/Bytes$/, bytesText],
  [/BytesPerDay$/, (amount) => `${bytesText(amount)} a day`],
  [/PerSecond$/, (amount) => `${countText(amount)} RU/s`],
  [/Ru$/, (amount) => `${threeDigits(amount)} RU`],
  [/Seconds$/, durationText],
  [/Days$/, (amount) => `${threeDigits(amount)} days`],
  [/(?<=Count)$/, countText],
];

interface Figure {
  /** Words, without the unit. */
  readonly name: string;
  readonly text: string;
}

export function figureOf(name: string, amount: number): Figure {
  const unit = UNITS.find(([ending]) => ending.test(name));
  const bare = unit === undefined ? name : name.replace(unit[0], "");
  return { name: wordsIn(bare === "" ? name : bare), text: (unit?.[1] ?? threeDigits)(amount) };
}

/** `largestItemCount` is "Largest item count". */
export function wordsIn(name: string): string {
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/\bru\b/g, "RU");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A threshold, with the unit that the rule says it has. */
export function thresholdText(amount: number, unit: string): string {
  if (unit === "percent") return `${threeDigits(amount)} %`;
  if (unit === "GiB") return `${threeDigits(amount)} GB`;
  return unit === "fraction" ? threeDigits(amount) : `${threeDigits(amount)} ${unit}`;
}
