/** Whether a physical partition has come as far as the client says it has seen. */
import type { PhysicalPartition } from "../../engine/physicalPartition.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import { SESSION_VERSION } from "../../protocol/answers.ts";
import { isLater, parseSessionToken, requiredLsn } from "../../protocol/sessionToken.ts";
import type { WireHeaders } from "../../protocol/wire.ts";
import { headerOf } from "../../protocol/wire.ts";

export function sessionProblem(
  headers: WireHeaders,
  partition: PhysicalPartition,
): Refusal | undefined {
  const text = headerOf(headers, "x-ms-session-token");
  if (text === undefined) return undefined;
  const token = parseSessionToken(text);
  if (token === undefined) return badRequest(`The session token '${text}' is invalid.`);
  const { id, parents } = partition.entry;
  const required = requiredLsn(token, [id, ...parents]);
  const ours = { version: SESSION_VERSION, lsn: partition.lsn };
  return required !== undefined && isLater(required, ours)
    ? { kind: "sessionNotAvailable" }
    : undefined;
}
