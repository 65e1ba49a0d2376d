/**
 * Rows of values that are in a key only as one of so many numbers: many of them fill every number
 * alike, and are one row.
 */
import type { PopulationRow } from "../data/facts.ts";
import { spreadOf } from "./chosenRows.ts";
import type { KeyShape } from "./keyShape.ts";

/** Single keys at most; more are a mass. */
export const SINGLES_MAX = 4096;
/** So many values a bucket are as good as evenly spread. */
export const BROAD = 4;

/** How many different keys the items of a row have. */
export function keyCountOf(shape: KeyShape, paths: readonly string[], row: PopulationRow): number {
  return row.counts.reduce(
    (product, count, at) => {
      const buckets = shape.hashCounts.get(paths[at]!);
      return product * (buckets === undefined ? count : Math.min(count, buckets));
    },
    spreadOf(shape, paths, row),
  );
}

interface MergedRows {
  readonly rows: readonly PopulationRow[];
  /** How many keys they have. */
  readonly total: number;
}

/**
 * Rows that differ only in a value of which the key has no more than a bucket are one row, if there
 * are many such values, none of them heavy. Where there is room for all keys, values that are there
 * by name stay: few of them do not fill buckets evenly.
 */
export function withoutHashed(
  shape: KeyShape,
  paths: readonly string[],
  rows: readonly PopulationRow[],
): MergedRows {
  const totalOf = (some: readonly PopulationRow[]): number =>
    some.reduce((sum, row) => sum + keyCountOf(shape, paths, row), 0);
  const [at, ...others] = paths.flatMap((path, index) => (shape.hashCounts.has(path) ? index : []));
  if (at === undefined || others.length > 0) return { rows, total: totalOf(rows) };
  const buckets = shape.hashCounts.get(paths[at]!)!;
  const groups = [...groupsBut(at, rows).values()];
  const countOf = (some: readonly PopulationRow[]): number =>
    some.reduce((sum, { counts }) => sum + counts[at]!, 0);
  const total = groups.reduce(
    (sum, group) =>
      sum +
      keyCountOf(shape, paths, {
        ...group[0]!,
        counts: group[0]!.counts.with(at, countOf(group)),
      }),
    0,
  );
  const merged = groups.flatMap((group) => {
    const whole = group.reduce(together);
    const isAlone = ({ itemShare, requestShare, counts }: PopulationRow): boolean => {
      if (total <= SINGLES_MAX && counts[at]! <= 1) return true;
      const most = Math.max(itemShare / whole.itemShare, requestShare / whole.requestShare || 0);
      return most * BROAD * buckets > counts[at]!;
    };
    const light = group.filter((row) => !isAlone(row));
    if (countOf(light) <= BROAD * buckets) return group;
    const one = light.reduce(together);
    return [...group.filter(isAlone), { ...one, counts: one.counts.with(at, countOf(light)) }];
  });
  return { rows: merged, total };
}

function groupsBut(
  at: number,
  rows: readonly PopulationRow[],
): ReadonlyMap<string, readonly PopulationRow[]> {
  const groups = new Map<string, PopulationRow[]>();
  for (const row of rows) {
    const rest = row.values.map((value, index) => (index === at ? 0 : [typeof value, value]));
    const name = JSON.stringify([rest, row.counts.with(at, 0)]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

function together(a: PopulationRow, b: PopulationRow): PopulationRow {
  return {
    ...a,
    itemShare: a.itemShare + b.itemShare,
    byteShare: a.byteShare + b.byteShare,
    requestShare: a.requestShare + b.requestShare,
  };
}
