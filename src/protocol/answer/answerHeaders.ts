/**
 * Headers that some answers have beside the usual ones of `answers.ts`. Each function gives names
 * and values in turn.
 */
import { HEADER } from "../wire/headerNames.ts";
import type { WireAnswer } from "../wire/wire.ts";
import type { Served } from "./answers.ts";
import { sessionTokenOf } from "./answers.ts";

/** For a page of anything but items; without a continuation it is the last one. */
export function pageHeaders(rowCount: number, continuation?: string): readonly string[] {
  const counted = [HEADER.itemCount, String(rowCount)];
  return continuation === undefined ? counted : [...counted, HEADER.continuation, continuation];
}

/** What the sender of a bulk request has seen now. */
export function sessionHeaders(seen: Pick<Served, "rangeId" | "lsn">): readonly string[] {
  return [HEADER.sessionToken, sessionTokenOf(seen)];
}

/** The answer with another range in it, and what its client has seen of that one. */
export function withSeen(answer: WireAnswer, seen: Pick<Served, "rangeId" | "lsn">): WireAnswer {
  const headers = [...answer.headers];
  for (const [name, value] of [
    [HEADER.sessionToken, sessionTokenOf(seen)],
    [HEADER.rangeId, seen.rangeId],
  ] as const) {
    const place = headers.findIndex((other, index) => index % 2 === 0 && other === name);
    if (place >= 0) headers[place + 1] = value;
  }
  return { ...answer, headers };
}

export interface Quota {
  readonly max: string;
  readonly used: string;
}

/** How many resources there may be, and how many there are. */
export function quotaHeaders({ max, used }: Quota): readonly string[] {
  return [HEADER.resourceQuota, max, HEADER.resourceUsage, used];
}

/** How far the index of a container has got, in percent. */
export function indexProgressHeaders(percent: number): readonly string[] {
  return [HEADER.indexProgress, String(percent)];
}

/** Whoever waits for a pending change reads the offer until the header says that it is none. */
export function offerHeaders(offer: {
  readonly isPending: boolean;
  readonly rateMin: number;
}): readonly string[] {
  const pending = [HEADER.offerReplacePending, String(offer.isPending)];
  return [...pending, HEADER.minThroughput, String(offer.rateMin)];
}

/** There are no attachments; Java's client fails where it is not told how large they may be. */
export const MEDIA_STORAGE: readonly string[] = [
  HEADER.mediaStorageMax,
  "0",
  HEADER.mediaStorageUsed,
  "0",
];

/** What an answer to a query says of its work; a text that is absent was not asked for. */
export function queryHeadersOf(told: {
  readonly metrics: string | undefined;
  readonly utilization: string | undefined;
  readonly explained: string | undefined;
}): readonly string[] {
  const headers: string[] = [];
  if (told.metrics !== undefined) headers.push(HEADER.queryMetrics, told.metrics);
  if (told.utilization !== undefined) headers.push(HEADER.indexUtilization, told.utilization);
  if (told.explained !== undefined) headers.push(HEADER.explain, told.explained);
  return headers;
}

/** There is no cache in front of this server: who wants to go past it is told that it did. */
export function withCacheBypass(answer: WireAnswer): WireAnswer {
  return { ...answer, headers: [...answer.headers, HEADER.cacheBypass, "True"] };
}
