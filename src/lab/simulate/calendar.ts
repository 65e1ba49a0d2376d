/**
 * Periods as the calendar has them, for those that are followed one by one: a month is as long as
 * it is, and begins on its first day, whatever the day on which a simulation does.
 *
 * Not here: how long a period is on average (`candidate/keyShape.ts`), which is what counts where
 * now may be any time.
 */
import { DAY_MS } from "../../base/units.ts";
import type { TimeGrain } from "../../keys/expression.ts";
import { nextPeriodStart, periodStart } from "../../keys/period.ts";
import { grainDays } from "../candidate/keyShape.ts";
import type { TimeResolution } from "../data/facts.ts";

/** Milliseconds since 1970; the end is the beginning of the next. */
interface Period {
  readonly from: number;
  readonly to: number;
}

/** Every period that has a moment in common with the span, in order. */
export function periodsWithin(
  grain: TimeResolution,
  fromMillis: number,
  toMillis: number,
): readonly Period[] {
  const periods: Period[] = [];
  let period = periodAt(grain, fromMillis);
  for (; period.from < toMillis; period = periodAt(grain, period.to)) periods.push(period);
  return periods;
}

/** How much of its period is over at an instant, in periods of the mean length. */
export function passedShare(grain: TimeResolution, millis: number): number {
  const passed = millis - periodAt(grain, millis).from;
  return Math.min(1, passed / (grainDays(grain) * DAY_MS));
}

function periodAt(grain: TimeResolution, millis: number): Period {
  if (isOfCalendar(grain)) {
    return { from: periodStart(grain, millis), to: nextPeriodStart(grain, millis) };
  }
  const length = FIXED_MILLIS[grain];
  const from = Math.floor(millis / length) * length;
  return { from, to: from + length };
}

/** Seconds and minutes are the same in every calendar. */
const FIXED_MILLIS = { minute: 60_000, second: 1000 } as const;

function isOfCalendar(grain: TimeResolution): grain is TimeGrain {
  return !Object.hasOwn(FIXED_MILLIS, grain);
}
