/**
 * What comes out of a query, judged by the example item: the bytes of a row, and how many rows the
 * joins of the query make of an item.
 */
import { type Carried, plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Bound, BoundQuery } from "../../query/bind/bound.ts";
import { partsOf } from "../../query/bind/boundTrees.ts";
import type { Run, Slots } from "../../query/evaluate/run.ts";
import { problemOf } from "../../query/evaluate/run.ts";
import type { ItemPlan, Plan } from "../../query/plan/plan.ts";
import { STAMP, storedBytesOf } from "./itemPrice.ts";
import type { PriceSetting } from "./price.ts";

export interface ExampleRow {
  readonly bytes: number;
  /** Rows that the filter is tried on, for each item. */
  readonly rowsPerItem: number;
}

export function exampleRowOf(plan: Plan, run: Run, setting: PriceSetting): ExampleRow {
  const storedBytes = storedBytesOf(setting.itemBytes);
  if (plan.kind === "items" && plan.isStar && plan.query.sources.length === 1) {
    return { bytes: storedBytes, rowsPerItem: 1 };
  }
  const made = madeOf(plan, run, setting);
  const inner = innerOf(plan);
  const rowsPerItem = made?.rowsPerItem ?? 1;
  if (made?.row === undefined) return { bytes: roughBytes(plan.query, setting), rowsPerItem };
  const bytes = Buffer.byteLength(JSON.stringify(made.row));
  // A row that holds the item is as long as items are, not as the example is.
  const isWhole = inner !== undefined && selectedBy(inner.query).some((each) => holds(each, inner));
  return { bytes: isWhole ? bytes + storedBytes - made.exampleBytes : bytes, rowsPerItem };
}

interface Made {
  readonly row: JsonValue | undefined;
  readonly rowsPerItem: number;
  /** As it is stored. */
  readonly exampleBytes: number;
}

/** Undefined without an example, or if the query fails on it. */
function madeOf(plan: Plan, run: Run, { example }: PriceSetting): Made | undefined {
  if (plan.kind === "constant") return { ...NOTHING_MADE, row: firstOf(plan.rows([], run)) };
  if (example === undefined) return undefined;
  const item = { ...example, ...STAMP };
  try {
    const exampleBytes = Buffer.byteLength(JSON.stringify(item));
    if (plan.kind === "items") return { ...rowOf(plan, item, run), exampleBytes };
    const inner = rowOf(plan.inner, item, run);
    const slots: Slots = new Array(plan.slotCount).fill(undefined);
    slots[plan.rowsSlot] = inner.row === undefined ? [] : [inner.row];
    return { row: firstOf(plan.rows(slots, run)), rowsPerItem: inner.rowsPerItem, exampleBytes };
  } catch (error) {
    // What the query makes of this item is refused; others may be fine.
    problemOf(error);
    return undefined;
  }
}

const NOTHING_MADE = { rowsPerItem: 1, exampleBytes: 0 } as const;

function rowOf(
  plan: ItemPlan,
  item: JsonValue,
  run: Run,
): { readonly row: JsonValue | undefined; readonly rowsPerItem: number } {
  const slots: Slots = new Array(plan.slotCount).fill(undefined);
  slots[plan.itemSlot] = item;
  const groups = plan.makeGroups?.();
  let row: JsonValue | undefined;
  let rowsPerItem = 0;
  for (const _ of plan.product(slots, run)) {
    rowsPerItem++;
    if (groups === undefined) row ??= plainOf(plan.select(slots, run));
    else groups.add(slots, run);
  }
  const [group] = groups?.all() ?? [];
  if (group !== undefined) {
    group.fill(slots);
    row = plainOf(plan.select(slots, run));
  }
  return { row, rowsPerItem };
}

function firstOf(rows: Iterable<Carried | undefined>): JsonValue | undefined {
  for (const row of rows) if (row !== undefined) return plainOf(row);
  return undefined;
}

function innerOf(plan: Plan): ItemPlan | undefined {
  return plan.kind === "items" ? plan : plan.kind === "derived" ? plan.inner : undefined;
}

function selectedBy({ selection }: BoundQuery): readonly Bound[] {
  return selection.kind === "value"
    ? [selection.expression]
    : selection.members.map(({ value }) => value);
}

/** The item itself is part of what the expression gives: not just a value of it. */
function holds(bound: Bound, plan: ItemPlan): boolean {
  if (bound.kind === "slot") return bound.slot === plan.itemSlot;
  if (bound.kind !== "object" && bound.kind !== "array") return false;
  return partsOf(bound).some((part) => holds(part, plan));
}

/** Without an example: a member for each thing selected, with a value of the usual length. */
function roughBytes(query: BoundQuery, { itemBytes, leafCount }: PriceSetting): number {
  const valueBytes = Math.min(itemBytes, itemBytes / (2 * Math.max(1, leafCount)));
  const { selection } = query;
  if (selection.kind === "value") return valueBytes;
  const names = selection.members.map(({ name }) => name);
  return 1 + names.reduce((sum, name) => sum + name.length + MEMBER_BYTES + valueBytes, 0);
}

/** Quotes, a colon and a comma. */
const MEMBER_BYTES = 4;
