/**
 * The order of rows under ORDER BY: by the values of its expressions, each in its direction. All
 * arrays are equal in it, and so are all objects. Rows with equal values come in the order of
 * ranges, and within a range in order of creation, reversed when the first expression is
 * descending.
 */
import { compareValues } from "../../json/compare.ts";
import type { Epk } from "../../partition/epkRange.ts";
import type { Value } from "../functions/builtIn.ts";

export type OrderValues = readonly Value[];

export interface OrderPlace {
  readonly values: OrderValues;
  /** The beginning of the range of the item's source. */
  readonly rangeMin: Epk;
  readonly number: number;
}

export function compareOrderValues(
  left: OrderValues,
  right: OrderValues,
  isDescending: readonly boolean[],
): number {
  for (let index = 0; index < isDescending.length; index++) {
    const order = compareScalars(left[index], right[index]);
    if (order !== 0) return isDescending[index] === true ? -order : order;
  }
  return 0;
}

export function compareOrderPlaces(
  left: OrderPlace,
  right: OrderPlace,
  isDescending: readonly boolean[],
): number {
  const byValues = compareOrderValues(left.values, right.values, isDescending);
  if (byValues !== 0) return byValues;
  if (left.rangeMin !== right.rangeMin) return left.rangeMin < right.rangeMin ? -1 : 1;
  return isDescending[0] === true ? right.number - left.number : left.number - right.number;
}

function compareScalars(left: Value, right: Value): number {
  return compareValues(typeOnly(left), typeOnly(right));
}

const ANY_ARRAY: Value = [];
const ANY_OBJECT: Value = {};

/**
 * Returns an array or object that stands for the type of the value only; scalars stay as they are.
 */
function typeOnly(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? ANY_ARRAY : ANY_OBJECT;
}
