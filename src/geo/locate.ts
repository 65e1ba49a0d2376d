/**
 * Locates a point relative to a geometry: inside it, on its boundary, or outside. A point has no
 * boundary, that of a line is its two ends (unless they are one), that of a polygon its rings.
 */
import type { Geometry, Polygon, Ring } from "./geometry.ts";
import { isAnyNear, visitAlong } from "./segmentTree.ts";
import type { Surface } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { chordOf, isOn, isPassedBy, normOf, plus, sideOf } from "./vector.ts";

export type Location = "inside" | "boundary" | "outside";

export function locationOf(p: Vec, geometry: Geometry): Location {
  const { surface, tree, polygons } = geometry;
  if (tree === undefined) return "outside";
  if (isAnyNear(tree, p, 0, (segment) => isOn(p, segment))) return locationOn(p, geometry);
  return polygons.some((polygon) => isInPolygon(p, polygon, surface)) ? "inside" : "outside";
}

/** True when `p`, which must be on no edge, is inside one of the polygons. */
export function isInside(p: Vec, { surface, polygons }: Geometry): boolean {
  return polygons.some((polygon) => isInPolygon(p, polygon, surface));
}

function locationOn(p: Vec, { type, edges }: Geometry): Location {
  if (type === "Point") return "inside";
  if (type !== "LineString") return "boundary";
  const start = pointSegment(edges[0]?.a);
  const end = pointSegment(edges.at(-1)?.b);
  if (start === undefined || end === undefined || isOn(start.a, end)) return "inside";
  return isOn(p, start) || isOn(p, end) ? "boundary" : "inside";
}

const pointSegment = (p: Vec | undefined): Segment | undefined => p && { a: p, b: p };

function isInPolygon(p: Vec, { exterior, holes }: Polygon, surface: Surface): boolean {
  return isLeftOf(p, exterior, surface) && !holes.some((hole) => isLeftOf(p, hole, surface));
}

/**
 * Distance from the line through an edge, per length of the edge, below which the side is
 * uncertain.
 */
const SIDE_MIN = 1e-12;
/** Paths with a chord up to this are certainly shorter than half a turn of the globe. */
const WAY_CHORD_MAX = 1.99;

/**
 * Goes from `p` to the middle of some edge and counts the edges that are crossed. Arriving from the
 * left after an even count means that `p` is left of the ring, too. On the globe no point is known
 * to be outside beforehand, so the path has to end on the ring itself.
 */
function isLeftOf(p: Vec, { edges, tree }: Ring, surface: Surface): boolean {
  for (const gate of edges) {
    const side = sideOf(gate.a, gate.b, p);
    const sideMin = SIDE_MIN * chordOf(gate.a, gate.b) * normOf(p);
    const goal = surface.project(plus(gate.a, gate.b));
    const isTooFar = surface.kind === "Geography" && chordOf(p, goal) > WAY_CHORD_MAX;
    if (isTooFar || Math.abs(side) <= sideMin) continue;
    let isLeft = side > 0;
    const way: Segment = { a: p, b: goal };
    visitAlong(tree, way, (edge) => {
      if (edge !== gate && isPassedBy(way, edge)) isLeft = !isLeft;
    });
    return isLeft;
  }
  return false;
}
