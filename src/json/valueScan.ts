/**
 * Finds where a JSON value ends in bytes that come in pieces, by its brackets and quotes alone: a
 * value that is broken inside does not spoil those behind it.
 */

const SPACE = 32;
const QUOTE = 34;
const COMMA = 44;
const OPENING_BRACKET = 91;
const BACKSLASH = 92;
const CLOSING_BRACKET = 93;
const OPENING_BRACE = 123;
const CLOSING_BRACE = 125;

export class ValueScan {
  #depth = 0;
  #isInText = false;
  #isEscaped = false;
  #isBegun = false;

  /** True when no bracket and no quote is open: if the input ends here, the value does. */
  get isClosed(): boolean {
    return this.#depth === 0 && !this.#isInText;
  }

  /** Begins a value; the next byte is its first. */
  begin(): void {
    this.#depth = 0;
    this.#isInText = false;
    this.#isEscaped = false;
    this.#isBegun = false;
  }

  /** Returns the offset just behind the value, or -1 when the value goes on behind these bytes. */
  endIn(bytes: Uint8Array, from: number): number {
    let depth = this.#depth;
    let isInText = this.#isInText;
    let isEscaped = this.#isEscaped;
    let end = -1;
    for (let at = from; at < bytes.length && end === -1; at++) {
      const byte = bytes[at]!;
      if (isInText) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) {
          isInText = false;
          if (depth === 0) end = at + 1;
        }
      } else if (byte === QUOTE) isInText = true;
      else if (byte === OPENING_BRACE || byte === OPENING_BRACKET) depth++;
      else if (byte === CLOSING_BRACE || byte === CLOSING_BRACKET) {
        // Behind a bare value, the bracket closes what is around the value; with nothing before it,
        // it is a stray.
        if (depth === 0) end = at === from && !this.#isBegun ? at + 1 : at;
        else if (--depth === 0) end = at + 1;
      } else if (depth === 0 && (byte <= SPACE || byte === COMMA)) end = at;
    }
    this.#depth = depth;
    this.#isInText = isInText;
    this.#isEscaped = isEscaped;
    this.#isBegun = true;
    return end;
  }
}
