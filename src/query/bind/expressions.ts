/**
 * Binding of expressions: names become slots, calls become built-in functions with the right number
 * of arguments. What an aggregate becomes depends on the query, which says so through
 * `ExpressionPlace`.
 */

import { AGGREGATE_NAMES, builtInOf, UNSUPPORTED_FUNCTIONS } from "../functions/registry.ts";
import { VECTOR_DISTANCE } from "../functions/vector.ts";
import type {
  Binary,
  BinaryOperator,
  Call,
  Expression,
  Identifier,
  Query,
} from "../language/ast.ts";
import type { Binding } from "./binding.ts";
import { fail, failAt, namedStep } from "./binding.ts";
import type { Bound, BoundQuery } from "./bound.ts";
import type { Scope } from "./scope.ts";
import { withName } from "./scope.ts";
import { languageOfText } from "./textLanguage.ts";
import { bindVectorDistance } from "./vectorDistance.ts";

/** Where an expression stands: which names are in sight, and what is special there. */
export interface ExpressionPlace {
  readonly binding: Binding;
  readonly scope: Scope;
  /** Returns the slot of a whole expression that already has a value here, such as a group key. */
  known(expression: Expression): Bound | undefined;
  /** Binds an aggregate, or refuses it where there can be none. */
  aggregate(call: Call): Bound;
  /** Called for every path, so that a source can be refused where it may not be used (SC2102). */
  read(path: { readonly expression: Expression; readonly slot: number }): void;
  bindQuery(query: Query, scope: Scope): BoundQuery;
}

export function bindExpression(expression: Expression, place: ExpressionPlace): Bound {
  const known = place.known(expression);
  if (known !== undefined) return known;
  const bind = (inner: Expression): Bound => bindExpression(inner, place);
  switch (expression.kind) {
    case "number":
    case "string":
    case "word":
      return { kind: "constant", value: expression.value };
    case "parameter":
      place.binding.parameterNames.add(expression.name);
      return { kind: "parameter", name: expression.name };
    case "identifier":
    case "member":
    case "index":
      return bindPath(expression, place);
    case "array":
      return { kind: "array", elements: expression.elements.map(bind) };
    case "object":
      return {
        kind: "object",
        members: expression.members.map(({ name, value }) => ({ name, value: bind(value) })),
      };
    case "unary":
      return {
        kind: "unary",
        operator: expression.operator,
        operand: bind(expression.operand),
      };
    case "binary":
      return bindChain(expression, place);
    case "conditional":
      return {
        kind: "conditional",
        condition: bind(expression.condition),
        whenTrue: bind(expression.whenTrue),
        otherwise: bind(expression.otherwise),
      };
    case "between":
      return {
        kind: "between",
        isNegated: expression.isNegated,
        operand: bind(expression.operand),
        low: bind(expression.low),
        high: bind(expression.high),
      };
    case "in":
      return {
        kind: "in",
        isNegated: expression.isNegated,
        needle: bind(expression.needle),
        list: expression.list.map(bind),
      };
    case "like":
      return {
        kind: "like",
        isNegated: expression.isNegated,
        text: bind(expression.text),
        pattern: bind(expression.pattern),
        escape: expression.escape,
      };
    case "call":
      return bindCall(expression, place);
    case "subquery":
      return {
        kind: "subquery",
        form: expression.form,
        query: place.bindQuery(expression.query, place.scope),
      };
    case "let": {
      const value = bind(expression.value);
      const slot = place.binding.slots.next();
      const scope = withName(place.scope, expression.name, slot);
      return {
        kind: "let",
        slot,
        value,
        body: bindExpression(expression.body, { ...place, scope }),
      };
    }
  }
}

/**
 * Binds a chain of operators. A chain leans to the left and may be thousands long, so it is not
 * walked by recursion. How conditions of AND and OR are nested makes no difference, so they are
 * nested by halves.
 */
function bindChain(chain: Binary, place: ExpressionPlace): Bound {
  const bind = (part: Expression): Bound => bindExpression(part, place);
  const links: Binary[] = [];
  let first: Expression = chain;
  while (first.kind === "binary" && (first === chain || place.known(first) === undefined)) {
    links.push(first);
    first = first.left;
  }
  let left = bind(first);
  let run: Bound[] = [left];
  let runOperator: BinaryOperator | undefined;
  for (const { operator, right } of links.reverse()) {
    if (operator !== runOperator || (operator !== "AND" && operator !== "OR")) {
      left = halved(runOperator, run);
      run = [left];
      runOperator = operator;
    }
    run.push(bind(right));
  }
  return halved(runOperator, run);
}

function halved(operator: BinaryOperator | undefined, terms: readonly Bound[]): Bound {
  if (operator === undefined || terms.length === 1) return terms[0]!;
  const middle = terms.length >> 1;
  const [left, right] = [terms.slice(0, middle), terms.slice(middle)].map((half) =>
    halved(operator, half),
  );
  return { kind: "binary", operator, left: left!, right: right! };
}

/** Binds a name and the steps from it; `path` is the whole path that they are part of. */
function bindPath(expression: Path, place: ExpressionPlace, path: Path = expression): Bound {
  const known = place.known(expression);
  if (known !== undefined) return known;
  if (expression.kind === "identifier") {
    const slot = slotOf(expression, place);
    place.read({ expression: path, slot });
    return { kind: "slot", slot };
  }
  const { object } = expression;
  const bound = isPath(object) ? bindPath(object, place, path) : bindExpression(object, place);
  return stepBelow(bound, expression, place);
}

