/** Numbers with digits (`json/digits.ts`) where rows are made: in slots, and in lists of values. */
import { type Carried, mayHaveDigits, noteDigits, plainOf } from "../../json/digits.ts";
import type { JsonValue } from "../../json/value.ts";
import type { Slots } from "./run.ts";

/** Puts a value into a slot, with its digits; digits of the slot's former value are forgotten. */
export function bindSlot(slots: Slots, slot: number, carried: Carried | undefined): void {
  const value = plainOf(carried);
  slots[slot] = value;
  // Digits are only asked for when a number may have some, so those of a former value may stay.
  if (typeof value === "number" && mayHaveDigits(value)) noteDigits(slots, slot, carried);
}

/** Returns the list of some values, with the digits of those that are numbers. */
export function listOf(values: Iterable<Carried | undefined>): readonly JsonValue[] {
  const list: JsonValue[] = [];
  for (const carried of values) {
    if (carried === undefined) continue;
    noteDigits(list, list.length, carried);
    list.push(plainOf(carried));
  }
  return list;
}
