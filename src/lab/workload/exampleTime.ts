/**
 * Decides whether a value of the example item is a time, and how precise, from the form of a text
 * or the name of a number.
 */
import type { JsonValue } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import type { PropertyShape } from "./workload.ts";

export type ExampleResolution = NonNullable<PropertyShape["time"]>;

export const TIME_RESOLUTIONS: readonly ExampleResolution[] = [
  "second",
  "minute",
  "hour",
  "day",
  "week",
  "month",
  "quarter",
  "year",
];

/** Forms of text that tell a resolution; four digits alone may be anything. */
const FORMS: readonly (readonly [RegExp, ExampleResolution])[] = [
  [/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d/, "second"],
  [/^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?!:)/, "minute"],
  [/^\d{4}-\d\d-\d\d[Tt ]\d\d$/, "hour"],
  [/^\d{4}-\d\d-\d\d$/, "day"],
  [/^\d{4}-W\d\d$/, "week"],
  [/^\d{4}-\d\d$/, "month"],
  [/^\d{4}-Q[1-4]$/, "quarter"],
];

const NAME_OF_TIME = /(time|date|stamp|ts|at|on)$/i;
/** True for seconds or milliseconds of the years 2001 to 2099. */
const isRecent = (value: number): boolean =>
  (value > 1e9 && value < 4.1e9) || (value > 1e12 && value < 4.1e12);

export function resolutionOf(
  path: string,
  value: JsonValue | undefined,
): ExampleResolution | undefined {
  if (typeof value === "number") {
    return NAME_OF_TIME.test(path) && isRecent(value) ? "second" : undefined;
  }
  if (typeof value !== "string") return undefined;
  const [, resolution] = FORMS.find(([form]) => form.test(value)) ?? [];
  const isPeriod = resolution === "week" || resolution === "quarter" || resolution === "hour";
  return isPeriod || timeOf(value) !== undefined ? resolution : undefined;
}
