/**
 * How far a reader of the change feed has come: for every key of its scope the LSN up to which the
 * reader has seen everything.
 *
 * On the wire a position is an etag. Where one LSN holds for the whole scope, the etag is that
 * number, as in the service: clients pass the number on to the children when a physical partition
 * is split, and some compute with it. A number is a position that anybody may name, so it is not
 * signed; a number that no log has reached is refused. Otherwise the etag is a text of our own that
 * says which LSN holds for which keys, signed like all cursors (`cursorKey.ts`), because an altered
 * text would pass over changes unnoticed. Marks are about keys and never about physical partitions,
 * so they stay true whatever is split or merged.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Lsn } from "../../base/units.ts";
import { lsn } from "../../base/units.ts";
import type { JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { intersect, parseEpk } from "../../partition/epkRange.ts";
import type { CursorKey, Question } from "../cursor/cursorKey.ts";
import type { Container } from "../partition/container.ts";

/** The question that the positions belong to, and the key that signs them. */
export interface SignedMarks {
  readonly key: CursorKey;
  readonly question: Question;
  /**
   * False where a bare number could be that of another container, whose name this one has taken
   * over: then every position is signed.
   */
  readonly hasNumbers: boolean;
}

export function marksOf(
  key: CursorKey,
  { rid, isCopy }: Pick<Container, "rid" | "isCopy">,
  mode: "latest" | "all",
): SignedMarks {
  const question: Question = { kind: "changeFeed", owner: rid, about: [mode] };
  return { key, question, hasNumbers: !isCopy };
}

export interface FeedMark {
  readonly range: EpkRange;
  readonly lsn: Lsn;
}

/**
 * `number` is one LSN for all keys. `marks` are in key order, and tile the scope that they are
 * about.
 */
export type FeedProgress =
  | { readonly kind: "number"; readonly lsn: Lsn }
  | { readonly kind: "marks"; readonly marks: readonly FeedMark[] };

/** Combines marks, which are in key order and without gaps. */
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

/** Returns the part of `range` that each LSN holds for, or `undefined` if some keys have no LSN. */
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

/** Returns the etag of a position in `range`, with its double quotes. */
export function encodeProgress(
  cursors: SignedMarks,
  progress: FeedProgress,
  range: EpkRange,
): string {
  if (progress.kind === "number" && cursors.hasNumbers) return `"${progress.lsn}"`;
  const held = progress.kind === "number" ? [{ range, lsn: progress.lsn }] : progress.marks;
  const [first] = held;
  const marks = held.map((mark) => [mark.range.max, mark.lsn]);
  const text = JSON.stringify({ from: first?.range.min ?? "", marks });
  const encoded = Buffer.from(text).toString("base64url");
  return `"${encoded}.${cursors.key.tagOf(cursors.question, encoded)}"`;
}

/** Parses an etag. Clients send back the etag that they were given, and some strip its quotes. */
export function parseProgress(cursors: SignedMarks, etag: string): Result<FeedProgress, string> {
  const text = /^"(.*)"$/.exec(etag)?.[1] ?? etag;
  if (/^\d{1,15}$/.test(text)) {
    return cursors.hasNumbers ? ok({ kind: "number", lsn: lsn(Number(text)) }) : no(OTHERS);
  }
  const [encoded = "", tag, ...others] = text.split(".");
  const fields = parseFields(Buffer.from(encoded, "base64url").toString("utf8"));
  const marks = isObject(fields)
    ? readMarks(property(fields, "from"), property(fields, "marks"))
    : undefined;
  if (marks === undefined || others.length > 0) return no(notOurs(etag));
  if (tag === undefined) return no(FORMER);
  if (!cursors.key.hasTag(cursors.question, encoded, tag)) return no(FOREIGN);
  return ok({ kind: "marks", marks });
}

const OTHERS =
  "The continuation of the change feed was given by another container: this one, which was made " +
  "as a copy, gives none that is a number. Begin again, or from a time.";

const FORMER =
  "The continuation of the change feed was given by an earlier version of this server, and " +
  "cannot be told from a forged one. Begin again, or from a time.";

const FOREIGN =
  "The continuation of the change feed was altered, or it belongs to another container or mode, " +
  "or to a container that was deleted since. Send it back unchanged, or begin again.";

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
