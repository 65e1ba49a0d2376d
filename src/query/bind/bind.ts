/**
 * Binds a whole query: the tree as written becomes a program that can be planned and run, or a
 * problem with its place in the text. Parameters get their values later, so that one program serves
 * every execution of a query text.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import { isLargerNearer, isVectorBuiltIn } from "../functions/vector.ts";
import type { Call, Count, Expression, Query } from "../language/ast.ts";
import { printExpression } from "../language/printer.ts";
import { walkExpression } from "../language/visitor.ts";
import type { Diagnostic, QueryProblem } from "../problem.ts";
import type { BindSetting } from "./binding.ts";
import { Binding, BindProblem, fail, failAt, namedStep } from "./binding.ts";
import type {
  AggregateName,
  Bound,
  BoundAggregate,
  BoundCount,
  BoundMember,
  BoundOrder,
  BoundProgram,
  BoundQuery,
  BoundRank,
  BoundSelection,
} from "./bound.ts";
import type { ExpressionPlace } from "./expressions.ts";
import { bindExpression, failCount } from "./expressions.ts";
import { memberNames } from "./memberNames.ts";
import { bindRank, checkRank, isRankOfDistance } from "./ranked.ts";
import { finderOf } from "./sameExpression.ts";
import type { Scope } from "./scope.ts";
import { NOTHING_IN_SIGHT } from "./scope.ts";
import type { BoundFrom } from "./sources.ts";
import { bindFrom } from "./sources.ts";

/** Every count must be less than this, as in the service. */
const COUNT_END = 2 ** 32;

export function bindProgram(
  query: Query,
  setting: BindSetting,
): Result<BoundProgram, QueryProblem> {
  const binding = new Binding(setting);
  try {
    const bound = bindQuery(query, NOTHING_IN_SIGHT, {
      binding,
      isOutermost: true,
      mayNameContainer: true,
    });
    return ok({
      query: bound,
      slotCount: binding.slots.count,
      parameterNames: [...binding.parameterNames],
      stepNames: [...binding.stepNames],
      functions: [...binding.functions],
      hasComposition: binding.hasComposition,
    });
  } catch (error) {
    if (error instanceof BindProblem) return no(error.problem);
    throw error;
  }
}

interface QueryPlace {
  readonly binding: Binding;
  readonly isOutermost: boolean;
  readonly mayNameContainer: boolean;
  /**
   * Set for a subquery beside aggregates: of the query around it, the subquery sees what an
   * expression there may see.
   */
  readonly around?: Around | undefined;
}

type Around = Pick<ExpressionPlace, "scope" | "known" | "read">;

function bindQuery(query: Query, outer: Scope, place: QueryPlace): BoundQuery {
  const { binding } = place;
  checkShape(query, place);
  const from = bindFrom(query.from, {
    binding,
    scope: outer,
    mayNameContainer: place.mayNameContainer,
    placeAt: (scope) => plainPlace(binding, scope, place.around),
    bindQuery: (inner, scope, mayNameContainer) => {
      const { around } = place;
      return bindQuery(inner, scope, { binding, isOutermost: false, mayNameContainer, around });
    },
  });
  const plain = plainPlace(binding, from.scope, place.around);
  const where = query.where && bindExpression(query.where, plain);
  const groupBy = query.groupBy?.map((expression) => ({
    written: expression,
    expression: bindGroupKey(expression, plain),
    slot: binding.slots.next(),
  }));
  const findKey = groupBy && finderOf(groupBy);
  const own = new Set(from.own);
  const aggregates: BoundAggregate[] = [];
  const { isOutermost } = place;
  const selection = bindSelection(query, from, { plain, own, aggregates, findKey, isOutermost });
  return {
    sources: from.sources,
    where: [...from.filters, ...(where === undefined ? [] : [where])].reduce<Bound | undefined>(
      (left, right) =>
        left === undefined ? right : { kind: "binary", operator: "AND", left, right },
      undefined,
    ),
    groupBy: groupBy?.map(({ expression, slot }) => ({ expression, slot })),
    aggregates,
    orderBy: bindOrder(query, plain, aggregates.length > 0),
    rank: bindRanked(query, plain, aggregates.length > 0),
    selection,
    isStar: query.select.selection.kind === "star",
    isDistinct: query.select.isDistinct,
    top: query.select.top && bindCount(query.select.top, binding, "TOP"),
    offset: query.offsetLimit && bindCount(query.offsetLimit.offset, binding, "OFFSET"),
    limit: query.offsetLimit && bindCount(query.offsetLimit.limit, binding, "LIMIT"),
  };
}

