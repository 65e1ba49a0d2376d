/**
 * Aggregates: an accumulator takes in one value after the other and ignores undefined ones. SUM and
 * AVG of anything but numbers, and MIN and MAX that meet an array or an object, are undefined.
 *
 * MIN, MAX and the aggregates that make lists give out values that they were given, with the digits
 * of numbers; the others compute, and have to be given doubles.
 */
import { compareValues } from "../../json/compare.ts";
import { type Carried, plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { AggregateName } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import { boundedText, sizeOf } from "../functions/valueSize.ts";
import { listOf } from "./carriedSlots.ts";
import type { MemoryHolding } from "./held.ts";

export interface Accumulator {
  add(value: Carried | undefined): void;
  result(): Carried | undefined;
}

const MAKE: Readonly<Record<AggregateName, (held: MemoryHolding | undefined) => Accumulator>> = {
  COUNT: () => counting((value) => value !== undefined),
  COUNTIF: () => counting((value) => value === true),
  SUM: () => summing((sum) => sum),
  AVG: () => summing((sum, count) => (count === 0 ? undefined : sum / count)),
  MIN: (held) => choosing((candidate, best) => compareValues(candidate, best) < 0, held),
  MAX: (held) => choosing((candidate, best) => compareValues(candidate, best) > 0, held),
  MAKELIST: (held) => {
    const list: Carried[] = [];
    const add = (value: Carried | undefined): void => {
      if (value === undefined) return;
      held?.hold(sizeOf(plainOf(value)));
      list.push(value);
    };
    return { add, result: () => listOf(list) };
  },
  MAKESET: (held) => {
    const set = new Map<string, Carried>();
    const add = (value: Carried | undefined): void => {
      if (value === undefined) return;
      const key = boundedText(plainOf(value));
      if (set.has(key)) return;
      held?.hold(2 * key.length + VALUE_BYTES);
      set.set(key, value);
    };
    return { add, result: () => listOf(set.values()) };
  },
};

export function makeAccumulator(name: AggregateName, held?: MemoryHolding): Accumulator {
  return MAKE[name](held);
}

/** True when the aggregate gives out values that it was given. */
export function isCarrying(name: AggregateName): boolean {
  return name === "MIN" || name === "MAX" || name === "MAKELIST" || name === "MAKESET";
}

/** Memory that a value takes besides its content, in bytes. */
const VALUE_BYTES = 16;

function counting(counts: (value: Carried | undefined) => boolean): Accumulator {
  let count = 0;
  const add = (value: Carried | undefined): void => {
    if (counts(value)) count++;
  };
  return { add, result: () => count };
}

function summing(finish: (sum: number, count: number) => Value): Accumulator {
  let sum = 0;
  let count = 0;
  let isUndefined = false;
  const add = (value: Carried | undefined): void => {
    if (value === undefined) return;
    if (typeof value !== "number") isUndefined = true;
    else {
      sum += value;
      count++;
    }
  };
  return { add, result: () => (isUndefined ? undefined : finish(sum, count)) };
}

function choosing(
  isBetter: (candidate: JsonValue, best: JsonValue) => boolean,
  held: MemoryHolding | undefined,
): Accumulator {
  let best: Value;
  let bestCarried: Carried | undefined;
  let isUndefined = false;
  const add = (carried: Carried | undefined): void => {
    if (carried === undefined) return;
    const value = plainOf(carried);
    if (typeof value === "object" && value !== null) isUndefined = true;
    else if (best === undefined || isBetter(value, best)) {
      if (typeof best === "string") held?.release(best.length);
      if (typeof value === "string") held?.hold(value.length);
      best = value;
      bestCarried = carried;
    }
  };
  return { add, result: () => (isUndefined ? undefined : bestCarried) };
}
