/**
 * Coverings: which cells of a grid stand for a geometry in the index, and where a query looks.
 *
 * What always holds: a covering's cells together hold every point of what they cover. So when two
 * things have a point in common, a cell of the one is a cell of the other, or part of it, or the
 * reverse; `queryCovering` lists where to look for all three. The reverse is not promised: who
 * shares a cell may still be apart. Work is bounded by the count of cells asked for.
 */
import type { Geometry } from "./geometry.ts";
import type { Cell, Grid, Square } from "./grid.ts";
import { ballOf, cellOfPoint, LEVEL_MAX, OUTSIDE, quartersOf } from "./grid.ts";
import { isInside } from "./locate.ts";
import { isAnyNear } from "./segmentTree.ts";

/** All that is at most `reach` away from a geometry, in metres on the globe. */
export interface Region {
  readonly geometry: Geometry;
  readonly reach: number;
}

export interface QueryCovering {
  /** Look at every term that starts with one of these. None is the start of another. */
  readonly prefixes: readonly Cell[];
  /** Look at these terms themselves, too. */
  readonly ancestors: readonly Cell[];
}

/** Enough for a polygon to be told from its neighbours; each cell is an entry in the index. */
const TERM_COUNT_MAX = 12;

export function expanded(geometry: Geometry, reach: number): Region {
  return { geometry, reach: Math.max(0, reach) };
}

/** What the index stores for a geometry: for a point its deepest cell. */
export function geometryTerms(geometry: Geometry, grid: Grid): readonly Cell[] {
  const [edge] = geometry.edges;
  if (geometry.type === "Point" && edge !== undefined)
    return [cellOfPoint(edge.a, LEVEL_MAX, grid)];
  return coveringOf(geometry, TERM_COUNT_MAX, grid);
}

export function coveringOf(geometry: Geometry, cellCountMax: number, grid: Grid): readonly Cell[] {
  return covering(expanded(geometry, 0), cellCountMax, grid);
}

export function queryCovering(region: Region, cellCountMax: number, grid: Grid): QueryCovering {
  const prefixes = covering(region, cellCountMax, grid).filter((cell) => cell !== OUTSIDE);
  const ancestors = new Set<Cell>();
  for (const cell of prefixes) {
    for (let length = 1; length < cell.length; length++) ancestors.add(cell.slice(0, length));
  }
  // Who is outside of the box may be anywhere, so every query has to look there.
  if (grid.isBounded) ancestors.add(OUTSIDE);
  return { prefixes, ancestors: [...ancestors] };
}

/**
 * Quarters the cells, the largest first, as long as there may be more of them. A cell that is all
 * inside needs no quarters; one without anything of the region is dropped.
 */
function covering({ geometry, reach }: Region, cellCountMax: number, grid: Grid): readonly Cell[] {
  if (geometry.tree === undefined) return [];
  const overlap = overlapWith(geometry, geometry.surface.chordMax(reach), grid);
  const done: Cell[] = grid.isBounded && isLeavingBox({ geometry, reach }, grid) ? [OUTSIDE] : [];
  let open = grid.roots.filter((root) => overlap(root) !== "none");
  while (open.length > 0) {
    const next: Square[] = [];
    for (const [index, square] of open.entries()) {
      if (!isDivisible(square) || overlap(square) === "all") {
        done.push(square.cell);
        continue;
      }
      const kept = quartersOf(square).filter((quarter) => overlap(quarter) !== "none");
      const waitingCount = open.length - index - 1;
      const isRoom = done.length + next.length + waitingCount + kept.length <= cellCountMax;
      // A doubtful cell may turn out to have nothing in any of its quarters: then it goes.
      if (isRoom || kept.length === 0) next.push(...kept);
      else done.push(square.cell);
    }
    open = next;
  }
  return done;
}

const isDivisible = ({ cell }: Square): boolean => cell.length <= LEVEL_MAX;

type Overlap = "none" | "some" | "all";

/** How much of a square is in the region; "some" also stands for doubt. */
function overlapWith(geometry: Geometry, reach: number, grid: Grid): (square: Square) => Overlap {
  const { surface, tree } = geometry;
  const known = new Map<Cell, Overlap>();
  const measure = (square: Square): Overlap => {
    const { center, radius } = ballOf(square, grid);
    const near = radius + reach;
    const isNear =
      tree !== undefined &&
      isAnyNear(tree, center, near, (segment) => surface.chordTo(center, segment) <= near);
    if (isNear) return "some";
    return isInside(center, geometry) ? "all" : "none";
  };
  return (square) => {
    const overlap = known.get(square.cell) ?? measure(square);
    known.set(square.cell, overlap);
    return overlap;
  };
}

/** Edges that all stay well inside the box enclose nothing outside of it. */
function isLeavingBox({ geometry, reach }: Region, grid: Grid): boolean {
  return geometry.edges.some(({ a, b }) =>
    [a, b].some(({ x, y, z }) =>
      [-1, 1].some(
        (way) =>
          grid.placeOf({ x: x + way * reach, y, z }) === undefined ||
          grid.placeOf({ x, y: y + way * reach, z }) === undefined,
      ),
    ),
  );
}
