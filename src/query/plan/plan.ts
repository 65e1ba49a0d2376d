/**
 * A plan: the bound query with everything decided that does not depend on parameters or data. A
 * plan is made once for a query text and a definition of the container, and can run any number of
 * times.
 */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { WordPlace } from "../../index/wordTerm.ts";
import type { Carried } from "../../json/digits.ts";
import type { UserFunction } from "../bind/binding.ts";
import type { Bound, BoundProgram, BoundQuery, BoundSource } from "../bind/bound.ts";
import { isGrouped } from "../bind/bound.ts";
import {
  callsFunctions,
  conjunctsOf,
  expressionsOf,
  isConstant,
  partsOf,
  queryCallsFunctions,
  selectedIn,
} from "../bind/boundTrees.ts";
import { listOf } from "../evaluate/carriedSlots.ts";
import { COMPILER, compile, compileSelection } from "../evaluate/compile.ts";
import type { MakeGroups } from "../evaluate/groups.ts";
import { compileGroups } from "../evaluate/groups.ts";
import type { Product } from "../evaluate/product.ts";
import { compileProduct } from "../evaluate/product.ts";
import type { RankPlan } from "../evaluate/rankScores.ts";
import { compileRank } from "../evaluate/rankScores.ts";
import type { Rehearsal } from "../evaluate/rehearsal.ts";
import { compileRehearsal } from "../evaluate/rehearsal.ts";
import type { Evaluate, EvaluateCarried, Run } from "../evaluate/run.ts";
import type { PausingRows } from "../evaluate/subquery.ts";
import { compilePausingRows } from "../evaluate/subquery.ts";
import type { QueryProblem } from "../problem.ts";
import type { RowCalls } from "./callCounts.ts";
import { rowCallsOf } from "./callCounts.ts";
import { compositeBounds } from "./compositeLookup.ts";
import type { FilterLookups } from "./filterLookup.ts";
import { lookupsOf } from "./filterLookup.ts";
import type { IndexOnly } from "./indexOnly.ts";
import { indexOnlyOf } from "./indexOnly.ts";
import type { IndexView } from "./indexView.ts";
import type { SlotPaths } from "./itemPaths.ts";
import { itemPathOf, slotPathsOf } from "./itemPaths.ts";
import type { OrderAccess } from "./orderAccess.ts";
import { isOrderOfRows, orderAccessOf } from "./orderAccess.ts";
import type { TermBounds } from "./termBounds.ts";

export type Plan = ItemPlan | DerivedPlan | ConstantPlan;

/** The plan of rows made from the items of the container. */
export interface ItemPlan {
  readonly kind: "items";
  readonly query: BoundQuery;
  readonly slotCount: number;
  /** The user-defined functions that the program calls. */
  readonly functions: readonly UserFunction[];
  readonly itemSlot: number;
  readonly filter: FilterLookups;
  readonly order: OrderAccess | undefined;
  /** Absent when rows are not ranked. */
  readonly rank: RankPlan | undefined;
  readonly product: Product;
  readonly where: Evaluate | undefined;
  readonly select: EvaluateCarried;
  /** True when `select` calls user-defined functions. */
  readonly isSelectCalling: boolean;
  /** Present when the rows of an item call user-defined functions. */
  readonly rehearsal: Rehearsal | undefined;
  readonly orderValues: readonly Evaluate[];
  readonly isDescending: readonly boolean[];
  /** Absent when rows are not grouped. */
  readonly makeGroups: MakeGroups | undefined;
  /** True when the rows are the items as they are stored. */
  readonly isStar: boolean;
  /** True when items have to be read as JSON. */
  readonly needsValue: boolean;
  /** The same for items that are known to pass the filter. */
  readonly needsValueOfPassed: boolean;
  readonly mayBeNonFinite: boolean;
  /** How many times a row may hold what its item holds. */
  readonly partCount: number;
  /** Returns what the filter leaves of the composite index that has the order. */
  readonly compositeBounds: ((run: Run) => TermBounds | undefined) | undefined;
  /** Present when the index alone may have the answer. */
  readonly indexOnly: IndexOnly | undefined;
  /** True when equal rows have equal order values. */
  readonly isOrderOfRow: boolean;
  /** Numbers of functions that are evaluated for a row. */
  readonly calls: RowCalls;
}

