/**
 * `DATETIMEFORMAT`: an instant written by a format. A run of one letter is a field, and its length
 * says how wide the field is; any other character stands for itself, and so does every character
 * behind a backslash. The fields are those of .NET's custom formats, in English.
 *
 * A format with a run longer than any field, or a backslash at its end, is not valid.
 */
import { type CalendarTime, calendarOf, dayOfWeekOf, type Ticks } from "./dateParts.ts";
import { digits } from "./dateText.ts";

const DAY_NAMES = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];

const MONTH_NAMES = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
];

type Field = (at: CalendarTime, width: number) => string | undefined;

const FIELDS: ReadonlyMap<string, Field> = new Map<string, Field>([
  ["y", (at, width) => (width > 2 ? digits(at.year, width) : digits(at.year % 100, width))],
  ["M", (at, width) => numberOrName(at.month, MONTH_NAMES[at.month - 1]!, width)],
  ["d", (at, width) => numberOrName(at.day, DAY_NAMES[dayOfWeekOf(at)]!, width)],
  ["H", (at, width) => shortNumber(at.hour, width)],
  ["h", (at, width) => shortNumber(((at.hour + 11) % 12) + 1, width)],
  ["m", (at, width) => shortNumber(at.minute, width)],
  ["s", (at, width) => shortNumber(at.second, width)],
  ["t", (at, width) => (at.hour < 12 ? "AM" : "PM").slice(0, width)],
  ["f", (at, width) => fractionDigits(at, width)],
  ["F", (at, width) => fractionDigits(at, width)?.replace(/0+$/, "")],
]);

const FORMAT_PIECE = /\\.|([yMdHhmstfF])\1*|./gsu;

export function formatInstant(instant: Ticks, format: string): string | undefined {
  const at = calendarOf(instant);
  let text = "";
  for (const [piece, letter] of format.matchAll(FORMAT_PIECE)) {
    const field = letter === undefined ? undefined : FIELDS.get(letter);
    const written = field === undefined ? plainText(piece) : field(at, piece.length);
    if (written === undefined) return undefined;
    text += written;
  }
  return text;
}

function plainText(piece: string): string | undefined {
  if (piece === "\\") return undefined;
  return piece.startsWith("\\") ? piece.slice(1) : piece;
}

const shortNumber = (integer: number, width: number): string => digits(integer, Math.min(width, 2));

function numberOrName(integer: number, name: string, width: number): string {
  if (width <= 2) return digits(integer, width);
  return width === 3 ? name.slice(0, 3) : name;
}

function fractionDigits(at: CalendarTime, width: number): string | undefined {
  return width > 7 ? undefined : digits(at.fraction, 7).slice(0, width);
}
