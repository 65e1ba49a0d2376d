/**
 * Reads the text of a key expression piece by piece, from left to right. White space before a piece
 * is passed over; inside a path there is none.
 *
 * Whatever cannot go on throws a `KeyTextFailure`, which `expressionText.ts` turns into a value.
 */

const BLANK = /[\s\u00a0]*/y;
const WORD = /[\p{L}_][\p{L}\p{N}_]*/uy;
const NUMBER = /[+-]?\d+(?:[._\d]*\d)?(?:[eE][+-]?\d+)?/y;
/** The same characters as in `paths.ts`. */
const STEP = /[\p{L}\p{M}\p{N}_$@.-]+/uy;
const HEX = /[0-9A-Fa-f]{4}/y;

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

export class KeyTextFailure extends Error {
  override readonly name = "KeyTextFailure";
  readonly at: number;

  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

export class ExpressionCursor {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  /** Where the next piece begins. */
  place(): number {
    this.#at += this.#match(BLANK).length;
    return this.#at;
  }

  isNext(symbol: string): boolean {
    return this.#text.startsWith(symbol, this.place());
  }

  takeIf(symbol: string): boolean {
    const isThere = this.isNext(symbol);
    if (isThere) this.#at += symbol.length;
    return isThere;
  }

  expect(symbol: string, where: string): void {
    if (!this.takeIf(symbol)) this.fail(`${symbol} is expected ${where}`);
  }

  expectEnd(): void {
    const at = this.place();
    if (at < this.#text.length) this.fail(`the expression should end before ${this.#shown(at)}`);
  }

  takeWord(): string | undefined {
    this.place();
    return this.#take(WORD);
  }

  takeNumber(): number | undefined {
    this.place();
    const digits = this.#take(NUMBER);
    return digits === undefined ? undefined : Number(digits.replaceAll("_", ""));
  }

  /** The steps of a path; undefined when none begins here. */
  takePath(): readonly string[] | undefined {
    if (!this.isNext("/")) return undefined;
    const steps: string[] = [];
    while (this.#text[this.#at] === "/") {
      this.#at++;
      const step = this.#text[this.#at] === '"' ? this.#quoted() : this.#take(STEP);
      steps.push(
        step ?? this.fail('the name of a property should follow the slash, as in /id or /"my id"'),
      );
    }
    return steps;
  }

  /** A text in single or double quotes. */
  takeText(): string | undefined {
    return this.isNext("'") || this.isNext('"') ? this.#quoted() : undefined;
  }

  fail(message: string): never {
    return this.failAt(this.#at, message);
  }

  failAt(at: number, message: string): never {
    throw new KeyTextFailure(message, at);
  }

  #quoted(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++]!;
    let value = "";
    for (;;) {
      const unit = this.#text[this.#at];
      if (unit === undefined) this.failAt(start, `this text has no closing ${quote}`);
      this.#at++;
      if (unit === quote) return value;
      value += unit === "\\" ? this.#escaped() : unit;
    }
  }

  #escaped(): string {
    const at = this.#at - 1;
    const letter = this.#text[this.#at++] ?? "";
    if (letter === "u") {
      const code = this.#take(HEX);
      if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
    }
    const known = "\\\\ \\' \\\" \\/ \\b \\f \\n \\r \\t and \\u with four hex digits";
    return ESCAPES.get(letter) ?? this.failAt(at, `after a backslash there may be: ${known}`);
  }

  #take(pattern: RegExp): string | undefined {
    const found = this.#match(pattern);
    this.#at += found.length;
    return found === "" ? undefined : found;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text)?.[0] ?? "";
  }

  #shown(at: number): string {
    const rest = this.#text.slice(at, at + 20);
    return `"${rest}${at + 20 < this.#text.length ? "…" : ""}"`;
  }
}
