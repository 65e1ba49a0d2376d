/** Items that a run writes beside those that are stored: written now, and new in what is unique. */
import type { JsonObject, JsonValue } from "../../json/value.ts";
import { itemsOf } from "../scenario/itemGenerator.ts";
import { stepsOf, valueIn } from "../workload/pathField.ts";
import type { Workload } from "../workload/workload.ts";

export interface NewItems {
  readonly count: number;
  /** How many there are already. */
  readonly after: number;
  readonly nowMillis: number;
  readonly seed: number;
}

export function newItems(
  workload: Workload,
  { count, after, nowMillis, seed }: NewItems,
): readonly JsonObject[] {
  const unique = [...workload.properties.values()]
    .filter(({ isUnique }) => isUnique)
    .map(({ path }) => path);
  const paths = [...new Set(["/id", ...unique])];
  const made = itemsOf(workload, { seed, count, startMillis: nowMillis, spanDays: 0 });
  return [...made].map((item) =>
    paths.reduce((changed, path) => {
      const value = valueIn(changed, path);
      const steps = stepsOf(path);
      if (typeof value !== "string" || steps === undefined) return changed;
      return withValue(changed, steps, later(value, after));
    }, item),
  );
}

/** Values that were made up end in their number. */
function later(value: string, after: number): string {
  return value.replace(/\d+$/, (digits) =>
    String(Number(digits) + after).padStart(digits.length, "0"),
  );
}

function withValue(item: JsonObject, steps: readonly string[], value: JsonValue): JsonObject {
  const [first, ...rest] = steps;
  if (first === undefined) return item;
  const inner = item[first];
  const isInside = rest.length > 0 && typeof inner === "object" && inner !== null;
  const next = isInside ? withValue(inner as JsonObject, rest, value) : value;
  return { ...item, [first]: next };
}
