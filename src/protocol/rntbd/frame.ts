/**
 * Frames: what an RNTBD connection is made of, in both directions.
 *
 * A frame is a head, and a body where one of its tokens says so:
 *
 *     u32 length of the head, itself included
 *     u32 of a request: resource type and operation, two bytes each; of an answer: its status
 *     16 bytes of the activity id
 *     tokens: u16 id, u8 type, value
 *     u32 length of the body, and the body
 *
 * Invariants
 * - Tokens are read by the type that stands before them, never by a table: clients disagree on the
 *   types of some. They are written by a table, because a client reads what it knows by its own.
 * - No bytes make reading throw, and a token occurs once in a frame.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { GUID_BYTES, guidText, writeGuid } from "./guid.ts";
import type { TokenType, TokenValue } from "./tokenType.ts";
import { readValue, TYPE_CODES, valueBytes, writeValue } from "./tokenType.ts";

export type Tokens = ReadonlyMap<number, TokenValue>;

export interface RntbdFrame {
  /** Of a request: `operation * 65536 + resource type`; of an answer: its status. */
  readonly word: number;
  readonly activityId: string;
  readonly tokens: Tokens;
  readonly body: Buffer | undefined;
}

/** A token as a table defines it. */
export interface TokenForm {
  readonly id: number;
  readonly type: TokenType;
}

/** A token and its value, to be written. */
export interface WrittenToken extends TokenForm {
  readonly value: TokenValue;
}

export const LENGTH_BYTES = 4;
/** The bytes of a head without tokens. */
export const HEAD_BYTES_MIN: number = LENGTH_BYTES + 4 + GUID_BYTES;
const TOKEN_START_BYTES = 3;

/** Reads a whole head: all its bytes, from its length on. */
export function readHead(bytes: Buffer): Result<Omit<RntbdFrame, "body">, string> {
  const tokens = new Map<number, TokenValue>();
  let at = HEAD_BYTES_MIN;
  while (at < bytes.length) {
    if (at + TOKEN_START_BYTES > bytes.length) return no("The last token is not whole.");
    const id = bytes.readUInt16LE(at);
    const read = readValue(bytes[at + 2]!, bytes, at + TOKEN_START_BYTES);
    if (read === undefined) return no(`The token ${hexOf(id)} cannot be read.`);
    if (tokens.has(id)) return no(`The token ${hexOf(id)} occurs twice.`);
    tokens.set(id, read.value);
    at = read.end;
  }
  const word = bytes.readUInt32LE(LENGTH_BYTES);
  return ok({ word, activityId: guidText(bytes, LENGTH_BYTES + 4), tokens });
}

/** Writes a frame; an empty body is none. */
export function writeFrame(
  frame: { readonly word: number; readonly activityId: string; readonly body?: Buffer | undefined },
  tokens: readonly WrittenToken[],
): Buffer {
  const { word, activityId, body } = frame;
  let headBytes = HEAD_BYTES_MIN;
  for (const { type, value } of tokens) headBytes += TOKEN_START_BYTES + valueBytes(type, value);
  const hasBody = body !== undefined && body.length > 0;
  const bytes = Buffer.allocUnsafe(headBytes + (hasBody ? LENGTH_BYTES + body.length : 0));
  bytes.writeUInt32LE(headBytes, 0);
  bytes.writeUInt32LE(word, LENGTH_BYTES);
  writeGuid(activityId, bytes, LENGTH_BYTES + 4);
  let at = HEAD_BYTES_MIN;
  for (const { id, type, value } of tokens) {
    bytes.writeUInt16LE(id, at);
    bytes[at + 2] = TYPE_CODES.get(type)!;
    at = writeValue(type, value, bytes, at + TOKEN_START_BYTES);
  }
  if (hasBody) body.copy(bytes, bytes.writeUInt32LE(body.length, headBytes));
  return bytes;
}

function hexOf(id: number): string {
  return id.toString(16).padStart(4, "0");
}
