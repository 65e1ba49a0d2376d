/**
 * Which periods are asked: a table for one instant and for any time, then the weights against
 * instants and ages that are gone through one by one.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PeriodWeight, periodsTouched, weightsOfAge, weightsOfSpan } from "./askedKeys.ts";

/** Periods of ten days. */
const DAYS = 10;

/** Weights of the period of now and those before it. */
const SPANS: readonly (readonly [string, span: number, passed: number | undefined, number[]])[] = [
  ["any time: a week lies in two periods seven times of ten", 7, undefined, [1, 0.7]],
  ["any time: two and a half periods", 25, undefined, [1, 1, 1, 0.5]],
  ["half-way through, four days are in one", 4, 0.5, [1]],
  ["half-way through, six days are in two", 6, 0.5, [1, 1]],
  ["at the beginning, any past is in the one before", 1, 0, [1, 1]],
  ["at the end, nine days are in one", 9, 0.95, [1]],
];

const AGES: readonly (readonly [string, age: number, passed: number | undefined, number[]])[] = [
  ["any time: up to half a period old", 5, undefined, [0.75, 0.25]],
  ["any time: up to three periods old", 30, undefined, [0.5 / 3, 1 / 3, 1 / 3, 0.5 / 3]],
  ["two fifths through, up to three periods old", 30, 0.4, [0.4 / 3, 1 / 3, 1 / 3, 0.6 / 3]],
  ["half-way through, up to four days old", 4, 0.5, [1]],
  ["just begun, up to a period old", 10, 0, [0, 1]],
];

function weightsIn(weights: readonly PeriodWeight[]): readonly number[] {
  expect(weights.map(({ back }) => back)).toEqual(weights.map((_, at) => at));
  return weights.map(({ weight }) => weight);
}

describe("periods that are asked", () => {
  test.each(SPANS)("a range: %s", (_, span, passed, expected) => {
    const weights = weightsIn(weightsOfSpan(span, DAYS, passed));
    expect(weights).toHaveLength(expected.length);
    for (const [at, weight] of weights.entries()) expect(weight).toBeCloseTo(expected[at]!, 9);
    const sum = expected.reduce((total, weight) => total + weight, 0);
    expect(periodsTouched(span, DAYS, passed)).toBeCloseTo(sum, 9);
  });

  test.each(AGES)("one item: %s", (_, age, passed, expected) => {
    const weights = weightsIn(weightsOfAge(age, DAYS, passed));
    expect(weights).toHaveLength(expected.length);
    for (const [at, weight] of weights.entries()) expect(weight).toBeCloseTo(expected[at]!, 9);
  });
});

const STEPS = 400;
const anyDays = fc.double({ min: 0.5, max: 80, noNaN: true });
const anyPassed = fc.double({ min: 0.01, max: 0.99, noNaN: true });

describe("weights against a naive model", () => {
  test("one item, at one instant: ages gone through one by one", () => {
    fc.assert(
      fc.property(anyDays, anyPassed, (age, passed) => {
        const counts: number[] = [];
        for (let step = 0; step < STEPS; step++) {
          const old = (age * (step + 0.5)) / STEPS / DAYS;
          const back = Math.max(0, Math.ceil(old - passed));
          counts[back] = (counts[back] ?? 0) + 1 / STEPS;
        }
        for (const { back, weight } of weightsOfAge(age, DAYS, passed)) {
          expect(Math.abs(weight - (counts[back] ?? 0))).toBeLessThan(2 / STEPS);
        }
      }),
    );
  });

  test("a range, at any time: the mean over all instants of a period", () => {
    fc.assert(
      fc.property(anyDays, (span) => {
        let sum = 0;
        for (let step = 0; step < STEPS; step++) {
          sum += periodsTouched(span, DAYS, (step + 0.5) / STEPS);
        }
        expect(Math.abs(sum / STEPS - periodsTouched(span, DAYS, undefined))).toBeLessThan(0.01);
      }),
    );
  });

  test("weights of one item add up to one, of however many periods", () => {
    const anyAge = fc.double({ min: 0.01, max: 5000, noNaN: true });
    const whenever = fc.option(anyPassed, { nil: undefined });
    fc.assert(
      fc.property(anyAge, whenever, (age, passed) => {
        const sum = weightsOfAge(age, DAYS, passed).reduce(
          (total, { weight }) => total + weight,
          0,
        );
        expect(sum).toBeCloseTo(1, 9);
      }),
    );
  });
});
