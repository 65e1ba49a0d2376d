/** What `orrery lifecycle` was asked about archives, as the question that the server gets. */
import type { JsonValue } from "../../json/value.ts";
import { timeOf } from "../../keys/time.ts";
import type { ArchiveQuestion, RestoreQuestion } from "../../model/archiveJob.ts";
import { BadOption } from "../../server/surroundings/options.ts";
import { PLACE_OPTIONS } from "../connect/serverOptions.ts";

/** For `parseArgs`. Here `--key` is a partition key, and `--account-key` the one of the server. */
export const JOB_OPTIONS: typeof PLACE_OPTIONS & {
  readonly key: { readonly type: "string"; readonly multiple: true };
  readonly share: { readonly type: "string" };
  readonly detach: { readonly type: "boolean" };
  readonly yes: { readonly type: "boolean" };
  readonly json: { readonly type: "boolean" };
  readonly "account-key": { readonly type: "string" };
  readonly help: { readonly type: "boolean"; readonly short: "h" };
} = {
  key: { type: "string", multiple: true },
  share: { type: "string" },
  detach: { type: "boolean" },
  yes: { type: "boolean" },
  json: { type: "boolean" },
  ...PLACE_OPTIONS,
  "account-key": { type: "string" },
  help: { type: "boolean", short: "h" },
};

export const ARCHIVE_OPTIONS = {
  before: { type: "string" },
  "older-than": { type: "string" },
  "age-property": { type: "string" },
  to: { type: "string" },
  keep: { type: "boolean" },
  "dry-run": { type: "boolean" },
} as const;

export const RESTORE_OPTIONS = {
  from: { type: "string" },
  create: { type: "boolean" },
  overwrite: { type: "boolean" },
  "keep-timestamps": { type: "boolean" },
  ttl: { type: "string" },
} as const;

interface JobValues {
  readonly key?: readonly string[] | undefined;
  readonly share?: string | undefined;
}

interface ArchiveValues extends JobValues {
  readonly before?: string | undefined;
  readonly "older-than"?: string | undefined;
  readonly "age-property"?: string | undefined;
  readonly to?: string | undefined;
  readonly keep?: boolean | undefined;
  readonly "dry-run"?: boolean | undefined;
}

interface RestoreValues extends JobValues {
  readonly from?: string | undefined;
  readonly create?: boolean | undefined;
  readonly overwrite?: boolean | undefined;
  readonly "keep-timestamps"?: boolean | undefined;
  readonly ttl?: string | undefined;
}

/** `wallNow`: milliseconds since 1970, from which an age counts back. */
export function archiveQuestionOf(values: ArchiveValues, wallNow: number): ArchiveQuestion {
  const { before, "older-than": age, "age-property": path, keep, "dry-run": isDryRun } = values;
  if (before !== undefined && age !== undefined) {
    throw new BadOption("--before and --older-than exclude each other.");
  }
  const isByAge = before !== undefined || age !== undefined;
  if (!isByAge && values.key === undefined) {
    throw new BadOption("Say which logical partitions: --before, --older-than or --key.");
  }
  if (isByAge && path === undefined) {
    throw new BadOption(
      "Name the property that says how old an item is: --age-property /publishedDate.",
    );
  }
  if (keep === true && isDryRun === true) {
    throw new BadOption("--dry-run deletes nothing anyway, so it goes without --keep.");
  }
  return {
    folder: values.to,
    before: before === undefined ? age && isoBefore(age, wallNow) : dateOf(before),
    ageProperty: path,
    keys: keysOf(values.key),
    keep: keep === true ? true : undefined,
    isDryRun: isDryRun === true ? true : undefined,
    sharePercent: shareOf(values.share),
  };
}

export function restoreQuestionOf(values: RestoreValues): RestoreQuestion {
  const { from, ttl } = values;
  if (from === undefined) {
    throw new BadOption(
      "Name the archive: --from <folder>. `orrery lifecycle archive --list` does.",
    );
  }
  if (ttl !== undefined && ttl !== "keep" && ttl !== "drop") {
    throw new BadOption(`--ttl is '${ttl}'; it must be keep or drop.`);
  }
  if (values.create === true && values.overwrite === true) {
    throw new BadOption("--create makes an empty container, in which nothing can be overwritten.");
  }
  return {
    folder: from,
    keys: keysOf(values.key),
    create: values.create,
    overwrite: values.overwrite,
    keepTimestamps: values["keep-timestamps"],
    ttl,
    sharePercent: shareOf(values.share),
  };
}

/** A date as the server reads it, too. */
function dateOf(text: string): string | number {
  const value = /^-?\d{5,}$/.test(text) ? Number(text) : text;
  if (timeOf(value) !== undefined) return value;
  throw new BadOption(
    `--before is '${text}'; it must be a date such as 2024-01-01 or 2024-01-01T12:00:00Z, or a ` +
      "number of seconds or milliseconds since 1970.",
  );
}

const AGE = /^(\d{1,6})(s|m|h|d|w|mo|y)$/;
const UNIT_SECONDS: Readonly<Record<string, number>> = {
  s: 1,
  m: 60,
  h: 3600,
  d: 86_400,
  w: 604_800,
};

/** Months and years are those of the calendar: a month before 31 March is the end of February. */
function isoBefore(age: string, wallNow: number): string {
  const found = AGE.exec(age);
  const [, digits, unit = ""] = found ?? [];
  const count = Number(digits);
  if (found === null || count === 0) {
    throw new BadOption(
      `--older-than is '${age}'; it must be a number with a unit: s, m, h, d, w, mo or y.`,
    );
  }
  const date = new Date(wallNow);
  const seconds = UNIT_SECONDS[unit];
  if (seconds !== undefined) date.setTime(wallNow - count * seconds * 1000);
  else {
    const day = date.getUTCDate();
    date.setUTCMonth(date.getUTCMonth() - (unit === "mo" ? count : count * 12));
    // A day that the month does not have has become one of the next month, which is too young.
    if (date.getUTCDate() !== day) date.setUTCDate(0);
  }
  if (Number.isNaN(date.getTime()) || date.getUTCFullYear() < 1) {
    throw new BadOption(`--older-than is '${age}', which is before the year 1.`);
  }
  return date.toISOString();
}

function keysOf(texts: readonly string[] | undefined): readonly JsonValue[] | undefined {
  return texts?.map((text) => {
    const value = parsed(text);
    const isKey = Array.isArray(value) || (value !== undefined && typeof value !== "object");
    if (isKey || value === null) return Array.isArray(value) ? value : [value];
    throw new BadOption(
      `--key is '${text}'; a key is JSON: --key '"2024-01"', --key 7, or --key '["ada","2024"]'.`,
    );
  });
}

function parsed(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function shareOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const percent = Number(text);
  if (/^\d{1,3}(\.\d{1,6})?$/.test(text) && percent > 0 && percent <= 100) return percent;
  throw new BadOption(`--share is '${text}'; it must be a number of percent, at most 100.`);
}
