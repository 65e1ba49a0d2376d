/** A number among the options of a command. */
import { BadOption } from "../../server/surroundings/options.ts";

/** Undefined if nobody gave one. `more` is said after what it must be. */
export function numberOf(
  option: string,
  text: string | undefined,
  min: number,
  max: number,
  more = "",
): number | undefined {
  if (text === undefined) return undefined;
  if (/^\d{1,13}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text);
  throw new BadOption(`${option} is '${text}'; it must be a number from ${min} to ${max}${more}.`);
}
