/**
 * What single operations cost, where a recording tells. Queries are the same if their texts are;
 * other operations of a kind are taken together, because a recording and a workload may divide them
 * differently.
 */
import { compared, type FigureCheck } from "./check.ts";
import type { ObservedOperation } from "./observed.ts";
import type { PredictedOperation } from "./prediction.ts";

/** Fewer of an operation say nothing about its mean. */
const OPERATIONS_MIN = 20;

export function operationChecks(
  predicted: readonly PredictedOperation[],
  observed: readonly ObservedOperation[] | undefined,
  tolerance: number,
): readonly FigureCheck[] {
  if (observed === undefined) return [];
  const groups = new Map<string, PredictedOperation[]>();
  for (const operation of predicted) {
    const name = nameOf(operation.kind, operation.sql ?? undefined);
    groups.set(name, [...(groups.get(name) ?? []), operation]);
  }
  return [...groups].map(([name, operations]) => {
    const seen = observed.filter(({ kind, text }) => nameOf(kind, text) === name);
    const count = seen.reduce((sum, each) => sum + each.count, 0);
    const title = operations.map(({ id }) => id).join(", ");
    return compared({
      name: `ruOf.${operations.map(({ id }) => id).join("+")}`,
      title: `RU of ${title}`,
      unit: "RU",
      predicted: meanOf(operations.map(({ ruEach, ratePerSecond }) => [ruEach, ratePerSecond])),
      measured: meanOf(seen.map(({ ruEach, count: times }) => [ruEach, times])),
      tolerance,
      openBecause: count < OPERATIONS_MIN ? seenText(count) : undefined,
    });
  });
}

function seenText(count: number): string {
  if (count === 0) return "It was not recorded.";
  return `It was recorded ${count} times; it takes ${OPERATIONS_MIN}.`;
}

/** A feed of all items is a query without a text. */
function nameOf(kind: string, text: string | undefined): string {
  if (kind === "readFeed") return nameOf("query", "SELECT * FROM c");
  return kind === "query" ? `query ${(text ?? "").replace(/\s+/g, " ").trim()}` : kind;
}

/** Of amounts, each with its weight; their plain mean where nothing weighs. */
function meanOf(amounts: readonly (readonly [amount: number, weight: number])[]): number {
  const weight = amounts.reduce((sum, [, each]) => sum + each, 0);
  if (weight === 0) return amounts.reduce((sum, [each]) => sum + each, 0) / (amounts.length || 1);
  return amounts.reduce((sum, [amount, each]) => sum + amount * each, 0) / weight;
}
