/**
 * The order in which the values of each list were appended, recovered from the longest reading of
 * it, and what single lists give away: strange values, doubled ones, readings that contradict each
 * other.
 *
 * Always holds: every reading that is not complained about is a beginning of its list's order, so
 * that its length says all there is to say about it.
 *
 * Not here: what follows for more than one list or transaction (`listAppend.ts`, `cycles.ts`).
 */
import { assert } from "../../src/base/assert.ts";
import type { Findings } from "./findings.ts";
import type { Finals, Transaction } from "./history.ts";

/** What a transaction saw of a list that others had left there. */
export interface Reading {
  /** Index in the history. */
  readonly reader: number;
  readonly list: string;
  /** How many values were there before the reader's own. */
  readonly length: number;
}

interface Append {
  /** Index in the history. */
  readonly writer: number;
  /** Which step of it. */
  readonly stepIndex: number;
  /** No later append of the same transaction goes to the same list. */
  isLast: boolean;
}

export class ListOrder {
  readonly name: string;
  readonly appends: Map<number, Append> = new Map();
  /** The longest reading there is. */
  order: readonly number[] = [];
  readonly positions: Map<number, number> = new Map();
  readonly readings: Reading[] = [];

  constructor(name: string) {
    this.name = name;
  }

  /** Who appended what is at `position`; undefined past the end, or if nobody did. */
  writerAt(position: number): number | undefined {
    const value = this.order[position];
    return value === undefined ? undefined : this.appends.get(value)?.writer;
  }

  isOrdered(values: readonly number[]): boolean {
    return values.every((value, position) => value === this.order[position]);
  }
}

export type ListOrders = ReadonlyMap<string, ListOrder>;

export function recoverOrders(
  history: readonly Transaction[],
  finals: Finals,
  findings: Findings,
): ListOrders {
  const orders = new Map<string, ListOrder>();
  const orderOf = (name: string): ListOrder => {
    const order = orders.get(name) ?? new ListOrder(name);
    orders.set(name, order);
    return order;
  };
  history.forEach(({ steps }, writer) => {
    const last = new Map<string, Append>();
    steps.forEach((step, stepIndex) => {
      const order = orderOf(step.list);
      if (step.kind === "read") {
        if (step.values.length > order.order.length) order.order = step.values;
        return;
      }
      const before = last.get(step.list);
      if (before !== undefined) before.isLast = false;
      const append = { writer, stepIndex, isLast: true };
      last.set(step.list, append);
      assert(!order.appends.has(step.value), `${step.value} is appended twice to ${step.list}`);
      order.appends.set(step.value, append);
    });
  });
  for (const [name, values] of finals) {
    const order = orderOf(name);
    if (values.length > order.order.length) order.order = values;
  }
  for (const order of orders.values()) {
    order.order.forEach((value, position) => {
      if (!order.positions.has(value)) order.positions.set(value, position);
    });
    inspectValues(history, order, order.order, findings);
  }
  compareReadings(history, finals, orders, findings);
  return orders;
}

/** Where each value of a reading comes from. Beginnings of an order are inspected with it. */
function inspectValues(
  history: readonly Transaction[],
  { name, appends }: ListOrder,
  values: readonly number[],
  findings: Findings,
): void {
  const seen = new Set<number>();
  const lastOf = new Map<number, Append>();
  for (const value of values) {
    const append = appends.get(value);
    if (append === undefined) findings.add("unwritten", `${value} in ${name}`);
    else if (history[append.writer]!.outcome === "failed") {
      findings.add("abortedRead", `${value} of ${append.writer} in ${name}`);
    }
    if (seen.has(value)) findings.add("duplicate", `${value} in ${name}=[${values}]`);
    seen.add(value);
    if (append === undefined) continue;
    const last = lastOf.get(append.writer);
    lastOf.set(append.writer, append);
    if (last !== undefined && last.stepIndex > append.stepIndex) {
      findings.add("incompatibleOrder", `${name}=[${values}], not as ${append.writer} appended`);
    }
  }
}

function compareReadings(
  history: readonly Transaction[],
  finals: Finals,
  orders: ListOrders,
  findings: Findings,
): void {
  const compare = (list: string, values: readonly number[], reader: string): void => {
    const order = orders.get(list)!;
    if (order.isOrdered(values)) return;
    findings.add("incompatibleOrder", `${reader} has ${list}=[${values}], others [${order.order}]`);
    inspectValues(history, order, values, findings);
  };
  history.forEach(({ steps }, reader) => {
    for (const step of steps) {
      if (step.kind === "read") compare(step.list, step.values, String(reader));
    }
  });
  for (const [list, values] of finals) compare(list, values, "the end");
}
