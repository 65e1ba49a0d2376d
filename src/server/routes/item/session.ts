/** Whether what a client knows still holds: which container it means, and what it has seen. */
import type { Container } from "../../../engine/partition/container.ts";
import type { PhysicalPartition } from "../../../engine/partition/physicalPartition.ts";
import type { Refusal } from "../../../model/refusal.ts";
import { badRequest } from "../../../model/refusal.ts";
import { SESSION_VERSION } from "../../../protocol/answer/answers.ts";
import { HEADER } from "../../../protocol/wire/headerNames.ts";
import { isLater, parseSessionToken, requiredLsn } from "../../../protocol/wire/sessionToken.ts";
import type { WireHeaders } from "../../../protocol/wire/wire.ts";
import { headerOf } from "../../../protocol/wire/wire.ts";

/**
 * Clients that cache a container's rid say which container they mean. Java's sends the header with
 * nothing in it where the path says so already.
 */
export function staleProblem(headers: WireHeaders, { rid }: Container): Refusal | undefined {
  const meant = headerOf(headers, HEADER.intendedRid) ?? "";
  return meant === "" || meant === rid ? undefined : { kind: "staleContainer" };
}

/** The answer of all of them together must not be older than what the client has seen of any. */
export function sessionProblem(
  headers: WireHeaders,
  ...partitions: readonly PhysicalPartition[]
): Refusal | undefined {
  const text = headerOf(headers, HEADER.sessionToken);
  if (text === undefined) return undefined;
  const token = parseSessionToken(text);
  if (token === undefined) return badRequest(`The session token '${text}' is invalid.`);
  const isBehind = partitions.some(({ entry, lsn }) => {
    const required = requiredLsn(token, [entry.id, ...entry.parents]);
    return required !== undefined && isLater(required, { version: SESSION_VERSION, lsn });
  });
  return isBehind ? { kind: "sessionNotAvailable" } : undefined;
}
