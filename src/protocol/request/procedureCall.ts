/** The call of a stored procedure, decoded; its arguments are in the body. */
import type { Result } from "../../base/result.ts";
import { ok } from "../../base/result.ts";
import type { Caller } from "../../model/caller.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { SentSession } from "../wire/sessionToken.ts";
import { sentSession } from "../wire/sessionToken.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { parseCaller } from "./caller.ts";
import { parseConsistency } from "./consistency.ts";
import type { ScriptTerms } from "./scriptTerms.ts";
import { scriptTermsOf } from "./scriptTerms.ts";
import type { SentKey } from "./sentKey.ts";
import { parseSentKey } from "./sentKey.ts";
import type { AccountTerms } from "./sentRequest.ts";

export interface AskedCall extends SentKey, ScriptTerms {
  readonly session: SentSession;
  readonly caller: Caller;
  readonly consistency: Consistency;
}

export function decodeCall(
  headers: WireHeaders,
  account: AccountTerms,
): Result<AskedCall, Refusal> {
  const sent = parseSentKey(headers);
  if (!sent.ok) return sent;
  const caller = parseCaller(headers);
  if (!caller.ok) return caller;
  const consistency = parseConsistency(headers, account.consistency);
  if (!consistency.ok) return consistency;
  return ok({
    ...sent.value,
    ...scriptTermsOf(headers),
    session: sentSession(headers),
    caller: caller.value,
    consistency: consistency.value,
  });
}
