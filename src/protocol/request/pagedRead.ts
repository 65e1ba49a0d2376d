/** What the reader of a page of items says, be the page of a feed, of changes or of a query. */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { AskedScope } from "../../model/request/itemScope.ts";
import type { SentSession } from "../wire/sessionToken.ts";
import { sentSession } from "../wire/sessionToken.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { parseScope } from "./askedScope.ts";
import { parseCaller } from "./caller.ts";
import type { PageTerms } from "./requestHeaders.ts";
import { parsePage } from "./requestHeaders.ts";

export interface PagedRead extends PageTerms {
  readonly scope: AskedScope;
  readonly session: SentSession;
  readonly caller: Caller;
  readonly consistency: Consistency;
}

export function decodePagedRead(
  headers: WireHeaders,
  consistency: Consistency,
): Result<PagedRead, Refusal> {
  const scope = parseScope(headers);
  if (!scope.ok) return scope;
  const page = parsePage(headers);
  if (!page.ok) return page;
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  return ok({
    scope: scope.value,
    ...page.value,
    session: sentSession(headers),
    caller: caller.value,
    consistency,
  });
}
