/** The combinations of values at some paths, counted over a sample of items. */
import { isObject, type JsonObject, type JsonValue, property } from "../../json/value.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";

export interface SampledKey {
  readonly values: readonly KeyComponent[];
  readonly count: number;
}

/** Most frequent first. */
export function combinationsIn(
  items: readonly JsonObject[],
  paths: readonly string[],
): readonly SampledKey[] {
  const steps = paths.map(stepsOfPath);
  const counts = new Map<string, { values: readonly KeyComponent[]; count: number }>();
  for (const item of items) {
    const values = steps.map((path) => componentAt(item, path));
    const name = JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
    const known = counts.get(name);
    if (known === undefined) counts.set(name, { values, count: 1 });
    else known.count++;
  }
  return [...counts.values()].sort((a, b) => b.count - a.count);
}

/** What is no scalar counts as no value, as it does to the hash. */
export function componentAt(item: JsonObject, steps: readonly string[]): KeyComponent {
  let value: JsonValue | undefined = item;
  for (const step of steps) {
    value = isObject(value) ? property(value, step) : undefined;
  }
  return typeof value === "object" && value !== null ? undefined : value;
}
