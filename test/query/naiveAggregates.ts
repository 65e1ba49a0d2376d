/** The aggregates by their table in the reference: what they count, and what they cannot. */
import type { JsonValue } from "../../src/json/value.ts";
import type { Value } from "./naiveValues.ts";
import { isEqual, orderOf, typeOf } from "./naiveValues.ts";

const NAMES = ["COUNT", "SUM", "AVG", "MIN", "MAX", "COUNTIF", "MAKELIST", "MAKESET"] as const;
type AggregateName = (typeof NAMES)[number];

export function isAggregate(name: string): boolean {
  return NAMES.includes(name.toUpperCase() as AggregateName);
}

/** `values` are those of the argument, one for each row. */
export function aggregateOf(name: string, values: readonly Value[]): Value {
  const defined = values.filter((value) => value !== undefined);
  switch (name.toUpperCase() as AggregateName) {
    case "COUNT":
      return defined.length;
    case "COUNTIF":
      return values.filter((value) => value === true).length;
    case "SUM":
      return sumOf(defined);
    case "AVG": {
      const sum = sumOf(defined);
      return sum === undefined || defined.length === 0 ? undefined : sum / defined.length;
    }
    case "MIN":
      return leastOf(defined, 1);
    case "MAX":
      return leastOf(defined, -1);
    case "MAKELIST":
      return defined;
    case "MAKESET":
      return defined.filter((value, at) => defined.findIndex((one) => isEqual(one, value)) === at);
  }
}

function sumOf(values: readonly JsonValue[]): number | undefined {
  if (!values.every((value) => typeof value === "number")) return undefined;
  return (values as readonly number[]).reduce((sum, value) => sum + value, 0);
}

function leastOf(values: readonly JsonValue[], sign: 1 | -1): Value {
  if (values.some((value) => ["array", "object"].includes(typeOf(value)))) return undefined;
  return values.toSorted((a, b) => sign * orderOf(a, b))[0];
}
