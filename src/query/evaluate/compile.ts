/**
 * Makes bound expressions into closures: an expression is compiled once, and its closure is called
 * for every row.
 *
 * User data is read by own properties only and written by `setMember`, so that a key may be called
 * `__proto__`.
 */
import { carriesDigits, noteDigits, plainOf } from "../../json/digits.ts";
import { setMember } from "../../json/member.ts";
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { isObject, property } from "../../json/value.ts";
import type { Bound, BoundMember, BoundQuery } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import { compileLike } from "../functions/likePattern.ts";
import { checkSize } from "../functions/valueSize.ts";
import type { BinaryOperator } from "../language/ast.ts";
import { compileCarrying } from "./carrying.ts";
import type { Compiler } from "./compiler.ts";
import { between, binaryOf, equal, not, or, type Truth, truthOf, unaryOf } from "./operators.ts";
import type { Evaluate, EvaluateCarried, Run } from "./run.ts";
import { QueryFailure } from "./run.ts";
import { compileRows, compileSubquery } from "./subquery.ts";

/** The only compiler: every closure is made by it, or by a function that it calls. */
export const COMPILER: Compiler = {
  value: (bound) => compile(bound),
  carried: (bound) => compileCarrying(bound, COMPILER),
  selection: compileSelection,
  rows: (query) => compileRows(query, COMPILER),
};

export function compile(bound: Bound): Evaluate {
  switch (bound.kind) {
    case "constant": {
      const { value } = bound;
      return () => value;
    }
    case "parameter": {
      const { name } = bound;
      return (_slots, { parameters }) => parameters.get(name);
    }
    case "slot": {
      const { slot } = bound;
      return (slots) => slots[slot];
    }
    case "member":
      return compileMember(compile(bound.object), bound.name);
    case "index":
      return compileIndex(compile(bound.object), compile(bound.index));
    case "array":
      return compileArray(bound.elements);
    case "object":
      return compileObject(bound.members);
    case "unary": {
      const operand = compile(bound.operand);
      const apply = unaryOf(bound.operator);
      return (slots, run) => apply(operand(slots, run));
    }
    case "binary":
      return compileBinary(bound);
    case "conditional": {
      const condition = compile(bound.condition);
      const whenTrue = compile(bound.whenTrue);
      const otherwise = compile(bound.otherwise);
      return (slots, run) =>
        condition(slots, run) === true ? whenTrue(slots, run) : otherwise(slots, run);
    }
    case "between": {
      const [operand, low, high] = [bound.operand, bound.low, bound.high].map(compile);
      const { isNegated } = bound;
      return (slots, run) => {
        const truth = between(operand!(slots, run), low!(slots, run), high!(slots, run));
        return isNegated ? not(truth) : truth;
      };
    }
    case "in":
      return compileIn(bound);
    case "like":
      return compileLikeTest(bound);
    case "call":
      return bound.builtIn.isPure ? compileCall(bound) : compileChance(bound);
    case "userCall":
      return compileUserCall(bound.function, bound.args);
    case "subquery": {
      const evaluate = compileSubquery(bound.form, () => COMPILER.rows(bound.query));
      return (slots, run) => plainOf(evaluate(slots, run));
    }
    case "let": {
      const value = compile(bound.value);
      const body = compile(bound.body);
      const { slot } = bound;
      return (slots, run) => {
        slots[slot] = value(slots, run);
        return body(slots, run);
      };
    }
  }
}

export function compileSelection({ selection }: BoundQuery): EvaluateCarried {
  return selection.kind === "value"
    ? COMPILER.carried(selection.expression)
    : compileObject(selection.members);
}

function compileMember(object: Evaluate, name: string): Evaluate {
  return (slots, run) => {
    const value = object(slots, run);
    return isObject(value) ? property(value, name) : undefined;
  };
}

function compileIndex(object: Evaluate, index: Evaluate): Evaluate {
  return (slots, run) => memberAt(object(slots, run), index(slots, run));
}

