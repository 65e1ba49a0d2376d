/**
 * The characters as one pattern sees them: characters that none of its classes tells apart are one
 * symbol. A table over symbols is small, where one over characters would be too large.
 *
 * Two symbols are special: the line feed that ends a text, and the end of the text itself.
 */
import { kindOf } from "./boundary.ts";
import { type CharSet, CODE_POINT_MAX, LINE_FEED, single, WORD } from "./charSet.ts";
import type { Instruction } from "./program.ts";

/** Classes × ranges above which symbols are not merged any more, to keep compiling quick. */
const MERGE_WORK_MAX = 2_000_000;
const TABLE_LENGTH = 256;

export class Alphabet {
  /** The first character of each range of characters that all classes treat alike. */
  readonly #starts: readonly number[];
  readonly #symbolOfRange: Int32Array;
  readonly #table: Int32Array = new Int32Array(TABLE_LENGTH);
  /** One character of each symbol. */
  readonly #examples: number[] = [];
  readonly lastLineBreak: number;
  readonly end: number;

  constructor(instructions: readonly Instruction[]) {
    const sets = new Set<CharSet>();
    let hasAssertions = false;
    for (const instruction of instructions) {
      if (instruction.kind === "consume") sets.add(instruction.set);
      if (instruction.kind === "assert") hasAssertions = true;
    }
    if (hasAssertions) sets.add(WORD).add(single(LINE_FEED));
    this.#starts = startsOf(sets);
    this.#symbolOfRange = mergedRanges(this.#starts, sets);
    this.#symbolOfRange.forEach((symbol, range) => {
      this.#examples[symbol] ??= this.#starts[range]!;
    });
    for (let code = 0; code < TABLE_LENGTH; code++) this.#table[code] = this.#search(code);
    this.lastLineBreak = this.#examples.length;
    this.end = this.#examples.length + 1;
  }

  get symbolCount(): number {
    return this.end + 1;
  }

  symbolOf(codePoint: number): number {
    return codePoint < TABLE_LENGTH ? this.#table[codePoint]! : this.#search(codePoint);
  }

  /** Returns a character that stands for all of its symbol; there is none for the end. */
  exampleOf(symbol: number): number {
    return symbol === this.lastLineBreak ? LINE_FEED : this.#examples[symbol]!;
  }

  kindOf(symbol: number): number {
    return kindOf(this.exampleOf(symbol));
  }

  #search(codePoint: number): number {
    return this.#symbolOfRange[rangeOf(this.#starts, codePoint)]!;
  }
}

function startsOf(sets: ReadonlySet<CharSet>): number[] {
  const starts = new Set([0]);
  for (const set of sets) {
    for (let at = 0; at < set.length; at += 2) {
      starts.add(set[at]!);
      if (set[at + 1]! < CODE_POINT_MAX) starts.add(set[at + 1]! + 1);
    }
  }
  return [...starts].sort((a, b) => a - b);
}

/** Returns the range that a character lies in. */
function rangeOf(starts: readonly number[], codePoint: number): number {
  let low = 0;
  let high = starts.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (starts[middle]! <= codePoint) low = middle;
    else high = middle - 1;
  }
  return low;
}

/**
 * Returns the symbol of each range, from 0 without gaps. Each class splits every symbol of which it
 * holds only a part.
 */
function mergedRanges(starts: readonly number[], sets: ReadonlySet<CharSet>): Int32Array {
  const symbols = new Int32Array(starts.length);
  if (sets.size * starts.length > MERGE_WORK_MAX) return symbols.map((_, range) => range);
  let symbolCount = 1;
  for (const set of sets) {
    const inside = new Map<number, number>();
    for (let at = 0; at < set.length; at += 2) {
      let range = rangeOf(starts, set[at]!);
      for (; range < starts.length && starts[range]! <= set[at + 1]!; range++) {
        const symbol = inside.get(symbols[range]!) ?? symbolCount++;
        inside.set(symbols[range]!, symbol);
        symbols[range] = symbol;
      }
    }
  }
  const renumbered = new Map<number, number>();
  return symbols.map((symbol) => {
    const number = renumbered.get(symbol) ?? renumbered.size;
    renumbered.set(symbol, number);
    return number;
  });
}
