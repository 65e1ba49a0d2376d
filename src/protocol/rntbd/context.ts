/**
 * The first frame of a connection and its answer: who speaks, and which version of the API all that
 * follows is of.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { RntbdFrame, WrittenToken } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import type { ConnectionFacts } from "./requestFrame.ts";

const CONTEXT = {
  protocolVersion: { id: 0x0000, type: "ulong" },
  clientVersion: { id: 0x0001, type: "smallString" },
  userAgent: { id: 0x0002, type: "smallString" },
} as const;

/** In the answer the same ids stand for other things. */
const ACCEPTED = {
  protocolVersion: CONTEXT.protocolVersion,
  clientVersion: CONTEXT.clientVersion,
  serverAgent: { id: 0x0002, type: "smallString" },
  serverVersion: { id: 0x0003, type: "smallString" },
  idleSeconds: { id: 0x0004, type: "ulong" },
  unauthenticatedSeconds: { id: 0x0005, type: "ulong" },
} as const;

const PROTOCOL_VERSION = 1;
const SERVER_AGENT = "orrery";

/** Whether the frame is the one with which a connection begins. */
export function isContext({ word }: Pick<RntbdFrame, "word">): boolean {
  return word === 0;
}

export function decodeContext({ tokens }: RntbdFrame): Result<ConnectionFacts, string> {
  const version = tokens.get(CONTEXT.clientVersion.id);
  if (tokens.get(CONTEXT.protocolVersion.id) !== PROTOCOL_VERSION) {
    return no(`The protocol version is not ${PROTOCOL_VERSION}.`);
  }
  if (typeof version !== "string") return no("The connection names no version of the API.");
  const userAgent = tokens.get(CONTEXT.userAgent.id);
  return ok({ version, userAgent: typeof userAgent === "string" ? userAgent : "" });
}

export function encodeContext(facts: ConnectionFacts, activityId: string): Buffer {
  return writeFrame({ word: 0, activityId }, [
    { ...CONTEXT.protocolVersion, value: PROTOCOL_VERSION },
    { ...CONTEXT.clientVersion, value: facts.version },
    { ...CONTEXT.userAgent, value: facts.userAgent },
  ]);
}

interface AcceptedContext {
  readonly clientVersion: string;
  readonly serverVersion: string;
  readonly idleSeconds: number;
  readonly unauthenticatedSeconds: number;
}

export function encodeAcceptance(accepted: AcceptedContext, activityId: string): Buffer {
  const tokens: readonly WrittenToken[] = [
    { ...ACCEPTED.protocolVersion, value: PROTOCOL_VERSION },
    { ...ACCEPTED.clientVersion, value: accepted.clientVersion },
    { ...ACCEPTED.serverAgent, value: SERVER_AGENT },
    { ...ACCEPTED.serverVersion, value: accepted.serverVersion },
    { ...ACCEPTED.idleSeconds, value: accepted.idleSeconds },
    { ...ACCEPTED.unauthenticatedSeconds, value: accepted.unauthenticatedSeconds },
  ];
  return writeFrame({ word: 200, activityId }, tokens);
}

/** A refusal has a body without a token that says so: clients read it unconditionally. */
export function encodeContextRefusal(message: string, activityId: string): Buffer {
  const body = Buffer.from(JSON.stringify({ code: "BadRequest", message }));
  return writeFrame({ word: 400, activityId, body }, []);
}
