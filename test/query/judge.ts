/**
 * Whether the rows that came back are rows the language allows.
 *
 * The language promises an order by ORDER BY only, and leaves rows that tie to chance, so of a
 * cut by TOP or LIMIT it is known how many rows there are and from which ranks they come. Numbers
 * are equal if they are the same double; -0 is 0. What is not compared: the order of what
 * MAKELIST, MAKESET and an inner DISTINCT or GROUP BY put into an array.
 */
import type { JsonValue } from "../../src/json/value.ts";
import { isObject } from "../../src/json/value.ts";
import type { NaiveOutcome } from "./naive.ts";

type Rows = Extract<NaiveOutcome, { readonly kind: "rows" }>;

export interface Freedom {
  /** All rows tie: the query has no ORDER BY. */
  readonly isUnordered: boolean;
  /** Arrays in rows may come in any order. */
  readonly hasLooseArrays: boolean;
}

/** What is wrong with the rows; nothing if they may be so. */
export function differenceOf(
  expected: Rows,
  actual: readonly JsonValue[],
  freedom: Freedom,
): string | undefined {
  if (actual.length !== expected.rows.length) {
    return `${actual.length} rows instead of ${expected.rows.length}${example(expected, actual)}`;
  }
  const texts = actual.map((row) => canonical(row, freedom.hasLooseArrays));
  const pools = new Map<number, Map<string, number>>();
  for (const { row, rank } of expected.ranked) {
    const pool = pools.get(freedom.isUnordered ? 0 : rank) ?? new Map<string, number>();
    const text = canonical(row, freedom.hasLooseArrays);
    pool.set(text, (pool.get(text) ?? 0) + 1);
    pools.set(freedom.isUnordered ? 0 : rank, pool);
  }
  for (const [index, text] of texts.entries()) {
    const { rank } = expected.ranked[expected.offset + index]!;
    const pool = pools.get(freedom.isUnordered ? 0 : rank)!;
    const count = pool.get(text) ?? 0;
    if (count === 0) return `row ${index} should not be here: ${text}${example(expected, actual)}`;
    pool.set(text, count - 1);
  }
  return undefined;
}

function example(expected: Rows, actual: readonly JsonValue[]): string {
  const shown = (rows: readonly JsonValue[]): string => JSON.stringify(rows).slice(0, 1000);
  return `\n  expected ${shown(expected.rows)}\n  received ${shown(actual)}`;
}

/** The same text for equal values, whatever the order of names. */
export function canonical(value: JsonValue, hasLooseArrays = false): string {
  if (Array.isArray(value)) {
    const elements = (value as readonly JsonValue[]).map((one) => canonical(one, hasLooseArrays));
    return `[${(hasLooseArrays ? elements.toSorted() : elements).join(",")}]`;
  }
  if (isObject(value)) {
    const names = Object.keys(value).toSorted();
    const member = (name: string): string =>
      `${JSON.stringify(name)}:${canonical(value[name]!, hasLooseArrays)}`;
    return `{${names.map(member).join(",")}}`;
  }
  return JSON.stringify(value);
}

const SYSTEM_NAMES = ["_rid", "_self", "_etag", "_attachments", "_ts"];

/** Items, wherever they occur, without what the service adds to them. */
export function withoutSystemParts(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return (value as readonly JsonValue[]).map(withoutSystemParts);
  if (!isObject(value)) return value;
  const isItem = SYSTEM_NAMES.every((name) => Object.hasOwn(value, name));
  const members = Object.entries(value).filter(([name]) => !isItem || !SYSTEM_NAMES.includes(name));
  return Object.fromEntries(members.map(([name, member]) => [name, withoutSystemParts(member)]));
}
