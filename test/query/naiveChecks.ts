/**
 * What the reference refuses before any item is looked at: unknown names, wrong counts, misplaced
 * aggregates, orders that no index can serve. One walk over the tree, one refusal: the first.
 *
 * Not here: what only an indexing policy can tell, and what takes a row to notice.
 */
import type { JsonValue } from "../../src/json/value.ts";
import { builtInOf } from "../../src/query/functions/registry.ts";
import type {
  Call,
  Count,
  Expression,
  FromSource,
  OrderItem,
  Query,
  Selection,
} from "../../src/query/language/ast.ts";
import { isAggregate } from "./naiveAggregates.ts";

/** Thrown by the model, and caught where it begins. */
export class Refused extends Error {
  readonly code: string;
  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}

type Parameters = Readonly<Record<string, JsonValue>>;

interface Surroundings {
  readonly names: ReadonlySet<string>;
  readonly parameters: Parameters;
  /** Whether the first source may name the container. */
  readonly mayNameContainer: boolean;
  readonly isInner: boolean;
}

const COUNT_END = 2 ** 32;
const JOIN_COUNT_MAX = 10;

export function checkQuery(query: Query, parameters: Parameters): void {
  check(query, { names: new Set(), parameters, mayNameContainer: true, isInner: false });
  if (query.orderBy !== undefined) checkOrder(query, query.orderBy.items);
}

/** Does the query make one row of many, by its own select list? */
export function hasAggregate(query: Query): boolean {
  return expressionsOf(query.select.selection).some((expression) =>
    [...partsOf(expression)].some(isAggregateCall),
  );
}

/** The name of a select item without an alias, if it has one of its own. */
export function outputName(expression: Expression): string | undefined {
  if (expression.kind === "identifier" || expression.kind === "member") return expression.name;
  return undefined;
}

/** The name under which an expression may speak of a source. */
export function aliasOf(source: Exclude<FromSource, { kind: "join" }>): string | undefined {
  if (source.alias !== undefined) return source.alias;
  if (source.collection.kind === "subquery") return undefined;
  const last = source.collection.steps.at(-1) ?? source.collection.root;
  return typeof last === "string" ? last : undefined;
}

function check(query: Query, outside: Surroundings): void {
  const { select, from, where, groupBy, orderBy, offsetLimit } = query;
  const names = from === undefined ? outside.names : checkSource(from, outside);
  const inside = { ...outside, names, mayNameContainer: false, isInner: true };
  checkStar(query);
  checkCounts(query, outside.parameters);
  if (orderBy !== undefined && outside.isInner) refuse("", "ORDER BY in a subquery");
  if (orderBy !== undefined && groupBy !== undefined) refuse("", "GROUP BY with ORDER BY");
  if (select.top !== undefined && offsetLimit !== undefined) refuse("", "TOP with OFFSET");
  const written = expressionsOf(select.selection);
  for (const part of [where, ...(groupBy ?? []), ...written]) {
    if (part !== undefined) checkExpression(part, inside);
  }
  if (groupBy !== undefined || hasAggregate(query)) {
    const own = new Set([...names].filter((name) => !outside.names.has(name)));
    for (const part of written) checkGrouped(part, groupBy ?? [], own);
    if (!outside.isInner && from !== undefined) written.forEach(checkComposition);
  }
}

function refuse(code: string, message: string): never {
  throw new Refused(code, message);
}

/** The names that can be spoken of behind the source. */
function checkSource(source: FromSource, outside: Surroundings): ReadonlySet<string> {
  if (source.kind === "join") {
    if (joinCountOf(source) > JOIN_COUNT_MAX) refuse("", "too many JOINs");
    const names = checkSource(source.left, outside);
    return checkSource(source.right, { ...outside, names, mayNameContainer: false });
  }
  const { collection } = source;
  if (collection.kind === "subquery") check(collection.query, { ...outside, isInner: true });
  else if (!outside.mayNameContainer) checkName(collection.root, outside.names);
  const alias = aliasOf(source);
  return alias === undefined ? outside.names : new Set([...outside.names, alias]);
}

function joinCountOf(source: FromSource): number {
  return source.kind === "join" ? 1 + joinCountOf(source.left) + joinCountOf(source.right) : 0;
}

function checkName(name: string, names: ReadonlySet<string>): void {
  if (!names.has(name)) refuse("SC2001", `Identifier '${name}' could not be resolved.`);
}

function checkStar({ select, from, groupBy }: Query): void {
  if (select.selection.kind !== "star") return;
  if (from === undefined) refuse("", "'SELECT *' is not valid if FROM clause is omitted.");
  if (from.kind === "join") refuse("", "'SELECT *' is only valid with a single input set.");
  if (groupBy !== undefined) refuse("SC2041", "'SELECT *' is not allowed with GROUP BY.");
}

function checkCounts({ select, offsetLimit }: Query, parameters: Parameters): void {
  const isCount = (count: Count): boolean => {
    const value = count.kind === "number" ? count.value : parameters[count.name];
    const isWhole = typeof value === "number" && Number.isInteger(value);
    return isWhole && value >= 0 && value < COUNT_END;
  };
  if (select.top !== undefined && !isCount(select.top)) {
    refuse("SC2060", "The count value provided for a TOP clause must be an integer.");
  }
  if (offsetLimit === undefined) return;
  if (!isCount(offsetLimit.offset)) {
    refuse("SC2062", "The OFFSET count value exceeds the maximum allowed value.");
  }
  if (!isCount(offsetLimit.limit)) {
    refuse("SC2061", "The LIMIT count value exceeds the maximum allowed value.");
  }
}