/** Refuses what can be told from the clauses alone. */
function checkShape(query: Query, place: QueryPlace): void {
  const { select, from, groupBy, orderBy, offsetLimit } = query;
  if (select.selection.kind === "star") {
    if (from === undefined) fail("'SELECT *' is not valid if FROM clause is omitted.");
    if (from?.kind === "join") fail("'SELECT *' is only valid with a single input set.");
    if (groupBy?.[0] !== undefined) {
      // The service points at the end of the word BY.
      const { start } = groupBy[0].span;
      const span = { start: start - 1, end: start };
      failAt("SC2041", "'SELECT *' is not allowed with GROUP BY.", span);
    }
  }
  if (orderBy !== undefined && !place.isOutermost) {
    if (orderBy.kind === "rank") {
      failAt("SC2228", "The ORDER BY RANK clause is not supported in subqueries.", orderBy.span);
    }
    failAt("SC2202", "'ORDER BY' is not supported in subqueries.", orderBy.span);
  }
  checkRank(query);
  if (orderBy !== undefined && groupBy !== undefined) {
    fail("'ORDER BY' is not supported together with 'GROUP BY'.");
  }
  if (select.top !== undefined && offsetLimit !== undefined) {
    fail("'TOP' and 'OFFSET LIMIT' cannot be used in the same query.");
  }
}

function plainPlace(binding: Binding, scope: Scope, around: Around | undefined): ExpressionPlace {
  return {
    binding,
    scope,
    known: (expression) =>
      around !== undefined && meansTheSame(expression, scope, around.scope)
        ? around.known(expression)
        : undefined,
    read: (path) => around?.read(path),
    aggregate: ({ name }) => fail(`The aggregate function '${name}' can only be used in SELECT.`),
    bindQuery: (query, inner) =>
      bindQuery(query, inner, { binding, isOutermost: false, mayNameContainer: false, around }),
  };
}

/** True when the names in the expression stand for the same slots in both scopes. */
function meansTheSame(expression: Expression, inner: Scope, outer: Scope): boolean {
  let isSame = true;
  walkExpression(expression, (part) => {
    if (part.kind === "identifier" && inner.find(part.name) !== outer.find(part.name))
      isSame = false;
  });
  return isSame;
}

function bindGroupKey(expression: Expression, plain: ExpressionPlace): Bound {
  const refuse = (what: string): never => fail(`GROUP BY does not support ${what}.`);
  return bindExpression(expression, {
    ...plain,
    aggregate: () => refuse("aggregate functions"),
    bindQuery: () => refuse("subqueries"),
  });
}

interface SelectSetting {
  readonly plain: ExpressionPlace;
  readonly own: ReadonlySet<number>;
  readonly aggregates: BoundAggregate[];
  /** Finds the group key that is written like an expression; absent when nothing is grouped. */
  readonly findKey: ((sought: Expression) => { readonly slot: number } | undefined) | undefined;
  readonly isOutermost: boolean;
}

function bindSelection(query: Query, from: BoundFrom, setting: SelectSetting): BoundSelection {
  const { selection } = query.select;
  if (selection.kind === "star") {
    return { kind: "value", expression: { kind: "slot", slot: from.own[0]! } };
  }
  const items = selection.kind === "value" ? [selection] : selection.items;
  const stray: Diagnostic[] = [];
  const bound = items.map(({ expression }) => bindSelected(expression, setting, stray));
  const isGrouped = setting.findKey !== undefined || setting.aggregates.length > 0;
  if (isGrouped && stray.length > 0) {
    throw new BindProblem({ kind: "diagnostics", diagnostics: stray });
  }
  if (selection.kind === "value") return { kind: "value", expression: bound[0]! };
  const names = memberNames(selection.items);
  const members = bound.map((value, index): BoundMember => ({ name: names[index]!, value }));
  return { kind: "list", members };
}

function bindSelected(expression: Expression, setting: SelectSetting, stray: Diagnostic[]): Bound {
  const { plain, own, aggregates, findKey, isOutermost } = setting;
  const { binding } = plain;
  const place: ExpressionPlace = {
    ...plain,
    known: (inner) => {
      if (isLiteral(inner)) return undefined;
      const key = findKey?.(inner);
      return key === undefined ? plain.known(inner) : { kind: "slot", slot: key.slot };
    },
    read: (path) => {
      if (own.has(path.slot)) stray.push(strayReference(path.expression));
      else plain.read(path);
    },
    aggregate: (call) => {
      if (isOutermost && call !== expression) binding.hasComposition = true;
      return bindAggregate(call, plain, aggregates);
    },
  };
  const bindInside: ExpressionPlace["bindQuery"] = (query, scope) =>
    bindQuery(query, scope, {
      binding,
      isOutermost: false,
      mayNameContainer: false,
      around: place,
    });
  return bindExpression(expression, { ...place, bindQuery: bindInside });
}

function isLiteral({ kind }: Expression): boolean {
  return kind === "number" || kind === "string" || kind === "word" || kind === "parameter";
}

function strayReference(path: Expression): Diagnostic {
  return {
    code: "SC2102",
    message:
      `Property reference '${printExpression(path)}' is invalid in the select list because it is ` +
      "not contained in either an aggregate function or the GROUP BY clause.",
    location: { start: path.span.start, end: path.span.end },
  };
}

