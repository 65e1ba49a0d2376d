/**
 * What the text of a query says about access: which paths it binds to a value, over which times it
 * ranges, and what it does with the rows. Routing under any key can be told from that.
 *
 * Only conditions that every row must satisfy count: the parts of a conjunction, and a disjunction
 * of values for one path. Conditions in a subquery or on an alias of array elements bind nothing.
 */
import type { JsonValue } from "../../json/value.ts";
import { pathText } from "../../keys/paths.ts";
import { isAggregating } from "../../query/keyRanges/aggregates.ts";
import { constantOf } from "../../query/keyRanges/constants.ts";
import {
  type AliasPaths,
  impliedAlias,
  OUTERMOST,
  pathOf,
  pathOfCollection,
  withAlias,
} from "../../query/keyRanges/itemPaths.ts";
import type { Binary, Call, Count, Expression, InList, Query } from "../../query/language/ast.ts";
import { parseQuery } from "../../query/language/parser.ts";
import { sourcesOf, walkExpression } from "../../query/language/visitor.ts";
import { daysBetween, type Moment, momentOf } from "./moment.ts";
import type { Operation, ParameterShape } from "./workload.ts";

export interface Access {
  /** Bindings by path text, such as "/Item/id". */
  readonly equal: ReadonlyMap<string, Binding>;
  /** The first range whose span is known, or else the first one. */
  readonly range: Range | undefined;
  /** All ranges, each path once, in the order of the text. */
  readonly ranges: readonly Range[];
  /** The first path of ORDER BY that is not bound to one value. */
  readonly order: { readonly path: string; readonly isDescending: boolean } | undefined;
  /** The number of rows that are wanted at most: TOP, or OFFSET and LIMIT together. */
  readonly top: number | undefined;
  readonly isAggregate: boolean;
  readonly hasGroupBy: boolean;
  readonly isDistinct: boolean;
  readonly hasJoin: boolean;
  /**
   * True when the filter looks inside texts, as CONTAINS does, which no order of an index answers.
   */
  readonly usesContains: boolean;
}

/** The values that a path is bound to: those of a parameter, or literals of the text. */
interface Binding {
  readonly parameter?: string;
  readonly values?: readonly JsonValue[];
  /** Number of values; more than one in an IN list. */
  readonly count: number;
}

interface Range {
  readonly path: string;
  /** Days between the bounds, or from the lower bound to now; undefined when not known. */
  readonly spanDays: number | undefined;
  /** True without an upper bound; a range of times then ends now. */
  readonly isOpenEnded: boolean;
  /** How many days before now the range ends, where that is known; 0 when open-ended. */
  readonly endsDaysAgo: number | undefined;
}

const NOTHING: Access = {
  equal: new Map(),
  range: undefined,
  ranges: [],
  order: undefined,
  top: undefined,
  isAggregate: false,
  hasGroupBy: false,
  isDistinct: false,
  hasJoin: false,
  usesContains: false,
};

/** Returns an empty access for point operations, and for texts that cannot be parsed. */
export function accessOf({ sql, parameters }: Pick<Operation, "sql" | "parameters">): Access {
  const parsed = sql === undefined ? undefined : parseQuery(sql);
  return parsed?.ok === true ? accessOfQuery(parsed.value, parameters) : NOTHING;
}

function accessOfQuery(query: Query, parameters: ReadonlyMap<string, ParameterShape>): Access {
  const reader = new FilterReader(scopeOf(query), parameters);
  if (query.where !== undefined) reader.read(query.where);
  const { equal, ranges } = reader;
  const sources = sourcesOf(query.from);
  return {
    equal,
    range: ranges.find(({ spanDays }) => spanDays !== undefined) ?? ranges[0],
    ranges,
    order: orderOf(query, reader),
    top: topOf(query, parameters),
    isAggregate: query.groupBy !== undefined || isAggregating(query),
    hasGroupBy: query.groupBy !== undefined,
    isDistinct: query.select.isDistinct,
    hasJoin: sources.length > 1 || sources.some(({ kind }) => kind === "iterate"),
    usesContains: query.where !== undefined && looksInsideTexts(query.where),
  };
}

function scopeOf(query: Query): AliasPaths {
  let scope = OUTERMOST;
  for (const source of sourcesOf(query.from)) {
    const { collection } = source;
    const isPath = collection.kind === "path";
    const path =
      isPath && source.kind === "collection" ? pathOfCollection(collection, scope) : undefined;
    const alias = source.alias ?? (isPath ? impliedAlias(collection) : undefined);
    if (alias !== undefined) scope = withAlias(scope, alias, path);
  }
  return scope;
}

