/**
 * An item as bytes: reading what a client sent, and stamping it with the system properties.
 *
 * The stored body is the client's own text with the five system properties spliced in before the
 * last brace, in fixed order and width. So a point read sends stored bytes as they are, and the
 * etag and the time stamp are found at fixed distances from the end, without parsing.
 */

import { isUtf8 } from "node:buffer";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { SYSTEM_PROPERTIES, withoutSystemProperties } from "../../base/systemProperties.ts";
import { isBinary, textOfBinary } from "../../json/binary.ts";
import { depthExceeds } from "../../json/depth.ts";
import { carriesDigits, carryDigits } from "../../json/digits.ts";
import { parseJson, withDigits } from "../../json/parse.ts";
import { stringifyKeepingDigits } from "../../json/stringify.ts";
import { isCompact, surveyOf } from "../../json/survey.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import { checkItemId } from "../../model/ids.ts";
import type { Limits } from "../../model/limits.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest, TOO_LARGE_MESSAGE } from "../../model/refusal.ts";

/** What a client sent, read once. */
export interface ItemDraft {
  readonly id: string;
  readonly object: JsonObject;
  /** Compact JSON without system properties, ending in a brace. */
  readonly text: Buffer;
  /** Whether a number of it has digits that a double does not hold. */
  readonly carriesDigits: boolean;
}

/** The system properties of one version of an item. */
export interface ItemStamp {
  readonly rid: string;
  readonly self: string;
  /** Without its quotes; always 36 characters. */
  readonly etag: string;
  /** Seconds since 1970; ten digits until the year 2286. */
  readonly ts: number;
}

const SYSTEM_NAMES: readonly string[] = [...SYSTEM_PROPERTIES];
const TS_DIGITS = 10;
const ETAG_CHARACTERS = 36;
/** In an etag, which clients do not look into: the digit that tells a version without an index. */
const UNINDEXED_AT = 22;
const UNINDEXED_DIGIT = "1";
/** In an etag: the digit that tells how the numbers of a version have to be read. */
const NUMBERS_AT = 21;
/** All of them are doubles. Versions of before say nothing, which is a zero. */
const PLAIN_DIGIT = "1";
/** Some have digits that a double does not hold. */
const CARRYING_DIGIT = "2";
/** From the end: brace, digits, then back over `\"","_attachments":"attachments/","_ts":`. */
const BETWEEN_ETAG_AND_TS = '\\"","_attachments":"attachments/","_ts":';
const ETAG_FROM_END = 1 + TS_DIGITS + BETWEEN_ETAG_AND_TS.length + ETAG_CHARACTERS;

/**
 * Parses any JSON body within the limits; the message says what is wrong with it. A request that
 * carries items inside something else may nest deeper by as many levels as that has.
 */
export function parseBody(
  bytes: Buffer,
  limits: Limits,
  wrappingDepth = 0,
): Result<JsonValue, Refusal> {
  return readBody(bytes, limits, wrappingDepth, parseJson);
}

function readBody(
  bytes: Buffer,
  limits: Limits,
  wrappingDepth: number,
  parse: (text: string) => JsonValue,
): Result<JsonValue, Refusal> {
  if (!isUtf8(bytes)) return no(badRequest("The request body is not valid UTF-8."));
  if (depthExceeds(bytes, limits.nestingMax + wrappingDepth)) return no(tooDeep(limits));
  try {
    return ok(parse(bytes.toString("utf8")));
  } catch {
    return no(
      badRequest(
        "The input content is invalid because the required properties - 'id; ' - are missing or " +
          "the body is not valid JSON.",
      ),
    );
  }
}

export function parseItem(bytes: Buffer, limits: Limits): Result<ItemDraft, Refusal> {
  const text = asText(bytes, limits);
  if (!text.ok) return text;
  const parsed = objectIn(text.value, limits);
  return parsed.ok ? draftOf(parsed.value, text.value, limits) : parsed;
}

