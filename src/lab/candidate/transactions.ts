/**
 * Whether what one transaction changes together lies in one logical partition: when the values that
 * make the group say what the key is.
 */
import type { Workload } from "../workload/workload.ts";
import type { KeyShape } from "./keyShape.ts";
import { routingBy } from "./routing.ts";

/** Ids of operations whose transactions the candidate breaks. */
export function brokenTransactions(shape: KeyShape, { operations }: Workload): readonly string[] {
  const stated = shape.candidate.stated?.breaksTransactions;
  if (stated !== undefined) return stated;
  return operations
    .filter(({ transactionScope, kind }) => {
      if (transactionScope === undefined) return false;
      const scope = new Set(transactionScope);
      const routing = routingBy(shape, {
        // What is created together has one time; what is changed together may be of any age.
        countOf: (path) =>
          scope.has(path) || (kind === "create" && shape.times.has(path)) ? 1 : undefined,
        spanDays: undefined,
        isNewestFirst: false,
        knowsAll: false,
        knowsDrawn: false,
      });
      return routing.kind !== "key";
    })
    .map(({ id }) => id);
}