function bindAggregate(call: Call, plain: ExpressionPlace, aggregates: BoundAggregate[]): Bound {
  const name = call.name.toUpperCase() as AggregateName;
  if (call.args.length !== 1) failCount(call, name, 1, 1);
  const nested = (): never =>
    failAt(
      "SC2101",
      "Cannot perform an aggregate function on an expression containing an aggregate or a " +
        "subquery.",
      call.span,
    );
  const place = { ...plain, aggregate: nested, bindQuery: nested };
  const argument = bindExpression(call.args[0]!, place);
  const slot = plain.binding.slots.next();
  aggregates.push({ name, argument, slot });
  return { kind: "slot", slot };
}

/**
 * Beside aggregates there is one row and nothing to order: the names in ORDER BY are checked, and
 * the order is dropped.
 */
function bindOrder(
  { orderBy }: Query,
  plain: ExpressionPlace,
  isSingleRow: boolean,
): readonly BoundOrder[] {
  if (orderBy === undefined) return [];
  if (orderBy.kind === "rank" && !isRankOfDistance(orderBy)) return [];
  const items = orderBy.items.map(({ expression, direction }) => {
    refuseFunctionsIn(expression);
    const bound = bindExpression(expression, plain);
    if (direction !== undefined && isPlainDistance(expression, bound)) fail(DIRECTED_DISTANCE);
    return {
      expression: bound,
      isDescending: direction === undefined ? isBestLargest(bound) : direction === "DESC",
      isComputed: isComputed(expression, plain),
    };
  });
  return isSingleRow ? [] : items;
}

/**
 * Refuses user-defined functions in ORDER BY: order values are looked up, or at least compared,
 * long before rows are made.
 */
function refuseFunctionsIn(order: Expression): void {
  walkExpression(order, (part) => {
    if (part.kind !== "call" || !part.isUdf) return;
    fail(
      `'ORDER BY' cannot call user-defined functions ('udf.${part.name}'). Order by a path, and ` +
        "store there what the function would give.",
    );
  });
}

function bindRanked(
  { orderBy }: Query,
  plain: ExpressionPlace,
  isSingleRow: boolean,
): BoundRank | undefined {
  if (orderBy?.kind !== "rank") return undefined;
  if (isSingleRow) fail("ORDER BY RANK cannot be combined with aggregate functions.");
  return isRankOfDistance(orderBy) ? undefined : bindRank(orderBy, plain);
}

const DIRECTED_DISTANCE =
  "Specifying a sorting order (ASC or DESC) with VectorDistance function is not supported. " +
  "Leave it out: the nearest come first.";

/**
 * True for a distance whose name has no underscore. The queries of rank plans write the name with
 * one, because they ask for the worst rows, too.
 */
function isPlainDistance(expression: Expression, bound: Bound): boolean {
  if (bound.kind !== "call" || !isVectorBuiltIn(bound.builtIn)) return false;
  return expression.kind !== "call" || !expression.name.startsWith("_");
}

/**
 * True when the largest distance is the nearest: distances come best first, whichever way that is.
 */
function isBestLargest(bound: Bound): boolean {
  if (bound.kind !== "call" || !isVectorBuiltIn(bound.builtIn)) return false;
  return isLargerNearer(bound.builtIn.metric);
}

function isComputed(expression: Expression, place: ExpressionPlace): boolean {
  const { binding, scope } = place;
  if (expression.kind !== "member" && expression.kind !== "index") return false;
  const name = namedStep(expression, binding);
  if (name === undefined) return false;
  if (expression.object.kind !== "identifier") return isComputed(expression.object, place);
  const slot = scope.find(expression.object.name);
  const isItem = slot !== undefined && binding.itemSlots.has(slot);
  return isItem && binding.setting.computed.has(name);
}

function bindCount(count: Count, binding: Binding, clause: "TOP" | "OFFSET" | "LIMIT"): BoundCount {
  if (count.kind === "parameter") {
    binding.parameterNames.add(count.name);
    return { kind: "parameter", name: count.name, span: count.span };
  }
  const problem = countProblem(count.value, clause);
  if (problem !== undefined) failAt(problem.code, problem.message, count.span);
  return { kind: "number", value: count.value };
}

/** Returns what is wrong with a count, with the code and in the words of the service. */
export function countProblem(
  value: unknown,
  clause: "TOP" | "OFFSET" | "LIMIT",
): { readonly code: string; readonly message: string } | undefined {
  const isFine =
    typeof value === "number" && Number.isInteger(value) && value >= 0 && value < COUNT_END;
  if (isFine) return undefined;
  if (clause === "TOP") {
    return {
      code: "SC2060",
      message: "The count value provided for a TOP clause must be an integer.",
    };
  }
  const code = clause === "LIMIT" ? "SC2061" : "SC2062";
  return typeof value === "number" && value >= COUNT_END
    ? { code, message: `The ${clause} count value exceeds the maximum allowed value.` }
    : { code, message: `The ${clause} count value must be a whole number from 0.` };
}
