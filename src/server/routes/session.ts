/** Whether what a client knows still holds: which container it means, and what it has seen. */
import type { Container } from "../../engine/partition/container.ts";
import type { PhysicalPartition } from "../../engine/partition/physicalPartition.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { SESSION_VERSION } from "../../protocol/answer/answers.ts";
import type { SentSession } from "../../protocol/wire/sessionToken.ts";
import { isLater, requiredLsn } from "../../protocol/wire/sessionToken.ts";

/** The rid of the container that a client has in mind, where the client says so. */
export interface Intent {
  readonly intendedRid: string | undefined;
}

/** A container that a request found by its name. */
type Named = Pick<Container, "rid" | "former">;

/**
 * The container may have been deleted and made again since the client looked. A client that means
 * the container of before a switch is understood, and not told of the switch: with the rid of now
 * the Java client would ask for its change feed in vain forever, and the Python client would refuse
 * its own continuation.
 */
export function staleProblem(intent: Intent, container: Named): Refusal | undefined {
  const { intendedRid } = intent;
  const isMeant = intendedRid === undefined || intendedRid === container.rid;
  return isMeant || isOldMeant(intent, container) ? undefined : { kind: "staleContainer" };
}

/** True if a client means the container that had the name before and is kept up to date. */
export function isOldMeant({ intendedRid }: Intent, { former }: Named): boolean {
  return former?.isFollowed === true && intendedRid === former.old.rid;
}

/**
 * The answer of all of them together must not be older than what the client has seen of any. After
 * a reset what is later is of a container that is gone, because this server has forgotten no state
 * of its own; not every client would ask again without its token.
 */
export function sessionProblem(
  session: SentSession,
  ...partitions: readonly PhysicalPartition[]
): Refusal | undefined {
  if (session.kind === "none") return undefined;
  if (session.kind === "malformed") {
    return badRequest(`The session token '${session.text}' is invalid.`);
  }
  const isBehind = partitions.some(({ entry, lsn, container }) => {
    const required = requiredLsn(session.token, [entry.id, ...entry.parents]);
    if (required === undefined) return false;
    return isLater(required, { version: SESSION_VERSION, lsn }) && !container.isAfterReset;
  });
  return isBehind ? { kind: "sessionNotAvailable" } : undefined;
}
