/**
 * A population as one operation asks for it: the same keys and items, but with the frequencies that
 * the workload declares for a parameter of it. Rows of many values are cut where those differ.
 */
import type { Distribution } from "../workload/workload.ts";
import { sharesByRank } from "./declaredFacts.ts";
import type { Population, PopulationRow } from "./facts.ts";
import { pieceCounts, rankCuts } from "./rankCuts.ts";

/** How often the values of one path are asked for. */
export interface AskedValues {
  readonly path: string;
  readonly distribution: Distribution;
}

export function asAskedFor(population: Population, asked: readonly AskedValues[]): Population {
  return asked.reduce(reweighted, population);
}

/**
 * As it is asked for by a filter that names a value at each of these paths: nobody names one that
 * is not there, so items that lack it are found by nobody.
 */
export function askedByValue(population: Population, paths: readonly string[]): Population {
  const places = paths.map((path) => population.paths.indexOf(path)).filter((at) => at >= 0);
  const isNamed = ({ values }: PopulationRow): boolean =>
    places.every((at) => values[at] !== undefined);
  if (population.rows.every(isNamed)) return population;
  const total = population.rows
    .filter(isNamed)
    .reduce((sum, { requestShare }) => sum + requestShare, 0);
  if (total === 0) return population;
  const rows = population.rows.map((row) => ({
    ...row,
    requestShare: isNamed(row) ? row.requestShare / total : 0,
  }));
  return { ...population, rows };
}

function reweighted(population: Population, { path, distribution }: AskedValues): Population {
  const at = population.paths.indexOf(path);
  if (at < 0) return population;
  const groups = groupsBy(population.rows, at);
  const pieces = piecesOf(groups, distribution);
  const shares = sharesOf(pieces, distribution);
  const byGroup = new Map<string, { readonly piece: Piece; readonly share: number }[]>();
  pieces.forEach((piece, index) => {
    const list = byGroup.get(piece.group.name) ?? [];
    list.push({ piece, share: shares[index]! });
    byGroup.set(piece.group.name, list);
  });
  const rows = population.rows.flatMap((row) => {
    const list = byGroup.get(nameOf(row, at));
    // Nobody asks for what is not there.
    if (list === undefined) return [{ ...row, requestShare: 0 }];
    return list.map(({ piece, share }) => rowOf(row, at, piece, share));
  });
  return { ...population, rows };
}

/** Rows with the same value, which may stand for several that are alike. */
interface Group {
  readonly name: string;
  readonly value: string;
  readonly count: number;
  itemShare: number;
  requestShare: number;
  rank: number;
}

/** Heaviest first, as ranks have it. */
function groupsBy(rows: readonly PopulationRow[], at: number): readonly Group[] {
  const byName = new Map<string, Group>();
  for (const row of rows) {
    if (row.values[at] === undefined) continue;
    const name = nameOf(row, at);
    const group = byName.get(name) ?? {
      name,
      value: String(row.values[at]),
      count: Math.max(1, Math.round(row.counts[at]!)),
      itemShare: 0,
      requestShare: 0,
      rank: 0,
    };
    group.itemShare += row.itemShare;
    group.requestShare += row.requestShare;
    byName.set(name, group);
  }
  const groups = [...byName.values()].sort((a, b) => b.itemShare / b.count - a.itemShare / a.count);
  let rank = 1;
  for (const group of groups) {
    group.rank = rank;
    rank += group.count;
  }
  return groups;
}

function nameOf({ values }: PopulationRow, at: number): string {
  return `${typeof values[at]} ${String(values[at])}`;
}

/** Values of a group that are asked for alike. */
interface Piece {
  readonly group: Group;
  /** Values of the group before it. */
  readonly offset: number;
  readonly count: number;
  readonly rank: number;
  /** As the distribution calls it, if it names it. */
  readonly asked: string | undefined;
}

function piecesOf(groups: readonly Group[], distribution: Distribution): readonly Piece[] {
  const distinct = groups.reduce((sum, { count }) => sum + count, 0);
  const ranks = rankCuts(distribution, distinct);
  const isNamed = distribution.kind === "shares";
  const missing = isNamed ? missingNames(groups, distribution.shares) : [];
  let next = 0;
  return groups.flatMap((group) => {
    const isOwn = isNamed && distribution.shares.has(group.value);
    const names = isOwn ? [group.value] : missing.slice(next, next + group.count);
    if (!isOwn) next += names.length;
    const cuts = isNamed ? names.map((_, index) => group.rank + index + 1) : ranks;
    let offset = 0;
    return pieceCounts(cuts, group.rank, group.count).map((count, index): Piece => {
      const piece = { group, offset, count, rank: group.rank + offset, asked: names[index] };
      offset += count;
      return piece;
    });
  });
}

/** Names that no group has: the heaviest others stand for them. */
function missingNames(
  groups: readonly Group[],
  shares: ReadonlyMap<string, number>,
): readonly string[] {
  const present = new Set(groups.map(({ value }) => value));
  return [...shares.keys()]
    .filter((name) => !present.has(name))
    .sort((a, b) => shares.get(b)! - shares.get(a)!);
}

/** Of all requests, for each piece. */
function sharesOf(pieces: readonly Piece[], distribution: Distribution): readonly number[] {
  const distinct = pieces.reduce((sum, { count }) => sum + count, 0);
  if (distribution.kind !== "shares") return sharesByRank(pieces, distribution, distinct);
  const named = pieces.map(({ asked }) =>
    asked === undefined ? undefined : distribution.shares.get(asked),
  );
  const total = named.reduce<number>((sum, share) => sum + (share ?? 0), 0);
  const weightOf = ({ group, count }: Piece): number => (group.itemShare * count) / group.count;
  const rest = pieces.reduce(
    (sum, piece, index) => sum + (named[index] === undefined ? weightOf(piece) : 0),
    0,
  );
  const left = Math.max(0, 1 - total);
  const scale = total > 0 && (total > 1 || rest === 0) ? 1 / total : 1;
  return pieces.map((piece, index) => {
    const own = named[index];
    if (own !== undefined) return own * scale;
    return rest === 0 ? 0 : (left * weightOf(piece)) / rest;
  });
}

/** The part of a row that a piece is; what is asked for beside this path stays in proportion. */
function rowOf(row: PopulationRow, at: number, piece: Piece, share: number): PopulationRow {
  const { group, count, offset } = piece;
  const part = count / group.count;
  const weight =
    group.requestShare > 0
      ? row.requestShare / group.requestShare
      : row.itemShare / Math.max(group.itemShare, Number.MIN_VALUE);
  const requestShare = weight * share;
  if (part === 1) return { ...row, requestShare };
  return {
    values: offset === 0 ? row.values : row.values.with(at, `${group.value}~${offset}`),
    counts: row.counts.with(at, row.counts[at]! * part),
    keyCount: row.keyCount * part,
    itemShare: row.itemShare * part,
    byteShare: row.byteShare * part,
    requestShare,
  };
}
