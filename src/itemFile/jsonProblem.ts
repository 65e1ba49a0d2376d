/**
 * Where and why a text is no JSON. `JSON.parse` is asked first and is far quicker; what it says of
 * a broken text differs from version to version and often lacks the place.
 *
 * There is a problem exactly when `JSON.parse` throws. Nesting costs memory and no stack.
 */
interface JsonProblem {
  /** In UTF-16 units from the beginning; the first is 0. */
  readonly at: number;
  readonly reason: string;
}

const BLANK = /[ \t\n\r]*/y;
const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What may stand in a text as it is, and one escape. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON has a rule about them.
const PLAIN = /[^"\\\u0000-\u001f]+/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const WORD = /true|false|null/y;

type Expected = "value" | "valueOrEnd" | "name" | "nameOrEnd" | "commaOrEnd";

export function jsonProblem(text: string): JsonProblem | undefined {
  return new Scan(text).run();
}

class Scan {
  readonly #text: string;
  #at = 0;
  /** The brackets that are open, each by the one that closes it. */
  readonly #open: ("}" | "]")[] = [];

  constructor(text: string) {
    this.#text = text;
  }

  run(): JsonProblem | undefined {
    let expected: Expected = "value";
    for (;;) {
      this.#pass(BLANK);
      if (expected === "commaOrEnd" && this.#open.length === 0) {
        return this.#at === this.#text.length ? undefined : this.#problem("nothing more");
      }
      const next = this.#step(expected);
      if (typeof next !== "string") return next;
      expected = next;
    }
  }

  /** Takes one piece, and says what has to come behind it. */
  #step(expected: Expected): Expected | JsonProblem {
    const unit = this.#text[this.#at];
    if (expected === "commaOrEnd") return this.#commaOrEnd(unit);
    const isEndAllowed = expected === "valueOrEnd" || expected === "nameOrEnd";
    if (isEndAllowed && unit === this.#open.at(-1)) return this.#close();
    if (expected === "name" || expected === "nameOrEnd") return this.#name(unit);
    return this.#value(unit);
  }

  #commaOrEnd(unit: string | undefined): Expected | JsonProblem {
    const closing = this.#open.at(-1)!;
    if (unit === closing) return this.#close();
    if (unit !== ",") return this.#problem(`',' or '${closing}'`);
    this.#at++;
    return closing === "}" ? "name" : "value";
  }

  #close(): Expected {
    this.#open.pop();
    this.#at++;
    return "commaOrEnd";
  }

  #name(unit: string | undefined): Expected | JsonProblem {
    if (unit !== '"') return this.#problem("a name in double quotes");
    const problem = this.#string();
    if (problem !== undefined) return problem;
    this.#pass(BLANK);
    if (this.#text[this.#at] !== ":") return this.#problem("':'");
    this.#at++;
    return "value";
  }

  #value(unit: string | undefined): Expected | JsonProblem {
    if (unit === "{" || unit === "[") {
      this.#open.push(unit === "{" ? "}" : "]");
      this.#at++;
      return unit === "{" ? "nameOrEnd" : "valueOrEnd";
    }
    if (unit === '"') return this.#string() ?? "commaOrEnd";
    if (this.#pass(WORD) || this.#pass(NUMBER)) return "commaOrEnd";
    return this.#problem("a value");
  }

  #string(): JsonProblem | undefined {
    this.#at++;
    while (this.#pass(PLAIN) || this.#pass(ESCAPE));
    const unit = this.#text[this.#at];
    if (unit === '"') {
      this.#at++;
      return undefined;
    }
    if (unit === undefined) return this.#problem("the end of a text");
    const reason =
      unit === "\\"
        ? "this is no escape that JSON has"
        : "a control character must be escaped in a text";
    return { at: this.#at, reason };
  }

  #pass(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found !== "";
  }

  #problem(expected: string): JsonProblem {
    const point = this.#text.codePointAt(this.#at);
    if (point === undefined) {
      return { at: this.#at, reason: `it ends in the middle, where ${expected} must come` };
    }
    const found = String.fromCodePoint(point).replace(/[\p{C}\p{Z}]/gu, "\uFFFD");
    return { at: this.#at, reason: `there is '${found}' where ${expected} must come` };
  }
}
