/** What the routes of databases and containers have in common: conditions and paged lists. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { parsePageCount } from "../../protocol/requestHeaders.ts";
import type { WireHeaders } from "../../protocol/wire.ts";
import { headerOf } from "../../protocol/wire.ts";

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

/** A page of records that have growing numbers; the continuation is the last number shown. */
export function pageOfRecords<T>(
  headers: WireHeaders,
  all: readonly T[],
  numberOf: (record: T) => number,
): Result<RecordPage<T>, Refusal> {
  const count = parsePageCount(headers);
  if (!count.ok) return count;
  const text = headerOf(headers, "x-ms-continuation");
  const after = text === undefined || text === "" ? -1 : Number(text);
  if (!Number.isInteger(after)) return no(badRequest("Invalid Continuation Token"));
  const rest = all
    .filter((record) => numberOf(record) > after)
    .sort((a, b) => numberOf(a) - numberOf(b));
  const records = rest.slice(0, count.value);
  const isLast = records.length === rest.length;
  const continuation = isLast ? undefined : String(numberOf(records.at(-1)!));
  return ok({ records, continuation });
}
