/** Documented examples and the edges of 64 bits, then agreement with plain integer arithmetic. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { CallContext, Value } from "./builtIn.ts";
import { INTEGER_FUNCTIONS } from "./integers.ts";

function call(name: string, ...args: Value[]): Value {
  return INTEGER_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

describe("functions of integers", () => {
  const EXAMPLES: readonly Row[] = [
    [["INTADD", 20, 10], 30],
    [["INTADD", 20, 0.1], undefined],
    [["INTADD", 2 ** 63, 1], -(2 ** 63)],
    [["INTADD", 2 ** 64, 1], undefined],
    [["INTADD", Infinity, 1], undefined],
    [["INTADD", "1", 1], undefined],
    [["INTADD", undefined, 1], undefined],
    [["INTBITAND", 15, 25], 9],
    [["INTBITAND", 15, 0], 0],
    [["INTBITAND", 15, 1.5], undefined],
    [["INTBITAND", 2 ** 40 + 1, 2 ** 40], 2 ** 40],
    [["INTBITLEFTSHIFT", 16, 4], 256],
    [["INTBITLEFTSHIFT", 16, 0.4], undefined],
    [["INTBITLEFTSHIFT", 1, 40], 2 ** 40],
    [["INTBITLEFTSHIFT", 1, 63], -(2 ** 63)],
    [["INTBITLEFTSHIFT", 1, 2 ** 62], 1],
    [["INTBITNOT", 65], -66],
    [["INTBITNOT", 0], -1],
    [["INTBITNOT", 0.1], undefined],
    [["INTBITOR", 56, 100], 124],
    [["INTBITOR", 56, 0], 56],
    [["INTBITOR", 56, 0.1], undefined],
    [["INTBITRIGHTSHIFT", 16, 4], 1],
    [["INTBITRIGHTSHIFT", -16, 4], -1],
    [["INTBITRIGHTSHIFT", 16, 0.4], undefined],
    [["INTBITXOR", 56, 100], 92],
    [["INTBITXOR", 56, 56], 0],
    [["INTBITXOR", 56, 0.1], undefined],
    [["INTDIV", 10, 2], 5],
    [["INTDIV", 10, -2], -5],
    [["INTDIV", -10, -2], 5],
    [["INTDIV", -7, 2], -3],
    [["INTDIV", 10, 0], undefined],
    [["INTDIV", 10, 0.1], undefined],
    [["INTMOD", 12, 5], 2],
    [["INTMOD", 12, -5], 2],
    [["INTMOD", -12, -5], -2],
    [["INTMOD", 15, 5], 0],
    [["INTMOD", -15, 5], 0],
    [["INTMOD", 12, 0], undefined],
    [["INTMOD", 12, 0.2], undefined],
    [["INTMUL", 5, 2], 10],
    [["INTMUL", 5, -2], -10],
    [["INTMUL", -5, -2], 10],
    [["INTMUL", -5, 0], 0],
    [["INTMUL", 5, 0.5], undefined],
    [["INTMUL", 3037000500, 3037000500], -(2 ** 63) + 145474192],
    [["INTSUB", 25, 50], -25],
    [["INTSUB", 25, 25], 0],
    [["INTSUB", 25, 2.5], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", ([name, ...args], expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  test("agree with small numbers, where doubles and 32 bits are exact", () => {
    const small = fc.integer({ min: -(2 ** 20), max: 2 ** 20 });
    fc.assert(
      fc.property(small, small, (a, b) => {
        expect(call("INTADD", a, b)).toBe(a + b);
        expect(call("INTSUB", a, b)).toBe(a - b);
        expect(call("INTMUL", a, b)).toBe(a * b + 0);
        expect(call("INTBITAND", a, b)).toBe(a & b);
        expect(call("INTBITOR", a, b)).toBe(a | b);
        expect(call("INTBITXOR", a, b)).toBe(a ^ b);
        expect(call("INTBITNOT", a)).toBe(~a);
        expect(call("INTDIV", a, b)).toBe(b === 0 ? undefined : Math.trunc(a / b) + 0);
        expect(call("INTMOD", a, b)).toBe(b === 0 ? undefined : (a % b) + 0);
      }),
    );
  });
});
