/**
 * Mathematical functions. Numbers are doubles; a function without a finite answer (`LOG(0)`,
 * `SQRT(-1)`) gives what doubles give, and the query is refused only if a row would hold that
 * number.
 *
 * Not here: arithmetic on 64-bit integers (`integers.ts`).
 */
import type { BuiltIn } from "./builtIn.ts";
import { isNumber, ofNumber, ofNumbers, pure } from "./define.ts";

export const MATH_FUNCTIONS: readonly BuiltIn[] = [
  ofNumber("ABS", Math.abs),
  ofNumber("ACOS", Math.acos),
  ofNumber("ASIN", Math.asin),
  ofNumber("ATAN", Math.atan),
  ofNumbers("ATN2", Math.atan2),
  ofNumber("CEILING", Math.ceil),
  ofNumber("COS", Math.cos),
  ofNumber("COT", (x) => 1 / Math.tan(x)),
  ofNumber("DEGREES", (radians) => (180 / Math.PI) * radians),
  ofNumber("EXP", Math.exp),
  ofNumber("FLOOR", Math.floor),
  pure("LOG", 1, 2, (args) => {
    const [x, base] = args;
    if (!isNumber(x)) return undefined;
    if (args.length === 1) return Math.log(x);
    return isNumber(base) ? logarithm(x, base) : undefined;
  }),
  ofNumber("LOG10", Math.log10),
  pure("NUMBERBIN", 1, 2, (args) => {
    const [x, bin] = args.length === 1 ? [args[0], 1] : args;
    if (!isNumber(x) || !isNumber(bin) || bin === 0) return undefined;
    return Math.floor(x / bin) * bin + 0;
  }),
  pure("PI", 0, 0, () => Math.PI),
  ofNumbers("POWER", Math.pow),
  ofNumber("RADIANS", (degrees) => (Math.PI * degrees) / 180),
  { name: "RAND", argMin: 0, argMax: 0, isPure: false, call: (_, context) => context.random() },
  ofNumber("ROUND", round),
  ofNumber("SIGN", Math.sign),
  ofNumber("SIN", Math.sin),
  ofNumber("SQRT", Math.sqrt),
  ofNumber("SQUARE", (x) => x * x),
  ofNumber("TAN", Math.tan),
  ofNumber("TRUNC", Math.trunc),
];

/** Rounds half a unit away from zero. `Math.floor(x + 0.5)` is wrong just below a half. */
function round(x: number): number {
  const whole = Math.trunc(x);
  return Math.abs(x - whole) >= 0.5 ? whole + Math.sign(x) : whole;
}

/**
 * Returns a logarithm, exact where there is an exact answer: the quotient alone is off in the last
 * digit there.
 */
function logarithm(x: number, base: number): number {
  if (base === 10) return Math.log10(x);
  const quotient = Math.log(x) / Math.log(base);
  const whole = Math.round(quotient);
  return base ** whole === x ? whole : quotient;
}
