/**
 * What was asked of the admin API, read once: parameters of the query and members of the body
 * become typed questions, or a sentence that says what would be right.
 *
 * A name nobody knows is refused, too: it is a slip of the pen, and to go on as if it had not been
 * there would answer another question. Problems unwind as `ReadingProblem` as far as `reading`.
 */

import { no, ok, type Result } from "../../base/result.ts";
import { HOUR_MS } from "../../base/units.ts";
import {
  listOf,
  member,
  objectOf,
  optional,
  ReadingProblem,
  refuse,
  repeated,
  textNamed,
  wholeNumberNamed,
} from "../../json/reading.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import type { PartitionKey } from "../../model/partitionKey.ts";
import { parseEpk } from "../../partition/epkRange.ts";
import { parseKeyHeader } from "../../partition/partitionKeyOf.ts";
import type {
  BucketSetting,
  HeatChartQuestion,
  HistoryQuestion,
  MergeQuestion,
  MoveQuestion,
  SplitQuestion,
  TopKeysQuestion,
} from "../../protocol/admin.ts";
import { REQUESTS_KEPT } from "../requests/requestLog.ts";

export function reading<T>(read: () => T): Result<T, string> {
  try {
    return ok(read());
  } catch (error) {
    if (error instanceof ReadingProblem) return no(error.message);
    throw error;
  }
}

/** The parameters of a query by name; each known, and given at most once. */
export function parametersOf(text: string, known: readonly string[]): ReadonlyMap<string, string> {
  const given = [...new URLSearchParams(text)];
  checkNames(
    given.map(([name]) => name),
    known,
    "parameter",
  );
  return new Map(given);
}

/** The members of a body; an empty one has none. */
export function membersOf(body: Buffer, known: readonly string[]): JsonObject {
  if (body.length === 0) return {};
  const members = objectOf(parsed(body.toString()), "The body");
  checkNames(Object.keys(members), known, "member");
  return members;
}

function parsed(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return refuse("The body must be JSON.");
  }
}

/** Refuses members of an object in the body that nobody knows. */
export function knownMembers(members: JsonObject, known: readonly string[]): void {
  checkNames(Object.keys(members), known, "member");
}

function checkNames(names: readonly string[], known: readonly string[], what: string): void {
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    const choice = known.length === 0 ? "there are none here" : `there are ${known.join(", ")}`;
    refuse(`There is no ${what} '${unknown}'; ${choice}.`);
  }
  const twice = repeated(names);
  if (twice !== undefined) refuse(`The ${what} '${twice}' is given twice.`);
}

type Parameters = ReadonlyMap<string, string>;

/** More than anything is kept for. */
const SPAN_MS_MAX = 400 * 24 * HOUR_MS;
const HEAT_ROWS_MAX = 360;
const HEAT_COLUMNS_MAX = 512;
const TOP_COUNT_MAX = 1_000;
const METRICS = ["ru", "throttled"] as const;
const RANKS = ["size", "load"] as const;

export function heatQuestionOf(parameters: Parameters, now: number): HeatChartQuestion {
  return {
    ...spanOf(parameters, now),
    metric: wordOf(parameters, "metric", METRICS),
    // Rows keep their edges while time goes on, so the span may begin and end inside of one.
    rows: countOf(parameters, "rows", HEAT_ROWS_MAX, 2) ?? 60,
    columns: countOf(parameters, "columns", HEAT_COLUMNS_MAX) ?? 64,
  };
}

export function historyQuestionOf(parameters: Parameters, now: number): HistoryQuestion {
  const slotSeconds = countOf(parameters, "slotSeconds", SPAN_MS_MAX / 1000);
  return { ...spanOf(parameters, now), ...optional("slotSeconds", slotSeconds) };
}

/** All alerts, or only those that fire or are about to. */
export function alertsWanted(parameters: Parameters): "all" | "active" {
  return wordOf(parameters, "only", ["all", "active"]);
}

/** How many of the last requests are wanted, and whether refused ones only. */
export function requestsQuestionOf(parameters: Parameters): {
  readonly only: "all" | "refused";
  readonly count: number;
} {
  const count = countOf(parameters, "count", REQUESTS_KEPT) ?? REQUESTS_KEPT;
  return { only: wordOf(parameters, "only", ["all", "refused"]), count };
}

export function topKeysQuestionOf(parameters: Parameters): TopKeysQuestion {
  return {
    by: wordOf(parameters, "by", RANKS),
    count: countOf(parameters, "count", TOP_COUNT_MAX) ?? 10,
  };
}

