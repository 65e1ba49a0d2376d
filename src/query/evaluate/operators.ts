/**
 * What the operators mean. Logic has three values: anything but true and false counts as undefined,
 * and a comparison or a sum of unfit operands gives undefined.
 */
import { compareStrings, equalValues } from "../../json/compare.ts";
import type { Value } from "../functions/builtIn.ts";
import { STRING_UNITS_MAX } from "../functions/define.ts";
import type { BinaryOperator, UnaryOperator } from "../language/ast.ts";

export type Truth = boolean | undefined;

export function truthOf(value: Value): Truth {
  return typeof value === "boolean" ? value : undefined;
}

export function not(truth: Truth): Truth {
  return truth === undefined ? undefined : !truth;
}

export function equal(left: Value, right: Value): Truth {
  if (left === undefined || right === undefined) return undefined;
  if (typeof left !== "object" || typeof right !== "object") return left === right;
  if (left === right) return true;
  return equalValues(left, right);
}

/** Only values of the same scalar type have an order; null is neither above nor below itself. */
function compared(left: Value, right: Value): number | undefined {
  if (typeof left === "number" && typeof right === "number") {
    return left < right ? -1 : left > right ? 1 : left === right ? 0 : undefined;
  }
  if (typeof left === "string" && typeof right === "string") return compareStrings(left, right);
  if (typeof left === "boolean" && typeof right === "boolean") return Number(left) - Number(right);
  return left === null && right === null ? 0 : undefined;
}

function less(left: Value, right: Value): Truth {
  const order = compared(left, right);
  return order === undefined ? undefined : order < 0;
}

function lessOrEqual(left: Value, right: Value): Truth {
  const order = compared(left, right);
  return order === undefined ? undefined : order <= 0;
}

function and(left: Truth, right: Truth): Truth {
  if (left === false || right === false) return false;
  return left === undefined || right === undefined ? undefined : true;
}

export function or(left: Truth, right: Truth): Truth {
  if (left === true || right === true) return true;
  return left === undefined || right === undefined ? undefined : false;
}

export function between(value: Value, low: Value, high: Value): Truth {
  return and(lessOrEqual(low, value), lessOrEqual(value, high));
}

type Arithmetic = (left: number, right: number) => number;

const ARITHMETIC: Readonly<Partial<Record<BinaryOperator, Arithmetic>>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  "/": (left, right) => left / right,
  "%": (left, right) => left % right,
  "&": (left, right) => left & right,
  "|": (left, right) => left | right,
  "^": (left, right) => left ^ right,
  "<<": (left, right) => left << right,
  ">>": (left, right) => left >> right,
  ">>>": (left, right) => left >>> right,
};

/**
 * Returns the function of a binary operator, which is given both values; `compile.ts` lets AND, OR
 * and `??` evaluate the right side only when they must.
 */
export function binaryOf(operator: BinaryOperator): (left: Value, right: Value) => Value {
  switch (operator) {
    case "=":
      return equal;
    case "!=":
      return (left, right) => not(equal(left, right));
    case "<":
      return less;
    case "<=":
      return lessOrEqual;
    case ">":
      return (left, right) => less(right, left);
    case ">=":
      return (left, right) => lessOrEqual(right, left);
    case "||":
      return (left, right) => {
        if (typeof left !== "string" || typeof right !== "string") return undefined;
        return left.length + right.length > STRING_UNITS_MAX ? undefined : left + right;
      };
    case "AND":
      return (left, right) => and(truthOf(left), truthOf(right));
    case "OR":
      return (left, right) => or(truthOf(left), truthOf(right));
    case "??":
      return (left, right) => (left === undefined ? right : left);
    default: {
      const compute = ARITHMETIC[operator]!;
      return (left, right) =>
        typeof left === "number" && typeof right === "number" ? compute(left, right) : undefined;
    }
  }
}

export function unaryOf(operator: UnaryOperator): (operand: Value) => Value {
  if (operator === "NOT") return (operand) => not(truthOf(operand));
  const compute = {
    "-": (operand: number) => -operand,
    "+": (operand: number) => operand,
    "~": (operand: number) => ~operand,
  }[operator];
  return (operand) => (typeof operand === "number" ? compute(operand) : undefined);
}