interface Bounds {
  lower: Moment | "unknown" | undefined;
  upper: Moment | "unknown" | undefined;
}

/** Goes through a filter and keeps what every row must satisfy. */
class FilterReader {
  readonly equal = new Map<string, Binding>();
  readonly #bounds = new Map<string, Bounds>();
  readonly #scope: AliasPaths;
  readonly #parameters: ReadonlyMap<string, ParameterShape>;
  /** An example value for each parameter that has one. */
  readonly #examples: ReadonlyMap<string, JsonValue>;

  constructor(scope: AliasPaths, parameters: ReadonlyMap<string, ParameterShape>) {
    this.#scope = scope;
    this.#parameters = parameters;
    const examples = [...parameters].flatMap(([name, { values }]) =>
      values?.[0] === undefined ? [] : [[name, values[0]] as const],
    );
    this.#examples = new Map(examples);
  }

  get ranges(): readonly Range[] {
    return [...this.#bounds].map(([path, bounds]) => rangeOf(path, bounds));
  }

  read(where: Expression): void {
    for (const condition of partsOfChain(where, "AND")) {
      const bound = this.#boundBy(condition);
      if (bound !== undefined) this.#bind(...bound);
      else this.#readRange(condition);
    }
  }

  /** The text of the path that an expression is, if a key can have such a path. */
  pathText(expression: Expression): string | undefined {
    const path = pathOf(expression, this.#scope, this.#examples);
    if (path === undefined || path.length === 0) return undefined;
    const steps = path.filter((step) => typeof step === "string");
    return steps.length === path.length ? pathText({ kind: "path", steps }) : undefined;
  }

  #bind(path: string, binding: Binding): void {
    const known = this.equal.get(path);
    if (known === undefined || binding.count < known.count) this.equal.set(path, binding);
  }

  #boundBy(condition: Expression): readonly [string, Binding] | undefined {
    switch (condition.kind) {
      case "binary":
        if (condition.operator === "OR") return this.#boundByAny(condition);
        return condition.operator === "=" ? this.#boundByEquality(condition) : undefined;
      case "in":
        return condition.isNegated ? undefined : this.#boundByList(condition);
      case "call":
        return this.#boundByCall(condition);
      case "unary":
        return condition.operator === "NOT" ? this.#bound(condition.operand, [false]) : undefined;
      default:
        return this.#bound(condition, [true]);
    }
  }

  #bound(place: Expression, values: readonly JsonValue[]): readonly [string, Binding] | undefined {
    const path = this.pathText(place);
    return path === undefined ? undefined : [path, { values, count: values.length }];
  }

  #boundByEquality({ left, right }: Binary): readonly [string, Binding] | undefined {
    for (const [place, value] of [
      [left, right],
      [right, left],
    ] as const) {
      const path = this.pathText(place);
      const binding = path === undefined ? undefined : this.#bindingOf(value);
      if (path !== undefined && binding !== undefined) return [path, binding];
    }
    return undefined;
  }

  #bindingOf(value: Expression): Binding | undefined {
    if (value.kind === "parameter") {
      const values = this.#parameters.get(value.name)?.values;
      return { parameter: value.name, count: 1, ...(values === undefined ? {} : { values }) };
    }
    const constant = constantOf(value, new Map())?.value;
    return constant === undefined ? undefined : { values: [constant], count: 1 };
  }

  #boundByList({ needle, list }: InList): readonly [string, Binding] | undefined {
    const path = this.pathText(needle);
    const bindings = list.map((element) => this.#bindingOf(element));
    if (path === undefined || bindings.some((binding) => binding === undefined)) return undefined;
    return [path, joined(bindings as Binding[])];
  }

  /** Reads `c.a = 1 OR c.a = 2` as a list of values. */
  #boundByAny(chain: Binary): readonly [string, Binding] | undefined {
    const bound = partsOfChain(chain, "OR").map((part) => this.#boundBy(part));
    const path = bound[0]?.[0];
    if (path === undefined || bound.some((one) => one?.[0] !== path)) return undefined;
    return [path, joined(bound.map((one) => one![1]))];
  }

  #boundByCall({ name, isUdf, args }: Call): readonly [string, Binding] | undefined {
    const [first, second] = args;
    if (isUdf || first === undefined) return undefined;
    if (name.toUpperCase() === "IS_NULL") return this.#bound(first, [null]);
    if (name.toUpperCase() !== "ARRAY_CONTAINS" || second === undefined) return undefined;
    const list = constantOf(first, this.#examples)?.value;
    const path = this.pathText(second);
    if (!Array.isArray(list) || path === undefined) return undefined;
    const values = list as readonly JsonValue[];
    const parameter = first.kind === "parameter" ? { parameter: first.name } : {};
    return [path, { ...parameter, values, count: values.length }];
  }

  #readRange(condition: Expression): void {
    if (condition.kind === "between" && !condition.isNegated) {
      this.#limit(condition.operand, "lower", condition.low);
      this.#limit(condition.operand, "upper", condition.high);
    }
    if (condition.kind !== "binary") return;
    const { operator, left, right } = condition;
    if (operator === ">" || operator === ">=") {
      this.#limit(left, "lower", right);
      this.#limit(right, "upper", left);
    } else if (operator === "<" || operator === "<=") {
      this.#limit(left, "upper", right);
      this.#limit(right, "lower", left);
    }
  }

  #limit(place: Expression, side: keyof Bounds, bound: Expression): void {
    const path = this.pathText(place);
    if (path === undefined || this.pathText(bound) !== undefined) return;
    const bounds = this.#bounds.get(path) ?? { lower: undefined, upper: undefined };
    bounds[side] = momentOf(bound, this.#parameters) ?? "unknown";
    this.#bounds.set(path, bounds);
  }
}

