/**
 * Cuts a query text into tokens, in one pass from left to right.
 *
 * The last token is always an `end` token. Where the text goes on with something that is no token,
 * an `invalid` token says why and the rest stays unread: the parser first reports an earlier
 * mistake in the order of tokens. White space and comments leave no token.
 */
import { diagnostic } from "../problem.ts";
import type { Span } from "./ast.ts";
import { isReserved, type Token } from "./token.ts";

/**
 * White space and comments. The no-break space is among them: it comes along when a query is copied
 * from a web page.
 */
const BLANK = /(?:[ \u00a0\t\r\n]+|--[^\r\n]*)+/y;
const WORD = /[A-Za-z_][A-Za-z0-9_]*/y;
const PARAMETER = /@[A-Za-z_][A-Za-z0-9_]*/y;
const NUMBER = /0[xX][0-9A-Fa-f]+|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?/y;
const SYMBOL = />>>|>>|>=|<<|<=|<>|!=|\|\||\?\?|[=<>+\-*/%&|^~?:.,()[\]{}]/y;
const PLAIN_STRING_PART = /[ -!#-&(-[\]-\uffff]+/y;
const HEX_ESCAPE = /u[0-9A-Fa-f]{4}/y;

const ESCAPES: ReadonlyMap<string, string> = new Map([
  ["'", "'"],
  ['"', '"'],
  ["\\", "\\"],
  ["/", "/"],
  ["b", "\b"],
  ["f", "\f"],
  ["n", "\n"],
  ["r", "\r"],
  ["t", "\t"],
]);

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = blanksEnd(text, 0);
  while (at < text.length) {
    const token = tokenAt(text, at);
    tokens.push(token);
    if (token.kind === "invalid") break;
    at = blanksEnd(text, token.span.end);
  }
  tokens.push({ kind: "end", span: { start: text.length, end: text.length }, text: "", code: "" });
  return tokens;
}

/** Returns where the white space and the comments that begin here end. */
function blanksEnd(text: string, start: number): number {
  let at = start;
  for (;;) {
    at += matchAt(BLANK, text, at)?.length ?? 0;
    if (!text.startsWith("/*", at)) return at;
    const close = text.indexOf("*/", at + 2);
    if (close === -1) return at;
    at = close + 2;
  }
}

function tokenAt(text: string, start: number): Token {
  const first = text[start]!;
  if (first === '"' || first === "'") return stringAt(text, start);
  const number = matchAt(NUMBER, text, start);
  if (number !== undefined) return numberAt(text, start, number);
  const word = matchAt(WORD, text, start);
  if (word !== undefined) return wordToken(word, start);
  const parameter = matchAt(PARAMETER, text, start);
  if (parameter !== undefined) {
    return { kind: "parameter", span: spanOf(start, parameter), text: parameter, code: "" };
  }
  // Comments that have an end were passed over as white space, so a `/*` here has none.
  const symbol = text.startsWith("/*", start) ? undefined : matchAt(SYMBOL, text, start);
  if (symbol !== undefined) {
    return { kind: "symbol", span: spanOf(start, symbol), text: symbol, code: symbol };
  }
  return strayAt(text, start);
}

function wordToken(word: string, start: number): Token {
  const span = spanOf(start, word);
  if (!isReserved(word)) return { kind: "name", span, text: word, code: "" };
  return { kind: "reserved", span, text: word, code: word.toUpperCase() };
}

/** Reads a number. `12abc` is invalid, not a number followed by a name: nobody means that. */
function numberAt(text: string, start: number, digits: string): Token {
  const trailing = matchAt(WORD, text, start + digits.length);
  if (trailing === undefined) {
    const span = spanOf(start, digits);
    return { kind: "number", span, text: digits, code: "", value: Number(digits) };
  }
  return invalid("SC1001", "incorrect syntax near", digits + trailing, start);
}

function stringAt(text: string, start: number): Token {
  const quote = text[start]!;
  const parts: string[] = [];
  let isSound = true;
  let at = start + 1;
  while (at < text.length && text[at] !== quote) {
    const plain = matchAt(PLAIN_STRING_PART, text, at);
    if (plain !== undefined) {
      parts.push(plain);
      at += plain.length;
    } else if (text[at] === "\\") {
      const hex = matchAt(HEX_ESCAPE, text, at + 1);
      const escaped = hex ? unicodeOf(hex) : ESCAPES.get(text[at + 1] ?? "");
      isSound &&= escaped !== undefined;
      parts.push(escaped ?? "");
      at += hex ? 1 + hex.length : 2;
    } else {
      // The character is the other kind of quote, or a raw control character.
      isSound &&= text[at]! >= " ";
      parts.push(text[at]!);
      at += 1;
    }
  }
  const written = text.slice(start, at + 1);
  if (!isSound || at >= text.length) {
    return invalid("SC1012", "invalid string literal token", written, start);
  }
  const span = spanOf(start, written);
  return { kind: "string", span, text: written, code: "", value: parts.join("") };
}

const unicodeOf = (written: string): string =>
  String.fromCharCode(Number.parseInt(written.slice(1), 16));

/**
 * Returns an invalid token for a character that begins no token, or for a comment without an end.
 */
function strayAt(text: string, start: number): Token {
  const isComment = text.startsWith("/*", start);
  const stray = isComment ? "/*" : String.fromCodePoint(text.codePointAt(start)!);
  return invalid("SC1010", "invalid token", stray, start);
}

function invalid(code: string, what: string, text: string, start: number): Token {
  const span = spanOf(start, text);
  const problem = diagnostic(code, `Syntax error, ${what} '${text}'.`, span);
  return { kind: "invalid", span, text, code: "", problem };
}

const spanOf = (start: number, text: string): Span => ({ start, end: start + text.length });

function matchAt(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0];
}