/** The plan of rows made from the rows of another query over the container. */
export interface DerivedPlan {
  readonly kind: "derived";
  readonly query: BoundQuery;
  readonly slotCount: number;
  readonly functions: readonly UserFunction[];
  readonly inner: ItemPlan;
  /** The slot that the rows of `inner` are put into, as an array. */
  readonly rowsSlot: number;
  readonly rows: PausingRows;
  /** True when these rows call user-defined functions; those of `inner` are not counted. */
  readonly isCalling: boolean;
}

/** The plan of a query without items: its rows are made from constants and parameters. */
export interface ConstantPlan {
  readonly kind: "constant";
  readonly query: BoundQuery;
  readonly slotCount: number;
  readonly functions: readonly UserFunction[];
  readonly rows: PausingRows;
  readonly isCalling: boolean;
}

export function planOf(program: BoundProgram, index: IndexView): Result<Plan, QueryProblem> {
  return planQuery(program.query, program, index);
}

type Whole = Pick<BoundProgram, "slotCount" | "functions">;

function planQuery(query: BoundQuery, whole: Whole, index: IndexView): Result<Plan, QueryProblem> {
  const [first] = query.sources;
  if (first?.kind === "items") return planItems(query, first.slot, whole, index);
  if (first?.kind === "rows") {
    const inner = planQuery(first.query, whole, index);
    if (!inner.ok) return inner;
    if (inner.value.kind !== "constant") {
      // Rows of groups can be sorted by what they hold; the service sorts no other rows of a
      // subquery.
      if (!isGrouped(first.query) || !isOrderOfRows(query.orderBy, first.slot)) {
        const access = orderAccessOf(query.orderBy, new Map(), index);
        if (!access.ok) return access;
      }
      return ok(derivedPlan(query, first, inner.value));
    }
  }
  const access = orderAccessOf(query.orderBy, new Map(), index);
  if (!access.ok) return no(access.error);
  const { slotCount, functions } = whole;
  const rows = compilePausingRows(query, COMPILER);
  const isCalling = queryCallsFunctions(query);
  return ok({ kind: "constant", query, slotCount, functions, rows, isCalling });
}

function derivedPlan(
  query: BoundQuery,
  first: BoundSource,
  inner: ItemPlan | DerivedPlan,
): DerivedPlan {
  const rowsSlot = inner.slotCount;
  const elements: BoundSource = {
    kind: "elements",
    slot: first.slot,
    value: { kind: "slot", slot: rowsSlot },
  };
  const outer = { ...query, sources: [elements, ...query.sources.slice(1)] };
  const slotCount = rowsSlot + 1;
  const rows = compilePausingRows(outer, COMPILER);
  const isCalling = queryCallsFunctions(outer);
  if (inner.kind === "items") {
    const { functions } = inner;
    return { kind: "derived", query, slotCount, functions, inner, rowsSlot, rows, isCalling };
  }
  // With three queries inside each other, the rows of the middle one are collected, too.
  const rowsOfRows: PausingRows = function* rowsOfRows(slots, run) {
    const between: Carried[] = [];
    for (const row of inner.rows(slots, run)) {
      if (row === undefined) yield undefined;
      else between.push(row);
    }
    slots[rowsSlot] = listOf(between);
    yield* rows(slots, run);
  };
  const isAnyCalling = isCalling || inner.isCalling;
  return { ...inner, query, slotCount, rows: rowsOfRows, isCalling: isAnyCalling };
}

