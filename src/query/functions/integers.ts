/**
 * Arithmetic on signed 64-bit integers. A number with a fraction, or out of range, is not one and
 * gives undefined, as does division by zero. A result that overflows wraps around.
 *
 * Values are doubles all the same: beyond 2^53, arguments are rounded before a function sees them,
 * and results when they are returned. The largest integer, 2^63 - 1, is rounded to 2^63; an
 * argument of 2^63 is taken for it.
 */
import type { BuiltIn, Value } from "./builtIn.ts";
import { pure } from "./define.ts";

const INTEGER_MAX = 2n ** 63n - 1n;
const INTEGER_END = 2 ** 63;

export const INTEGER_FUNCTIONS: readonly BuiltIn[] = [
  ofIntegers("INTADD", (a, b) => a + b),
  ofIntegers("INTBITAND", (a, b) => a & b),
  ofIntegers("INTBITLEFTSHIFT", (a, b) => a << distance(b)),
  pure("INTBITNOT", 1, 1, ([value]) => {
    const a = integerOf(value);
    return a === undefined ? undefined : Number(~a);
  }),
  ofIntegers("INTBITOR", (a, b) => a | b),
  ofIntegers("INTBITRIGHTSHIFT", (a, b) => a >> distance(b)),
  ofIntegers("INTBITXOR", (a, b) => a ^ b),
  ofIntegers("INTDIV", (a, b) => (b === 0n ? undefined : a / b)),
  ofIntegers("INTMOD", (a, b) => (b === 0n ? undefined : a % b)),
  ofIntegers("INTMUL", (a, b) => a * b),
  ofIntegers("INTSUB", (a, b) => a - b),
];

export function isInteger64(value: Value): value is number {
  return Number.isInteger(value) && Math.abs(value as number) <= INTEGER_END;
}

function integerOf(value: Value): bigint | undefined {
  if (!isInteger64(value)) return undefined;
  return value === INTEGER_END ? INTEGER_MAX : BigInt(value);
}

function ofIntegers(name: string, call: (a: bigint, b: bigint) => bigint | undefined): BuiltIn {
  return pure(name, 2, 2, ([left, right]) => {
    const a = integerOf(left);
    const b = integerOf(right);
    if (a === undefined || b === undefined) return undefined;
    const integer = call(a, b);
    return integer === undefined ? undefined : Number(BigInt.asIntN(64, integer));
  });
}

/**
 * Returns the low six bits of a shift distance, as processors do; that also keeps the shifted
 * integer short.
 */
const distance = (bits: bigint): bigint => BigInt.asUintN(6, bits);
