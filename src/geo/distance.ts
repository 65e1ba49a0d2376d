/**
 * ST_DISTANCE: the distance between the closest points of two geometries on one surface, 0 when
 * they meet.
 *
 * Parts that cannot be closer than the best pair so far are skipped. Where thousands of pairs are
 * nearly as close as the closest one (a dot in the middle of a circle) nothing can be skipped, and
 * an exact answer would take minutes. So the more pairs were measured, the less exact the answer
 * has to be: after very many pairs it may be too large by a hundredth, and after too many there is
 * none (`GeometryProblem`).
 */
import type { Geometry } from "./geometry.ts";
import { GeometryProblem } from "./geometryProblem.ts";
import { isIntersecting } from "./intersects.ts";
import type { SegmentTree } from "./segmentTree.ts";
import type { Surface } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { chordOf, gapOf } from "./vector.ts";

/** The distance, in metres on the globe; undefined when one of the two is empty. */
export function distanceOf(a: Geometry, b: Geometry): number | undefined {
  if (a.tree === undefined || b.tree === undefined) return undefined;
  return isIntersecting(a, b) ? 0 : new NearestSearch(a.surface).nearestOf(a.tree, b.tree);
}

/** The relative error that the answer may have from so many pairs on. */
const TOLERANCES: readonly (readonly [fromPairs: number, tolerance: number])[] = [
  [600_000, 1e-2],
  [400_000, 1e-3],
  [200_000, 1e-4],
];
const PAIRS_MAX = 4_000_000;
/** Number of pairs whose visit takes as long as one measurement on the surface. */
const PAIRS_PER_MEASURE: Readonly<Record<Surface["kind"], number>> = {
  Geography: 1_000,
  Geometry: 1,
};

class NearestSearch {
  readonly #surface: Surface;
  #least = Number.POSITIVE_INFINITY;
  #pairs = 0;
  #tolerance = 0;

  constructor(surface: Surface) {
    this.#surface = surface;
  }

  nearestOf(one: SegmentTree, other: SegmentTree): number {
    this.#visit(one, other);
    return this.#least;
  }

  #visit(one: SegmentTree, other: SegmentTree): void {
    this.#count(1);
    const reach = one.radius + other.radius;
    if (!this.#isWorth(this.#surface.distanceMin(one.center, other.center, reach))) return;
    if (one.segment !== undefined && other.segment !== undefined) {
      this.#measure(one.segment, other.segment);
      return;
    }
    const [whole, parts] = cut(one, other);
    const [near, far] = inOrderOf(parts, whole);
    this.#visit(whole, near);
    this.#visit(whole, far);
  }

  /** True when something at least this far away may still be the answer. */
  #isWorth(distanceMin: number): boolean {
    return distanceMin < this.#least * (1 - this.#tolerance);
  }

  #count(pairs: number): void {
    this.#pairs += pairs;
    if (this.#pairs < TOLERANCES.at(-1)![0]) return;
    this.#tolerance = TOLERANCES.find(([from]) => this.#pairs >= from)![1];
    if (this.#pairs > PAIRS_MAX) {
      throw new GeometryProblem("The distance of these geometries takes too much work to find.");
    }
  }

  #measure(one: Segment, other: Segment): void {
    const surface = this.#surface;
    if (gapOf(one, other) > surface.chordMax(this.#least)) return;
    if (one.a === one.b && other.a === other.b) {
      this.#least = Math.min(this.#least, surface.distanceOf(one.a, other.a));
      return;
    }
    for (const [p, to] of endsOf(one, other)) {
      if (this.#tolerance > 0 && !this.#isWorth(surface.distanceToMin(p, to))) continue;
      this.#count(PAIRS_PER_MEASURE[surface.kind]);
      this.#least = Math.min(this.#least, surface.distanceTo(p, to, this.#least));
    }
  }
}

type Parts = readonly [SegmentTree, SegmentTree];

/** Divides the larger of the two trees. */
function cut(one: SegmentTree, other: SegmentTree): readonly [SegmentTree, Parts] {
  if (one.segment !== undefined && other.segment === undefined) {
    return [one, [other.first, other.second]];
  }
  if (one.segment === undefined && (other.segment !== undefined || one.radius >= other.radius)) {
    return [other, [one.first, one.second]];
  }
  return cut(other, one);
}

/**
 * Orders the parts by the distance of their centers, which tells more than the bounds: between long
 * edges side by side all bounds are zero.
 */
function inOrderOf(parts: Parts, { center }: SegmentTree): Parts {
  const [first, second] = parts;
  const isOrdered = chordOf(first.center, center) <= chordOf(second.center, center);
  return isOrdered ? parts : [second, first];
}

/**
 * Pairs of an end and a segment: of two segments that do not meet, the closest points include an
 * end of one.
 */
function endsOf(one: Segment, other: Segment): readonly (readonly [Vec, Segment])[] {
  const isPoint = one.a === one.b;
  const isOtherPoint = other.a === other.b;
  const ends: (readonly [Vec, Segment])[] = [];
  if (!isOtherPoint) ends.push([one.a, other]);
  if (!isOtherPoint && !isPoint) ends.push([one.b, other]);
  if (!isPoint) ends.push([other.a, one]);
  if (!isPoint && !isOtherPoint) ends.push([other.b, one]);
  return ends;
}