/** The same for what may come in the binary form of JSON as well: items, and patches of them. */
export function parseSent(
  bytes: Buffer,
  limits: Limits,
  wrappingDepth: number,
): Result<JsonValue, Refusal> {
  const text = asText(bytes, limits, wrappingDepth);
  return text.ok ? parseBody(text.value, limits, wrappingDepth) : text;
}

/** An item before anything is known of it but that it is an object. */
export function parseObject(bytes: Buffer, limits: Limits): Result<JsonObject, Refusal> {
  const text = asText(bytes, limits);
  return text.ok ? objectIn(text.value, limits) : text;
}

/** As doubles: whoever needs the digits of its numbers looks whether it has some. */
function objectIn(text: Buffer, limits: Limits): Result<JsonObject, Refusal> {
  const parsed = readBody(text, limits, 0, JSON.parse);
  if (!parsed.ok) return parsed;
  return isObject(parsed.value) ? ok(parsed.value) : no(NOT_AN_OBJECT);
}

/** Some clients send items in the binary form of JSON; they are stored as text like all others. */
function asText(bytes: Buffer, limits: Limits, wrappingDepth = 0): Result<Buffer, Refusal> {
  if (bytes.length > limits.itemBytesMax) {
    return no({ kind: "tooLarge", message: TOO_LARGE_MESSAGE });
  }
  if (!isBinary(bytes)) return ok(bytes);
  const depthMax = limits.nestingMax + wrappingDepth;
  const bounds = { depthMax, textBytesMax: limits.itemBytesMax };
  const text = textOfBinary(bytes, bounds);
  if (text.ok) return ok(Buffer.from(text.value));
  const { error } = text;
  if (error.kind === "tooDeep") return no(tooDeep(limits));
  if (error.kind === "tooLarge") return no({ kind: "tooLarge", message: TOO_LARGE_MESSAGE });
  return no(badRequest(error.message));
}

/** A draft from a value that is read already: a patched item, or one of many in a request. */
export function draftOfValue(value: JsonValue, limits: Limits): Result<ItemDraft, Refusal> {
  return isObject(value) ? draftOf(value, undefined, limits) : no(NOT_AN_OBJECT);
}

const NOT_AN_OBJECT: Refusal = badRequest("An item must be a JSON object.");

function draftOf(
  object: JsonObject,
  bytes: Buffer | undefined,
  limits: Limits,
): Result<ItemDraft, Refusal> {
  const id = property(object, "id");
  const complaint = checkItemId(id, limits);
  if (complaint !== undefined) return no(badRequest(complaint));
  const survey = surveyOf(object);
  if (survey.depth > limits.nestingMax) return no(tooDeep(limits));
  if (!survey.isFinite) {
    return no(badRequest("The item holds a number that is too large for a double."));
  }
  const hasSystem = SYSTEM_NAMES.some((name) => Object.hasOwn(object, name));
  const isReady = bytes !== undefined && !hasSystem && isCompact(bytes, survey.memberCount);
  const isReread = bytes !== undefined && survey.isUnsure;
  const exact = isReread ? (withDigits(bytes.toString("utf8")) as JsonObject) : object;
  const own = hasSystem ? withoutSystem(exact) : exact;
  const write = survey.isUnsure ? stringifyKeepingDigits : JSON.stringify;
  const text = isReady ? bytes : Buffer.from(write(own));
  if (text.length > limits.itemBytesMax) {
    return no({ kind: "tooLarge", message: TOO_LARGE_MESSAGE });
  }
  const isCarrying = survey.hasNegativeZero || carriesDigits(own);
  return ok({ id: id as string, object: own, text, carriesDigits: isCarrying });
}

function tooDeep({ nestingMax }: Limits): Refusal {
  return badRequest(`The request body nests deeper than the ${nestingMax} levels allowed.`);
}

