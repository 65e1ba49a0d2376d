/**
 * Where the stored items lie, value by value: which share of what a filter finds is in which
 * physical partition. Who reads one partition after the other has enough after the first, or ends a
 * page in the second, and that depends on it.
 */
import type { PartitionKeyDefinition } from "../../model/partitionKey.ts";
import { epkOf } from "../../partition/epk.ts";
import type { DataFacts, PopulationRow } from "../data/facts.ts";
import { askedByValue } from "../data/requestView.ts";
import { componentAt } from "../data/sampledKeys.ts";
import { stepsOfPath } from "../profile/pathSteps.ts";
import type { ItemLayout, ValueLayout } from "../simulate/askedSizes.ts";
import { type PlacedRange, rangeIndexOf } from "../simulate/partitions.ts";
import type { KeyedItem } from "./keyedItem.ts";

/**
 * More values are not told apart: of each there is little, and it hardly matters where. Nor are
 * those that a row stands for with others like them.
 */
const VALUES_MAX = 1000;

export function storedLayout(
  items: readonly KeyedItem[],
  definition: PartitionKeyDefinition,
  facts: DataFacts,
): ItemLayout {
  const places = items.map(({ key }) => epkOf(definition, key));
  const known = new WeakMap<readonly PlacedRange[], Map<string, readonly ValueLayout[]>>();
  return {
    valuesIn(paths, ranges) {
      const population = askedByValue(facts.populationOf(paths), paths);
      const { length } = population.rows;
      const isTold =
        length <= VALUES_MAX && population.rows.every(({ keyCount }) => keyCount === 1);
      if (!isTold) return undefined;
      const ofRanges = known.get(ranges) ?? new Map<string, readonly ValueLayout[]>();
      known.set(ranges, ofRanges);
      const name = paths.join("\n");
      const found = ofRanges.get(name);
      if (found !== undefined) return found;
      const counts = countsOf(items, paths, (at) => rangeIndexOf(ranges, places[at]!));
      const made = population.rows.map((row) => layoutOf(row, counts, ranges.length));
      ofRanges.set(name, made);
      return made;
    },
  };
}

/** By value, how many of its items are in each range. */
type RangeCounts = ReadonlyMap<string, ReadonlyMap<number, number>>;

function countsOf(
  items: readonly KeyedItem[],
  paths: readonly string[],
  rangeOf: (at: number) => number,
): RangeCounts {
  const steps = paths.map(stepsOfPath);
  const counts = new Map<string, Map<number, number>>();
  items.forEach(({ item }, at) => {
    const name = nameOf(steps.map((each) => componentAt(item, each)));
    const own = counts.get(name) ?? new Map<number, number>();
    const range = rangeOf(at);
    own.set(range, (own.get(range) ?? 0) + 1);
    counts.set(name, own);
  });
  return counts;
}

function layoutOf(row: PopulationRow, counts: RangeCounts, rangeCount: number): ValueLayout {
  const { requestShare, itemShare, byteShare, values } = row;
  const own = counts.get(nameOf(values)) ?? new Map<number, number>();
  const total = [...own.values()].reduce((sum, count) => sum + count, 0);
  const parts = Array.from({ length: rangeCount }, (_, at) =>
    total === 0 ? 1 / rangeCount : (own.get(at) ?? 0) / total,
  );
  return { requestShare, itemShare, byteShare, parts };
}

/** What is missing is told apart from null. */
function nameOf(values: PopulationRow["values"]): string {
  return JSON.stringify(values.map((value) => (value === undefined ? {} : value)));
}
