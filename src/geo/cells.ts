/**
 * Coverings: the cells of a grid that stand for a geometry in the index, and the cells in which a
 * query looks.
 *
 * What always holds: the cells of a covering together contain every point of what they cover. So
 * when two geometries have a point in common, a cell of one is a cell of the other, or a part of
 * it, or the reverse; `queryCovering` lists the terms for all three cases. The reverse is not
 * promised: geometries that share a cell may still be apart. The work is bounded by the number of
 * cells asked for.
 */
import type { Geometry } from "./geometry.ts";
import type { Cell, Grid, Square } from "./grid.ts";
import { ballOf, cellOfPoint, LEVEL_MAX, OUTSIDE, quartersOf } from "./grid.ts";
import { isInside } from "./locate.ts";
import { isAnyNear } from "./segmentTree.ts";

/** All points that are at most `reach` away from a geometry, in metres on the globe. */
interface Region {
  readonly geometry: Geometry;
  readonly reach: number;
}

export interface QueryCovering {
  /**
   * The query looks at every term that starts with one of these cells. None is a prefix of another.
   */
  readonly prefixes: readonly Cell[];
  /** The query looks at these terms as well, but not at longer ones. */
  readonly ancestors: readonly Cell[];
}

/**
 * Number of cells for a geometry: enough to tell a polygon from its neighbours. Each cell is an
 * index entry.
 */
const TERM_COUNT_MAX = 12;

export function expanded(geometry: Geometry, reach: number): Region {
  return { geometry, reach: Math.max(0, reach) };
}

/** Returns the cells that the index stores for a geometry: for a point, its deepest cell. */
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
  // A geometry outside the box may be anywhere, so every query has to look at that cell.
  if (grid.isBounded) ancestors.add(OUTSIDE);
  return { prefixes, ancestors: [...ancestors] };
}

/**
 * Divides the cells into quarters, the largest first, as long as more cells are allowed. A cell
 * that is entirely inside needs no quarters; a cell without a part of the region is dropped.
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
      // A doubtful cell whose quarters all turn out to be empty is dropped.
      if (isRoom || kept.length === 0) next.push(...kept);
      else done.push(square.cell);
    }
    open = next;
  }
  return done;
}

const isDivisible = ({ cell }: Square): boolean => cell.length <= LEVEL_MAX;

type Overlap = "none" | "some" | "all";

/** Tells how much of a square is in the region; "some" also means that it is uncertain. */
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

/**
 * True when a part of the region may lie outside the box: edges that all stay well inside the box
 * enclose nothing outside of it.
 */
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
