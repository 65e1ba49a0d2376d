/**
 * Facts about items that are all at hand: every population is counted, value by value, so nothing
 * is a guess, and a prediction for them is about the very keys that a run stores.
 */
import type { JsonObject } from "../../json/value.ts";
import type { KeyComponent } from "../../model/partitionKey.ts";
import { exactly } from "../counting/estimate.ts";
import type { DataFacts, Population, PopulationRow, PropertyFacts } from "../data/facts.ts";
import { asAskedFor } from "../data/requestView.ts";
import { componentAt } from "../data/sampledKeys.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import { bytesOfItem, leafCountOf } from "../profile/sampledItem.ts";
import type { Workload } from "../workload/workload.ts";

/** `known`: what each property is, whatever its values. */
export function storedFacts(
  items: readonly JsonObject[],
  known: ReadonlyMap<string, PropertyFacts>,
  workload: Workload,
): DataFacts {
  const bytes = items.map(bytesOfItem);
  const itemBytes = meanOf(bytes);
  const kept = new Map<string, Population>();
  const counted = new Map<string, PropertyFacts>();
  for (const [path, facts] of known) counted.set(path, countedFacts(items, facts));
  return {
    itemBytes,
    leafCount: meanOf(items.map(leafCountOf)),
    example: items[nearestTo(itemBytes, bytes)],
    properties: counted,
    sampleCount: items.length,
    populationOf(paths) {
      const name = paths.join("\n");
      const found = kept.get(name) ?? populationIn({ items, bytes, paths, workload });
      kept.set(name, found);
      return found;
    },
  };
}

function countedFacts(items: readonly JsonObject[], facts: PropertyFacts): PropertyFacts {
  const steps = stepsOfPath(facts.path);
  const values = new Set<unknown>();
  let missing = 0;
  for (const item of items) {
    const value = componentAt(item, steps);
    if (value === undefined) missing++;
    else values.add(value);
  }
  return {
    ...facts,
    missingShare: missing / Math.max(1, items.length),
    distinct: exactly(Math.max(1, values.size)),
  };
}

interface Counting {
  readonly items: readonly JsonObject[];
  readonly bytes: readonly number[];
  readonly paths: readonly string[];
  readonly workload: Workload;
}

/** Heaviest first. */
function populationIn({ items, bytes, paths, workload }: Counting): Population {
  const steps = paths.map(stepsOfPath);
  const groups = new Map<
    string,
    { values: readonly KeyComponent[]; items: number; bytes: number }
  >();
  items.forEach((item, at) => {
    const values = steps.map((each) => componentAt(item, each));
    // What is missing is told apart from null.
    const name = JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
    const group = groups.get(name) ?? { values, items: 0, bytes: 0 };
    group.items++;
    group.bytes += bytes[at]!;
    groups.set(name, group);
  });
  const total = bytes.reduce((sum, each) => sum + each, 0);
  const rows = [...groups.values()]
    .sort((a, b) => b.items - a.items)
    .map(
      (group): PopulationRow => ({
        values: group.values,
        counts: group.values.map(() => 1),
        keyCount: 1,
        itemShare: group.items / items.length,
        byteShare: group.bytes / total,
        requestShare: group.items / items.length,
      }),
    );
  const asked = paths.flatMap((path) => {
    const distribution = workload.properties.get(path)?.requests;
    return distribution === undefined ? [] : [{ path, distribution }];
  });
  return asAskedFor({ paths, rows, distinct: exactly(rows.length) }, asked);
}

function nearestTo(wanted: number, amounts: readonly number[]): number {
  return amounts.reduce(
    (best, amount, at) =>
      Math.abs(amount - wanted) < Math.abs(amounts[best]! - wanted) ? at : best,
    0,
  );
}

function meanOf(amounts: readonly number[]): number {
  return amounts.reduce((sum, amount) => sum + amount, 0) / Math.max(1, amounts.length);
}
