/**
 * A pattern as instructions: a graph that the searches walk, one character at a time.
 *
 * An instruction either consumes a character, or leads on without consuming one. A counted
 * repetition is written out copy by copy, so the number of instructions is what a search pays for
 * each character. The number is bounded while instructions are made, before memory is spent.
 */
import type { CharSet } from "./charSet.ts";
import { type Assertion, mayBeEmpty, type Node } from "./node.ts";
import { PatternProblem } from "./problem.ts";

export const INSTRUCTION_COUNT_MAX = 10_000;

/** An instruction; `next`, `preferred` and `other` are indexes into the program. */
export type Instruction =
  | { readonly kind: "match" }
  | { readonly kind: "consume"; readonly set: CharSet; readonly next: number }
  | { readonly kind: "assert"; readonly assertion: Assertion; readonly next: number }
  /** Group g opens at mark 2g and closes at mark 2g + 1. */
  | { readonly kind: "mark"; readonly mark: number; readonly next: number }
  | { readonly kind: "split"; readonly preferred: number; readonly other: number };

export interface Program {
  readonly instructions: readonly Instruction[];
  readonly start: number;
}

export function compile(node: Node): Program {
  const compiler = new Compiler();
  const match = compiler.emit({ kind: "match" });
  const start = compiler.compile(node, match);
  return { instructions: compiler.instructions, start };
}

/** Compiles from the end: each node is given the index of what follows it, and returns its own. */
class Compiler {
  readonly instructions: Instruction[] = [];

  emit(instruction: Instruction): number {
    if (this.instructions.length >= INSTRUCTION_COUNT_MAX) {
      throw new PatternProblem(
        `The regular expression is too large: more than ${INSTRUCTION_COUNT_MAX} steps, ` +
          "with repetitions written out.",
      );
    }
    return this.instructions.push(instruction) - 1;
  }

  compile(node: Node, next: number): number {
    switch (node.kind) {
      case "empty":
        return next;
      case "set":
        return this.emit({ kind: "consume", set: node.set, next });
      case "assertion":
        return this.emit({ kind: "assert", assertion: node.assertion, next });
      case "sequence":
        return node.parts.reduceRight((after, part) => this.compile(part, after), next);
      case "choice":
        return node.options
          .map((option) => this.compile(option, next))
          .reduceRight((other, preferred) => this.emit({ kind: "split", preferred, other }));
      case "repeat":
        return this.#repeat(node, next);
      case "group": {
        const close = this.emit({ kind: "mark", mark: 2 * node.number + 1, next });
        const body = this.compile(node.body, close);
        return this.emit({ kind: "mark", mark: 2 * node.number, next: body });
      }
    }
  }

  #repeat(node: Node & { readonly kind: "repeat" }, next: number): number {
    const { body, min, max, isGreedy } = node;
    if (max === Infinity && min === 0) return this.#star(body, isGreedy, next);
    let copies = min;
    let start = next;
    if (max === Infinity) {
      start = this.#plus(body, isGreedy, next);
      copies = min - 1;
    }
    // The optional copies nest, x{0,2} is (x(x)?)?, so that the repetition can end in one step
    // after any copy.
    for (let optional = max; optional > min && max !== Infinity; optional--) {
      start = this.#split(this.compile(body, start), next, isGreedy);
    }
    for (; copies > 0; copies--) start = this.compile(body, start);
    return start;
  }

  #star(body: Node, isGreedy: boolean, next: number): number {
    // A body that matches nothing ends the loop, as in Perl. Looping back to the split would drop
    // that thread instead and prefer a longer match.
    if (mayBeEmpty(body)) return this.#split(this.#plus(body, isGreedy, next), next, isGreedy);
    return this.#loop(body, isGreedy, next).split;
  }

  #plus(body: Node, isGreedy: boolean, next: number): number {
    return this.#loop(body, isGreedy, next).start;
  }

  #loop(body: Node, isGreedy: boolean, next: number): { start: number; split: number } {
    const split = this.emit({ kind: "match" });
    const start = this.compile(body, split);
    this.instructions[split] = splitOf(start, next, isGreedy);
    return { start, split };
  }

  #split(body: number, next: number, isGreedy: boolean): number {
    return this.emit(splitOf(body, next, isGreedy));
  }
}

function splitOf(body: number, next: number, isGreedy: boolean): Instruction {
  return isGreedy
    ? { kind: "split", preferred: body, other: next }
    : { kind: "split", preferred: next, other: body };
}
