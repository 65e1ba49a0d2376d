/**
 * The rows of one item: the product of its sources, one row at a time and never all at once.
 *
 * A row is named by its *coordinates*, the index of the element taken at each source. A walk can
 * begin after given coordinates, so a page may end in the middle of an item, and the next page goes
 * on without counting through the rows before.
 */
import { type Carried, carriedAt } from "../../json/digits.ts";
import type { BoundSource } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import { bindSlot } from "./carriedSlots.ts";
import type { Compiler } from "./compiler.ts";
import { Misses } from "./misses.ts";
import type { Evaluate, EvaluateCarried, Run, Slots } from "./run.ts";

export type Coordinates = readonly number[];

export type Product = (
  slots: Slots,
  run: Run,
  /** The walk begins after this row. */
  after?: Coordinates | undefined,
) => Generator<Coordinates, void, undefined>;

/**
 * Compiles the product of `sources`. The source of the items is not among them: its slot is filled
 * by the caller.
 */
export function compileProduct(sources: readonly BoundSource[], compiler: Compiler): Product {
  const levels = sources.map((source) => compileLevel(source, compiler));
  if (levels.length === 0) return onlyRow;
  return function* walk(slots, run, after) {
    const taken: number[] = levels.map(() => 0);
    const misses = new Misses();
    for (const _ of walkLevel(levels, 0, slots, run, { taken, misses }, after)) {
      if (misses.hasAny) continue;
      if (after === undefined || isBeyond(taken, after)) yield taken;
    }
    misses.end();
  };
}

const NO_COORDINATES: Coordinates = [];

function* onlyRow(
  _slots: Slots,
  _run: Run,
  after?: Coordinates | undefined,
): Generator<Coordinates, void, undefined> {
  if (after === undefined) yield NO_COORDINATES;
}

interface Level {
  readonly slot: number;
  readonly valuesOf: (slots: Slots, run: Run) => Iterable<Carried | undefined>;
}

function compileLevel(source: BoundSource, compiler: Compiler): Level {
  const { slot } = source;
  switch (source.kind) {
    case "items":
      return { slot, valuesOf: () => [] };
    case "value":
      return { slot, valuesOf: oneIfDefined(compiler.carried(source.value)) };
    case "elements":
      return { slot, valuesOf: elementsOf(compiler.value(source.value)) };
    case "rows":
      return { slot, valuesOf: compiler.rows(source.query) };
  }
}

function oneIfDefined(evaluate: EvaluateCarried): Level["valuesOf"] {
  return (slots, run) => {
    const value = evaluate(slots, run);
    return value === undefined ? NOTHING : [value];
  };
}

function elementsOf(evaluate: Evaluate): Level["valuesOf"] {
  return (slots, run) => {
    const value = evaluate(slots, run);
    return Array.isArray(value) ? (value as readonly Value[]) : NOTHING;
  };
}

const NOTHING: readonly Value[] = [];

/**
 * Returns an element of an array with its digits, which the array has and the bare number has not.
 */
function carriedOf(
  values: Iterable<Carried | undefined>,
  index: number,
  value: Carried | undefined,
): Carried | undefined {
  const isElement = typeof value === "number" && Array.isArray(values);
  return isElement ? carriedAt(values as readonly unknown[], index, value) : value;
}

/** Recurses over sources, of which there are at most eleven, and loops over elements. */
function* walkLevel(
  levels: readonly Level[],
  depth: number,
  slots: Slots,
  run: Run,
  walked: { readonly taken: number[]; readonly misses: Misses },
  from: Coordinates | undefined,
): Generator<void, void, undefined> {
  const { slot, valuesOf } = levels[depth]!;
  const first = from?.[depth] ?? 0;
  const isLast = depth === levels.length - 1;
  let index = -1;
  try {
    const values = valuesOf(slots, run);
    for (const value of values) {
      index++;
      if (index < first) continue;
      run.effort.step();
      bindSlot(slots, slot, carriedOf(values, index, value));
      walked.taken[depth] = index;
      const rest = index === first ? from : undefined;
      if (isLast) yield;
      else yield* walkLevel(levels, depth + 1, slots, run, walked, rest);
    }
  } catch (thrown) {
    walked.misses.note(thrown);
  }
}

function isBeyond(taken: Coordinates, after: Coordinates): boolean {
  for (let depth = 0; depth < taken.length; depth++) {
    const difference = taken[depth]! - (after[depth] ?? 0);
    if (difference !== 0) return difference > 0;
  }
  return false;
}
