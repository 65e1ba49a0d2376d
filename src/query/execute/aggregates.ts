/**
 * Aggregates: values are taken in one after the other, undefined ones not at all. SUM and AVG of
 * anything but numbers, and MIN and MAX that meet an array or an object, are undefined.
 */
import { canonicalText } from "../../json/canonical.ts";
import { compareValues } from "../../json/compare.ts";
import type { JsonValue } from "../../json/value.ts";
import type { AggregateName } from "../bind/bound.ts";
import type { Value } from "../functions/builtIn.ts";
import type { Held } from "./held.ts";

export interface Accumulator {
  add(value: Value): void;
  result(): Value;
}

const MAKE: Readonly<Record<AggregateName, (held: Held | undefined) => Accumulator>> = {
  COUNT: () => counting((value) => value !== undefined),
  COUNTIF: () => counting((value) => value === true),
  SUM: () => summing((sum) => sum),
  AVG: () => summing((sum, count) => (count === 0 ? undefined : sum / count)),
  MIN: () => choosing((candidate, best) => compareValues(candidate, best) < 0),
  MAX: () => choosing((candidate, best) => compareValues(candidate, best) > 0),
  MAKELIST: (held) => {
    const list: JsonValue[] = [];
    const add = (value: Value): void => {
      if (value === undefined) return;
      held?.hold(weightOf(value));
      list.push(value);
    };
    return { add, result: () => list };
  },
  MAKESET: (held) => {
    const set = new Map<string, JsonValue>();
    const add = (value: Value): void => {
      if (value === undefined) return;
      const key = canonicalText(value);
      if (set.has(key)) return;
      held?.hold(2 * key.length);
      set.set(key, value);
    };
    return { add, result: () => [...set.values()] };
  },
};

export function makeAccumulator(name: AggregateName, held?: Held): Accumulator {
  return MAKE[name](held);
}

/** Bytes, roughly. */
function weightOf(value: JsonValue): number {
  return typeof value === "object" ? JSON.stringify(value).length : 16;
}

function counting(counts: (value: Value) => boolean): Accumulator {
  let count = 0;
  const add = (value: Value): void => {
    if (counts(value)) count++;
  };
  return { add, result: () => count };
}

function summing(finish: (sum: number, count: number) => Value): Accumulator {
  let sum = 0;
  let count = 0;
  let isUndefined = false;
  const add = (value: Value): void => {
    if (value === undefined) return;
    if (typeof value !== "number") isUndefined = true;
    else {
      sum += value;
      count++;
    }
  };
  return { add, result: () => (isUndefined ? undefined : finish(sum, count)) };
}

function choosing(isBetter: (candidate: JsonValue, best: JsonValue) => boolean): Accumulator {
  let best: Value;
  let isUndefined = false;
  const add = (value: Value): void => {
    if (value === undefined) return;
    if (typeof value === "object" && value !== null) isUndefined = true;
    else if (best === undefined || isBetter(value, best)) best = value;
  };
  return { add, result: () => (isUndefined ? undefined : best) };
}
