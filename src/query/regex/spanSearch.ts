/**
 * Finds where a pattern matches: the leftmost match and, of those, the one that Perl prefers.
 *
 * All ways to match advance together, one character at a time, best first. Two ways that reach the
 * same instruction are one from there on, so a character takes at most one look at each
 * instruction. A thread carries its start and the bounds of the one group that is asked for.
 *
 * There is a known difference from a backtracking search, where loops around something that may be
 * empty are nested: a last round that matches nothing is not seen. So the group keeps what it
 * matched before, as in `(a*)+`, and now and then the match is longer than Perl's.
 */
import { holds, kindAfter, kindBefore } from "./boundary.ts";
import { contains } from "./charSet.ts";
import type { Program } from "./program.ts";
import type { Steps } from "./steps.ts";

interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Match extends Span {
  /** `undefined` when the group took no part in the match. */
  readonly group: Span | undefined;
}

const NOWHERE = -1;

/** What a thread remembers; shared by all threads that branched off since it last changed. */
interface Bounds {
  readonly start: number;
  readonly groupStart: number;
  readonly groupEnd: number;
}

/** A list of threads, the preferred ones first. */
class Threads {
  readonly #instructions: Int32Array;
  readonly #bounds: Bounds[] = [];
  count = 0;

  constructor(instructionCount: number) {
    // A split leaves one branch more than it takes, and each instruction is followed once.
    this.#instructions = new Int32Array(instructionCount + 2);
  }

  instructionAt(index: number): number {
    return this.#instructions[index]!;
  }

  boundsAt(index: number): Bounds {
    return this.#bounds[index]!;
  }

  push(instruction: number, bounds: Bounds): void {
    this.#instructions[this.count] = instruction;
    this.#bounds[this.count++] = bounds;
  }
}

/** The place that threads have reached, and the group that is asked for. */
interface Place {
  readonly text: string;
  readonly at: number;
  readonly group: number;
}

export class SpanSearch {
  readonly #program: Program;
  readonly #prefix: string;
  #threads: Threads;
  #survivors: Threads;
  /** Branches that are not followed yet; the last one is followed first. */
  readonly #branches: Threads;
  /** The stamp under which an instruction was last reached. A set of threads has one stamp. */
  readonly #reached: Float64Array;
  #stamp = 0;

  /** Every match begins with `prefix`, which may be empty. */
  constructor(program: Program, prefix: string) {
    const { length } = program.instructions;
    this.#program = program;
    this.#prefix = prefix;
    this.#threads = new Threads(length);
    this.#survivors = new Threads(length);
    this.#branches = new Threads(length);
    this.#reached = new Float64Array(length);
  }

  /** Finds the first match that starts at `from` or later. Group 0 is the whole match. */
  find(text: string, from: number, group: number, steps: Steps): Match | undefined {
    let found: Match | undefined;
    this.#threads.count = 0;
    for (let at = from; ; ) {
      if (this.#threads.count === 0) {
        if (found !== undefined) return found;
        at = text.indexOf(this.#prefix, at);
        if (at === NOWHERE) return undefined;
        this.#stamp++;
      }
      const place = { text, at, group };
      if (found === undefined) {
        const bounds = { start: at, groupStart: NOWHERE, groupEnd: NOWHERE };
        steps.spend(this.#follow(this.#program.start, bounds, this.#threads, place));
      }
      const code = text.codePointAt(at) ?? NOWHERE;
      at += code > 0xffff ? 2 : 1;
      found = this.#advance(place, code, at, steps) ?? found;
      if (code === NOWHERE) return found;
    }
  }

  /** Moves all threads over a character. Returns the match of the best complete thread. */
  #advance(place: Place, code: number, at: number, steps: Steps): Match | undefined {
    const threads = this.#threads;
    const survivors = this.#survivors;
    const placeAfter = { ...place, at };
    survivors.count = 0;
    this.#stamp++;
    let stepCount = threads.count;
    let found: Match | undefined;
    for (let index = 0; index < threads.count; index++) {
      const instruction = this.#program.instructions[threads.instructionAt(index)]!;
      const bounds = threads.boundsAt(index);
      if (instruction.kind === "match") {
        found = matchOf(bounds, place);
        break; // The other threads are less preferred.
      }
      if (instruction.kind === "consume" && code >= 0 && contains(instruction.set, code)) {
        stepCount += this.#follow(instruction.next, bounds, survivors, placeAfter);
      }
    }
    this.#threads = survivors;
    this.#survivors = threads;
    steps.spend(stepCount);
    return found;
  }

  /**
   * Goes from an instruction to all that consume or match, the preferred way first, and adds them
   * to the threads. Returns the number of instructions looked at.
   */
  #follow(first: number, bounds: Bounds, threads: Threads, place: Place): number {
    const branches = this.#branches;
    branches.push(first, bounds);
    let stepCount = 0;
    while (branches.count > 0) {
      const index = branches.instructionAt(--branches.count);
      const current = branches.boundsAt(branches.count);
      stepCount++;
      if (this.#reached[index] === this.#stamp) continue;
      this.#reached[index] = this.#stamp;
      const instruction = this.#program.instructions[index]!;
      if (instruction.kind === "split") {
        branches.push(instruction.other, current);
        branches.push(instruction.preferred, current);
      } else if (instruction.kind === "mark") {
        branches.push(instruction.next, marked(current, instruction.mark, place));
      } else if (instruction.kind === "assert") {
        const { text, at } = place;
        const isMet = holds(instruction.assertion, kindBefore(text, at), kindAfter(text, at));
        if (isMet) branches.push(instruction.next, current);
      } else {
        threads.push(index, current);
      }
    }
    return stepCount;
  }
}

function marked(bounds: Bounds, mark: number, { at, group }: Place): Bounds {
  if (group === 0) return bounds;
  if (mark === 2 * group) return { ...bounds, groupStart: at };
  return mark === 2 * group + 1 ? { ...bounds, groupEnd: at } : bounds;
}

function matchOf({ start, groupStart, groupEnd }: Bounds, { at, group }: Place): Match {
  if (group === 0) return { start, end: at, group: { start, end: at } };
  const isSet = groupEnd !== NOWHERE;
  return { start, end: at, group: isSet ? { start: groupStart, end: groupEnd } : undefined };
}