type Path = Extract<Expression, { readonly kind: "identifier" | "member" | "index" }>;

function isPath(expression: Expression): expression is Path {
  const { kind } = expression;
  return kind === "identifier" || kind === "member" || kind === "index";
}

function stepBelow(
  object: Bound,
  expression: Extract<Expression, { readonly kind: "member" | "index" }>,
  place: ExpressionPlace,
): Bound {
  const { binding } = place;
  if (expression.kind === "index") {
    const index = bindExpression(expression.index, place);
    if (index.kind === "parameter") binding.stepNames.add(index.name);
    const name = namedStep(expression, binding);
    if (name === undefined) return { kind: "index", object, index };
    return computedOf(object, name, place) ?? { kind: "member", object, name };
  }
  const { name } = expression;
  return computedOf(object, name, place) ?? { kind: "member", object, name };
}

/**
 * Returns what a computed property is computed by; such a property hides a stored one of its name.
 */
function computedOf(object: Bound, name: string, place: ExpressionPlace): Bound | undefined {
  const { binding } = place;
  if (object.kind !== "slot" || !binding.itemSlots.has(object.slot)) return undefined;
  const computed = binding.setting.computed.get(name);
  if (computed === undefined) return undefined;
  const { slot } = object;
  const scope: Scope = { find: (sought) => (sought === computed.alias ? slot : undefined) };
  const plain: ExpressionPlace = {
    ...place,
    scope,
    known: () => undefined,
    read: () => undefined,
  };
  // Inside its own definition, the name of a computed property means what is stored.
  binding.itemSlots.delete(slot);
  const bound = bindExpression(computed.expression, plain);
  binding.itemSlots.add(slot);
  return bound;
}

function slotOf({ name, span }: Identifier, place: ExpressionPlace): number {
  const slot = place.scope.find(name);
  if (slot === undefined) {
    return failAt("SC2001", `Identifier '${name}' could not be resolved.`, span);
  }
  return slot;
}

function bindCall(call: Call, place: ExpressionPlace): Bound {
  if (call.isUdf) return bindUserCall(call, place);
  const capitals = call.name.toUpperCase();
  if (AGGREGATE_NAMES.has(capitals)) return place.aggregate(call);
  if (RANK_SCORES.has(capitals)) {
    const message = "The FullTextScore function is only allowed in the ORDER BY RANK clause.";
    return failAt("SC2240", message, call.span);
  }
  const builtIn = builtInOf(call.name);
  if (builtIn === undefined) {
    if (UNSUPPORTED_FUNCTIONS.has(capitals)) {
      return fail(`The function '${call.name}' is not supported yet.`);
    }
    // The service does not know RRF as a function either: it is a word of ORDER BY RANK.
    const isFusion = capitals === "RRF";
    if (isFusion) for (const arg of call.args) bindExpression(arg, place);
    const help = isFusion ? " It is only allowed in the ORDER BY RANK clause." : "";
    const message = `'${call.name}' is not a recognized built-in function name.${help}`;
    return failAt("SC2005", message, call.nameSpan);
  }
  const { argMin, argMax } = builtIn;
  if (call.args.length < argMin || call.args.length > argMax)
    failCount(call, builtIn.name, argMin, argMax);
  const bind = (arg: Expression): Bound => bindExpression(arg, place);
  if (builtIn === VECTOR_DISTANCE) return bindVectorDistance(call, bind, place.binding);
  const args = call.args.map(bind);
  if (builtIn.takesLanguage !== true) return { kind: "call", builtIn, args };
  const language = languageOfText(args[0]!, place.binding);
  return { kind: "call", builtIn, args: [...args, language] };
}

/**
 * Binds a call of a user-defined function. Any number of arguments is allowed, as in JavaScript.
 */
function bindUserCall(call: Call, place: ExpressionPlace): Bound {
  const { name, nameSpan } = call;
  const { setting, functions } = place.binding;
  if (setting.functions === undefined) {
    return fail(
      `The user-defined function 'udf.${name}' cannot be called here. They are for queries over ` +
        "the items of the container that they are registered on.",
    );
  }
  const assumed = setting.isAnyFunctionThere === true ? { name, body: "" } : undefined;
  const found = setting.functions.get(name) ?? assumed;
  if (found === undefined) {
    const message =
      `The user-defined function 'udf.${name}' is not registered on the container. Create it ` +
      "there, or look at its name: capitals matter.";
    return failAt("SC2005", message, nameSpan);
  }
  functions.add(found);
  const args = call.args.map((arg) => bindExpression(arg, place));
  return { kind: "userCall", function: [...functions].indexOf(found), args };
}

/** Functions whose values depend on all items; see `ranked.ts`. */
const RANK_SCORES: ReadonlySet<string> = new Set(["FULLTEXTSCORE", "FULLTEXT_SCORE"]);

export function failCount(call: Call, name: string, argMin: number, argMax: number): never {
  const count =
    argMax === argMin
      ? `${argMin}`
      : argMax === Number.POSITIVE_INFINITY
        ? `at least ${argMin}`
        : `${argMin} to ${argMax}`;
  return failAt("SC2050", `The ${name} function requires ${count} argument(s).`, call.span);
}
