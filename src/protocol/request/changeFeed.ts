/** The headers that make reading items a reading of changes, and say from where on. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

export interface FeedHeaders {
  readonly mode: "latest" | "all";
  /** Rows have the item and what is known of its change side by side, in either mode. */
  readonly isSeparate: boolean;
  readonly from: ChangesFrom;
}

export type ChangesFrom =
  | { readonly kind: "beginning" }
  | { readonly kind: "now" }
  /** What changed at that time or later, in milliseconds since 1970. */
  | { readonly kind: "time"; readonly at: number }
  /** After what the etag of the last answer stands for. */
  | { readonly kind: "etag"; readonly etag: string };

/** `undefined` when changes are not what is asked for. */
export function parseFeedHeaders(headers: WireHeaders): Result<FeedHeaders | undefined, Refusal> {
  const manipulation = headerOf(headers, "a-im")?.toLowerCase();
  if (manipulation === undefined || manipulation === "") return ok(undefined);
  const mode = MODES.get(manipulation);
  if (mode === undefined) {
    return no(badRequest("A-IM is neither 'Incremental Feed' nor 'Full-Fidelity Feed'."));
  }
  const isSeparate = headerOf(headers, WIRE_FORMAT) !== undefined;
  const etag = headerOf(headers, "if-none-match");
  if (etag === "*") return ok({ mode, isSeparate, from: { kind: "now" } });
  if (etag !== undefined && etag !== "")
    return ok({ mode, isSeparate, from: { kind: "etag", etag } });
  const since = headerOf(headers, "if-modified-since");
  if (since === undefined || since === "")
    return ok({ mode, isSeparate, from: { kind: "beginning" } });
  const at = Date.parse(since);
  if (Number.isNaN(at)) {
    return no(badRequest(`If-Modified-Since is not a date: '${since.slice(0, 100)}'.`));
  }
  return ok({ mode, isSeparate, from: { kind: "time", at } });
}

/** There is one such format; clients name it by its date. */
const WIRE_FORMAT = HEADER.changeFeedFormat;

const MODES: ReadonlyMap<string, FeedHeaders["mode"]> = new Map([
  ["incremental feed", "latest"],
  ["full-fidelity feed", "all"],
]);
