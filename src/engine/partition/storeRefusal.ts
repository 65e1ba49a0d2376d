/** What a caller is told when the store could not do what it was asked. */
import type { Result } from "../../base/result.ts";
import { no, ok } from "../../base/result.ts";
import type { Refusal } from "../../model/refusal.ts";
import { Fenced, StoreDamage, StoreFault } from "../../store/partitionStore.ts";

/** `undefined` of anything that is no fault of the store: that is a defect, and stays one. */
export function storeRefusal(error: unknown): Refusal | undefined {
  if (error instanceof StoreDamage) return { kind: "damaged", place: error.message };
  if (error instanceof StoreFault || error instanceof Fenced) {
    return { kind: "unavailable", message: error.message };
  }
  return undefined;
}

/** What `read` returns, or the refusal that its fault is. */
export function attempted<T>(read: () => T): Result<T, Refusal> {
  try {
    return ok(read());
  } catch (error) {
    const refusal = storeRefusal(error);
    if (refusal === undefined) throw error;
    return no(refusal);
  }
}
