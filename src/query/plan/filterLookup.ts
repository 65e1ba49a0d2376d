/**
 * From a filter to a lookup: which conditions the index can answer, and how.
 *
 * A conjunction can be answered if any of its conditions can, a disjunction only if all can. A
 * condition without a range that depends on a single value of the item is answered by trying every
 * value that the index has at its path (`eachValue.ts`).
 */
import type { PathHash } from "../../index/hash.ts";
import { ELEMENTS } from "../../index/policyPath.ts";
import type { TermRanges, TypeName } from "../../index/termRange.ts";
import * as ranges from "../../index/termRange.ts";
import type { Bound, BoundQuery } from "../bind/bound.ts";
import { conjunctsOf, isConstant } from "../bind/boundTrees.ts";
import { compile } from "../evaluate/compile.ts";
import type { Run } from "../evaluate/run.ts";
import type { Value } from "../functions/builtIn.ts";
import { compileLike } from "../functions/likePattern.ts";
import type { BinaryOperator } from "../language/ast.ts";
import { compositeChoice } from "./compositeLookup.ts";
import { eachValueLookup, eachValueOf } from "./eachValue.ts";
import type { ItemPath } from "./itemPaths.ts";
import { itemPathOf, slotPathsOf } from "./itemPaths.ts";
import type { Lookup, TermLookup } from "./lookup.ts";
import { distanceLookup, regionLookup } from "./spatialLookup.ts";
import type { LookupSetting } from "./termLookup.ts";
import { isIndexed, lookupAt, mergedByPath } from "./termLookup.ts";
import { anyOf, equalTo, isLong, isScalar, NOTHING, rangeBetween } from "./valueRanges.ts";
import { wordLookups } from "./wordLookup.ts";

export interface FilterLookups {
  /** Lookups of the conditions of a conjunction: every item that passes is in all of them. */
  readonly lookups: readonly Lookup[];
  /**
   * True when every condition has a lookup, so that an item in all of them passes if they are
   * exact.
   */
  readonly isWhole: boolean;
}

export function lookupsOf(where: Bound | undefined, setting: LookupSetting): FilterLookups {
  const conjuncts = conjunctsOf(where);
  const composite = compositeChoice(conjuncts, setting);
  const found = conjuncts.map((bound) => ({ bound, lookup: lookupOf(bound, setting) }));
  const covered = found.filter(({ bound }) => composite?.covered.has(bound) === true);
  const single = mergedByPath(
    found
      .filter((entry) => !covered.includes(entry))
      .map(({ lookup }) => lookup)
      .filter((lookup) => lookup !== undefined),
  );
  const isWhole = found.every(
    ({ bound, lookup }) => lookup !== undefined || composite?.covered.has(bound),
  );
  if (composite === undefined) return { lookups: single, isWhole };
  const others = covered.map(({ lookup }) => lookup).filter((lookup) => lookup !== undefined);
  const preferred: Lookup = { kind: "prefer", first: composite.lookup, others };
  return { lookups: [preferred, ...single], isWhole };
}

function lookupOf(bound: Bound, setting: LookupSetting): Lookup | undefined {
  return specificLookup(bound, setting) ?? eachValueLookup(bound, setting);
}

function specificLookup(bound: Bound, setting: LookupSetting): Lookup | undefined {
  switch (bound.kind) {
    case "binary":
      return binaryLookup(bound.operator, bound.left, bound.right, setting);
    case "unary":
      return bound.operator === "NOT" ? negatedLookup(bound.operand, setting) : undefined;
    case "between": {
      if (bound.isNegated || !isConstant(bound.low) || !isConstant(bound.high)) return undefined;
      const [low, high] = [constantOf(bound.low), constantOf(bound.high)];
      return termLookup(bound.operand, "BETWEEN", setting, (path, run) =>
        rangeBetween(
          path,
          { value: low(run), isInclusive: true },
          { value: high(run), isInclusive: true },
        ),
      );
    }
    case "in": {
      if (bound.isNegated || !bound.list.every(isConstant)) return undefined;
      const list = bound.list.map(constantOf);
      return termLookup(bound.needle, "IN", setting, (path, run) =>
        anyOf(list.map((value) => equalTo(path, value(run)))),
      );
    }
    case "like":
      return likeLookup(bound, setting);
    case "call":
      return callLookup(bound, setting);
    case "subquery":
      return bound.form === "exists" ? existsLookup(bound.query, setting) : undefined;
    case "member":
    case "slot":
    case "index":
      return termLookup(bound, "= true", setting, (path) => ranges.equalTo(path, true));
    default:
      return undefined;
  }
}

/** Returns a lookup of what `reads` reads, if that is an indexed path of the item. */
function termLookup(
  reads: Bound,
  what: string,
  setting: LookupSetting,
  resolve: (path: PathHash, run: Run) => TermRanges | undefined,
): TermLookup | undefined {
  const path = itemPathOf(reads, setting.paths);
  if (path === undefined || !isIndexed(path, setting)) return undefined;
  return lookupAt(path, what, resolve);
}

