/**
 * Moments that a query compares with, as far as they are known before it runs: a number of days
 * before now, or a date.
 */
import { DAY_MS, DAY_SECONDS, DAYS_PER_MONTH, DAYS_PER_YEAR } from "../../base/units.ts";
import { timeOf } from "../../keys/time.ts";
import { constantOf } from "../../query/keyRanges/constants.ts";
import type { Call, Expression } from "../../query/language/ast.ts";
import type { ParameterShape } from "./workload.ts";

export type Moment =
  | { readonly kind: "ago"; readonly days: number }
  | { readonly kind: "date"; readonly day: number };

const NOW: Moment = { kind: "ago", days: 0 };

const NAMES_OF_NOW: ReadonlySet<string> = new Set(
  ["GetCurrentDateTime", "GetCurrentTimestamp", "GetCurrentTicks"].flatMap((name) => [
    name.toUpperCase(),
    `${name.toUpperCase()}STATIC`,
  ]),
);
/** Functions that change the form of a time, not the time. */
const CONVERSIONS: ReadonlySet<string> = new Set([
  "TIMESTAMPTODATETIME",
  "DATETIMETOTIMESTAMP",
  "TICKSTODATETIME",
  "DATETIMETOTICKS",
]);

/** Days in the units of the date functions, by the spellings of a unit. */
const DAYS_IN: readonly (readonly [RegExp, number])[] = [
  [/^(year|yyyy|yy)$/, DAYS_PER_YEAR],
  [/^(month|mm|m)$/, DAYS_PER_MONTH],
  [/^(day|dd|d)$/, 1],
  [/^(hour|hh)$/, 1 / 24],
  [/^(minute|mi|n)$/, 1 / 1440],
  [/^(second|ss|s)$/, 1 / DAY_SECONDS],
  [/^(millisecond|ms)$/, 1 / DAY_MS],
];

export function momentOf(
  expression: Expression,
  parameters: ReadonlyMap<string, ParameterShape>,
): Moment | undefined {
  if (expression.kind === "parameter") {
    const shape = parameters.get(expression.name);
    if (shape?.agoDays !== undefined) return { kind: "ago", days: shape.agoDays };
    return dateOf(shape?.values?.[0]);
  }
  if (expression.kind === "call") return momentOfCall(expression, parameters);
  if (expression.kind === "binary" && ["-", "+"].includes(expression.operator)) {
    // Only times made from the server's clock are known to be in milliseconds.
    const base = momentOf(expression.left, parameters);
    const millis = constantOf(expression.right, new Map())?.value;
    if (base?.kind !== "ago" || typeof millis !== "number") return undefined;
    if (expression.left.kind === "parameter") return undefined;
    return shifted(base, ((expression.operator === "-" ? -1 : 1) * millis) / DAY_MS);
  }
  return dateOf(constantOf(expression, new Map())?.value);
}

/** Days from one to the other; undefined when they cannot be compared. */
export function daysBetween(from: Moment, to: Moment): number | undefined {
  if (from.kind === "ago") return to.kind === "ago" ? Math.abs(from.days - to.days) : undefined;
  return to.kind === "date" ? Math.abs(to.day - from.day) : undefined;
}

function momentOfCall(
  { name, isUdf, args }: Call,
  parameters: ReadonlyMap<string, ParameterShape>,
): Moment | undefined {
  if (isUdf) return undefined;
  const plain = name.toUpperCase();
  if (NAMES_OF_NOW.has(plain)) return NOW;
  if (CONVERSIONS.has(plain) && args[0] !== undefined) return momentOf(args[0], parameters);
  const [part, amount, base] = args;
  if (plain !== "DATETIMEADD" || part === undefined || amount === undefined) return undefined;
  const unit = constantOf(part, new Map())?.value;
  const count = constantOf(amount, new Map())?.value;
  const start = base === undefined ? undefined : momentOf(base, parameters);
  if (typeof unit !== "string" || typeof count !== "number" || start === undefined) {
    return undefined;
  }
  const days = DAYS_IN.find(([names]) => names.test(unit.toLowerCase()))?.[1];
  return days === undefined ? undefined : shifted(start, count * days);
}

function shifted(moment: Moment, days: number): Moment {
  return moment.kind === "ago"
    ? { kind: "ago", days: moment.days - days }
    : { kind: "date", day: moment.day + days };
}

/** Small numbers are prices and ratings, not times. */
function dateOf(value: unknown): Moment | undefined {
  if (typeof value === "number" && value < 1e9) return undefined;
  if (typeof value === "string" && !/^\d{4}-\d\d/.test(value)) return undefined;
  const millis = timeOf(value);
  return millis === undefined ? undefined : { kind: "date", day: millis / DAY_MS };
}
