/**
 * What a workload declares, over what a profile shows: whoever declares a size or a number of
 * values knows something that the file does not. What is not declared stays as it was counted.
 *
 * A population gets another number of values by rows that stand for more of them; single values
 * that are far above the others, and what is missing, keep their shares.
 */

import { bytesText } from "../../base/wording.ts";
import { exactly } from "../counting/estimate.ts";
import type { Profile } from "../profile/profile.ts";
import { numberText, percentText } from "../wording/plain.ts";
import type { PropertyShape, Workload } from "../workload/workload.ts";
import { declaredFacts } from "./declaredFacts.ts";
import type { DataFacts, Population, PopulationRow } from "./facts.ts";
import { grownDistinct } from "./grownDistinct.ts";

/** Over the share of a mean value: one that stays as it is. */
const OUTLIER = 10;
/** Closer than this is no contradiction. */
const ALIKE = 0.1;

export function declaredOver(facts: DataFacts, profile: Profile, workload: Workload): DataFacts {
  const declared = declaredFacts(workload);
  const targets = targetsOf(facts, profile, workload);
  const itemBytes = workload.item.bytes ?? facts.itemBytes;
  if (targets.size === 0 && itemBytes === facts.itemBytes) return facts;
  const kept = new Map<string, Population>();
  const populationOf = (paths: readonly string[]): Population => {
    const name = paths.join("\n");
    const known = kept.get(name) ?? populationWith(paths);
    kept.set(name, known);
    return known;
  };
  const populationWith = (paths: readonly string[]): Population => {
    const [path] = paths;
    const isSkewed = path !== undefined && workload.properties.get(path)?.items.kind !== "uniform";
    if (paths.length === 1 && targets.has(path!) && isSkewed) return declared.populationOf(paths);
    return paths.reduce((population, each, at) => {
      const target = targets.get(each);
      if (target === undefined) return population;
      return withDistinct(population, at, target, facts.populationOf([each]));
    }, facts.populationOf(paths));
  };
  const properties = new Map(facts.properties);
  for (const [path, distinct] of targets) {
    const known = properties.get(path);
    if (known !== undefined) properties.set(path, { ...known, distinct: exactly(distinct) });
  }
  return { ...facts, itemBytes, properties, populationOf };
}

/** Paths with a number of values that is declared, or follows from a declared growth. */
function targetsOf(
  facts: DataFacts,
  profile: Profile,
  workload: Workload,
): ReadonlyMap<string, number> {
  const targets = new Map<string, number>();
  for (const [path, shape] of workload.properties) {
    const target = targetOf(path, shape, { facts, profile, workload });
    if (target !== undefined) targets.set(path, Math.max(1, target));
  }
  return targets;
}

function targetOf(
  path: string,
  shape: PropertyShape,
  {
    facts,
    profile,
    workload,
  }: { readonly facts: DataFacts; readonly profile: Profile; readonly workload: Workload },
): number | undefined {
  if (!facts.properties.has(path) || shape.time !== undefined) return undefined;
  if (shape.distinct !== undefined) return grownDistinct(shape.distinct, shape, workload);
  if (shape.grows === undefined) return undefined;
  return grownDistinct(countedIn(profile, path), shape, workload, profile.itemCount);
}

function countedIn(profile: Profile, path: string): number {
  return profile.properties.find((each) => each.path === path)?.distinct.value ?? 1;
}

function withDistinct(
  population: Population,
  at: number,
  target: number,
  alone: Population,
): Population {
  const rows = alone.rows;
  const mean = 1 / Math.max(1, alone.distinct.value);
  const stays = (row: PopulationRow, valueAt: number): boolean =>
    row.values[valueAt] === undefined || row.values[valueAt] === null;
  const isOutlier = (row: PopulationRow): boolean =>
    row.keyCount <= 1 && row.itemShare > OUTLIER * mean;
  const fixed = rows.filter((row) => stays(row, 0) || isOutlier(row));
  const fixedNames = new Set(fixed.map(({ values }) => String(values[0])));
  const known = Math.max(1, alone.distinct.value - fixed.length);
  const factor = Math.max(0, target - fixed.length) / known;
  if (Math.abs(factor - 1) < 0.001) return population;
  const changed =
    factor > 1
      ? population.rows.map((row) =>
          fixedNames.has(String(row.values[at])) ? row : scaledAt(row, at, factor),
        )
      : heaviest(population.rows, at, target);
  const before = population.rows.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const after = changed.reduce((sum, { keyCount }) => sum + keyCount, 0);
  const { value } = population.distinct;
  return { ...population, rows: changed, distinct: exactly((value * after) / Math.max(1, before)) };
}

