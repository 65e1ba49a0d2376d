/**
 * Values that are instants: ISO 8601 texts, and numbers of seconds or milliseconds since 1970. A
 * number counts as an instant only if it falls into the last decades or the next few years, which
 * prices and counts hardly ever do.
 */
import { DAY_MS, DAYS_PER_YEAR, HOUR_MS, MINUTE_MS } from "../base/units.ts";
import type { JsonValue } from "../json/value.ts";
import type { RecordedGrain } from "./recording.ts";

interface TimeValue {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** The precision that the value needs: a day for midnight, an hour for a full hour. */
  readonly grain: RecordedGrain;
}

const YEAR_MS = DAYS_PER_YEAR * DAY_MS;
/** Further back, or ahead, a number is taken for something else. */
const PAST_MS_MAX = 30 * YEAR_MS;
const FUTURE_MS_MAX = 5 * YEAR_MS;

const DATE = /^(\d{4})(?:-(\d\d)(?:-(\d\d))?)?$/;
const TIME = /^(\d\d)(?::?(\d\d)(?::?(\d\d)(?:\.\d{1,9})?)?)?(Z|[+-]\d\d:?\d\d)?$/;
const DATE_LENGTH = 10;

export function timeIn(value: JsonValue | undefined, now: number): TimeValue | undefined {
  if (typeof value === "string") return timeInText(value, now);
  if (typeof value !== "number" || !Number.isFinite(value)) return undefined;
  return ofNumber(value, now) ?? ofNumber(value * 1000, now);
}

function timeInText(text: string, now: number): TimeValue | undefined {
  // Most texts are no instants, and most of those begin with a letter.
  const first = text.charCodeAt(0);
  if (text.length < 4 || text.length > 35 || first < 0x30 || first > 0x39) return undefined;
  const date = DATE.exec(text.slice(0, DATE_LENGTH));
  const separator = text[DATE_LENGTH];
  const isDated = separator === undefined || separator === "T" || separator === " ";
  const clocked = text.length > DATE_LENGTH ? TIME.exec(text.slice(DATE_LENGTH + 1)) : [];
  if (date === null || clocked === null || !isDated) return undefined;
  const [, year, month, day] = date;
  const [, hour, minute, second, zone = "Z"] = clocked;
  const clock = `${hour ?? "00"}:${minute ?? "00"}:${second ?? "00"}`;
  const colon = zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone;
  const at = Date.parse(`${year}-${month ?? "01"}-${day ?? "01"}T${clock}${colon}`);
  if (!isNear(at, now)) return undefined;
  if (month === undefined) return { at, grain: "year" };
  if (day === undefined) return { at, grain: "month" };
  return { at, grain: grainOf(at) };
}

function ofNumber(at: number, now: number): TimeValue | undefined {
  return isNear(at, now) ? { at, grain: grainOf(at) } : undefined;
}

function isNear(at: number, now: number): boolean {
  return at >= now - PAST_MS_MAX && at <= now + FUTURE_MS_MAX;
}

function grainOf(at: number): RecordedGrain {
  if (at % MINUTE_MS !== 0) return "second";
  if (at % HOUR_MS !== 0) return "minute";
  return at % DAY_MS === 0 ? "day" : "hour";
}

const GRAINS: readonly RecordedGrain[] = ["year", "month", "day", "hour", "minute", "second"];

export function finerOf(a: RecordedGrain, b: RecordedGrain): RecordedGrain {
  return GRAINS.indexOf(a) >= GRAINS.indexOf(b) ? a : b;
}