function planItems(
  query: BoundQuery,
  itemSlot: number,
  { slotCount, functions }: Whole,
  index: IndexView,
): Result<ItemPlan, QueryProblem> {
  const paths = slotPathsOf(query.sources, new Map());
  const order = orderAccessOf(query.orderBy, paths, index);
  if (!order.ok) return order;
  const isItself =
    query.isStar &&
    query.selection.kind === "value" &&
    query.selection.expression.kind === "slot" &&
    query.selection.expression.slot === itemSlot;
  const isStar = isItself && !isGrouped(query) && !query.isDistinct;
  const expressions = expressionsOf(query);
  const filter = lookupsOf(query.where, { index, paths });
  const product = compileProduct(query.sources.slice(1), COMPILER);
  const where = query.where && compile(query.where);
  return ok({
    kind: "items",
    query,
    slotCount,
    functions,
    itemSlot,
    filter,
    order: order.value,
    rank: query.rank && compileRank(query.rank, (text) => wordPlaceAt(text, paths, index)),
    product,
    where,
    select: compileSelection(query),
    isSelectCalling: selectedIn(query).some(callsFunctions),
    rehearsal: compileRehearsal(query, product, where),
    orderValues: orderExpressions(query, order.value, itemSlot).map(compile),
    isDescending: query.orderBy.map(({ isDescending }) => isDescending),
    makeGroups: isGrouped(query) ? compileGroups(query, COMPILER) : undefined,
    isStar,
    needsValue: !isStar || query.where !== undefined || query.sources.length > 1,
    needsValueOfPassed: !isStar || query.sources.length > 1,
    mayBeNonFinite: expressions.some(mayBeNonFinite),
    partCount: partCountOf(query),
    compositeBounds:
      order.value?.kind === "composite"
        ? compositeBounds(order.value.layout, conjunctsOf(query.where), { index, paths })
        : undefined,
    indexOnly: query.rank === undefined ? indexOnlyOf(query, filter, paths, index) : undefined,
    isOrderOfRow: isOrderOfRow(query),
    calls: rowCallsOf(query, { index, paths }),
  });
}

/**
 * Returns the expressions of the order. With an index, they are read from the item itself: the
 * slots of other sources have no value before rows are made.
 */
function orderExpressions(
  { orderBy }: BoundQuery,
  access: OrderAccess | undefined,
  itemSlot: number,
): readonly Bound[] {
  if (access === undefined || access.kind === "sort") {
    return orderBy.map(({ expression }) => expression);
  }
  const paths =
    access.kind === "path"
      ? [access.path.segments as readonly string[]]
      : access.layout.steps.map(({ path }) => path);
  const item: Bound = { kind: "slot", slot: itemSlot };
  return paths.map((path) =>
    path.reduce<Bound>((object, name) => ({ kind: "member", object, name }), item),
  );
}

function wordPlaceAt(text: Bound, paths: SlotPaths, index: IndexView): WordPlace | undefined {
  const path = itemPathOf(text, paths);
  return path?.isOne === true ? index.wordPlace?.(path.segments) : undefined;
}

function partCountOf({ sources, selection }: BoundQuery): number {
  const isMade = sources.slice(1).some((source) => !("value" in source && isPath(source.value)));
  if (isMade) return Number.POSITIVE_INFINITY;
  let count = 0;
  const waiting =
    selection.kind === "value"
      ? [selection.expression]
      : selection.members.map(({ value }) => value);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    // A parameter, or the result of a user-defined function, may be larger than any item.
    if (next.kind === "parameter" || next.kind === "userCall") return Number.POSITIVE_INFINITY;
    count++;
    for (const part of partsOf(next)) waiting.push(part);
  }
  return count;
}

function isPath(bound: Bound): boolean {
  if (bound.kind === "slot") return true;
  return bound.kind === "member" || bound.kind === "index" ? isPath(bound.object) : false;
}

/** True when an expression may give a number that is not finite; no item holds such a number. */
function mayBeNonFinite(bound: Bound): boolean {
  switch (bound.kind) {
    case "constant":
      return typeof bound.value === "number" && !Number.isFinite(bound.value);
    case "binary":
    case "unary":
    case "call":
    case "userCall":
    case "subquery":
      return true;
    default:
      return partsOf(bound).some(mayBeNonFinite);
  }
}

function isOrderOfRow({ selection, orderBy, isStar }: BoundQuery): boolean {
  if (isStar) return true;
  const selected =
    selection.kind === "value"
      ? [selection.expression]
      : selection.members.map(({ value }) => value);
  const texts = new Set(selected.map((expression) => JSON.stringify(expression)));
  return orderBy.every(
    ({ expression }) => isConstant(expression) || texts.has(JSON.stringify(expression)),
  );
}
