/**
 * ST_INTERSECTS: true when two geometries of one surface have a point in common. Boundaries count.
 */
import type { Geometry } from "./geometry.ts";
import { locationOf } from "./locate.ts";
import { isAnyPair } from "./segmentTree.ts";
import { isMeeting } from "./vector.ts";

export function isIntersecting(a: Geometry, b: Geometry): boolean {
  if (a.tree === undefined || b.tree === undefined) return false;
  return isAnyPair(a.tree, b.tree, isMeeting) || isPartlyIn(a, b) || isPartlyIn(b, a);
}

/**
 * True when a part of `a` lies in `b`. The edges must not meet: then each line and each ring of `a`
 * is in `b` either as a whole or not at all.
 */
function isPartlyIn(a: Geometry, b: Geometry): boolean {
  if (b.polygons.length === 0) return false;
  const parts = a.polygons.length > 0 ? ringsOf(a).map((ring) => ring.edges) : [a.edges];
  return parts.some(([first]) => first !== undefined && locationOf(first.a, b) !== "outside");
}

const ringsOf = ({ polygons }: Geometry) =>
  polygons.flatMap(({ exterior, holes }) => [exterior, ...holes]);
