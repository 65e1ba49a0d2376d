/**
 * ST_WITHIN: true when no point of the first geometry is outside the second, and some point is
 * inside both. So a point on a polygon's edge is not within it, and every polygon is within itself.
 *
 * Edges are cut where they meet edges of the other geometry. Each piece then has one location as a
 * whole, which is that of its middle.
 */
import type { Geometry } from "./geometry.ts";
import type { Location } from "./locate.ts";
import { locationOf } from "./locate.ts";
import { isAnyPair, treeOf } from "./segmentTree.ts";
import type { Surface } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { chordOf, cross, dot, isMeeting, isOn, minus, normOf, plus, scaled } from "./vector.ts";

export function isWithin(a: Geometry, b: Geometry): boolean {
  const [first] = a.edges;
  if (first === undefined || b.tree === undefined) return false;
  if (a.type === "Point") return locationOf(first.a, b) === "inside";
  if (a.polygons.length > 0 && b.polygons.length === 0) return false;
  const locations = new Set<Location>();
  for (const edge of a.edges) {
    for (const middle of middlesOf(edge, b)) {
      const location = locationOf(middle, b);
      if (location === "outside") return false;
      locations.add(location);
    }
  }
  return a.polygons.length === 0 ? locations.has("inside") : isFilled(a, b);
}

/**
 * True when the area between the rings of `a` is in `b`. The rings of `a` must not be outside `b`.
 */
function isFilled(a: Geometry, b: Geometry): boolean {
  for (const edge of b.edges) {
    for (const middle of middlesOf(edge, a)) {
      if (locationOf(middle, a) === "inside") return false;
    }
  }
  return a.polygons.every((polygon) => {
    const inner = innerPointOf({ ...a, ...ringGeometry(polygon), polygons: [polygon] });
    return inner === undefined || locationOf(inner, b) !== "outside";
  });
}

function ringGeometry({ exterior, holes }: Geometry["polygons"][number]) {
  const edges = [exterior, ...holes].flatMap((ring) => ring.edges);
  return { edges, tree: treeOf(edges) };
}

/** Finds a point inside a polygon: left of the middle of an edge, as close to it as necessary. */
function innerPointOf(polygon: Geometry): Vec | undefined {
  for (const { a, b } of polygon.edges) {
    const { surface } = polygon;
    const middle = surface.project(plus(a, b));
    const left = leftOf(a, b, surface);
    for (let step = chordOf(a, b); step > 1e-12 * normOf(middle); step /= 2) {
      const p = surface.project(plus(middle, scaled(left, step)));
      if (locationOf(p, polygon) === "inside") return p;
    }
  }
  return undefined;
}

/** The direction to the left of the path from `a` to `b`. */
function leftOf(a: Vec, b: Vec, surface: Surface): Vec {
  const step = minus(b, a);
  const left = surface.kind === "Geography" ? cross(a, step) : { x: -step.y, y: step.x, z: 0 };
  return scaled(left, 1 / normOf(left));
}

/** The middles of the pieces into which the other geometry cuts the edge. */
function middlesOf(edge: Segment, { tree, surface }: Geometry): readonly Vec[] {
  const cuts: Vec[] = [edge.a, edge.b];
  const own = treeOf([edge]);
  if (own === undefined || tree === undefined) return [];
  isAnyPair(own, tree, (_, other) => {
    if (!isMeeting(edge, other)) return false;
    if (isOn(other.a, edge)) cuts.push(other.a);
    if (isOn(other.b, edge)) cuts.push(other.b);
    const meeting = meetingPointOf(edge, other, surface);
    if (meeting !== undefined && isOn(meeting, edge)) cuts.push(meeting);
    return false;
  });
  cuts.sort((p, q) => chordOf(p, edge.a) - chordOf(q, edge.a));
  const middles: Vec[] = [];
  for (const [index, to] of cuts.entries()) {
    const from = cuts[index - 1];
    if (from === undefined || isOn(from, { a: to, b: to })) continue;
    middles.push(surface.project(plus(from, to)));
  }
  return middles;
}

/**
 * The point where two lines meet, on the near side of the globe; undefined when they are one line.
 */
function meetingPointOf(one: Segment, other: Segment, surface: Surface): Vec | undefined {
  const v = cross(cross(one.a, minus(one.b, one.a)), cross(other.a, minus(other.b, other.a)));
  if (normOf(v) === 0 || (surface.kind === "Geometry" && v.z === 0)) return undefined;
  const p = surface.project(v);
  const isFarSide = surface.kind === "Geography" && dot(p, plus(one.a, one.b)) < 0;
  return isFarSide ? scaled(p, -1) : p;
}