function constantOf(bound: Bound): (run: Run) => Value {
  const evaluate = compile(bound);
  return (run) => evaluate([], run);
}

function binaryLookup(
  operator: BinaryOperator,
  left: Bound,
  right: Bound,
  setting: LookupSetting,
): Lookup | undefined {
  if (operator === "AND" || operator === "OR") {
    const parts = [left, right].map((side) => lookupOf(side, setting));
    const found = parts.filter((part) => part !== undefined);
    if (operator === "OR") return found.length === 2 ? joined("or", found) : undefined;
    if (found.length === 0) return undefined;
    return found.length === 2 ? joined("and", found) : inexact(found[0]!);
  }
  if (!COMPARISONS.has(operator)) return undefined;
  const near =
    distanceLookup(left, operator, right, setting) ??
    distanceLookup(right, TURNED[operator] ?? operator, left, setting);
  if (near !== undefined) return near;
  if (isConstant(right)) return comparison(left, operator, constantOf(right), setting);
  return isConstant(left)
    ? comparison(right, TURNED[operator] ?? operator, constantOf(left), setting)
    : undefined;
}

const COMPARISONS: ReadonlySet<BinaryOperator> = new Set(["=", "!=", "<", "<=", ">", ">="]);

const TURNED: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  "<": ">",
  "<=": ">=",
  ">": "<",
  ">=": "<=",
};

/** The negation of each operator in three-valued logic: undefined stays undefined. */
const OPPOSITE: Readonly<Partial<Record<BinaryOperator, BinaryOperator>>> = {
  "=": "!=",
  "!=": "=",
  "<": ">=",
  ">=": "<",
  ">": "<=",
  "<=": ">",
};

function comparison(
  reads: Bound,
  operator: BinaryOperator,
  value: (run: Run) => Value,
  setting: LookupSetting,
): Lookup | undefined {
  return termLookup(reads, operator, setting, (path, run) => {
    const limit = value(run);
    switch (operator) {
      case "=":
        return equalTo(path, limit);
      case "!=":
        if (limit === undefined) return NOTHING;
        return isScalar(limit)
          ? ranges.different(path, limit)
          : { ...ranges.defined(path), isExact: false };
      case "<":
      case "<=":
        return rangeBetween(path, undefined, { value: limit, isInclusive: operator === "<=" });
      default:
        return rangeBetween(path, { value: limit, isInclusive: operator === ">=" }, undefined);
    }
  });
}

function negatedLookup(operand: Bound, setting: LookupSetting): Lookup | undefined {
  if (operand.kind === "binary") {
    const { operator, left, right } = operand;
    const opposite = OPPOSITE[operator];
    if (opposite !== undefined) return binaryLookup(opposite, left, right, setting);
    if (operator === "AND" || operator === "OR") {
      const sides = [left, right].map(
        (side): Bound => ({ kind: "unary", operator: "NOT", operand: side }),
      );
      return binaryLookup(operator === "AND" ? "OR" : "AND", sides[0]!, sides[1]!, setting);
    }
    return undefined;
  }
  if (operand.kind === "unary" && operand.operator === "NOT")
    return lookupOf(operand.operand, setting);
  const isPath = operand.kind === "member" || operand.kind === "slot" || operand.kind === "index";
  if (!isPath) return undefined;
  return termLookup(operand, "= false", setting, (path) => ranges.equalTo(path, false));
}

function likeLookup(
  { text, pattern, escape: escapeChar, isNegated }: Extract<Bound, { readonly kind: "like" }>,
  setting: LookupSetting,
): Lookup | undefined {
  if (isNegated || !isConstant(pattern)) return undefined;
  const written = constantOf(pattern);
  const path = itemPathOf(text, setting.paths);
  if (path === undefined || !isIndexed(path, setting)) return undefined;
  const all = path.isOne
    ? eachValueOf({ kind: "like", isNegated, text, pattern, escape: escapeChar }, text, path)
    : undefined;
  const bySpan = lookupAt(path, "LIKE", (hash, run) => {
    const like = written(run);
    if (typeof like !== "string") return NOTHING;
    const { isLiteral, isPrefix, prefix } = compileLike(like, escapeChar);
    if (isLiteral) return ranges.equalTo(hash, prefix);
    if (prefix === "") return undefined;
    const begun = ranges.beginningWith(hash, prefix);
    return { ...begun, isExact: begun.isExact && isPrefix };
  });
  return { ...bySpan, resolve: (run) => bySpan.resolve(run) ?? all?.resolve(run) };
}

const TYPES: Readonly<Record<string, readonly TypeName[]>> = {
  IS_NULL: ["null"],
  IS_BOOL: ["boolean"],
  IS_NUMBER: ["number"],
  IS_STRING: ["string"],
  IS_ARRAY: ["array"],
  IS_OBJECT: ["object"],
  IS_PRIMITIVE: ["null", "boolean", "number", "string"],
};

