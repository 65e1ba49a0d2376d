/**
 * The date and time functions. Dates are strings (`dateText.ts`), exact to 100 ns; ticks and time
 * stamps are numbers counted from 1970, ticks rounded to what a double holds.
 *
 * A text that is no date, an unknown part, a number that is not an integer and a result outside the
 * years 1 to 9999 all give `undefined`. No function here reads a clock: the context says what time
 * it is.
 */
import type { BuiltIn, CallContext, Value } from "./builtIn.ts";
import { formatInstant } from "./dateFormat.ts";
import {
  addPart,
  binStartOf,
  countBoundaries,
  type DatePart,
  parseDatePart,
  TICKS_PER_MS,
  type Ticks,
  ticksOf,
  valueOfPart,
  withinCalendar,
} from "./dateParts.ts";
import { instantText, parseInstant } from "./dateText.ts";

type Call = BuiltIn["call"];

export const DATE_TIME_FUNCTIONS: readonly BuiltIn[] = [
  pure("IS_DATETIME", 1, 1, ([date]) => instantOf(date) !== undefined),
  pure("DATETIMEADD", 3, 3, ([part, count, date]) => shifted(part, count, instantOf(date))),
  pure("DATETIMEDIFF", 3, 3, differenceOf),
  pure("DATETIMEPART", 2, 2, ([part, date]) => fieldOf(partOf(part), date)),
  pure("YEAR", 1, 1, ([date]) => fieldOf("year", date)),
  pure("MONTH", 1, 1, ([date]) => fieldOf("month", date)),
  pure("DAY", 1, 1, ([date]) => fieldOf("day", date)),
  pure("DATETIMEBIN", 2, 4, binned),
  pure("DATETIMEFROMPARTS", 3, 7, dateFromParts),
  pure("DATETIMEFORMAT", 2, 2, formatted),
  pure("DATETIMETOTICKS", 1, 1, ([date]) => countOf(date, Number)),
  pure("DATETIMETOTIMESTAMP", 1, 1, ([date]) => countOf(date, stampOf)),
  pure("TICKSTODATETIME", 1, 1, ([ticks]) => dateFromCount(ticks, 1n)),
  pure("TIMESTAMPTODATETIME", 1, 1, ([stamp]) => dateFromCount(stamp, TICKS_PER_MS)),
  impure("GETCURRENTDATETIME", 0, 0, (_, context) => instantText(now(context))),
  impure("GETCURRENTTICKS", 0, 0, (_, context) => Number(now(context))),
  impure("GETCURRENTTIMESTAMP", 0, 0, (_, context) => stampOf(now(context))),
  pure("GETCURRENTDATETIMESTATIC", 0, 0, (_, context) => instantText(start(context))),
  pure("GETCURRENTTICKSSTATIC", 0, 0, (_, context) => Number(start(context))),
  pure("GETCURRENTTIMESTAMPSTATIC", 0, 0, (_, context) => stampOf(start(context))),
  impure("NOW", 0, 2, (args, context) =>
    args.length === 0 ? instantText(now(context)) : shifted(args[0], args[1], now(context)),
  ),
  impure("AGO", 2, 2, ([part, count], context) =>
    shifted(part, typeof count === "number" ? -count : undefined, now(context)),
  ),
];

function pure(name: string, argMin: number, argMax: number, call: Call): BuiltIn {
  return { name, argMin, argMax, isPure: true, call };
}

function impure(name: string, argMin: number, argMax: number, call: Call): BuiltIn {
  return { name, argMin, argMax, isPure: false, call };
}

function differenceOf([part, start, end]: readonly Value[]): Value {
  const named = partOf(part);
  const from = instantOf(start);
  const to = instantOf(end);
  if (named === undefined || from === undefined || to === undefined) return undefined;
  return countBoundaries(named, from, to);
}

function binned(args: readonly Value[]): Value {
  const instant = instantOf(args[0]);
  const part = partOf(args[1]);
  const count = args.length > 2 ? integerOf(args[2]) : 1;
  const origin = args.length > 3 ? instantOf(args[3]) : 0n;
  if (instant === undefined || part === undefined) return undefined;
  if (count === undefined || count <= 0) return undefined;
  if (origin === undefined || origin < BIN_ORIGIN_MIN) return undefined;
  return textOf(binStartOf(instant, { part, count, origin }));
}

function dateFromParts(args: readonly Value[]): Value {
  const fields = args.map(integerOf);
  if (fields.includes(undefined)) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0, fraction = 0] = fields;
  return textOf(ticksOf({ year, month, day, hour, minute, second, fraction }));
}

function formatted([date, format]: readonly Value[]): Value {
  const instant = instantOf(date);
  if (instant === undefined || typeof format !== "string") return undefined;
  return formatInstant(instant, format);
}

function shifted(part: Value, count: Value, instant: Ticks | undefined): Value {
  const named = partOf(part);
  const steps = integerOf(count);
  if (named === undefined || steps === undefined || instant === undefined) return undefined;
  return textOf(addPart(named, steps, instant));
}

function fieldOf(part: DatePart | undefined, date: Value): Value {
  const instant = instantOf(date);
  if (part === undefined || instant === undefined) return undefined;
  return valueOfPart(part, instant);
}

function countOf(date: Value, count: (instant: Ticks) => number): Value {
  const instant = instantOf(date);
  return instant === undefined ? undefined : count(instant);
}

function dateFromCount(count: Value, ticksPerCount: bigint): Value {
  const integer = integerOf(count);
  if (integer === undefined) return undefined;
  return textOf(withinCalendar(BigInt(integer) * ticksPerCount));
}

const now = (context: CallContext): Ticks => ticksOfStamp(context.wallNow());

const start = (context: CallContext): Ticks => ticksOfStamp(context.startedAt);

const ticksOfStamp = (stamp: number): Ticks => BigInt(Math.floor(stamp)) * TICKS_PER_MS;

/** Returns whole milliseconds; a millisecond that has only begun does not count. */
const stampOf = (instant: Ticks): number => countBoundaries("millisecond", 0n, instant);

function partOf(name: Value): DatePart | undefined {
  return typeof name === "string" ? parseDatePart(name) : undefined;
}

function instantOf(date: Value): Ticks | undefined {
  return typeof date === "string" ? parseInstant(date) : undefined;
}

/**
 * Returns a number that is a 64-bit integer, as which the service reads such arguments; else
 * undefined.
 */
function integerOf(count: Value): number | undefined {
  if (typeof count !== "number" || !Number.isInteger(count)) return undefined;
  return Math.abs(count) < 2 ** 63 ? count : undefined;
}

const textOf = (instant: Ticks | undefined): Value =>
  instant === undefined ? undefined : instantText(instant);

/** The earliest origin of bins that the documentation allows: the epoch of Windows. */
const BIN_ORIGIN_MIN: Ticks = -116_444_736_000_000_000n;
