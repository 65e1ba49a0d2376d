/**
 * A query as coloured pieces, for the editor. It reads what the language looks like, not what it
 * means: text that is wrong has colours, too.
 */
import { KEYWORDS } from "../../session/keyQuery.ts";

type TokenKind = "keyword" | "function" | "string" | "number" | "parameter" | "comment" | "text";

interface QueryToken {
  readonly kind: TokenKind;
  readonly from: number;
  readonly to: number;
}

const PIECE = new RegExp(
  [
    String.raw`(?<comment>--[^\n]*|/\*[\s\S]*?(?:\*/|$))`,
    String.raw`(?<string>"(?:[^"\\]|\\.)*(?:"|$)|'(?:[^'\\]|\\.)*(?:'|$))`,
    String.raw`(?<parameter>@\w+)`,
    String.raw`(?<number>\b\d+(?:\.\d+)?(?:[eE][+-]?\d+)?\b)`,
    String.raw`(?<word>[A-Za-z_]\w*)`,
  ].join("|"),
  "g",
);

export function queryTokens(text: string): readonly QueryToken[] {
  const tokens: QueryToken[] = [];
  for (const match of text.matchAll(PIECE)) {
    const from = match.index;
    const to = from + match[0].length;
    tokens.push({ kind: kindOf(match, text, from, to), from, to });
  }
  return tokens;
}

function kindOf(match: RegExpExecArray, text: string, from: number, to: number): TokenKind {
  const { comment, string, parameter, number, word } = match.groups ?? {};
  if (comment !== undefined) return "comment";
  if (string !== undefined) return "string";
  if (parameter !== undefined) return "parameter";
  if (number !== undefined) return "number";
  if (word === undefined) return "text";
  // After a dot it is the name of a property, whatever it is called.
  if (text[from - 1] === ".") return "text";
  if (/^\s*\(/.test(text.slice(to, to + 8)) && !KEYWORDS.includes(word.toUpperCase())) {
    return "function";
  }
  return KEYWORDS.includes(word.toUpperCase()) ? "keyword" : "text";
}

/** The parameters that a query names, in order, each once. */
export function parameterNames(text: string): readonly string[] {
  const found = queryTokens(text).filter(({ kind }) => kind === "parameter");
  return [...new Set(found.map(({ from, to }) => text.slice(from, to)))];
}
