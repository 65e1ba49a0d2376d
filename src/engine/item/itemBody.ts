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

/** An item as a client sent it, parsed and checked. */
export interface ItemDraft {
  readonly id: string;
  readonly object: JsonObject;
  /** Compact JSON without system properties, ending in a brace. */
  readonly text: Buffer;
  /** True when a number of the item has digits that a double does not hold. */
  readonly carriesDigits: boolean;
}

/** The system properties of one version of an item. */
export interface ItemStamp {
  readonly rid: string;
  readonly self: string;
  /** The etag without its quotes; always 36 characters. */
  readonly etag: string;
  /** Seconds since 1970: ten digits until the year 2286. */
  readonly ts: number;
}

const SYSTEM_NAMES: readonly string[] = [...SYSTEM_PROPERTIES];
const TS_DIGITS = 10;
const ETAG_CHARACTERS = 36;
const CLOSING_BRACE = 0x7d;
/**
 * Place in an etag of the digit that marks a version as left out of the index. Clients do not look
 * into etags.
 */
const UNINDEXED_AT = 22;
const UNINDEXED_DIGIT = "1";
const INDEXED_DIGIT = "0";
/** Place in an etag of the digit that says how the numbers of the version have to be read. */
const NUMBERS_AT = 21;
/**
 * Says that all numbers of the version are doubles. Versions that were written before this digit
 * had a meaning have a zero at its place.
 */
const PLAIN_DIGIT = "1";
/** Says that some numbers of the version have digits that a double does not hold. */
const CARRYING_DIGIT = "2";
/** Between the etag and the digits of `_ts`; after the digits only the closing brace follows. */
const BETWEEN_ETAG_AND_TS = '\\"","_attachments":"attachments/","_ts":';
const ETAG_FROM_END = 1 + TS_DIGITS + BETWEEN_ETAG_AND_TS.length + ETAG_CHARACTERS;

/**
 * Parses any JSON body within the limits; the refusal says what is wrong with the body.
 * `wrappingDepth` is the number of levels by which a request wraps its items; its body may nest
 * deeper by that number.
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

/**
 * Like `parseBody`, for a body that may also come in the binary form of JSON: an item, or a patch.
 */
export function parseSent(
  bytes: Buffer,
  limits: Limits,
  wrappingDepth: number,
): Result<JsonValue, Refusal> {
  const text = asText(bytes, limits, wrappingDepth);
  return text.ok ? parseBody(text.value, limits, wrappingDepth) : text;
}

/** Parses the body of an item and checks only that the value is an object. */
export function parseObject(bytes: Buffer, limits: Limits): Result<JsonObject, Refusal> {
  const text = asText(bytes, limits);
  return text.ok ? objectIn(text.value, limits) : text;
}

/** Parses numbers as doubles; `draftOf` parses again when some digits might be lost by that. */
function objectIn(text: Buffer, limits: Limits): Result<JsonObject, Refusal> {
  const parsed = readBody(text, limits, 0, JSON.parse);
  if (!parsed.ok) return parsed;
  return isObject(parsed.value) ? ok(parsed.value) : no(NOT_AN_OBJECT);
}

/**
 * Returns the body as JSON text. Some clients send items in the binary form of JSON, but items are
 * always stored as text.
 */
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

/**
 * Makes a draft from a value that is parsed already: a patched item, or one of many in a request.
 */
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

/** Returns the body to store: the client's text with the system properties of this version. */
export function stampedBody(text: Buffer, stamp: ItemStamp): Buffer {
  const tail =
    `,"_rid":"${stamp.rid}","_self":"${stamp.self}","_etag":"\\"${stamp.etag}` +
    `${BETWEEN_ETAG_AND_TS}${stamp.ts}}`;
  const bytes = Buffer.allocUnsafe(text.length - 1 + tail.length);
  text.copy(bytes, 0, 0, text.length - 1);
  bytes.write(tail, text.length - 1, "latin1");
  return bytes;
}

/** The system properties that `stampedBody` adds, as an object. */
export function stampObject({ rid, self, etag, ts }: ItemStamp): JsonObject {
  return {
    _rid: rid,
    _self: self,
    _etag: `"${etag}"`,
    _attachments: "attachments/",
    _ts: ts,
  };
}

