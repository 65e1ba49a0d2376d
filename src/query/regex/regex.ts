/**
 * A compiled pattern: what it can be asked, and which search answers.
 *
 * The time of a search is bounded by the text times the pattern, whatever the pattern, and no call
 * takes more than its steps. A pattern beyond a bound ends in a `PatternProblem`, never in a long
 * wait.
 */
import { MatchSearch } from "./matchSearch.ts";
import { type Prefix, prefixOf } from "./node.ts";
import { parseModifiers, parsePattern } from "./parse.ts";
import { compile, type Program } from "./program.ts";
import { type Match, SpanSearch } from "./spanSearch.ts";
import { Steps } from "./steps.ts";

export class Regex {
  readonly groupCount: number;
  readonly #program: Program;
  readonly #prefix: Prefix;
  #matchSearch: MatchSearch | undefined;
  #spanSearch: SpanSearch | undefined;

  /** Throws a `PatternProblem` when the pattern or the modifiers are not valid. */
  constructor(pattern: string, modifiers: string) {
    const { node, groupCount } = parsePattern(pattern, parseModifiers(modifiers));
    this.groupCount = groupCount;
    this.#prefix = prefixOf(node);
    this.#program = compile(node);
  }

  get instructionCount(): number {
    return this.#program.instructions.length;
  }

  /** True when there is a match at `from` or later. */
  isMatch(text: string, steps: Steps = new Steps(), from = 0): boolean {
    if (this.#prefix.isWhole) return text.includes(this.#prefix.text, from);
    this.#matchSearch ??= new MatchSearch(this.#program, this.#prefix.text);
    return this.#matchSearch.isMatch(text, from, steps);
  }

  /**
   * Gives all matches from left to right, none overlapping another; each with the bounds of one
   * group, where group 0 is the whole. After an empty match the search goes on one character
   * further.
   */
  *matches(text: string, group = 0, steps: Steps = new Steps()): Generator<Match, void> {
    this.#spanSearch ??= new SpanSearch(this.#program, this.#prefix.text);
    for (let from = 0; from <= text.length; ) {
      // The quick search stops where the first match ends, so all quick searches together read the
      // text once.
      if (!this.isMatch(text, steps, from)) return;
      const match = this.#spanSearch.find(text, from, group, steps);
      if (match === undefined) return;
      yield match;
      from = match.end;
      if (match.start === match.end) from += (text.codePointAt(from) ?? 0) > 0xffff ? 2 : 1;
    }
  }
}
