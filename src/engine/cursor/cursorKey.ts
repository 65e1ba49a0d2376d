/**
 * The secret of an account that signs its cursors, and the text form of every cursor.
 *
 * A cursor is a JSON object in ASCII, because it travels in a header and there are clients that
 * parse it before they pass it on. Its last member `h` is a keyed hash over the text before `h` and
 * over the question that the cursor belongs to. So a cursor of another question, and a cursor with
 * a single altered character, are both refused.
 *
 * The secret is a record of the catalogue, so cursors outlive restarts and the renewal of account
 * keys. The secret never leaves the server.
 *
 * Not here: what a position is made of (`queryCursor.ts`, `feedCursor.ts`, `feedMarks.ts`).
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Random } from "../../base/world.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Refusal } from "../../model/refusal.ts";
import { badRequest } from "../../model/refusal.ts";
import type { EpkRange } from "../../partition/epkRange.ts";
import { parseEpk } from "../../partition/epkRange.ts";

/** What a cursor belongs to: a request that brings the cursor back has to ask the same question. */
export interface Question {
  /** The kind of request; a cursor of one kind is never accepted for another. */
  readonly kind:
    | "query"
    | "scriptQuery"
    | "scriptPlace"
    | "readFeed"
    | "changeFeed"
    | "list"
    | "listQuery";
  /** The rid of the container, or the name of the list. */
  readonly owner: string;
  /** Everything else that decides the rows: the text of a query, its parameters. */
  readonly about?: readonly string[] | undefined;
  /** The keys that the headers confine the request to; absent when they do not. */
  readonly scope?: CursorScope | undefined;
}

/**
 * A request that goes on may ask for a part of the first scope: when a range is split, clients send
 * its cursor to each of the children. A request with the cursor of the last part of a range may
 * also ask for the whole range: the Python client reads the children of a range from left to right,
 * and names the whole range again when the children have been merged meanwhile.
 */
export interface CursorScope {
  readonly by: "key" | "range";
  /** `"nowhere"` when the key lies outside the range that the request named beside it. */
  readonly range: EpkRange | "nowhere";
}

export interface ReadCursor {
  /** The members of the cursor that were signed, without the tag. */
  readonly fields: JsonObject;
  /**
   * How the scope of this request relates to that of the cursor: the same, a part of it, or a
   * larger range with the same end.
   */
  readonly asked: "all" | "part" | "more";
}

const SECRET_BYTES = 32;
/**
 * Characters of base64url that hold 96 bits of the hash, without spare bits in the last character.
 */
const TAG_CHARACTERS = 16;

export class CursorKey {
  readonly #secret: Buffer;

  constructor(secret: Uint8Array) {
    this.#secret = Buffer.from(secret);
  }

  static made(random: Random): CursorKey {
    return new CursorKey(random.bytes(SECRET_BYTES));
  }

  static parse(text: string): CursorKey {
    return new CursorKey(Buffer.from(text, "base64"));
  }

  /** The secret as text, for the catalogue only. */
  get text(): string {
    return this.#secret.toString("base64");
  }

  /** `question` is called only once there is a cursor to sign or to read. */
  cursorsOf(question: () => Question): SignedCursors {
    return new SignedCursors(this, question);
  }

  /** A keyed hash over question and text; different pairs never have the same input. */
  tagOf({ kind, owner, about = [], scope }: Question, text: string): string {
    // JSON has no bare line feed, so the first line feed is where the question ends.
    const asked = JSON.stringify([kind, owner, scope?.by ?? null, ...about]);
    const hash = createHmac("sha256", this.#secret).update(asked).update("\n").update(text);
    return hash.digest("base64url").slice(0, TAG_CHARACTERS);
  }

  hasTag(question: Question, text: string, tag: string): boolean {
    const due = Buffer.from(this.tagOf(question, text));
    const given = Buffer.from(tag);
    return due.length === given.length && timingSafeEqual(due, given);
  }
}

/** The cursors of one question. */
export class SignedCursors {
  readonly #key: CursorKey;
  readonly #questionOf: () => Question;
  #made: Question | undefined;

  constructor(key: CursorKey, questionOf: () => Question) {
    this.#key = key;
    this.#questionOf = questionOf;
  }

  sign(fields: JsonObject): string {
    const { range = "nowhere" } = this.#question.scope ?? {};
    const bounds = range === "nowhere" ? {} : { in: [range.min, range.max] };
    const text = JSON.stringify({ ...fields, ...bounds }).replace(NOT_ASCII, escaped);
    const tag = this.#key.tagOf(this.#question, text);
    return text.slice(0, -1) + BEFORE_TAG + tag + AFTER_TAG;
  }

  read(text: string): Result<ReadCursor, Refusal> {
    const place = text.length - BEFORE_TAG.length - TAG_CHARACTERS - AFTER_TAG.length;
    if (!text.startsWith(BEFORE_TAG, place) || !text.endsWith(AFTER_TAG)) {
      return no(isFormer(text) ? FORMER_CURSOR : NO_CURSOR);
    }
    const signed = `${text.slice(0, place)}}`;
    const tag = text.slice(place + BEFORE_TAG.length, -AFTER_TAG.length);
    if (!this.#key.hasTag(this.#question, signed, tag)) return no(NO_CURSOR);
    const fields = jsonIn(signed);
    if (!isObject(fields)) return no(NO_CURSOR);
    const asked = askedOf(fields, this.#question.scope);
    return asked === undefined ? no(NO_CURSOR) : ok({ fields, asked });
  }

  get #question(): Question {
    this.#made ??= this.#questionOf();
    return this.#made;
  }
}

const BEFORE_TAG = ',"h":"';
const AFTER_TAG = '"}';

export const NO_CURSOR: Refusal = badRequest(
  "Invalid Continuation Token. It was altered, or it belongs to another request: a continuation " +
    "is good only for the query text, parameters, partition key or range, and container that it " +
    "was given for. Send it back unchanged with the same request, or begin again without it.",
);

const FORMER_CURSOR: Refusal = badRequest(
  "Invalid Continuation Token. It was given by an earlier version of this server, and cannot be " +
    "told from a forged one. Begin again without it.",
);

/**
 * True for a cursor of a version that did not sign: a number for a list, else an object with a
 * container.
 */
function isFormer(text: string): boolean {
  const value = jsonIn(text);
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0;
  return isObject(value) && typeof property(value, "c") === "string";
}

/** Returns how `scope` relates to the scope of the cursor, or `undefined` if it is another one. */
function askedOf(
  fields: JsonObject,
  scope: CursorScope | undefined,
): ReadCursor["asked"] | undefined {
  // An empty scope has no parts, and no rows that a page could get wrong.
  if (scope === undefined || scope.range === "nowhere") return "all";
  const bounds = property(fields, "in");
  const [min, max] = Array.isArray(bounds) ? bounds.map(epkIn) : [];
  if (min === undefined || max === undefined) return undefined;
  const { range, by } = scope;
  if (range.min === min && range.max === max) return "all";
  if (min <= range.min && range.max <= max) return "part";
  return by === "range" && range.max === max ? "more" : undefined;
}

function epkIn(bound: JsonValue): ReturnType<typeof parseEpk> {
  return typeof bound === "string" ? parseEpk(bound) : undefined;
}

function jsonIn(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

const NOT_ASCII = /[^\x20-\x7e]/g;

function escaped(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