export function keyIn(parameters: Parameters): PartitionKey {
  const text = parameters.get("key");
  const example = 'a partition key as a JSON array, such as ["ada"]';
  if (text === undefined) return refuse(`The parameter 'key' is missing: ${example}.`);
  const key = parseKeyHeader(text);
  return key.ok ? key.value : refuse(`The parameter 'key' is ${text}; it must be ${example}.`);
}

/** The hour that ends now, unless told otherwise. */
function spanOf(parameters: Parameters, now: number): { from: number; to: number } {
  const to = instantOf(parameters, "to") ?? now;
  const from = instantOf(parameters, "from") ?? to - HOUR_MS;
  if (from >= to) refuse("The parameter 'from' must be before 'to'.");
  if (to - from > SPAN_MS_MAX) refuse("From 'from' to 'to' must be at most 400 days.");
  return { from, to };
}

function instantOf(parameters: Parameters, name: string): number | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const instant = /^\d{1,15}$/.test(text) ? Number(text) : isoInstant(text);
  if (Number.isFinite(instant)) return instant;
  return refuse(
    `The parameter '${name}' is '${text}'; it must be an instant: milliseconds since 1970, or ` +
      "a text such as 2026-05-15T14:10:00Z.",
  );
}

/** An instant with a time zone: without one it would depend on where the server stands. */
function isoInstant(text: string): number {
  const form = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d))?$/;
  return form.test(text) ? Date.parse(text) : Number.NaN;
}

function countOf(parameters: Parameters, name: string, max: number, min = 1): number | undefined {
  const text = parameters.get(name);
  if (text === undefined) return undefined;
  const count = /^\d{1,10}$/.test(text) ? Number(text) : Number.NaN;
  if (count >= min && count <= max) return count;
  return refuse(
    `The parameter '${name}' is '${text}'; it must be a whole number from ${min} to ${max}.`,
  );
}

/** The first of the words, unless told otherwise. */
function wordOf<W extends string>(
  parameters: Parameters,
  name: string,
  words: readonly [W, ...W[]],
): W {
  const text = parameters.get(name) ?? words[0];
  const word = words.find((candidate) => candidate === text);
  return word ?? refuse(`The parameter '${name}' is '${text}'; it can be ${words.join(", ")}.`);
}

const RANGE_ID = /^\d{1,15}$/;

export function splitQuestionOf(members: JsonObject): SplitQuestion {
  const [partitionId, at] = [member(members, "partitionId"), member(members, "at")];
  return {
    ...optional("partitionId", partitionId === undefined ? undefined : rangeIdOf(partitionId)),
    ...optional("at", at === undefined ? undefined : placeOf(at)),
  };
}

function placeOf(value: JsonValue): string {
  const text = textNamed(value, "at");
  if (text === "middle" || text === "median") return text;
  const epk = text === "" ? undefined : parseEpk(text);
  return epk ?? refuse(`The member 'at' is '${text}'; it can be middle, median or an EPK.`);
}

export function mergeQuestionOf(members: JsonObject): MergeQuestion {
  const ids = listOf(member(members, "partitionIds"), "The member 'partitionIds'");
  const [first, second] = ids.map(rangeIdOf);
  if (first === undefined || second === undefined || ids.length > 2 || first === second) {
    return refuse("The member 'partitionIds' must be two different range ids.");
  }
  return { partitionIds: [first, second] };
}

export function moveQuestionOf(members: JsonObject): MoveQuestion {
  const [partitionId, to] = [member(members, "partitionId"), member(members, "to")];
  if (partitionId === undefined || to === undefined || to === "") {
    return refuse("Say with 'partitionId' which physical partition moves, and with 'to' where to.");
  }
  return { partitionId: rangeIdOf(partitionId), to: textNamed(to, "to") };
}

function rangeIdOf(value: JsonValue): string {
  if (typeof value === "string" && RANGE_ID.test(value)) return value;
  // What is no text may be nested so deeply that it cannot be written down again.
  const given = typeof value === "string" ? `'${value}' is none` : "this is none";
  return refuse(`A range id is a string of digits, such as "0"; ${given}.`);
}

/** Documented: "Throughput buckets". */
const BUCKETS_MAX = 5;

export function bucketsOf(members: JsonObject): readonly BucketSetting[] {
  const list = listOf(member(members, "buckets"), "The member 'buckets'", BUCKETS_MAX);
  const buckets = list.map((entry) => {
    const bucket = objectOf(entry, "A bucket");
    checkNames(Object.keys(bucket), ["id", "percent"], "member");
    return {
      id: wholeNumberNamed(member(bucket, "id"), "id", 1, BUCKETS_MAX),
      percent: wholeNumberNamed(member(bucket, "percent"), "percent", 1, 100),
    };
  });
  const twice = repeated(buckets.map(({ id }) => String(id)));
  if (twice !== undefined) refuse(`The bucket ${twice} is given twice.`);
  return buckets;
}
