/**
 * Reads JSON as `JSON.parse` does, and keeps the digits that a double does not hold (`digits.ts`).
 *
 * Nearly every text has no such number, and is read by `JSON.parse` and looked through once. Only
 * the others are read by the parser below, which is several times as slow. The parser gets only
 * texts that `JSON.parse` has accepted, so it reports no errors.
 *
 * The text of a number has one normal form, however it was written. An integer that is written
 * without fraction and exponent keeps its digits. Every other number is a double, and is written as
 * JavaScript writes doubles: `10.0` is 10, `1E5` is 100000, `0.1000` is 0.1. A zero keeps its sign.
 */
import { type Carried, CarriedNumber, mayHaveDigits, noteDigits, plainOf } from "./digits.ts";
import { setMember } from "./member.ts";
import { isObject, type JsonValue } from "./value.ts";

/** Parses a text; throws what `JSON.parse` throws. */
export function parseJson(text: string): JsonValue {
  const value = JSON.parse(text) as JsonValue;
  return holdsUnsure(value) ? withDigits(text) : value;
}

/** Parses a text that `JSON.parse` has accepted, and in which some number may have digits. */
export function withDigits(text: string): JsonValue {
  return plainOf(new DigitReader(text).whole());
}

/** Parses a text that may be one number by itself, which keeps its digits, too. */
export function parseCarried(text: string): Carried {
  const value = parseJson(text);
  return typeof value === "number" ? numberIn(text.trim()) : value;
}

/** Returns the number of a text that is a number. */
function numberIn(text: string): number | CarriedNumber {
  const value = Number(text);
  if (!mayHaveDigits(value)) return value;
  if (value === 0) return new CarriedNumber(value, "-0");
  const isOwn = Number.isFinite(value) && INTEGER.test(text) && String(value) !== text;
  return isOwn ? new CarriedNumber(value, text) : value;
}

/** True when the value has a double that may stand for another number. */
function holdsUnsure(value: JsonValue): boolean {
  if (typeof value === "number") return mayHaveDigits(value);
  if (typeof value !== "object" || value === null) return false;
  if (Array.isArray(value)) return (value as readonly JsonValue[]).some(holdsUnsure);
  if (!isObject(value)) return false;
  for (const name of Object.keys(value)) if (holdsUnsure(value[name]!)) return true;
  return false;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;
/** `true`, `false` and `null` by their first letters. */
const WORDS: ReadonlyMap<number, JsonValue> = new Map<number, JsonValue>([
  [0x74, true],
  [0x66, false],
  [0x6e, null],
]);
const INTEGER = /^-?[1-9][0-9]*$/;
const NUMBER_END = /[^0-9+\-.eE]|$/g;

/**
 * Reads a text with its digits. The reader recurses as deep as the text nests, which was bounded
 * before the text was parsed (`depth.ts`).
 */
class DigitReader {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Carried {
    return this.#value();
  }

  #value(): Carried {
    const code = this.#next();
    if (code === OPENING_BRACE) return this.#object();
    if (code === OPENING_BRACKET) return this.#array();
    if (code === QUOTE) return this.#string();
    const word = WORDS.get(code);
    if (word === undefined) return this.#number();
    this.#at += word === false ? 5 : 4;
    return word;
  }

  /** Returns the first character that is no white space, without reading it. */
  #next(): number {
    while (this.#text.charCodeAt(this.#at) <= SPACE) this.#at++;
    return this.#text.charCodeAt(this.#at);
  }

  #object(): JsonValue {
    const object: Record<string, JsonValue> = {};
    this.#at++;
    for (let code = this.#next(); code !== CLOSING_BRACE; code = this.#next()) {
      if (code === COMMA) {
        this.#at++;
        this.#next();
      }
      const name = this.#string();
      this.#next();
      // The colon is skipped.
      this.#at++;
      const carried = this.#value();
      setMember(object, name, plainOf(carried));
      // Of several members with one name, the last one counts.
      noteDigits(object, name, carried);
    }
    this.#at++;
    return object;
  }

  #array(): JsonValue {
    const array: JsonValue[] = [];
    this.#at++;
    for (let code = this.#next(); code !== CLOSING_BRACKET; code = this.#next()) {
      if (code === COMMA) this.#at++;
      const carried = this.#value();
      noteDigits(array, array.length, carried);
      array.push(plainOf(carried));
    }
    this.#at++;
    return array;
  }

  #string(): string {
    const start = this.#at;
    let isEscaped = false;
    let at = start + 1;
    for (let code = this.#text.charCodeAt(at); code !== QUOTE; code = this.#text.charCodeAt(at)) {
      if (code === BACKSLASH) {
        isEscaped = true;
        at++;
      }
      at++;
    }
    this.#at = at + 1;
    if (!isEscaped) return this.#text.slice(start + 1, at);
    return JSON.parse(this.#text.slice(start, this.#at)) as string;
  }

  #number(): number | CarriedNumber {
    NUMBER_END.lastIndex = this.#at;
    const end = NUMBER_END.exec(this.#text)!.index;
    const text = this.#text.slice(this.#at, end);
    this.#at = end;
    return numberIn(text);
  }
}