function rangeOf(path: string, { lower, upper }: Bounds): Range {
  const isOpenEnded = upper === undefined;
  const isKnown = (bound: Bounds["lower"]): bound is Moment =>
    bound !== undefined && bound !== "unknown";
  const end: Moment | undefined = isOpenEnded
    ? { kind: "ago", days: 0 }
    : isKnown(upper)
      ? upper
      : undefined;
  return {
    path,
    spanDays: isKnown(lower) && end !== undefined ? daysBetween(lower, end) : undefined,
    isOpenEnded,
    endsDaysAgo: end?.kind === "ago" ? end.days : undefined,
  };
}

function joined(bindings: readonly Binding[]): Binding {
  const count = bindings.reduce((sum, binding) => sum + binding.count, 0);
  const isComplete = bindings.every(({ values }) => values !== undefined);
  const values = bindings.flatMap((binding) => binding.values ?? []);
  const [only] = bindings;
  if (bindings.length === 1 && only !== undefined) return only;
  return { count, ...(isComplete ? { values } : {}) };
}

/** The operands of `a AND b AND c`, in order; without recursion, because a chain may be long. */
function partsOfChain(whole: Expression, operator: "AND" | "OR"): readonly Expression[] {
  const parts: Expression[] = [];
  const waiting = [whole];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.kind === "binary" && next.operator === operator) waiting.push(next.right, next.left);
    else parts.push(next);
  }
  return parts;
}

/**
 * The order of the query. A path that the filter binds to one value orders nothing; it is in ORDER
 * BY for a composite index.
 */
function orderOf({ orderBy }: Query, reader: FilterReader): Access["order"] {
  const items = orderBy?.kind === "items" ? orderBy.items : [];
  const ordered = items.map(({ expression, direction }) => ({
    path: reader.pathText(expression),
    isDescending: direction === "DESC",
  }));
  const isBound = (path: string | undefined): boolean =>
    path !== undefined && reader.equal.get(path)?.count === 1;
  const { path, isDescending = false } = ordered.find((each) => !isBound(each.path)) ?? {};
  return path === undefined ? undefined : { path, isDescending };
}

function topOf(
  { select, offsetLimit }: Query,
  parameters: ReadonlyMap<string, ParameterShape>,
): number | undefined {
  const numberOf = (count: Count | undefined): number | undefined => {
    if (count?.kind === "number") return count.value;
    const example = count === undefined ? undefined : parameters.get(count.name)?.values?.[0];
    return typeof example === "number" ? example : undefined;
  };
  const top = numberOf(select.top);
  const limit = numberOf(offsetLimit?.limit);
  if (top !== undefined || limit === undefined) return top;
  return limit + (numberOf(offsetLimit?.offset) ?? 0);
}

const SEARCHES: ReadonlySet<string> = new Set(["CONTAINS", "ENDSWITH", "REGEXMATCH"]);

function looksInsideTexts(where: Expression): boolean {
  let isFound = false;
  walkExpression(where, (part) => {
    if (part.kind === "call" && !part.isUdf) isFound ||= SEARCHES.has(part.name.toUpperCase());
    if (part.kind === "like") {
      const pattern = constantOf(part.pattern, new Map())?.value;
      isFound ||= typeof pattern !== "string" || /^[%_[]/.test(pattern);
    }
  });
  return isFound;
}
