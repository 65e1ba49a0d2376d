/**
 * The consistency level that a request asks for. It may be that of the account or a weaker one;
 * asking for a stronger one is refused, as in the service.
 *
 * A session is a matter between a client and its tokens, which needs nothing of the account. So
 * the three levels that wait for no other replica may stand for each other; official clients let
 * their users ask for a session whatever the account has.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Consistency } from "../../model/consistency.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireHeaders } from "../wire/wire.ts";
import { headerOf } from "../wire/wire.ts";

/** From the strongest to the weakest, each as it is written and as the price list calls it. */
const LEVELS = [
  ["Strong", "strong"],
  ["BoundedStaleness", "boundedStaleness"],
  ["Session", "session"],
  ["ConsistentPrefix", "consistentPrefix"],
  ["Eventual", "eventual"],
] as const satisfies readonly (readonly [string, Consistency])[];

const SESSION = LEVELS.findIndex(([, level]) => level === "session");

/** `accountLevel` holds when the request says nothing. */
export function parseConsistency(
  headers: WireHeaders,
  accountLevel: Consistency,
): Result<Consistency, Refusal> {
  const text = headerOf(headers, HEADER.consistencyLevel);
  if (text === undefined || text === "") return ok(accountLevel);
  const asked = LEVELS.findIndex(([name]) => name.toLowerCase() === text.toLowerCase());
  const own = LEVELS.findIndex(([, level]) => level === accountLevel);
  if (asked >= Math.min(own, SESSION)) return ok(LEVELS[asked]![1]);
  return no(
    badRequest(
      `The consistency level '${text}' is not one that this account can give: its own is ` +
        `${LEVELS[own]![0]}, and a request may only ask for that or a weaker one.`,
    ),
  );
}