function withoutSystem(object: JsonObject): JsonObject {
  const own = withoutSystemProperties(object);
  carryDigits(object, own);
  return own;
}

/** The body to store: the client's text with the system properties of this version. */
export function stampedBody(text: Buffer, stamp: ItemStamp): Buffer {
  const tail =
    `,"_rid":"${stamp.rid}","_self":"${stamp.self}","_etag":"\\"${stamp.etag}` +
    `${BETWEEN_ETAG_AND_TS}${stamp.ts}}`;
  const bytes = Buffer.allocUnsafe(text.length - 1 + tail.length);
  text.copy(bytes, 0, 0, text.length - 1);
  bytes.write(tail, text.length - 1, "latin1");
  return bytes;
}

/** What `stampedBody` adds, to be seen together with the client's object. */
export function stampObject({ rid, self, etag, ts }: ItemStamp): JsonObject {
  return {
    _rid: rid,
    _self: self,
    _etag: `"${etag}"`,
    _attachments: "attachments/",
    _ts: ts,
  };
}

/** For clients that do not want them: the item without `_self` and `_attachments`. */
export function withoutLinks(body: Buffer): Buffer {
  const self = body.lastIndexOf(',"_self":');
  const etag = body.lastIndexOf(',"_etag":');
  const attachments = body.lastIndexOf(',"_attachments":');
  const ts = body.lastIndexOf(',"_ts":');
  const isStamped = 0 < self && self < etag && etag < attachments && attachments < ts;
  // A trigger may have put something else in its place.
  if (!isStamped) return body;
  const kept = [body.subarray(0, self), body.subarray(etag, attachments), body.subarray(ts)];
  return Buffer.concat(kept);
}

/** The etag of a stored body as clients see it: with its double quotes. */
export function etagOf(body: Buffer): string {
  const start = body.length - ETAG_FROM_END;
  return `"${body.toString("latin1", start, start + ETAG_CHARACTERS)}"`;
}

/** The etag of a version that is left out of the index, from one that is not. */
export function unindexedEtag(etag: string): string {
  return etag.slice(0, UNINDEXED_AT) + UNINDEXED_DIGIT + etag.slice(UNINDEXED_AT + 1);
}

/** The etag of a version whose numbers are read in this way. */
export function numbersEtag(etag: string, isCarrying: boolean): string {
  const digit = isCarrying ? CARRYING_DIGIT : PLAIN_DIGIT;
  return etag.slice(0, NUMBERS_AT) + digit + etag.slice(NUMBERS_AT + 1);
}

/** Is this version left out of the index, and so seen by no query? */
export function isUnindexed(body: Buffer): boolean {
  return body[body.length - ETAG_FROM_END + UNINDEXED_AT] === UNINDEXED_DIGIT.charCodeAt(0);
}

/** The same of an object with the system properties of a version. */
export function isUnindexedObject(stamped: JsonObject): boolean {
  const etag = property(stamped, "_etag");
  // There it has its quotes.
  return typeof etag === "string" && etag[UNINDEXED_AT + 1] === UNINDEXED_DIGIT;
}

export function tsOf(body: Buffer): number {
  return Number(body.toString("latin1", body.length - 1 - TS_DIGITS, body.length - 1));
}

/** The item as an object, system properties included, to be computed with. */
export function objectOf(body: Buffer): JsonObject {
  return JSON.parse(body.toString("utf8")) as JsonObject;
}

/** The same with the digits of its numbers, to be given out or written again. */
export function exactObjectOf(body: Buffer): JsonObject {
  const digit = body[body.length - ETAG_FROM_END + NUMBERS_AT];
  if (digit === PLAIN_DIGIT.charCodeAt(0)) return objectOf(body);
  const text = body.toString("utf8");
  return (
    digit === CARRYING_DIGIT.charCodeAt(0) ? withDigits(text) : parseJson(text)
  ) as JsonObject;
}