function memberAt(value: Value, key: Value): Value {
  if (typeof key === "string") return isObject(value) ? property(value, key) : undefined;
  // A fraction or a negative number is no own property of an array.
  return typeof key === "number" && Array.isArray(value) ? (value[key] as Value) : undefined;
}

function compileArray(elements: readonly Bound[]): Evaluate {
  const evaluate = elements.map(COMPILER.carried);
  return (slots, run) => {
    const values: JsonValue[] = [];
    for (const element of evaluate) {
      const carried = element(slots, run);
      if (carried === undefined) continue;
      if (carriesDigits(carried)) noteDigits(values, values.length, carried);
      values.push(plainOf(carried));
    }
    run.effort.make(ELEMENT_UNITS * evaluate.length);
    return values;
  };
}

function compileObject(members: readonly BoundMember[]): Evaluate {
  const evaluate = members.map(({ name, value }) => ({ name, value: COMPILER.carried(value) }));
  return (slots, run): JsonObject => {
    const object: Record<string, JsonValue> = {};
    for (const { name, value: evaluateMember } of evaluate) {
      const carried = evaluateMember(slots, run);
      if (carried === undefined) continue;
      setMember(object, name, plainOf(carried));
      if (carriesDigits(carried)) noteDigits(object, name, carried);
    }
    run.effort.make(ELEMENT_UNITS * evaluate.length);
    return object;
  };
}

/**
 * Compiles a chain of operators. A chain leans to the left and may be thousands long, so it is not
 * walked by recursion.
 */
function compileBinary(chain: BoundBinary): Evaluate {
  const links: BoundBinary[] = [];
  let first: Bound = chain;
  while (first.kind === "binary") {
    links.push(first);
    first = first.left;
  }
  return links
    .reverse()
    .reduce((left, { operator, right }) => link(left, operator, compile(right)), compile(first));
}

type BoundBinary = Extract<Bound, { readonly kind: "binary" }>;

function link(left: Evaluate, operator: BinaryOperator, right: Evaluate): Evaluate {
  switch (operator) {
    case "AND":
      return (slots, run) => {
        const first = truthOf(left(slots, run));
        if (first === false) return false;
        const second = truthOf(right(slots, run));
        return second === false ? false : first === undefined ? undefined : second;
      };
    case "OR":
      return (slots, run) => {
        const first = truthOf(left(slots, run));
        return first === true ? true : or(first, truthOf(right(slots, run)));
      };
    case "??":
      return (slots, run) => {
        const first = left(slots, run);
        return first === undefined ? right(slots, run) : first;
      };
    case "=":
    case "!=": {
      const apply = binaryOf(operator);
      return (slots, run) => {
        const first = left(slots, run);
        const second = right(slots, run);
        beforeComparing(first, second, run);
        return apply(first, second);
      };
    }
    case "||":
      return (slots, run) => {
        const first = left(slots, run);
        const second = right(slots, run);
        // Only the right part is counted: the left one is not copied, so a chain makes no more than
        // all of its parts.
        if (typeof second === "string") run.effort.make(second.length);
        return joined(first, second);
      };
    default: {
      const apply = binaryOf(operator);
      return (slots, run) => apply(left(slots, run), right(slots, run));
    }
  }
}

const joined = binaryOf("||");

/**
 * Counts the effort of a comparison. Comparing scalars takes no time to speak of; arrays and
 * objects may take long, so their size is checked first.
 */
function beforeComparing(left: Value, right: Value, run: Run): void {
  if (typeof left !== "object" || typeof right !== "object") return;
  if (left === null || right === null || left === right) return;
  run.effort.spend(UNITS_OF_LONG_WORK);
  checkSize(left);
  checkSize(right);
}

/** Effort of a comparison of arrays or objects: enough for a look at the clock. */
const UNITS_OF_LONG_WORK = 1024;
const ELEMENT_UNITS = 8;

