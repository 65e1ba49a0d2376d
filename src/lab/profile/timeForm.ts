/**
 * Decides whether the values at a path are times, in which form and how precise, and which path
 * says when an item was created.
 */
import type { TimeGrain } from "../../keys/expression.ts";
import { timeOf } from "../../keys/time.ts";
import type { PropertyProfile } from "./profile.ts";

type TimeForm = NonNullable<PropertyProfile["time"]>;
type Resolution = TimeForm["resolution"];

/** A number since 1970 that is in no year from 1990 to 2100 is taken for something else. */
const SECONDS_MIN = 631_152_000;
const SECONDS_MAX = 4_102_444_800;
/** Any number may look like seconds, so the name must say that the number is a time. */
const TIME_NAME =
  /(?:time|date|stamp|_ts|when|epoch|day|since|created|updated|modified)|(?:^ts|At)$/i;
const SHARE_MIN = 0.9;
const FIRST_COUNT = 50;
/** Fewer different values do not show how precise they are. */
const DISTINCT_MIN = 4;

/** `values` are scalars, without null. `name` is the last step of the path. */
export function timeFormOf(name: string, values: readonly unknown[]): TimeForm | null {
  // Most properties are no times, which their first values show.
  const first = values.slice(0, FIRST_COUNT).filter((value) => formOf(name, value) !== undefined);
  if (first.length < Math.min(FIRST_COUNT, values.length) / 2) return null;
  const forms = values.map((value) => formOf(name, value));
  const form = forms.find((each) => each !== undefined);
  if (form === undefined) return null;
  const millis = values.flatMap((value, at) => (forms[at] === form ? [timeOf(value)!] : []));
  if (millis.length < SHARE_MIN * values.length) return null;
  return { form, resolution: resolutionOf(millis) };
}

function formOf(name: string, value: unknown): TimeForm["form"] | undefined {
  if (typeof value === "string") {
    // Four digits alone may be any number, not a year.
    return value.length >= 7 && timeOf(value) !== undefined ? "text" : undefined;
  }
  if (typeof value !== "number" || !TIME_NAME.test(name)) return undefined;
  const isWithin = (unit: number): boolean =>
    value >= SECONDS_MIN * unit && value <= SECONDS_MAX * unit;
  return isWithin(1) ? "seconds" : isWithin(1000) ? "millis" : undefined;
}

function resolutionOf(millis: readonly number[]): Resolution {
  const distinct = new Set(millis);
  if (distinct.size < DISTINCT_MIN) return "second";
  const dates = [...distinct].map((at) => new Date(at));
  const isAlways = (test: (date: Date) => boolean): boolean => dates.every(test);
  if (!isAlways((date) => date.getTime() % 60_000 === 0)) return "second";
  if (!isAlways((date) => date.getUTCMinutes() === 0)) return "minute";
  if (!isAlways((date) => date.getUTCHours() === 0)) return "hour";
  if (isAlways((date) => date.getUTCDate() === 1)) return monthsResolution(dates);
  return isAlways((date) => date.getUTCDay() === 1) ? "week" : "day";
}

/** The resolution of dates that are all the first of a month. */
function monthsResolution(dates: readonly Date[]): TimeGrain {
  if (dates.every((date) => date.getUTCMonth() === 0)) return "year";
  return dates.every((date) => date.getUTCMonth() % 3 === 0) ? "quarter" : "month";
}

const WHEN_IT_CAME =
  /(?:^|_)(?:time|ts|timestamp)$|created|inserted|recorded|occurred|event|order/i;
const WHEN_ELSE =
  /birth|expir|due|valid|until|end|modif|updat|delet|ship|deliver|clos|next|start|schedul|last/i;
const RESOLUTION_WORTH: Readonly<Record<Resolution, number>> = {
  second: 2,
  minute: 2,
  hour: 1.5,
  day: 0.5,
  week: -1,
  month: -1,
  quarter: -1,
  year: -1,
};

/** How likely the path is the time at which an item was created; higher is likelier. */
export function timeWorthOf(path: {
  readonly steps: readonly string[];
  readonly form: TimeForm;
  readonly presence: number;
}): number {
  const name = path.steps.at(-1)!;
  const byName = WHEN_ELSE.test(name) ? -3 : WHEN_IT_CAME.test(name) ? 2 : 0;
  return (
    byName + RESOLUTION_WORTH[path.form.resolution] + 2 * path.presence - 0.1 * path.steps.length
  );
}
