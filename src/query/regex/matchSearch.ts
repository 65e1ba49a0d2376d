/**
 * Tells whether a pattern matches anywhere in a text: a table-driven search, whose table is built
 * while it is used.
 *
 * A state is the set of instructions that all ways to match have reached between two characters,
 * together with the kind of the character before. Where a symbol leads from a state is worked out
 * once and kept, so a text in which the same states come back takes one look-up for each character.
 * The table is bounded: when it is full, it is forgotten and built anew. A pattern with too many
 * states is then as slow as walking its instructions, and the bound on steps limits that.
 */
import { Alphabet } from "./alphabet.ts";
import {
  EDGE,
  holds,
  kindBefore,
  LAST_LINE_BREAK,
  LINE_BREAK,
  WORD_CHARACTER,
} from "./boundary.ts";
import { contains, LINE_FEED } from "./charSet.ts";
import type { Assertion } from "./node.ts";
import type { Program } from "./program.ts";
import { Steps } from "./steps.ts";

/** Number of table cells, by rule of thumb: about four megabytes for one pattern at worst. */
const CELLS_MAX = 500_000;

interface State {
  readonly isMatch: boolean;
  /** The instructions that consume a character or still have to be decided, ascending. */
  readonly instructions: Uint16Array;
  readonly kindBefore: number;
  /** The state that each symbol leads to; `undefined` where it is not worked out yet. */
  readonly next: (State | undefined)[];
  /** True when no match is possible any more. */
  readonly isDead: boolean;
  /** True when no match has begun: the search only waits for the prefix. */
  readonly isIdle: boolean;
}

export class MatchSearch {
  readonly #program: Program;
  readonly #prefix: string;
  readonly #alphabet: Alphabet;
  readonly #states = new Map<string, State>();
  /** The states in which a search starts, by the kind of the character before. */
  readonly #startStates: (State | undefined)[] = [];
  #cellCount = 0;
  /** The stamp under which an instruction was last reached, as in `SpanSearch`. */
  readonly #reached: Float64Array;
  #stamp = 0;

  /** False for a pattern that can only match from the start of the text. */
  readonly #mayBeginLater: boolean;

