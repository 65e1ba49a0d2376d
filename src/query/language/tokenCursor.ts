/**
 * Where the parser stands in the tokens, and how it gives up.
 *
 * `fail` reports the first token that cannot follow what was read so far, as the service does. It
 * throws; `parser.ts` catches the exception, which never leaves the files of the parser.
 */
import { assert } from "../../base/assert.ts";
import { type QueryProblem, refusedQuery, syntaxError } from "../problem.ts";
import type { Span } from "./ast.ts";
import type { Token } from "./token.ts";

/**
 * How deeply the grammar may be nested in itself. The bound keeps the stack shallow, and is more
 * than the canonical text of any tree within the limits needs (`queryLimits.ts`).
 */
const NESTING_MAX = 512;

export const TOO_DEEP = "The SQL query is nested too deeply.";

export class Unparsable extends Error {
  override readonly name = "Unparsable";
  readonly problem: QueryProblem;

  constructor(problem: QueryProblem) {
    super("not a query");
    this.problem = problem;
  }
}

export class TokenCursor {
  readonly #tokens: readonly Token[];
  #at = 0;
  #nesting = 0;

  constructor(tokens: readonly Token[]) {
    assert(tokens.at(-1)?.kind === "end", "tokens have an end");
    this.#tokens = tokens;
  }

  get token(): Token {
    return this.#tokens[this.#at]!;
  }

  /** Returns the token `distance` after this one; beyond the end, the `end` token. */
  ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)]!;
  }

  /** Returns the span from a start up to the last token taken. */
  spanFrom(start: number): Span {
    return { start, end: this.#at === 0 ? start : this.#tokens[this.#at - 1]!.span.end };
  }

  take(): Token {
    const token = this.token;
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  /** True when the symbol or reserved word is next. */
  isAt(code: string): boolean {
    return this.token.code === code;
  }

  accept(code: string): boolean {
    if (!this.isAt(code)) return false;
    this.#at += 1;
    return true;
  }

  expect(code: string): void {
    if (!this.accept(code)) this.fail();
  }

  expectEnd(): void {
    if (this.token.kind !== "end") this.fail();
  }

  name(): string {
    return this.token.kind === "name" ? this.take().text : this.fail();
  }

  /**
   * Reads the name after a dot. The service refuses reserved words there; here a reserved word is
   * accepted, unless it stands apart from the dot: in `c. FROM` a name was forgotten.
   */
  memberName(): string {
    const { kind, span } = this.token;
    const isAdjacent = this.spanFrom(span.start).end === span.start;
    return kind === "reserved" && isAdjacent ? this.take().text : this.name();
  }

  /** Reads one or more elements with commas between them and none at the end. */
  list<T>(parse: () => T): T[] {
    const found = [parse()];
    while (this.accept(",")) found.push(parse());
    return found;
  }

  /**
   * Called where a part of the grammar begins that can contain itself; `leave` is called where it
   * ends, unless parsing failed.
   */
  enter(): void {
    this.#nesting += 1;
    if (this.#nesting > NESTING_MAX) throw new Unparsable(refusedQuery(TOO_DEEP));
  }

  leave(): void {
    this.#nesting -= 1;
  }

  fail(): never {
    const { token } = this;
    throw new Unparsable(
      token.kind === "invalid" ? token.problem : syntaxError(token.text, token.span),
    );
  }
}
