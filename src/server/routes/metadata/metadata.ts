/** What the routes of databases and containers have in common: conditions and paged lists. */
import type { Result } from "../../../base/result.ts";
import { no, ok } from "../../../base/result.ts";
import type { Account } from "../../../engine/account.ts";
import type { SignedCursors } from "../../../engine/cursor/cursorKey.ts";
import { NO_CURSOR } from "../../../engine/cursor/cursorKey.ts";
import { property } from "../../../json/value.ts";
import type { Refusal } from "../../../model/refusal.ts";
import type { Condition } from "../../../model/request/writeRequest.ts";
import type { PageTerms } from "../../../protocol/request/requestHeaders.ts";

/** True when the client has this version already. */
export function isUnchanged({ ifNoneMatch }: Condition, etag: string): boolean {
  return ifNoneMatch === etag || ifNoneMatch === "*";
}

export function unmetCondition({ ifMatch }: Condition, etag: string): Refusal | undefined {
  const isMet = ifMatch === undefined || ifMatch === "*" || ifMatch === etag;
  return isMet ? undefined : { kind: "preconditionFailed" };
}

interface RecordPage<T> {
  readonly records: readonly T[];
  readonly continuation: string | undefined;
}

/** A list that is given page by page. */
interface RecordList<T> {
  /** Whose list it is, and of what: the cursor of one list is not good for another. */
  readonly name: string;
  readonly all: readonly T[];
  /** The number of a record. Numbers grow; the cursor is the number of the last record shown. */
  numberOf(record: T): number;
}

export function pageOfRecords<T>(
  { cursorKey }: Account,
  page: Result<PageTerms, Refusal>,
  { name, all, numberOf }: RecordList<T>,
): Result<RecordPage<T>, Refusal> {
  if (!page.ok) return page;
  const { countMax } = page.value;
  const cursors = cursorKey.cursorsOf(() => ({ kind: "list", owner: name }));
  const after = numberAfter(cursors, page.value.continuation);
  if (!after.ok) return after;
  const rest = all
    .filter((record) => numberOf(record) > after.value)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const records = rest.slice(0, countMax);
  const isLast = records.length === rest.length;
  const continuation = isLast ? undefined : cursors.sign({ n: numberOf(records.at(-1)!) });
  return ok({ records, continuation });
}

function numberAfter(cursors: SignedCursors, text: string | undefined): Result<number, Refusal> {
  if (text === undefined) return ok(-1);
  const cursor = cursors.read(text);
  if (!cursor.ok) return cursor;
  const number = property(cursor.value.fields, "n");
  return typeof number === "number" ? ok(number) : no(NO_CURSOR);
}
