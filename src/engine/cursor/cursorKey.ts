/**
 * The secret of an account with which it signs the cursors that it hands out, and the text form
 * that all of them have.
 *
 * A cursor is a JSON object in ASCII, because it travels in a header and there are clients that
 * parse it before they pass it on. Its last member `h` is a keyed hash over the text before it and
 * over the question that the cursor belongs to. So a cursor of another question, and one that was
 * altered by a single character, are both refused, whatever they would have led to.
 *
 * The secret is a record of the catalogue: cursors outlive a restart, and the renewal of account
 * keys. It never leaves the server.
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

/** What a cursor belongs to: whoever sends it back has to ask the same. */
export interface Question {
  /** What is done: cursors of different kinds are never the same. */
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
  /** What else decides the rows: the text of a query, its parameters. */
  readonly about?: readonly string[] | undefined;
  /** What the request is confined to by its headers; absent when it is not. */
  readonly scope?: CursorScope | undefined;
}

/**
 * Whoever goes on may ask for a part of what it asked for before: when a range is split, clients
 * send its cursor to each of the children. Who comes with the cursor of the last part of a range
 * may mean all of it: the Python client reads the children of a range from left to right, and names
 * the whole again when they have been merged meanwhile.
 */
export interface CursorScope {
  readonly by: "key" | "range";
  /** Nowhere: the key lies outside of the range that was named beside it. */
  readonly range: EpkRange | "nowhere";
}

export interface ReadCursor {
  /** The members that were signed. */
  readonly fields: JsonObject;
  /** What is asked for now is all that it was given for, a part of that, or ends with that. */
  readonly asked: "all" | "part" | "more";
}

const SECRET_BYTES = 32;
/** 96 bits of the hash: 16 characters in base64url, without bits to spare in the last one. */
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

  /** For the catalogue, and for nobody else. */
  get text(): string {
    return this.#secret.toString("base64");
  }

  /** The question is not looked at until there is a cursor to sign or to read. */
  cursorsOf(question: () => Question): SignedCursors {
    return new SignedCursors(this, question);
  }

  /** A keyed hash over both: no two pairs of question and text have the same input. */
  tagOf({ kind, owner, about = [], scope }: Question, text: string): string {
    // JSON has no bare line feed: the first one is where the question ends.
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

export const FORMER_CURSOR: Refusal = badRequest(
  "Invalid Continuation Token. It was given by an earlier version of this server, and cannot be " +
    "told from a forged one. Begin again without it.",
);

/** Of the versions that did not sign: a number for a list, an object with a container otherwise. */
function isFormer(text: string): boolean {
  const value = jsonIn(text);
  if (typeof value === "number") return Number.isSafeInteger(value) && value >= 0;
  return isObject(value) && typeof property(value, "c") === "string";
}

/** `undefined` if what is asked for is something else. */
function askedOf(
  fields: JsonObject,
  scope: CursorScope | undefined,
): ReadCursor["asked"] | undefined {
  // Of nothing there is no part, and no row that a page could be wrong about.
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