function compileIn(bound: Extract<Bound, { readonly kind: "in" }>): Evaluate {
  const needle = compile(bound.needle);
  const scalars = new Set<Value>();
  const others: Evaluate[] = [];
  for (const element of bound.list) {
    if (element.kind === "constant" && isScalar(element.value)) scalars.add(element.value);
    else others.push(compile(element));
  }
  const { isNegated } = bound;
  return (slots, run) => {
    const value = needle(slots, run);
    if (value === undefined) return undefined;
    const isFound =
      scalars.has(value) ||
      others.some((evaluate) => {
        const element = evaluate(slots, run);
        beforeComparing(value, element, run);
        return equal(value, element) === true;
      });
    return isFound !== isNegated;
  };
}

/**
 * True when the value may be looked up in a set. NaN may not: it does not equal itself, but a set
 * would find it.
 */
function isScalar(value: Value): boolean {
  if (typeof value === "number") return !Number.isNaN(value);
  return value !== undefined && (typeof value !== "object" || value === null);
}

function compileLikeTest(bound: Extract<Bound, { readonly kind: "like" }>): Evaluate {
  const text = compile(bound.text);
  const pattern = compile(bound.pattern);
  const { escape: escapeChar, isNegated } = bound;
  return (slots, run): Truth => {
    const value = text(slots, run);
    const written = pattern(slots, run);
    if (typeof value !== "string" || typeof written !== "string") return undefined;
    run.effort.spend(1 + (value.length >> 6));
    const key = `${escapeChar ?? ""}/${written}`;
    const matcher = run.context.memo("like", key, () => compileLike(written, escapeChar));
    return matcher.matches(value) !== isNegated;
  };
}

function compileCall({ builtIn, args }: Extract<Bound, { readonly kind: "call" }>): Evaluate {
  const { call } = builtIn;
  const evaluate = args.map(compile);
  const [first, second] = evaluate;
  // One and two arguments are spelled out because this runs for every row.
  if (evaluate.length === 1) {
    return (slots, run) => {
      const arg = first!(slots, run);
      return counted(call([arg], run.context), arg, run);
    };
  }
  if (evaluate.length === 2) {
    return (slots, run) => {
      const arg = first!(slots, run);
      return counted(call([arg, second!(slots, run)], run.context), arg, run);
    };
  }
  return (slots, run) => {
    const values = evaluate.map((arg) => arg(slots, run));
    return counted(call(values, run.context), values[0], run);
  };
}

/**
 * Compiles a call that depends on chance or time. Where functions are rehearsed, such a call has to
 * give the same value when it is evaluated again, see `functionCalls.ts`.
 */
function compileChance(bound: Extract<Bound, { readonly kind: "call" }>): Evaluate {
  const evaluate = compileCall(bound);
  return (slots, run) =>
    run.calls === undefined
      ? evaluate(slots, run)
      : run.calls.once(bound, () => evaluate(slots, run));
}

function compileUserCall(index: number, args: readonly Bound[]): Evaluate {
  const evaluate = args.map(compile);
  return (slots, run) => {
    const values = evaluate.map((arg) => arg(slots, run));
    if (run.calls === undefined) throw new QueryFailure(NO_FUNCTIONS);
    run.effort.spend(UNITS_OF_USER_CALL);
    return run.calls.call(index, values);
  };
}

const NO_FUNCTIONS = "User-defined functions cannot be called: nothing here runs scripts.";
/**
 * Effort of noting and looking up a call; the time that the function itself takes is counted where
 * it runs.
 */
const UNITS_OF_USER_CALL = 4;

/**
 * Counts the effort of a call. Nearly every function that may take long takes the longer, the
 * longer its first argument is.
 */
function counted(result: Value, subject: Value, run: Run): Value {
  const { effort } = run;
  effort.spend(1 + unitsOf(subject));
  if (typeof result === "string") effort.make(result.length);
  else if (Array.isArray(result)) effort.make(ELEMENT_UNITS * result.length);
  return result;
}

function unitsOf(subject: Value): number {
  if (typeof subject === "string") return subject.length >> 6;
  if (typeof subject !== "object" || subject === null) return 0;
  return Array.isArray(subject) ? subject.length >> 2 : UNITS_OF_OBJECT;
}

/** Effort for an object as first argument, which is most likely a geometry. */
const UNITS_OF_OBJECT = 64;
