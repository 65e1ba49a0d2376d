/**
 * Integrals of smooth functions by the sixteen-point rule of Gauss and Legendre. With this rule the
 * integrals of `ellipsoid.ts` are exact to the last digits, up to half a turn of the earth.
 */

/** The points right of the middle of `[-1, 1]`, and their weights; the left half mirrors them. */
const POINTS: readonly (readonly [at: number, weight: number])[] = [
  [0.09501250983763744, 0.1894506104550685],
  [0.2816035507792589, 0.18260341504492358],
  [0.4580167776572274, 0.16915651939500254],
  [0.6178762444026438, 0.14959598881657674],
  [0.755404408355003, 0.12462897125553388],
  [0.8656312023878318, 0.09515851168249279],
  [0.9445750230732326, 0.06225352393864789],
  [0.9894009349916499, 0.027152459411754096],
];

/** The integral of `f` from 0 to `end`. */
export function integralTo(end: number, f: (t: number) => number): number {
  const half = end / 2;
  let sum = 0;
  for (const [at, weight] of POINTS) sum += weight * (f(half - half * at) + f(half + half * at));
  return sum * half;
}
