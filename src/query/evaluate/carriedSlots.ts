/** Numbers with digits (`json/digits.ts`) where rows are made: in slots, and in lists of values. */
import { type Carried, mayHaveDigits, noteDigits, plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Slots } from "./run.ts";

/** Puts a value where later expressions find it, with its digits and without those of before. */
export function bindSlot(slots: Slots, slot: number, carried: Carried | undefined): void {
  const value = plainOf(carried);
  slots[slot] = value;
  // Nobody asks for the digits of other numbers, so theirs need not be forgotten.
  if (typeof value === "number" && mayHaveDigits(value)) noteDigits(slots, slot, carried);
}

/** The list of some values, with the digits of those that stand alone. */
export function listOf(values: Iterable<Carried | undefined>): readonly JsonValue[] {
  const list: JsonValue[] = [];
  for (const carried of values) {
    if (carried === undefined) continue;
    noteDigits(list, list.length, carried);
    list.push(plainOf(carried));
  }
  return list;
}
