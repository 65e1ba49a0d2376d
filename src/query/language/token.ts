/**
 * The words of the query language: what kinds of tokens there are, and which words are reserved.
 *
 * A token knows its place in the text. The parser compares `code`: the symbol, or the reserved word
 * in capitals. Names and literals have an empty code, so that they never look like either.
 */
import type { QueryProblem } from "../problem.ts";
import type { Span } from "./ast.ts";

export type Token =
  | (Lexeme & { readonly kind: "symbol" | "reserved" | "name" | "parameter" | "end" })
  | (Lexeme & { readonly kind: "number"; readonly value: number })
  | (Lexeme & { readonly kind: "string"; readonly value: string })
  /** A place where the text goes on with something that is no token; only `end` follows it. */
  | (Lexeme & { readonly kind: "invalid"; readonly problem: QueryProblem });

interface Lexeme {
  readonly span: Span;
  /** The token as written. */
  readonly text: string;
  /** The symbol, or the reserved word in capitals; else empty. */
  readonly code: string;
}

const RESERVED: ReadonlySet<string> = new Set(
  `AND ARRAY AS ASC BETWEEN BY CASE CAST CONVERT CROSS DESC DISTINCT ELSE END ESCAPE EXISTS FALSE
   FOR FROM GROUP HAVING IN INNER INSERT INTO IS JOIN LEFT LIKE LIMIT NOT NULL OFFSET ON OR ORDER
   OUTER OVER RIGHT SELECT SET THEN TOP TRUE UDF UNDEFINED UPDATE VALUE WHEN WHERE WITH`.split(
    /\s+/,
  ),
);

const RESERVED_LENGTH_MAX = 9;
const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** True for a reserved word in any case: `select` is reserved as `SELECT` is. */
export function isReserved(word: string): boolean {
  return word.length <= RESERVED_LENGTH_MAX && RESERVED.has(word.toUpperCase());
}

/** True when the name can be written without quotes, as an alias or after a dot. */
export const isPlainName = (name: string): boolean => IDENTIFIER.test(name) && !isReserved(name);

/**
 * True when the token is this word; for words that are special in one place only, such as `RANK`
 * and `LET`.
 */
export const isContextual = (token: Token, word: string): boolean =>
  token.kind === "name" && token.text.toUpperCase() === word;
