/**
 * A place in a pattern, moved forward by the parsers, and what they must know of the pattern so
 * far. Characters are code points.
 */
import { type PatternProblem, patternProblemAt } from "./problem.ts";

export class Scanner {
  readonly pattern: string;
  at = 0;
  /** The Unicode properties named so far. */
  readonly properties: Set<string> = new Set();

  constructor(pattern: string) {
    this.pattern = pattern;
  }

  get isAtEnd(): boolean {
    return this.at >= this.pattern.length;
  }

  /** Returns the next character; empty at the end. */
  peek(): string {
    const code = this.pattern.codePointAt(this.at);
    return code === undefined ? "" : String.fromCodePoint(code);
  }

  next(): string {
    const character = this.peek();
    this.at += character.length;
    return character;
  }

  /** Takes a text if it comes next. */
  take(text: string): boolean {
    if (!this.pattern.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  /** Takes what a sticky expression finds here. */
  takeMatch(sticky: RegExp): RegExpExecArray | undefined {
    sticky.lastIndex = this.at;
    const found = sticky.exec(this.pattern);
    if (found === null) return undefined;
    this.at += found[0].length;
    return found;
  }

  problem(what: string, offset: number = this.at): PatternProblem {
    return patternProblemAt(offset, what);
  }
}