function checkExpression(expression: Expression, inside: Surroundings): void {
  if (expression.kind === "identifier") checkName(expression.name, inside.names);
  if (expression.kind === "call") checkCall(expression);
  if (expression.kind === "subquery") check(expression.query, inside);
  if (expression.kind === "let") {
    checkExpression(expression.value, inside);
    const names = new Set([...inside.names, expression.name]);
    checkExpression(expression.body, { ...inside, names });
    return;
  }
  for (const child of childrenOf(expression)) checkExpression(child, inside);
}

function checkCall({ name, args, isUdf }: Call): void {
  const shown = name.toUpperCase();
  if (isUdf) refuse("", `unknown UDF ${name}`);
  const { argMin, argMax } = isAggregate(name) ? { argMin: 1, argMax: 1 } : functionOf(name);
  if (args.length < argMin || args.length > argMax) {
    const range = argMin === argMax ? `${argMin}` : `${argMin} to ${argMax}`;
    refuse("SC2050", `The ${shown} function requires ${range} argument(s).`);
  }
  if (!isAggregate(name)) return;
  const isMisplaced = [...partsOf(args[0]!)].some(
    (part) => part.kind === "subquery" || isAggregateCall(part),
  );
  if (isMisplaced) {
    refuse(
      "SC2101",
      "Cannot perform an aggregate function on an expression containing an aggregate or a subquery.",
    );
  }
}

function functionOf(name: string): { readonly argMin: number; readonly argMax: number } {
  return (
    builtInOf(name) ?? refuse("SC2005", `'${name}' is not a recognized built-in function name.`)
  );
}

/** Beside an aggregate, or in a group, only what the whole group shares may be named. */
function checkGrouped(
  expression: Expression,
  groupBy: readonly Expression[],
  own: ReadonlySet<string>,
): void {
  if (groupBy.some((key) => isSame(key, expression)) || isAggregateCall(expression)) return;
  const root = rootOf(expression);
  if (root !== undefined && own.has(root)) {
    refuse("SC2102", "Property reference is invalid in the select list");
  }
  if (root !== undefined) return;
  for (const child of childrenOf(expression)) checkGrouped(child, groupBy, own);
}

/** Partial results of several physical partitions can only be put together if they are bare. */
function checkComposition(expression: Expression): void {
  const isComposed = !isAggregateCall(expression) && [...partsOf(expression)].some(isAggregateCall);
  if (isComposed) {
    refuse("", "Compositions of aggregates and other expressions are not allowed.");
  }
}

function checkOrder({ from }: Query, items: readonly OrderItem[]): void {
  let first = from;
  while (first?.kind === "join") first = first.left;
  for (const { expression } of items) {
    const root = rootOf(expression);
    if (root === undefined) {
      refuse(
        "2206",
        "Unsupported ORDER BY clause. ORDER BY item expression could not be mapped to a document path.",
      );
    }
    if (first === undefined || root !== aliasOf(first)) {
      checkName(root, new Set(namesOf(from)));
      refuse("", "Order-by over correlated collections is not supported.");
    }
  }
}

function namesOf(source: FromSource | undefined): readonly string[] {
  if (source === undefined) return [];
  if (source.kind === "join") return [...namesOf(source.left), ...namesOf(source.right)];
  const alias = aliasOf(source);
  return alias === undefined ? [] : [alias];
}

/** The alias that a path starts from; nothing if the expression is no path. */
function rootOf(expression: Expression): string | undefined {
  if (expression.kind === "identifier") return expression.name;
  const isStep = expression.kind === "member" || expression.kind === "index";
  return isStep ? rootOf(expression.object) : undefined;
}

/** Equal but for the places in the text. */
function isSame(a: Expression, b: Expression): boolean {
  const bare = (key: string, value: unknown): unknown =>
    key === "span" || key === "nameSpan" ? undefined : value;
  return JSON.stringify(a, bare) === JSON.stringify(b, bare);
}

function isAggregateCall(expression: Expression): boolean {
  return expression.kind === "call" && !expression.isUdf && isAggregate(expression.name);
}

function expressionsOf(selection: Selection): readonly Expression[] {
  if (selection.kind === "star") return [];
  if (selection.kind === "value") return [selection.expression];
  return selection.items.map(({ expression }) => expression);
}

/** An expression and all below it, but not what is inside a subquery. */
function* partsOf(expression: Expression): Generator<Expression> {
  yield expression;
  for (const child of childrenOf(expression)) yield* partsOf(child);
}

function childrenOf(expression: Expression): readonly Expression[] {
  switch (expression.kind) {
    case "member":
      return [expression.object];
    case "index":
      return [expression.object, expression.index];
    case "array":
      return expression.elements;
    case "object":
      return expression.members.map(({ value }) => value);
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "conditional":
      return [expression.condition, expression.whenTrue, expression.otherwise];
    case "between":
      return [expression.operand, expression.low, expression.high];
    case "in":
      return [expression.needle, ...expression.list];
    case "like":
      return [expression.text, expression.pattern];
    case "call":
      return expression.args;
    case "let":
      return [expression.value, expression.body];
    default:
      return [];
  }
}
