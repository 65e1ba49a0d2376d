/** The number of a request: in a header of its answer, in the body of a refusal, and in the log. */
import { randomUUID } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { HEADER } from "../../protocol/wire/headerNames.ts";
import { headerOf } from "../../protocol/wire/wire.ts";

const ACTIVITY_ID = /^[0-9a-fA-F-]{36}$/;

/** Clients that number their requests get their own number back. */
export function activityIdOf(request: IncomingMessage): string {
  const sent = headerOf(request.headers, HEADER.activityId);
  return sent !== undefined && ACTIVITY_ID.test(sent) ? sent : randomUUID();
}

/** A number for what never became a request. */
export function newActivityId(): string {
  return randomUUID();
}
