/**
 * How deep a JSON text nests, without parsing it.
 *
 * `JSON.parse` accepts a million levels and blocks the thread for them, and every later walk over
 * an item recurses. So the raw bytes are checked first, and code behind this check may recurse
 * freely.
 *
 * Not here: whether the text is JSON at all. For text that is not, the answer holds up to the place
 * where `JSON.parse` will give up.
 */

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
/** `[` and `{` differ in this bit only, and so do `]` and `}`. */
const CASE_BIT = 0x20;
const OPENING = 0x7b;
const CLOSING = 0x7d;

/**
 * True when objects and arrays nest more than `depthMax` levels deep. A bare `{}` has depth one.
 */
export function depthExceeds(bytes: Uint8Array, depthMax: number): boolean {
  // Almost every item has fewer brackets in all than it may have levels. Counting those is a
  // native search that knows nothing of strings, and many times as fast as the exact scan.
  return hasMoreBrackets(bytes, depthMax) && nestsDeeper(bytes, depthMax);
}

function hasMoreBrackets(bytes: Uint8Array, countMax: number): boolean {
  let count = 0;
  for (const bracket of [OPENING, OPENING ^ CASE_BIT]) {
    let offset = bytes.indexOf(bracket);
    while (offset !== -1) {
      count++;
      if (count > countMax) return true;
      offset = bytes.indexOf(bracket, offset + 1);
    }
  }
  return false;
}

function nestsDeeper(bytes: Uint8Array, depthMax: number): boolean {
  let depth = 0;
  for (let offset = 0; offset < bytes.length; offset++) {
    const byte = bytes[offset]!;
    if (byte === QUOTE) {
      offset = closingQuoteOffset(bytes, offset);
    } else if ((byte | CASE_BIT) === OPENING) {
      depth++;
      if (depth > depthMax) return true;
    } else if ((byte | CASE_BIT) === CLOSING) {
      depth--;
    }
  }
  return false;
}

/**
 * Returns the place of the closing quote, or the end of the text when the string has none. The
 * search for quotes is native: most bytes of an item lie within its strings.
 */
export function closingQuoteOffset(bytes: Uint8Array, openingQuoteOffset: number): number {
  let quote = bytes.indexOf(QUOTE, openingQuoteOffset + 1);
  while (quote !== -1 && isEscaped(bytes, quote)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote === -1 ? bytes.length : quote;
}

/** True when an odd number of backslashes stands right before this byte of a string. */
function isEscaped(bytes: Uint8Array, offset: number): boolean {
  let start = offset;
  while (bytes[start - 1] === BACKSLASH) start--;
  return (offset - start) % 2 === 1;
}
