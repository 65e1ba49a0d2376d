/**
 * The items of a vector table in order of distance, a few at a time.
 *
 * Every distance is computed once and kept; each step picks the next few with a heap of as many
 * entries as are asked for. Items without a distance are below all others. Items with the same
 * distance come in order of creation, or in the reverse order when the order is descending, as in
 * every order of a query.
 */
import type { VectorQuestion, VectorRanking } from "../../query/execute/source.ts";
import type { Comparison } from "../../query/functions/vector.ts";
import { comparisonTo } from "../../query/functions/vector.ts";
import type { Sketches } from "./sketches.ts";
import type { VectorTable } from "./vectorTable.ts";

/** Elements to compare between two calls of `pause`: well below a millisecond of work. */
const ELEMENTS_PER_LOOK = 65_536;

/** Ranks by exact distance the rows with the best estimates, and after them all others. */
export async function likelyRankingOf(
  table: VectorTable,
  sketches: Sketches,
  question: VectorQuestion,
): Promise<VectorRanking> {
  const likely = await rankingOf(table, question, await sketches.near(question));
  let others: VectorRanking | undefined;
  const given = new Set<number>();
  const next = async (countMax: number): Promise<readonly number[]> => {
    if (others === undefined) {
      const numbers = await likely.next(countMax);
      for (const number of numbers) given.add(number);
      if (numbers.length > 0) return numbers;
      others = await rankingOf(table, question);
    }
    for (;;) {
      const numbers = await others.next(countMax);
      const fresh = numbers.filter((number) => !given.has(number));
      if (fresh.length > 0 || numbers.length === 0) return fresh;
    }
  };
  return { next };
}

/** Ranks `rows` by exact distance; all rows of the table if absent. */
export async function rankingOf(
  table: VectorTable,
  question: VectorQuestion,
  rows?: readonly number[],
): Promise<VectorRanking> {
  // When only some rows are compared in descending order, another row may come before those without
  // a distance.
  const isLastKnown = rows === undefined || !question.isDescending;
  const scores = new Scores(question.isDescending, isLastKnown);
  const { pause } = question;
  const compare = comparisonTo(question.query, question.metric);
  const perLook = Math.max(1, Math.floor(ELEMENTS_PER_LOOK / table.dimensions));
  let count = 0;
  for (const row of rows ?? rowsAsked(table, question)) {
    score(table, row, compare, scores);
    if (++count % perLook === 0) await pause();
  }
  for (const number of othersAsked(table, question)) scores.add(undefined, number);
  return { next: (countMax) => Promise.resolve(scores.next(countMax)) };
}

function score(table: VectorTable, row: number, compare: Comparison, scores: Scores): void {
  const number = table.numberAt(row);
  if (number === undefined) return;
  const value = compare(table.block(row), table.offset(row), table.squares(row));
  scores.add(Number.isFinite(value) ? value : undefined, number);
}

function* rowsAsked(table: VectorTable, { within }: VectorQuestion): Iterable<number> {
  if (within === undefined) {
    const { rowCount } = table;
    for (let row = 0; row < rowCount; row++) yield row;
    return;
  }
  for (const number of within) {
    const row = table.rowOf(number);
    if (row !== undefined) yield row;
  }
}

function othersAsked({ others }: VectorTable, { within }: VectorQuestion): Iterable<number> {
  return within === undefined ? others : within.filter((number) => others.has(number));
}

/** Item numbers with their distances, given out in order. */
class Scores {
  readonly #sign: 1 | -1;
  readonly #hasUndefined: boolean;
  /** Distances with a sign such that a smaller key comes earlier. */
  readonly #keys: number[] = [];
  readonly #numbers: number[] = [];
  #lastKey = Number.NEGATIVE_INFINITY;
  #lastNumber = Number.NEGATIVE_INFINITY;

  constructor(isDescending: boolean, hasUndefined: boolean) {
    this.#sign = isDescending ? -1 : 1;
    this.#hasUndefined = hasUndefined;
  }

  add(value: number | undefined, number: number): void {
    if (value === undefined && !this.#hasUndefined) return;
    // A missing distance is below every finite one.
    this.#keys.push(this.#sign * (value ?? Number.NEGATIVE_INFINITY));
    this.#numbers.push(this.#sign * number);
  }

  next(countMax: number): readonly number[] {
    const [keys, numbers] = [this.#keys, this.#numbers];
    const [lastKey, lastNumber] = [this.#lastKey, this.#lastNumber];
    const heap = new WorstFirst(
      countMax,
      (a, b) => keys[a]! - keys[b]! || numbers[a]! - numbers[b]!,
    );
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at]!;
      const isGiven = key < lastKey || (key === lastKey && numbers[at]! <= lastNumber);
      if (!isGiven) heap.offer(at);
    }
    const found = heap.sorted();
    const last = found.at(-1);
    if (last !== undefined) {
      this.#lastKey = keys[last]!;
      this.#lastNumber = numbers[last]!;
    }
    return found.map((at) => this.#sign * numbers[at]!);
  }
}

/** The first few of many entries, as a heap with the last of them on top. */
class WorstFirst {
  readonly #countMax: number;
  readonly #compare: (a: number, b: number) => number;
  readonly #heap: number[] = [];

  constructor(countMax: number, compare: (a: number, b: number) => number) {
    this.#countMax = countMax;
    this.#compare = compare;
  }

  offer(one: number): void {
    const heap = this.#heap;
    if (heap.length < this.#countMax) {
      heap.push(one);
      this.#rise(heap.length - 1);
    } else if (this.#compare(one, heap[0]!) < 0) {
      heap[0] = one;
      this.#sink();
    }
  }

  sorted(): readonly number[] {
    return this.#heap.sort(this.#compare);
  }

  #rise(from: number): void {
    const heap = this.#heap;
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (this.#compare(heap[at]!, heap[parent]!) <= 0) return;
      [heap[at], heap[parent]] = [heap[parent]!, heap[at]!];
      at = parent;
    }
  }

  #sink(): void {
    const heap = this.#heap;
    for (let at = 0; ; ) {
      let largest = at;
      for (const child of [2 * at + 1, 2 * at + 2]) {
        if (child < heap.length && this.#compare(heap[child]!, heap[largest]!) > 0) largest = child;
      }
      if (largest === at) return;
      [heap[at], heap[largest]] = [heap[largest]!, heap[at]!];
      at = largest;
    }
  }
}
