/**
 * Answers as frames, written from what would be sent over HTTP, and read back to it.
 *
 * Clients in direct mode compare replicas, so every answer says how far the one that gave it has
 * got. There is one replica, and it has all that was ever acknowledged: every LSN is the same one.
 */
import { SESSION_VERSION } from "../answer/answers.ts";
import { HEADER } from "../wire/headerNames.ts";
import type { WireAnswer } from "../wire/wire.ts";
import { ANSWER_HEADER_TOKENS, ANSWER_TOKEN } from "./answerTokens.ts";
import type { RntbdFrame, TokenForm, Tokens, WrittenToken } from "./frame.ts";
import { writeFrame } from "./frame.ts";
import type { TokenValue } from "./tokenType.ts";
import { bytesMaxOf } from "./tokenType.ts";

/** How far the replica has got that an answer is about. */
export interface ReplicaState {
  /** Absent for the replica of databases and containers, which sessions are not about. */
  readonly rangeId: string | undefined;
  readonly lsn: number;
}

interface AnswerTerms {
  readonly requestId: number;
  readonly activityId: string;
  /** What holds where the answer itself names no range. */
  readonly replica: ReplicaState;
}

const REPLICA_COUNT = 1;
/** Readers take an LSN of zero for that of a replica that is not there yet. */
const LSN_MIN = 1;

export function encodeAnswerFrame(answer: WireAnswer, terms: AnswerTerms): Buffer {
  const { status } = answer;
  const body = status === 204 || status === 304 ? undefined : answer.body;
  const tokens: WrittenToken[] = [
    { ...ANSWER_TOKEN.hasBody, value: body !== undefined && body.length > 0 ? 1 : 0 },
    { ...ANSWER_TOKEN.requestId, value: terms.requestId },
  ];
  const replica = seenIn(answer.headers) ?? terms.replica;
  pushReplica(tokens, replica);
  pushHeaders(tokens, answer.headers);
  return writeFrame({ word: status, activityId: terms.activityId, body }, tokens);
}

/** The range and the LSN that an answer names in its session token. */
function seenIn(headers: readonly string[]): ReplicaState | undefined {
  for (let at = 0; at < headers.length; at += 2) {
    if (headers[at] !== HEADER.sessionToken) continue;
    const token = headers[at + 1]!;
    const rangeId = token.slice(0, token.indexOf(":"));
    return { rangeId, lsn: Number(token.slice(token.indexOf("#") + 1)) };
  }
  return undefined;
}

function pushReplica(tokens: WrittenToken[], { rangeId, lsn }: ReplicaState): void {
  const value = Math.max(LSN_MIN, lsn);
  for (const form of LSN_TOKENS) tokens.push({ ...form, value });
  tokens.push({ ...ANSWER_TOKEN.readRegionCount, value: 0 });
  tokens.push({ ...ANSWER_TOKEN.writeQuorum, value: REPLICA_COUNT });
  tokens.push({ ...ANSWER_TOKEN.replicaSetSize, value: REPLICA_COUNT });
  if (rangeId === undefined) return;
  tokens.push({ ...ANSWER_TOKEN.sessionToken, value: `${SESSION_VERSION}#${lsn}` });
  tokens.push({ ...ANSWER_TOKEN.rangeId, value: rangeId });
}

const LSN_TOKENS = [
  ANSWER_TOKEN.lsn,
  ANSWER_TOKEN.localLsn,
  ANSWER_TOKEN.ackedLsn,
  ANSWER_TOKEN.ackedLocalLsn,
  ANSWER_TOKEN.globalCommittedLsn,
] as const;

const BY_HEADER = new Map(ANSWER_HEADER_TOKENS.map((token) => [token.header, token]));

function pushHeaders(tokens: WrittenToken[], headers: readonly string[]): void {
  for (let at = 0; at < headers.length; at += 2) {
    const name = headers[at]!;
    const text = headers[at + 1]!;
    if (name === HEADER.itemLsn) {
      tokens.push({ ...ANSWER_TOKEN.itemLsn, value: Number(text) });
      tokens.push({ ...ANSWER_TOKEN.itemLocalLsn, value: Number(text) });
      continue;
    }
    const token = BY_HEADER.get(name);
    if (token === undefined) continue;
    const { id, type } = token;
    // Links are encoded in headers; tokens have names as they are.
    const value = name === HEADER.altContentPath ? decodeURI(text) : text;
    const isTooLong = type === "string" && Buffer.byteLength(value) > bytesMaxOf(type);
    if (isTooLong && token.isDispensable === true) continue;
    tokens.push({ id, type, value: type === "string" ? value : Number(text) });
  }
}

/** An answer as it came: its headers by name. */
export interface ReadAnswer {
  readonly status: number;
  readonly requestId: number | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly replica: ReplicaState;
  readonly body: Buffer;
}

/**
 * Whether a body follows the head of an answer. The answer to the frame that begins a connection
 * has other tokens, and a body if it is a refusal.
 */
export function answerHasBody({ word, tokens }: Pick<RntbdFrame, "word" | "tokens">): boolean {
  if (!tokens.has(ANSWER_TOKEN.requestId.id)) return word >= 400;
  return tokens.get(ANSWER_TOKEN.hasBody.id) === 1;
}

export function decodeAnswerFrame({ word, activityId, tokens, body }: RntbdFrame): ReadAnswer {
  const headers: Record<string, string> = { [HEADER.activityId]: activityId };
  for (const { id, header } of ANSWER_HEADER_TOKENS) {
    const value = tokens.get(id);
    if (value !== undefined) headers[header] = String(value);
  }
  const rangeId = tokenIn(tokens, ANSWER_TOKEN.rangeId);
  const session = tokenIn(tokens, ANSWER_TOKEN.sessionToken);
  if (rangeId !== undefined && session !== undefined) {
    headers[HEADER.rangeId] = String(rangeId);
    headers[HEADER.sessionToken] = `${rangeId}:${session}`;
  }
  const itemLsn = tokenIn(tokens, ANSWER_TOKEN.itemLsn);
  if (itemLsn !== undefined) headers[HEADER.itemLsn] = String(itemLsn);
  const requestId = tokenIn(tokens, ANSWER_TOKEN.requestId);
  const lsn = Number(tokenIn(tokens, ANSWER_TOKEN.lsn));
  return {
    status: word,
    requestId: typeof requestId === "number" ? requestId : undefined,
    headers,
    replica: { rangeId: rangeId === undefined ? undefined : String(rangeId), lsn },
    body: body ?? Buffer.alloc(0),
  };
}

function tokenIn(tokens: Tokens, { id }: TokenForm): TokenValue | undefined {
  return tokens.get(id);
}
