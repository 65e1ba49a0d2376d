/**
 * Where a row of values that are alike has to be cut, because something else tells them apart: how
 * often each is asked for. Values have ranks from 1 on; whoever has most items is asked for most.
 */
import type { Distribution } from "../workload/workload.ts";

/** Ranks that stand alone; beyond are so many cuts for each doubling. */
const ALONE = 64;
const CUTS_PER_DOUBLING = 6;

/** In order. */
export function rankCuts(distribution: Distribution, distinct: number): readonly number[] {
  if (distribution.kind === "zipf" && distribution.s > 0) return zipfCuts(distinct);
  return distribution.kind === "classes" ? classCuts(distribution.classes, distinct) : [];
}

function zipfCuts(distinct: number): readonly number[] {
  const cuts: number[] = [];
  for (let rank = 2; rank <= Math.min(ALONE, distinct); rank++) cuts.push(rank);
  const growth = 2 ** (1 / CUTS_PER_DOUBLING);
  for (let rank = ALONE + 1; rank <= distinct; rank = Math.ceil(rank * growth)) cuts.push(rank);
  return cuts;
}

/** As `valueRows` has it: the heaviest class first. */
function classCuts(
  classes: readonly { readonly values: number; readonly weight: number }[],
  distinct: number,
): readonly number[] {
  const ordered = [...classes].sort((a, b) => b.weight - a.weight);
  const all = ordered.reduce((sum, { values }) => sum + values, 0);
  let rank = 1;
  return ordered.map(({ values }) => {
    rank += Math.max(1, Math.round((distinct * values) / all));
    return rank;
  });
}

/** The lengths of the pieces into which cuts divide `count` ranks from one on. */
export function pieceCounts(
  cuts: readonly number[],
  rank: number,
  count: number,
): readonly number[] {
  const inside = cuts.filter((cut) => cut > rank && cut < rank + count);
  return [...inside, rank + count].map((end, at) => end - (at === 0 ? rank : inside[at - 1]!));
}