/**
 * Returns the item without `_self` and `_attachments`, for clients that do not want these links.
 */
export function withoutLinks(body: Buffer): Buffer {
  const self = body.lastIndexOf(',"_self":');
  const etag = body.lastIndexOf(',"_etag":');
  const attachments = body.lastIndexOf(',"_attachments":');
  const ts = body.lastIndexOf(',"_ts":');
  const isStamped = 0 < self && self < etag && etag < attachments && attachments < ts;
  // A trigger may have replaced the answer's body by a value without system properties.
  if (!isStamped) return body;
  const kept = [body.subarray(0, self), body.subarray(etag, attachments), body.subarray(ts)];
  return Buffer.concat(kept);
}

/** What a stored body has of its client's: everything but the system properties, as JSON text. */
export function ownTextOf(body: Buffer): Buffer {
  const end = body.lastIndexOf(',"_rid":"');
  const text = Buffer.allocUnsafe(end + 1);
  body.copy(text, 0, 0, end);
  text[end] = CLOSING_BRACE;
  return text;
}

/** The etag of a stored body without its quotes. */
export function bareEtagOf(body: Buffer): string {
  const start = body.length - ETAG_FROM_END;
  return body.toString("latin1", start, start + ETAG_CHARACTERS);
}

/** The etag of a stored body as clients see it: with its double quotes. */
export function etagOf(body: Buffer): string {
  return `"${bareEtagOf(body)}"`;
}

/** Marks an etag as that of a version that is left out of the index. */
export function unindexedEtag(etag: string): string {
  return etag.slice(0, UNINDEXED_AT) + UNINDEXED_DIGIT + etag.slice(UNINDEXED_AT + 1);
}

/** Takes that mark away. */
export function indexedEtag(etag: string): string {
  return etag.slice(0, UNINDEXED_AT) + INDEXED_DIGIT + etag.slice(UNINDEXED_AT + 1);
}

/** Marks in an etag whether the numbers of the version have digits that a double does not hold. */
export function numbersEtag(etag: string, isCarrying: boolean): string {
  const digit = isCarrying ? CARRYING_DIGIT : PLAIN_DIGIT;
  return etag.slice(0, NUMBERS_AT) + digit + etag.slice(NUMBERS_AT + 1);
}

/** Marks an etag so that its version is read and indexed as that of another etag. */
export function etagReadAs(etag: string, other: string): string {
  return (
    etag.slice(0, NUMBERS_AT) +
    other.slice(NUMBERS_AT, UNINDEXED_AT + 1) +
    etag.slice(UNINDEXED_AT + 1)
  );
}

/** True when this version is left out of the index, so that no query sees it. */
export function isUnindexed(body: Buffer): boolean {
  return body[body.length - ETAG_FROM_END + UNINDEXED_AT] === UNINDEXED_DIGIT.charCodeAt(0);
}

/** Like `isUnindexed`, for a version as an object that has its system properties. */
export function isUnindexedObject(stamped: JsonObject): boolean {
  const etag = property(stamped, "_etag");
  // The etag inside an object begins with a quote, hence the shift by one.
  return typeof etag === "string" && etag[UNINDEXED_AT + 1] === UNINDEXED_DIGIT;
}

export function tsOf(body: Buffer): number {
  return Number(body.toString("latin1", body.length - 1 - TS_DIGITS, body.length - 1));
}

/** The item as an object, with its system properties and with numbers as doubles. */
export function objectOf(body: Buffer): JsonObject {
  return JSON.parse(body.toString("utf8")) as JsonObject;
}

/**
 * Like `objectOf`, but numbers keep their digits, so that the item can be given out or written
 * again.
 */
export function exactObjectOf(body: Buffer): JsonObject {
  const digit = body[body.length - ETAG_FROM_END + NUMBERS_AT];
  if (digit === PLAIN_DIGIT.charCodeAt(0)) return objectOf(body);
  const text = body.toString("utf8");
  return (
    digit === CARRYING_DIGIT.charCodeAt(0) ? withDigits(text) : parseJson(text)
  ) as JsonObject;
}
