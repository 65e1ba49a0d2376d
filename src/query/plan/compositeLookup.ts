/**
 * Several conditions at once, by a composite index: equality on all of its paths but the last, and
 * equality or a range on the last. The directions of the paths do not matter for this, and every
 * path must have its condition.
 */
import type { CompositeLayout, CompositeStep } from "../../index/compositeTerm.ts";
import { compositeRange } from "../../index/compositeTerm.ts";
import type { ValueBound, ValueSpan } from "../../index/valueSpan.ts";
import type { Bound } from "../bind/bound.ts";
import { isConstant } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Evaluate, Run } from "../evaluate/run.ts";
import type { BinaryOperator } from "../language/ast.ts";
import type { ItemPath } from "./itemPaths.ts";
import { itemPathOf } from "./itemPaths.ts";
import type { ResolvedTerms, TermLookup } from "./lookup.ts";
import type { TermBounds } from "./termBounds.ts";
import type { LookupSetting } from "./termLookup.ts";
import { isScalar } from "./valueRanges.ts";

interface CompositeChoice {
  readonly lookup: TermLookup;
  /** The conditions that the lookup stands for. */
  readonly covered: ReadonlySet<Bound>;
}

interface Condition {
  readonly bound: Bound;
  readonly path: ItemPath;
  readonly operator: BinaryOperator;
  readonly value: Evaluate;
}

/** Returns the composite index that answers the most of these conditions, if there is any. */
export function compositeChoice(
  conjuncts: readonly Bound[],
  setting: LookupSetting,
): CompositeChoice | undefined {
  const { index } = setting;
  if (!index.isComplete || index.composites.length === 0) return undefined;
  const conditions = conjuncts
    .map((bound) => conditionOf(bound, setting))
    .filter((condition) => condition !== undefined);
  const choices = index.composites
    .map((layout) => choiceOf(layout, conditions))
    .filter((choice) => choice !== undefined);
  return choices.sort((a, b) => b.covered.size - a.covered.size)[0];
}

/**
 * Returns the part of a composite index that conditions on its first paths leave: equality on some
 * of them, and then perhaps a range. Used to read the index in order.
 */
export function compositeBounds(
  layout: CompositeLayout,
  conjuncts: readonly Bound[],
  setting: LookupSetting,
): ((run: Run) => TermBounds | undefined) | undefined {
  const conditions = conjuncts
    .map((bound) => conditionOf(bound, setting))
    .filter((condition) => condition !== undefined);
  const equal = leadingEqualities(layout, conditions);
  const next = layout.steps[equal.length];
  const ranged =
    next === undefined
      ? []
      : conditions.filter((condition) => condition.operator !== "=" && isOn(condition, next));
  if (equal.length + ranged.length === 0) return undefined;
  return (run) => {
    const found = resolve(layout, equal, ranged, run) ?? resolve(layout, equal, [], run);
    return found?.ranges[0];
  };
}

const TURNED: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  "=": "=",
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

function conditionOf(bound: Bound, { paths }: LookupSetting): Condition | undefined {
  if (bound.kind !== "binary" || TURNED[bound.operator] === undefined) return undefined;
  const isTurned = isConstant(bound.left);
  const [reads, constant] = isTurned ? [bound.right, bound.left] : [bound.left, bound.right];
  const path = itemPathOf(reads, paths);
  if (path === undefined || !path.isOne || !isConstant(constant)) return undefined;
  const operator = isTurned ? TURNED[bound.operator]! : bound.operator;
  return { bound, path, operator, value: compile(constant) };
}

function choiceOf(
  layout: CompositeLayout,
  conditions: readonly Condition[],
): CompositeChoice | undefined {
  const { steps } = layout;
  const equal = leadingEqualities(layout, conditions);
  if (equal.length < steps.length - 1) return undefined;
  const last = steps.at(-1)!;
  const ranged =
    equal.length === steps.length
      ? []
      : conditions.filter((condition) => condition.operator !== "=" && isOn(condition, last));
  if (equal.length < steps.length && ranged.length === 0) return undefined;
  const used = [...equal, ...ranged];
  return {
    covered: new Set(used.map(({ bound }) => bound)),
    lookup: {
      kind: "terms",
      path: used[0]!.path,
      layout,
      what: `composite(${steps.map(({ path }) => `/${path.join("/")}`).join(", ")})`,
      resolve: (run) => resolve(layout, equal, ranged, run),
    },
  };
}

/**
 * Returns the conditions of equality on the first paths of the index, up to the first path without
 * one.
 */
function leadingEqualities(
  { steps }: CompositeLayout,
  conditions: readonly Condition[],
): readonly Condition[] {
  const equal: Condition[] = [];
  for (const step of steps) {
    const found = conditions.find(
      (condition) => condition.operator === "=" && isOn(condition, step),
    );
    if (found === undefined) break;
    equal.push(found);
  }
  return equal;
}

function isOn({ path }: Condition, step: CompositeStep): boolean {
  return (
    path.segments.length === step.path.length &&
    step.path.every((name, depth) => name === path.segments[depth])
  );
}

/** Returns the terms; undefined when a value is of a kind that the index does not tell apart. */
function resolve(
  layout: CompositeLayout,
  equal: readonly Condition[],
  ranged: readonly Condition[],
  run: Run,
): ResolvedTerms | undefined {
  const values = equal.map(({ value }) => value([], run));
  if (!values.every(isScalar)) return undefined;
  const span = ranged.length === 0 ? undefined : spanOf(ranged, run);
  if (ranged.length > 0 && span === undefined) return undefined;
  const { min, max, isExact } = compositeRange(layout, values, span);
  // With a value for every path the range holds one term, and begins with it.
  const isTerm = values.length === layout.steps.length;
  const range = isTerm ? { min, max, isTerm } : { min, max };
  return { ranges: [range], isExact, mayRepeat: false };
}

function spanOf(ranged: readonly Condition[], run: Run): ValueSpan | undefined {
  let min: ValueBound | undefined;
  let max: ValueBound | undefined;
  for (const { operator, value: evaluate } of ranged) {
    const value = evaluate([], run);
    const isLow = operator === ">" || operator === ">=";
    const isSet = isLow ? min !== undefined : max !== undefined;
    // The indexes of single paths serve two bounds on one side, and a bound that has no order.
    if (!isScalar(value) || value === null || isSet) return undefined;
    const bound = { value, isInclusive: operator === ">=" || operator === "<=" };
    if (isLow) min = bound;
    else max = bound;
  }
  if (min !== undefined && max !== undefined && typeof min.value !== typeof max.value) {
    return undefined;
  }
  return { kind: "between", ...(min && { min }), ...(max && { max }) };
}
