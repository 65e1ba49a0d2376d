/** Documented examples and odd cases first, then properties of what is not simply `Math`'s. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { seededRandom } from "../../base/world.ts";
import type { CallContext, Value } from "./builtIn.ts";
import { MATH_FUNCTIONS } from "./math.ts";

function call(name: string, ...args: Value[]): Value {
  return MATH_FUNCTIONS.find((builtIn) => builtIn.name === name)!.call(args, {} as CallContext);
}

type Row = readonly [call: readonly [name: string, ...args: Value[]], expected: Value];

describe("mathematical functions", () => {
  const EXAMPLES: readonly Row[] = [
    [["ABS", -1], 1],
    [["ABS", 0], 0],
    [["ABS", 1], 1],
    [["ACOS", -1], Math.PI],
    [["ASIN", -1], -1.5707963267948966],
    [["ATAN", -45.01], -1.5485826962062663],
    [["ATN2", 35.175643, 129.44], 0.265344532064832],
    [["CEILING", 123.45], 124],
    [["CEILING", -45.72], -45],
    [["CEILING", 0], 0],
    [["COS", 14.78], -0.5994654261946543],
    [["COT", 124.1332], -0.040311998371148884],
    [["DEGREES", 1.5707963267948966], 90],
    [["DEGREES", Math.PI], 180],
    [["DEGREES", 4.71238898038469], 270],
    [["DEGREES", 6.283185307179586], 360],
    [["EXP", 0], 1],
    [["EXP", 10], 22026.465794806718],
    [["EXP", 20], 485165195.4097903],
    [["FLOOR", 62.6], 62],
    [["FLOOR", -145.12], -146],
    [["FLOOR", 0.2989], 0],
    [["FLOOR", null], undefined],
    [["LOG", 5], 1.6094379124341003],
    [["LOG", 2, 10], 0.3010299956639812],
    [["LOG", 8, 2], 3],
    [["LOG", 81, 3], 4],
    [["LOG", 0.125, 2], -3],
    [["LOG", 2, 1], Infinity],
    [["LOG", 5, undefined], undefined],
    [["LOG", 5, "2"], undefined],
    [["LOG", 0], -Infinity],
    [["LOG10", 5], 0.6989700043360189],
    [["LOG10", 2], 0.3010299956639812],
    [["LOG10", 100], 2],
    [["NUMBERBIN", 37.752, -100], 100],
    [["NUMBERBIN", 37.752, 10], 30],
    [["NUMBERBIN", 37.752, 1], 37],
    [["NUMBERBIN", 37.752], 37],
    [["NUMBERBIN", 37.752, 0], undefined],
    [["NUMBERBIN", 37.752, 0.1], 37.7],
    [["NUMBERBIN", 37.752, 0.01], 37.75],
    [["NUMBERBIN", 37.752, undefined], undefined],
    [["NUMBERBIN", "37"], undefined],
    [["PI"], Math.PI],
    [["POWER", 5, 5], 3125],
    [["POWER", 0, 2], 0],
    [["POWER", null, 3], undefined],
    [["POWER", 2, null], undefined],
    [["RADIANS", 90], 1.5707963267948966],
    [["RADIANS", 180], Math.PI],
    [["RADIANS", 270], 4.71238898038469],
    [["RADIANS", 360], 6.283185307179586],
    [["ROUND", 2.4], 2],
    [["ROUND", 2.6], 3],
    [["ROUND", 2.5], 3],
    [["ROUND", -2.4], -2],
    [["ROUND", -2.6], -3],
    [["ROUND", -6.5], -7],
    [["ROUND", -0.5], -1],
    [["ROUND", 0.49999999999999994], 0],
    [["ROUND", 4.84090499760142e15], 4.84090499760142e15],
    [["ROUND", Number.MAX_SAFE_INTEGER], Number.MAX_SAFE_INTEGER],
    [["SIGN", -2], -1],
    [["SIGN", 0], 0],
    [["SIGN", 2], 1],
    [["SIN", 45.175643], 0.929607286611012],
    [["SQRT", 17], 4.123105625617661],
    [["SQRT", 25], 5],
    [["SQRT", -1], NaN],
    [["SQUARE", 3], 9],
    [["SQUARE", null], undefined],
    [["TAN", 124.1332], -24.80651023035602],
    [["TAN", Math.PI / 2], 16331239353195370],
    [["TRUNC", 2.37], 2],
    [["TRUNC", -2.78], -2],
    [["TRUNC", 0.0000714], 0],
    [["TRUNC", "2"], undefined],
    [["ABS", undefined], undefined],
    [["ABS", [1]], undefined],
  ];
  test.each(EXAMPLES)("%j is %j", ([name, ...args], expected) => {
    expect(call(name, ...args)).toEqual(expected);
  });

  test("RAND draws from the query's own source and is not the same twice", () => {
    const rand = MATH_FUNCTIONS.find(({ name }) => name === "RAND")!;
    const random = seededRandom(1);
    const context = { random: () => random.next() } as unknown as CallContext;
    const drawn = Array.from({ length: 50 }, () => rand.call([], context) as number);
    expect(rand.isPure).toBe(false);
    expect(new Set(drawn).size).toBe(50);
    expect(drawn.every((number) => number >= 0 && number < 1)).toBe(true);
  });
});

describe("properties", () => {
  test("no result is a negative zero", () => {
    const unary = MATH_FUNCTIONS.filter(({ argMax }) => argMax === 1);
    fc.assert(
      fc.property(fc.constantFrom(...unary), fc.double({ noNaN: true }), (builtIn, x) => {
        expect(Object.is(builtIn.call([x], {} as CallContext), -0)).toBe(false);
      }),
    );
  });

  test("a rounded number is whole and at most half away; a tie goes away from zero", () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (x) => {
        const rounded = call("ROUND", x) as number;
        expect(Number.isInteger(rounded)).toBe(true);
        expect(Math.abs(rounded - x)).toBeLessThanOrEqual(0.5);
        if (Math.abs(rounded - x) === 0.5) expect(Math.abs(rounded)).toBeGreaterThan(Math.abs(x));
      }),
    );
  });

  test("a bin begins at or below its numbers and is less than its width away", () => {
    fc.assert(
      fc.property(fc.integer(), fc.integer({ min: 1, max: 1_000 }), (x, width) => {
        const start = call("NUMBERBIN", x, width) as number;
        expect(start).toBeLessThanOrEqual(x);
        expect(x - start).toBeLessThan(width);
        expect(Math.abs(start % width)).toBe(0);
      }),
    );
  });
});
