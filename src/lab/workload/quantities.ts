/**
 * Amounts as people write them: "100/s", "2 million/day", "4 KB", "90 days", "80 %", "now - 7
 * days". A bare number has the unit of its member.
 *
 * The parsers return undefined for a text that is no amount; the caller reports what is wrong with
 * it.
 */

import {
  DAY_SECONDS,
  DAYS_PER_MONTH,
  DAYS_PER_YEAR,
  HOUR_SECONDS,
  MINUTE_SECONDS,
} from "../../base/units.ts";

const SECONDS: ReadonlyMap<string, number> = new Map(
  Object.entries({
    s: 1,
    sec: 1,
    second: 1,
    m: MINUTE_SECONDS,
    min: MINUTE_SECONDS,
    minute: MINUTE_SECONDS,
    h: HOUR_SECONDS,
    hour: HOUR_SECONDS,
    d: DAY_SECONDS,
    day: DAY_SECONDS,
    w: 7 * DAY_SECONDS,
    week: 7 * DAY_SECONDS,
    month: DAYS_PER_MONTH * DAY_SECONDS,
    quarter: 3 * DAYS_PER_MONTH * DAY_SECONDS,
    y: DAYS_PER_YEAR * DAY_SECONDS,
    year: DAYS_PER_YEAR * DAY_SECONDS,
  }),
);

const BYTES: ReadonlyMap<string, number> = new Map(
  Object.entries({ b: 1, byte: 1, kb: 1024, kib: 1024, mb: 1024 ** 2, mib: 1024 ** 2 }),
);

const LARGE_BYTES: ReadonlyMap<string, number> = new Map([
  ...BYTES,
  ...Object.entries({ gb: 1024 ** 3, gib: 1024 ** 3, tb: 1024 ** 4, tib: 1024 ** 4 }),
]);

const SCALES: ReadonlyMap<string, number> = new Map(
  Object.entries({
    k: 1e3,
    thousand: 1e3,
    million: 1e6,
    mio: 1e6,
    billion: 1e9,
    bn: 1e9,
    trillion: 1e12,
  }),
);

/** Parses "2 million", "1,500", "1_000_000", "3e9". */
export function countIn(text: string): number | undefined {
  const match = /^([+-]?[\d.,_]+(?:e[+-]?\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const scale = match[2] === "" ? 1 : SCALES.get(match[2]!.toLowerCase());
  const amount = Number(match[1]!.replace(/[,_](?=\d{3})/g, ""));
  return scale === undefined || !Number.isFinite(amount) ? undefined : amount * scale;
}

/** Parses operations per second: "100/s", "5/min", "2 million/day", "12 per hour". */
export function ratePerSecondIn(text: string): number | undefined {
  const match = /^(.*?)\s*(?:\/|\bper\b|\b(?:a|an)\b)\s*([a-z]+)\.?$/i.exec(text.trim());
  if (match === null) return countIn(text);
  const amount = countIn(match[1]!);
  const seconds = secondsOf(match[2]!);
  return amount === undefined || seconds === undefined ? undefined : amount / seconds;
}

/** Parses "4 KB", "512 bytes"; a KB has 1024 bytes. */
export function bytesIn(text: string): number | undefined {
  return inUnits(text, BYTES);
}

/** Parses the size of many items: "800 GB", "1.5 TB". An item has no such size. */
export function volumeIn(text: string): number | undefined {
  return inUnits(text, LARGE_BYTES);
}

function inUnits(text: string, units: ReadonlyMap<string, number>): number | undefined {
  const match = /^(.*?)\s*([a-z]+)$/i.exec(text.trim());
  if (match === null) return countIn(text);
  const unit = match[2]!.toLowerCase();
  const amount = countIn(match[1]!);
  const bytes = units.get(unit) ?? units.get(unit.replace(/s$/, ""));
  return amount === undefined || bytes === undefined ? undefined : amount * bytes;
}

/** Parses "90 days", "13 months", "36 h"; a month has 30.4375 days. */
export function daysIn(text: string): number | undefined {
  const match = /^([\d.,_]+)\s*([a-z]*)$/i.exec(text.trim());
  if (match === null) return undefined;
  const amount = countIn(match[1]!);
  const seconds = match[2] === "" ? DAY_SECONDS : secondsOf(match[2]!);
  return amount === undefined || seconds === undefined
    ? undefined
    : (amount * seconds) / DAY_SECONDS;
}

/** Parses "80 %", "0.8". */
export function shareIn(text: string): number | undefined {
  const percent = /^([\d.]+)\s*%$/.exec(text.trim());
  if (percent !== null) return Number(percent[1]) / 100;
  return countIn(text);
}

/** Parses a number of days before now: "now", "now - 7 days", "7 days ago", "yesterday". */
export function agoDaysIn(text: string): number | undefined {
  const plain = text.trim().toLowerCase();
  if (plain === "now" || plain === "today") return 0;
  if (plain === "yesterday") return 1;
  const match = /^now\s*-\s*(.+)$/.exec(plain) ?? /^(.+?)\s+ago$/.exec(plain);
  return match === null ? undefined : daysIn(match[1]!);
}

function secondsOf(unit: string): number | undefined {
  // Case is ignored: "m" and "M" both are minutes.
  const plain = unit.toLowerCase();
  return SECONDS.get(plain) ?? SECONDS.get(plain.replace(/s$/, ""));
}
