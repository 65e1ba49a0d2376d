/** Turns faults of the store into refusals. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { Fenced, StoreDamage, StoreFault } from "../../store/partitionStore.ts";

/** Returns `undefined` for an error that is no fault of the store; such an error is a defect. */
export function storeRefusal(error: unknown): Refusal | undefined {
  if (error instanceof StoreDamage) return { kind: "damaged", place: error.message };
  if (error instanceof StoreFault || error instanceof Fenced) {
    return { kind: "unavailable", message: error.message };
  }
  return undefined;
}

/** Returns the result of `read`, or the refusal that stands for its fault. */
export function attempted<T>(read: () => T): Result<T, Refusal> {
  try {
    return ok(read());
  } catch (error) {
    const refusal = storeRefusal(error);
    if (refusal === undefined) throw error;
    return no(refusal);
  }
}