function scaledAt(row: PopulationRow, at: number, factor: number): PopulationRow {
  const counts = row.counts.with(at, row.counts[at]! * factor);
  return { ...row, counts, keyCount: row.keyCount * factor };
}

/** So many values, those with most items, with the shares of all. */
function heaviest(
  rows: readonly PopulationRow[],
  at: number,
  target: number,
): readonly PopulationRow[] {
  const shares = new Map<string, { share: number; count: number }>();
  for (const { values, itemShare, counts } of rows) {
    const name = String(values[at]);
    const known = shares.get(name);
    const count = Math.max(known?.count ?? 0, counts[at]!);
    shares.set(name, { share: (known?.share ?? 0) + itemShare, count });
  }
  const ordered = [...shares].sort(([, a], [, b]) => b.share / b.count - a.share / a.count);
  const taken = new Set<string>();
  let left = target;
  for (const [name, { count }] of ordered) {
    if (left <= 0) break;
    taken.add(name);
    left -= count;
  }
  const kept = rows.filter(({ values }) => taken.has(String(values[at])));
  const sum = (of: (row: PopulationRow) => number): number =>
    kept.reduce((total, row) => total + of(row), 0) || 1;
  const [items, bytes, requests] = [
    sum(({ itemShare }) => itemShare),
    sum(({ byteShare }) => byteShare),
    sum(({ requestShare }) => requestShare),
  ];
  return kept.map((row) => ({
    ...row,
    itemShare: row.itemShare / items,
    byteShare: row.byteShare / bytes,
    requestShare: row.requestShare / requests,
  }));
}

/** What was taken from where, and what contradicts what. */
export function declaredRemarks(profile: Profile, workload: Workload): readonly string[] {
  const facts = { properties: new Map(profile.properties.map((each) => [each.path, each])) };
  const count = numberText(profile.itemCount);
  const remarks = [...sizeRemark(profile, workload)];
  for (const [path, shape] of workload.properties) {
    if (!facts.properties.has(path) || shape.time !== undefined) continue;
    const counted = countedIn(profile, path);
    if (shape.distinct !== undefined) remarks.push(distinctRemark(path, shape.distinct, counted));
    if (shape.grows !== undefined && shape.grows.kind !== "fixed") {
      const from = shape.distinct ?? counted;
      const fromItems = shape.distinct === undefined ? profile.itemCount : undefined;
      const end = grownDistinct(from, shape, workload, fromItems);
      remarks.push(
        `The values of ${path} are declared to grow: from ${numberText(from)} to ` +
          `${numberText(end)} at the end.`,
      );
    }
  }
  if (remarks.length === 0) return [];
  return [...remarks, `All else about the items is from ${profile.source} (${count} items).`];
}

function sizeRemark(
  { itemBytes: { mean } }: Profile,
  { item: { bytes } }: Workload,
): readonly string[] {
  if (bytes === undefined) return [];
  const used = `The size of an item is as declared, ${bytesText(bytes)}, for storage and charges`;
  const isAlike = Math.abs(bytes / Math.max(1, mean) - 1) <= ALIKE;
  return [
    isAlike
      ? `${used}; those that were read have about as much.`
      : `${used}; those that were read have ${bytesText(mean)} on average, which contradicts it.`,
  ];
}

function distinctRemark(path: string, declared: number, counted: number): string {
  const used = `The number of values of ${path} is as declared, ${numberText(declared)}`;
  if (Math.abs(declared / Math.max(1, counted) - 1) <= ALIKE) return `${used}, as was counted.`;
  return counted > declared
    ? `${used}; ${numberText(counted)} were counted, which contradicts it.`
    : `${used}; ${numberText(counted)} were counted, ${percentText(counted / declared)} of them.`;
}
