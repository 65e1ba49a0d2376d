/** ST_DISTANCE: between the closest points of two geometries of one surface, 0 when they meet. */
import type { Geometry } from "./geometry.ts";
import { isIntersecting } from "./intersects.ts";
import type { SegmentTree } from "./segmentTree.ts";
import type { Surface } from "./surface.ts";
import type { Segment } from "./vector.ts";
import { chordOf, gapOf } from "./vector.ts";

/** In metres on the globe. Undefined when one of the two is empty. */
export function distanceOf(a: Geometry, b: Geometry): number | undefined {
  if (a.tree === undefined || b.tree === undefined) return undefined;
  return isIntersecting(a, b) ? 0 : nearestOf(a.tree, b.tree, a.surface, Number.POSITIVE_INFINITY);
}

/** The shortest distance between segments of the two trees, or `max` when none is shorter. */
function nearestOf(one: SegmentTree, other: SegmentTree, surface: Surface, max: number): number {
  if (lowerBoundOf(one, other, surface) >= max) return max;
  if (one.segment !== undefined && other.segment !== undefined) {
    return Math.min(max, segmentDistanceOf(one.segment, other.segment, surface, max));
  }
  const [whole, parts] = cut(one, other);
  const [near, far] = inOrderOf(parts, whole);
  return nearestOf(whole, far, surface, nearestOf(whole, near, surface, max));
}

type Parts = readonly [SegmentTree, SegmentTree];

/** Cuts the larger of the two. */
function cut(one: SegmentTree, other: SegmentTree): readonly [SegmentTree, Parts] {
  if (one.segment !== undefined && other.segment === undefined) {
    return [one, [other.first, other.second]];
  }
  if (one.segment === undefined && (other.segment !== undefined || one.radius >= other.radius)) {
    return [other, [one.first, one.second]];
  }
  return cut(other, one);
}

/** Centers tell more than bounds do: those of long edges side by side are all zero. */
function inOrderOf(parts: Parts, { center }: SegmentTree): Parts {
  const [first, second] = parts;
  const isOrdered = chordOf(first.center, center) <= chordOf(second.center, center);
  return isOrdered ? parts : [second, first];
}

const lowerBoundOf = (one: SegmentTree, other: SegmentTree, surface: Surface): number =>
  surface.distanceMin(one.center, other.center, one.radius + other.radius);

/** Of two segments that do not meet, the closest points include an end of one. */
function segmentDistanceOf(one: Segment, other: Segment, surface: Surface, max: number): number {
  if (gapOf(one, other) > surface.chordMax(max)) return max;
  const isPoint = one.a === one.b;
  const isOtherPoint = other.a === other.b;
  if (isPoint && isOtherPoint) return surface.distanceOf(one.a, other.a);
  const ends: (readonly [Segment["a"], Segment])[] = [];
  if (!isOtherPoint) ends.push([one.a, other]);
  if (!isOtherPoint && !isPoint) ends.push([one.b, other]);
  if (!isPoint) ends.push([other.a, one]);
  if (!isPoint && !isOtherPoint) ends.push([other.b, one]);
  return ends.reduce((least, [p, to]) => Math.min(least, surface.distanceTo(p, to, least)), max);
}
