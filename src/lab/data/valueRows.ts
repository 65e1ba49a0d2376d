/**
 * The values of one declared property, as rows: the heaviest one by one, all others in rows that
 * stand for many alike. A million values under a Zipf law take a few hundred rows, and their shares
 * are right to many digits.
 */
import type { Distribution, PropertyShape } from "../workload/workload.ts";
import { pieceCounts, rankCuts } from "./rankCuts.ts";

export interface ValueRow {
  readonly value: string;
  /** So many values like this one. */
  readonly count: number;
  /** Of all of them together. */
  readonly share: number;
  /** The rank of the first of them, from 1 for the heaviest. */
  readonly rank: number;
}

/** So many values are told apart, all of them. */
const ALL_MAX = 4000;
/** Of more these; beyond are classes, so many for each doubling of the rank. */
const SINGLE_MAX = 1000;
const CLASSES_PER_DOUBLING = 6;

/**
 * The name of the value with a rank: the same wherever data for a workload is made up, so that a
 * prediction hashes what a run will write.
 */
export function valueName(path: string, rank: number): string {
  const last = path.slice(path.lastIndexOf("/") + 1);
  return `${last}-${String(rank).padStart(6, "0")}`;
}

/**
 * The values that items have at a declared property, cut so that each row is asked for alike. Those
 * that requests name and items do not are the heaviest of the others.
 */
export function itemRows(
  { path, items, requests }: Pick<PropertyShape, "path" | "items" | "requests">,
  distinct: number,
): readonly ValueRow[] {
  const rows = valueRows(path, distinct, items);
  if (requests === undefined) return rows;
  if (requests.kind === "shares") return withNames(path, rows, requests.shares);
  const cuts = rankCuts(requests, distinct);
  return rows.flatMap((row) => {
    if (row.count === 1) return [row];
    let rank = row.rank;
    return pieceCounts(cuts, row.rank, row.count).map((count) => {
      const piece = pieceOf(path, row, rank, count);
      rank += count;
      return piece;
    });
  });
}

function pieceOf(path: string, row: ValueRow, rank: number, count: number): ValueRow {
  const value = rank === row.rank ? row.value : valueName(path, rank);
  return { value, count, share: (row.share * count) / row.count, rank };
}

function withNames(
  path: string,
  rows: readonly ValueRow[],
  shares: ReadonlyMap<string, number>,
): readonly ValueRow[] {
  const present = new Set(rows.map(({ value }) => value));
  const missing = [...shares]
    .filter(([value]) => !present.has(value))
    .sort(([, a], [, b]) => b - a)
    .map(([value]) => value);
  let next = 0;
  return rows.flatMap((row) => {
    // Only names that were made up give way.
    const isMadeUp = row.value === valueName(path, row.rank) && !shares.has(row.value);
    const taken = isMadeUp ? missing.slice(next, next + row.count) : [];
    next += taken.length;
    const named = taken.map((value, at) => ({
      value,
      count: 1,
      share: row.share / row.count,
      rank: row.rank + at,
    }));
    const left = row.count - taken.length;
    return left === 0 ? named : [...named, pieceOf(path, row, row.rank + taken.length, left)];
  });
}

export function valueRows(
  path: string,
  distinct: number,
  distribution: Distribution,
): readonly ValueRow[] {
  switch (distribution.kind) {
    case "uniform":
      return evenRows(path, distinct, 1, 1);
    case "zipf":
      return zipfRows(path, distinct, distribution.s);
    case "shares":
      return namedRows(path, distinct, distribution.shares);
    case "classes":
      return classRows(path, distinct, distribution.classes);
  }
}

/** `count` values from a rank on that share evenly. */
function evenRows(path: string, count: number, share: number, rank: number): ValueRow[] {
  const rowCount = count <= ALL_MAX ? count : SINGLE_MAX;
  return Array.from({ length: rowCount }, (_, at) => {
    const first = Math.floor((at * count) / rowCount);
    const size = Math.floor(((at + 1) * count) / rowCount) - first;
    return {
      value: valueName(path, rank + first),
      count: size,
      share: (share * size) / count,
      rank: rank + first,
    };
  });
}

function zipfRows(path: string, distinct: number, s: number): readonly ValueRow[] {
  const rows: { rank: number; count: number; weight: number }[] = [];
  const singles = distinct <= ALL_MAX ? distinct : SINGLE_MAX;
  for (let rank = 1; rank <= singles; rank++) rows.push({ rank, count: 1, weight: rank ** -s });
  const growth = 2 ** (1 / CLASSES_PER_DOUBLING);
  for (let rank = singles + 1; rank <= distinct; ) {
    const end = Math.min(distinct, Math.max(rank, Math.floor(rank * growth)));
    rows.push({ rank, count: end - rank + 1, weight: zipfWeight(rank, end, s) });
    rank = end + 1;
  }
  const total = rows.reduce((sum, { weight }) => sum + weight, 0);
  return rows.map(({ rank, count, weight }) => ({
    value: valueName(path, rank),
    count,
    share: weight / total,
    rank,
  }));
}

/** The sum of r^-s from a first to a last rank, beyond the first thousand: an integral does. */
function zipfWeight(first: number, last: number, s: number): number {
  const low = first - 0.5;
  const high = last + 0.5;
  if (Math.abs(s - 1) < 1e-9) return Math.log(high / low);
  return (high ** (1 - s) - low ** (1 - s)) / (1 - s);
}

/** The weight of ranks from one to another under a distribution, for sampling and for requests. */
export function weightOfRanks(s: number, first: number, last: number): number {
  let weight = 0;
  for (let rank = first; rank <= Math.min(last, SINGLE_MAX); rank++) weight += rank ** -s;
  return last > SINGLE_MAX ? weight + zipfWeight(Math.max(first, SINGLE_MAX + 1), last, s) : weight;
}

function namedRows(
  path: string,
  distinct: number,
  shares: ReadonlyMap<string, number>,
): readonly ValueRow[] {
  const named = [...shares].sort(([, a], [, b]) => b - a);
  const total = named.reduce((sum, [, share]) => sum + share, 0);
  const others = Math.max(0, distinct - named.length);
  const scale = others === 0 || total > 1 ? 1 / total : 1;
  const rows: ValueRow[] = named.map(([value, share], at) => ({
    value,
    count: 1,
    share: share * scale,
    rank: at + 1,
  }));
  const left = 1 - total * scale;
  if (others === 0 || left <= 0) return rows;
  return [...rows, ...evenRows(path, others, left, named.length + 1)];
}

/** Values by kind, the heaviest kind first. */
function classRows(
  path: string,
  distinct: number,
  classes: readonly { readonly values: number; readonly weight: number }[],
): readonly ValueRow[] {
  const ordered = [...classes].sort((a, b) => b.weight - a.weight);
  const shareOfValues = ordered.reduce((sum, { values }) => sum + values, 0);
  const sized = ordered.map(({ values, weight }) => ({
    count: Math.max(1, Math.round((distinct * values) / shareOfValues)),
    weight,
  }));
  const total = sized.reduce((sum, { count, weight }) => sum + count * weight, 0);
  let rank = 1;
  return sized.flatMap(({ count, weight }) => {
    const rows = evenRows(path, count, (count * weight) / total, rank);
    rank += count;
    return rows;
  });
}
