/** Whether what a client knows still holds: which container it means, and what it has seen. */
import type { Container } from "../../engine/partition/container.ts";
import type { PhysicalPartition } from "../../engine/partition/physicalPartition.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { SESSION_VERSION } from "../../protocol/answer/answers.ts";
import type { SentSession } from "../../protocol/wire/sessionToken.ts";
import { isLater, requiredLsn } from "../../protocol/wire/sessionToken.ts";

/** The container may have been deleted and made again since the client looked. */
export function staleProblem(
  { intendedRid }: { readonly intendedRid: string | undefined },
  { rid }: Container,
): Refusal | undefined {
  const isMeant = intendedRid === undefined || intendedRid === rid;
  return isMeant ? undefined : { kind: "staleContainer" };
}

/** The answer of all of them together must not be older than what the client has seen of any. */
export function sessionProblem(
  session: SentSession,
  ...partitions: readonly PhysicalPartition[]
): Refusal | undefined {
  if (session.kind === "none") return undefined;
  if (session.kind === "malformed") {
    return badRequest(`The session token '${session.text}' is invalid.`);
  }
  const isBehind = partitions.some(({ entry, lsn }) => {
    const required = requiredLsn(session.token, [entry.id, ...entry.parents]);
    return required !== undefined && isLater(required, { version: SESSION_VERSION, lsn });
  });
  return isBehind ? { kind: "sessionNotAvailable" } : undefined;
}
