/** What the routes of databases and containers have in common: conditions and paged lists. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { SignedCursors } from "../../../engine/cursor/cursorKey.ts";
import { NO_CURSOR } from "../../../engine/cursor/cursorKey.ts";
import { property } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { parsePageCount } from "../../../protocol/request/requestHeaders.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";

/** True when the client has this version already. */
export function isUnchanged(headers: WireHeaders, etag: string): boolean {
  const ifNoneMatch = headerOf(headers, "if-none-match");
  return ifNoneMatch === etag || ifNoneMatch === "*";
}

export function unmetCondition(headers: WireHeaders, etag: string): Refusal | undefined {
  const ifMatch = headerOf(headers, "if-match");
  const isMet = ifMatch === undefined || ifMatch === "*" || ifMatch === etag;
  return isMet ? undefined : { kind: "preconditionFailed" };
}

export interface RecordPage<T> {
  readonly records: readonly T[];
  readonly continuation: string | undefined;
}

/** A list that is given page by page. */
export interface RecordList<T> {
  /** Whose list it is, and of what: a cursor of one is none of another. */
  readonly name: string;
  readonly all: readonly T[];
  /** They grow; the cursor is the last one shown. */
  numberOf(record: T): number;
}

export function pageOfRecords<T>(
  { cursorKey }: Account,
  headers: WireHeaders,
  { name, all, numberOf }: RecordList<T>,
): Result<RecordPage<T>, Refusal> {
  const count = parsePageCount(headers);
  if (!count.ok) return count;
  const cursors = cursorKey.cursorsOf(() => ({ kind: "list", owner: name }));
  const after = numberAfter(cursors, headerOf(headers, HEADER.continuation));
  if (!after.ok) return after;
  const rest = all
    .filter((record) => numberOf(record) > after.value)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const records = rest.slice(0, count.value);
  const isLast = records.length === rest.length;
  const continuation = isLast ? undefined : cursors.sign({ n: numberOf(records.at(-1)!) });
  return ok({ records, continuation });
}

function numberAfter(cursors: SignedCursors, text = ""): Result<number, Refusal> {
  if (text === "") return ok(-1);
  const cursor = cursors.read(text);
  if (!cursor.ok) return cursor;
  const number = property(cursor.value.fields, "n");
  return typeof number === "number" ? ok(number) : no(NO_CURSOR);
}
