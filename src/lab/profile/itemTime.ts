/**
 * Reads the time at which an item was created, quickly: the common form of ISO 8601 is parsed digit
 * by digit, everything else as key expressions parse it (`keys/time.ts`). Both always agree.
 */
import { DAY_MS } from "../../base/units.ts";
import { timeOf } from "../../keys/time.ts";

const ZERO = 48;
/** Days from the first of March of the year 0 to the first of January 1970. */
const EPOCH_DAY = 719_468;

/** Returns milliseconds since 1970, or NaN. */
export function itemTimeOf(value: string | number): number {
  if (typeof value === "string" && isCommonForm(value)) {
    const millis = millisOfCommonForm(value);
    if (!Number.isNaN(millis)) return millis;
  }
  return timeOf(value) ?? Number.NaN;
}

/** 2024-05-06T07:08:09Z, 2024-05-06T07:08:09.123Z. */
function isCommonForm(text: string): boolean {
  const { length } = text;
  if (length !== 20 && length !== 24) return false;
  const isMarked =
    text.charCodeAt(4) === 45 &&
    text.charCodeAt(7) === 45 &&
    text.charCodeAt(10) === 84 &&
    text.charCodeAt(13) === 58 &&
    text.charCodeAt(16) === 58 &&
    text.charCodeAt(length - 1) === 90;
  return isMarked && (length === 20 || text.charCodeAt(19) === 46);
}

/** Returns NaN where a character is no digit, or a number is out of its range. */
function millisOfCommonForm(text: string): number {
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const month = twoDigits(text, 5);
  const day = twoDigits(text, 8);
  const hour = twoDigits(text, 11);
  const minute = twoDigits(text, 14);
  const second = twoDigits(text, 17);
  // The last days of months are left to the slower parser, which knows the calendar.
  const isPlain =
    month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60 && second < 60;
  if (!isPlain) return Number.NaN;
  let millis = 0;
  if (text.length === 24) {
    millis = twoDigits(text, 20) * 10 + digit(text, 22);
  }
  return daysOf(year, month, day) * DAY_MS + ((hour * 60 + minute) * 60 + second) * 1000 + millis;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function digit(text: string, at: number): number {
  const value = text.charCodeAt(at) - ZERO;
  return value >= 0 && value <= 9 ? value : Number.NaN;
}

/** Days since 1970, computed with years that begin in March so that leap days come last. */
function daysOf(year: number, month: number, day: number): number {
  const marchYear = month <= 2 ? year - 1 : year;
  const era = Math.floor(marchYear / 400);
  const yearOfEra = marchYear - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra =
    yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - EPOCH_DAY;
}