function callLookup(
  { builtIn, args }: Extract<Bound, { readonly kind: "call" }>,
  setting: LookupSetting,
): Lookup | undefined {
  const [first, second, third] = args;
  const types = TYPES[builtIn.name];
  if (types !== undefined) {
    return termLookup(first!, builtIn.name, setting, (path) => ranges.ofTypes(path, types));
  }
  switch (builtIn.name) {
    case "IS_DEFINED":
      return termLookup(first!, builtIn.name, setting, (path) => ranges.defined(path));
    case "STARTSWITH":
    case "STRINGEQUALS":
      if (third !== undefined || !isConstant(second!)) return undefined;
      return textLookup(builtIn.name, first!, constantOf(second!), setting);
    case "ARRAY_CONTAINS":
      return containsLookup(first!, second!, third, setting);
    case "ARRAY_CONTAINS_ANY":
    case "ARRAY_CONTAINS_ALL": {
      const parts = args
        .slice(1)
        .map((needle) => containsLookup(first!, needle, undefined, setting));
      const found = parts.filter((part) => part !== undefined);
      const isWhole = found.length === parts.length;
      if (builtIn.name === "ARRAY_CONTAINS_ANY") return isWhole ? joined("or", found) : undefined;
      if (found.length === 0) return undefined;
      return isWhole ? joined("and", found) : inexact(joined("and", found));
    }
    case "FULLTEXTCONTAINS":
    case "FULLTEXTCONTAINSALL":
    case "FULLTEXTCONTAINSANY": {
      const found = wordLookups({ kind: "call", builtIn, args }, setting);
      const isAny = builtIn.name === "FULLTEXTCONTAINSANY";
      return found && joined(isAny ? "or" : "and", found);
    }
    default:
      return regionLookup({ kind: "call", builtIn, args }, setting);
  }
}

function textLookup(
  name: "STARTSWITH" | "STRINGEQUALS",
  reads: Bound,
  value: (run: Run) => Value,
  setting: LookupSetting,
): Lookup | undefined {
  return termLookup(reads, name, setting, (path, run) => {
    const text = value(run);
    if (typeof text !== "string") return NOTHING;
    return name === "STARTSWITH" ? ranges.beginningWith(path, text) : ranges.equalTo(path, text);
  });
}

/**
 * Returns a lookup for `ARRAY_CONTAINS(c.tags, "x")`, or, the other way round, for
 * `ARRAY_CONTAINS(@ids, c.id)`.
 */
function containsLookup(
  array: Bound,
  needle: Bound,
  isPartial: Bound | undefined,
  setting: LookupSetting,
): Lookup | undefined {
  if (isConstant(array)) {
    if (isPartial !== undefined) return undefined;
    const list = constantOf(array);
    return termLookup(needle, "IN", setting, (path, run) => {
      const values = list(run);
      if (!Array.isArray(values)) return NOTHING;
      return anyOf((values as readonly Value[]).map((value) => equalTo(path, value)));
    });
  }
  const path = itemPathOf(array, setting.paths);
  if (path === undefined || !isConstant(needle)) return undefined;
  const elements: ItemPath = { segments: [...path.segments, ELEMENTS], isOne: false };
  if (!isIndexed(elements, setting)) return undefined;
  const value = constantOf(needle);
  const lookup = lookupAt(elements, "ARRAY_CONTAINS", (hash, run) => equalTo(hash, value(run)));
  return {
    ...lookup,
    resolve: (run) => {
      const found = lookup.resolve(run);
      // The condition only asks whether some element has the value, and below one array the term
      // says so.
      const isAnswer = path.isOne && isPartial === undefined && isScalar(value(run));
      return found && { ...found, isExact: isAnswer && !isLong(value(run)) };
    },
  };
}

/**
 * Returns a lookup for EXISTS, which is never exact: each condition holds for some element, but the
 * elements may be different ones.
 */
function existsLookup(query: BoundQuery, setting: LookupSetting): Lookup | undefined {
  if (query.groupBy !== undefined || query.aggregates.length > 0) return undefined;
  const paths = slotPathsOf(query.sources, setting.paths);
  const { lookups } = lookupsOf(query.where, { ...setting, paths });
  return lookups.length === 0 ? undefined : joined("and", lookups.map(inexact));
}

function inexact(lookup: Lookup): Lookup {
  if (lookup.kind === "terms") return inexactTerms(lookup);
  if (lookup.kind !== "prefer") return { ...lookup, parts: lookup.parts.map(inexact) };
  return { ...lookup, first: inexactTerms(lookup.first), others: lookup.others.map(inexact) };
}

function inexactTerms(lookup: TermLookup): TermLookup {
  return {
    ...lookup,
    resolve: (run) => {
      const found = lookup.resolve(run);
      return found && { ...found, isExact: false };
    },
  };
}

function joined(kind: "and" | "or", parts: readonly Lookup[]): Lookup {
  return parts.length === 1 ? parts[0]! : { kind, parts };
}