  /** Every match begins with the prefix, which may be empty. */
  constructor(program: Program, prefix: string) {
    this.#program = program;
    this.#prefix = prefix;
    this.#alphabet = new Alphabet(program.instructions);
    this.#reached = new Float64Array(program.instructions.length);
    this.#mayBeginLater = [0, WORD_CHARACTER, LINE_BREAK].some(
      (kind) => this.#follow([program.start], kind, undefined, new Steps()).length > 0,
    );
  }

  /** True when there is a match that starts at `from` or later. */
  isMatch(text: string, from: number, steps: Steps): boolean {
    const alphabet = this.#alphabet;
    const last = text.length - 1;
    let state = this.#startState(kindBefore(text, from), steps);
    let readFrom = from;
    for (let at = from; at <= last; at++) {
      if (state.isMatch) return true;
      if (state.isDead) return false;
      if (state.isIdle) {
        steps.spend(at - readFrom);
        readFrom = text.indexOf(this.#prefix, at);
        if (readFrom < 0) return false;
        at = readFrom;
      }
      let code = text.charCodeAt(at);
      let symbol: number;
      if (code === LINE_FEED && at === last) symbol = alphabet.lastLineBreak;
      else {
        if (code >= 0xd800) {
          code = text.codePointAt(at)!;
          if (code > 0xffff) at++;
        }
        symbol = alphabet.symbolOf(code);
      }
      state = state.next[symbol] ?? this.#step(state, symbol, steps);
    }
    steps.spend(text.length - readFrom);
    const { end } = alphabet;
    return state.isMatch || (state.next[end] ?? this.#step(state, end, steps)).isMatch;
  }

  #startState(kind: number, steps: Steps): State {
    const known = this.#startStates[kind];
    if (known !== undefined) return known;
    const state = this.#stateOf([], kind, steps);
    this.#startStates[kind] = state;
    return state;
  }

  /** Works out where a symbol leads from a state, and keeps it. */
  #step(state: State, symbol: number, steps: Steps): State {
    const { instructions } = this.#program;
    const decided = this.#decided(state, this.#kindAfter(symbol), steps);
    let next: State;
    if (decided === "match") next = MATCHED;
    else if (symbol === this.#alphabet.end) next = FAILED;
    else {
      const code = this.#alphabet.exampleOf(symbol);
      const seeds: number[] = [];
      for (let at = 0; at < decided.length; at++) {
        const instruction = instructions[decided[at]!]!;
        if (instruction.kind === "consume" && contains(instruction.set, code)) {
          seeds.push(instruction.next);
        }
      }
      next = this.#stateOf(seeds, this.#alphabet.kindOf(symbol), steps);
    }
    state.next[symbol] = next;
    return next;
  }

  #kindAfter(symbol: number): number {
    if (symbol === this.#alphabet.end) return EDGE;
    if (symbol === this.#alphabet.lastLineBreak) return LINE_BREAK | LAST_LINE_BREAK;
    return this.#alphabet.kindOf(symbol);
  }

  /**
   * Returns the instructions of a state that consume, now that the kind of the next character is
   * known.
   */
  #decided(state: State, kindAfter: number, steps: Steps): ArrayLike<number> | "match" {
    steps.spend(state.instructions.length);
    const { instructions } = this.#program;
    if (state.instructions.every((index) => instructions[index]!.kind === "consume")) {
      return state.instructions;
    }
    const reached = this.#follow(state.instructions, state.kindBefore, kindAfter, steps);
    return reached.some((index) => instructions[index]!.kind === "match") ? "match" : reached;
  }

  /**
   * Returns the state after a character: the ways to match that go on there, and those that may
   * begin.
   */
  #stateOf(seeds: readonly number[], kind: number, steps: Steps): State {
    const reached = this.#follow([...seeds, this.#program.start], kind, undefined, steps);
    const instructions = Uint16Array.from(reached).sort();
    const key = String.fromCharCode(kind, ...instructions);
    const known = this.#states.get(key);
    if (known !== undefined) return known;
    const state = this.#newState(instructions, kind);
    const cellCount = state.next.length + instructions.length;
    steps.spend(cellCount >> 4);
    this.#cellCount += cellCount;
    if (this.#cellCount > CELLS_MAX) {
      this.#states.clear();
      this.#startStates.length = 0;
      this.#cellCount = cellCount;
    }
    this.#states.set(key, state);
    return state;
  }

  #newState(instructions: Uint16Array, kind: number): State {
    const [first] = instructions;
    const hasMatch = instructions.some((at) => this.#program.instructions[at]!.kind === "match");
    return {
      isMatch: hasMatch,
      instructions,
      kindBefore: kind,
      next: new Array<State | undefined>(this.#alphabet.symbolCount).fill(undefined),
      isDead: first === undefined && !this.#mayBeginLater,
      // Every state has the start instruction, which consumes a character if there is a prefix.
      isIdle: instructions.length === 1 && this.#prefix !== "",
    };
  }

  /**
   * Goes from instructions to all that consume or match. Assertions that depend on the next
   * character stay as they are until it is known.
   */
  #follow(
    seeds: ArrayLike<number>,
    before: number,
    after: number | undefined,
    steps: Steps,
  ): number[] {
    const { instructions } = this.#program;
    const pending = Array.from(seeds);
    const reached: number[] = [];
    let stepCount = 0;
    this.#stamp++;
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      stepCount++;
      if (this.#reached[index] === this.#stamp) continue;
      this.#reached[index] = this.#stamp;
      const instruction = instructions[index]!;
      if (instruction.kind === "split") pending.push(instruction.other, instruction.preferred);
      else if (instruction.kind === "mark") pending.push(instruction.next);
      else if (instruction.kind !== "assert") reached.push(index);
      else if (after === undefined && !looksBack(instruction.assertion)) reached.push(index);
      else if (holds(instruction.assertion, before, after ?? 0)) pending.push(instruction.next);
    }
    steps.spend(stepCount);
    return reached;
  }
}

function looksBack(assertion: Assertion): boolean {
  return assertion === "textStart" || assertion === "lineStart";
}

function finalState(isMatch: boolean): State {
  const instructions = new Uint16Array(0);
  return { isMatch, instructions, kindBefore: EDGE, next: [], isDead: !isMatch, isIdle: false };
}

const MATCHED = finalState(true);
const FAILED = finalState(false);
