/**
 * How far a reader of the change feed has come: for every key of its scope the LSN up to which it
 * has seen everything.
 *
 * On the wire a position is an etag. Where one LSN holds for the whole scope it is that number,
 * which clients pass on to the children when a physical partition is split; otherwise it is a text
 * of our own that says which LSN holds for which keys. Marks are about keys and never about
 * physical partitions: they stay true whatever is split or merged.
 */
import type { Result } from "../base/result.ts";
import { no, ok } from "../base/result.ts";
import type { Lsn } from "../base/units.ts";
import { lsn } from "../base/units.ts";
import type { JsonValue } from "../json/value.ts";
import { isObject, property } from "../json/value.ts";
import type { EpkRange } from "../partition/epkRange.ts";
import { intersect, parseEpk } from "../partition/epkRange.ts";

export interface FeedMark {
  readonly range: EpkRange;
  readonly lsn: Lsn;
}

/** `number`: the same for all keys. Marks are in key order, and tile what they are about. */
export type FeedProgress =
  | { readonly kind: "number"; readonly lsn: Lsn }
  | { readonly kind: "marks"; readonly marks: readonly FeedMark[] };

/** `marks` in key order, without gaps. */
export function progressOf(marks: readonly FeedMark[]): FeedProgress {
  const merged: FeedMark[] = [];
  for (const mark of marks) {
    const last = merged.at(-1);
    if (last?.lsn !== mark.lsn || last.range.max !== mark.range.min) merged.push(mark);
    else merged[merged.length - 1] = { ...last, range: { ...last.range, max: mark.range.max } };
  }
  const [first, second] = merged;
  return first !== undefined && second === undefined
    ? { kind: "number", lsn: first.lsn }
    : { kind: "marks", marks: merged };
}

/** The part of `range` that each LSN holds for; `undefined` if there is none for some of it. */
export function marksWithin(
  progress: FeedProgress,
  range: EpkRange,
): readonly FeedMark[] | undefined {
  if (progress.kind === "number") return [{ range, lsn: progress.lsn }];
  const inside = progress.marks.flatMap((mark) => {
    const common = intersect(mark.range, range);
    return common === undefined ? [] : [{ range: common, lsn: mark.lsn }];
  });
  const isCovered =
    inside[0]?.range.min === range.min &&
    inside.at(-1)?.range.max === range.max &&
    inside.every((mark, index) => index === 0 || inside[index - 1]!.range.max === mark.range.min);
  return isCovered ? inside : undefined;
}

/** With the double quotes of an etag. */
export function encodeProgress(containerRid: string, progress: FeedProgress): string {
  if (progress.kind === "number") return `"${progress.lsn}"`;
  const [first] = progress.marks;
  const marks = progress.marks.map((mark) => [mark.range.max, mark.lsn]);
  const text = JSON.stringify({ c: containerRid, from: first?.range.min ?? "", marks });
  return `"${Buffer.from(text).toString("base64url")}"`;
}

/** Clients send back what they were given; some strip the quotes on the way. */
export function parseProgress(containerRid: string, etag: string): Result<FeedProgress, string> {
  const text = /^"(.*)"$/.exec(etag)?.[1] ?? etag;
  if (/^\d{1,15}$/.test(text)) return ok({ kind: "number", lsn: lsn(Number(text)) });
  const fields = parseFields(Buffer.from(text, "base64url").toString("utf8"));
  if (!isObject(fields)) return no(notOurs(etag));
  const marks = readMarks(property(fields, "from"), property(fields, "marks"));
  if (marks === undefined) return no(notOurs(etag));
  if (property(fields, "c") !== containerRid) {
    return no("The continuation is of another container, or of one that was deleted since.");
  }
  return ok({ kind: "marks", marks });
}

function notOurs(etag: string): string {
  return `'${etag.slice(0, 100)}' is not a continuation of the change feed.`;
}

function readMarks(
  from: JsonValue | undefined,
  list: JsonValue | undefined,
): readonly FeedMark[] | undefined {
  let min = typeof from === "string" ? parseEpk(from) : undefined;
  if (!Array.isArray(list) || list.length === 0) return undefined;
  const marks: FeedMark[] = [];
  for (const pair of list as readonly JsonValue[]) {
    const [end, position] = Array.isArray(pair) ? (pair as readonly JsonValue[]) : [];
    const max = typeof end === "string" ? parseEpk(end) : undefined;
    const isPosition = typeof position === "number" && Number.isSafeInteger(position);
    if (min === undefined || max === undefined || !isPosition) return undefined;
    if (min >= max || position < 0) return undefined;
    marks.push({ range: { min, max }, lsn: lsn(position) });
    min = max;
  }
  return marks;
}

function parseFields(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return null;
  }
}
