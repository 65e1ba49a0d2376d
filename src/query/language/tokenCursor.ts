/**
 * Where the parser stands in the tokens, and how it gives up.
 *
 * `fail` names the first token that cannot go on from what was read so far, as the service does.
 * It throws; `parser.ts` catches, and the exception leaves no file but these.
 */
import { assert } from "../../base/assert.ts";
import { type QueryProblem, refusedQuery, syntaxError } from "../problem.ts";
import type { Span } from "./ast.ts";
import type { Token } from "./token.ts";

/**
 * How often the grammar may stand inside itself. Keeps the stack shallow, and is more than the
 * canonical text of any tree within the limits needs (`queryLimits.ts`).
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

  /** The token after this one, or still further on; the end stays the end. */
  ahead(distance: number): Token {
    return this.#tokens[Math.min(this.#at + distance, this.#tokens.length - 1)]!;
  }

  /** From where something began up to the last token taken. */
  spanFrom(start: number): Span {
    return { start, end: this.#at === 0 ? start : this.#tokens[this.#at - 1]!.span.end };
  }

  take(): Token {
    const token = this.token;
    if (token.kind !== "end") this.#at += 1;
    return token;
  }

  /** Whether a symbol or a reserved word is next. */
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
   * What follows a dot. The service refuses reserved words there; we need not, but for a word
   * that stands apart: who writes `c. FROM` has forgotten a name.
   */
  memberName(): string {
    const { kind, span } = this.token;
    const isAdjacent = this.spanFrom(span.start).end === span.start;
    return kind === "reserved" && isAdjacent ? this.take().text : this.name();
  }

  /** One or more, with commas between them and none at the end. */
  list<T>(parse: () => T): T[] {
    const found = [parse()];
    while (this.accept(",")) found.push(parse());
    return found;
  }

  /** What can contain itself begins with `enter` and ends with `leave`, if it ends well. */
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
