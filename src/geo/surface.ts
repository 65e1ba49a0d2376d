/**
 * The interface that the globe (`ellipsoid.ts`) and the plane (`planar.ts`) have in common. All
 * other code works on either surface and does not know which.
 */
import type { Segment, Vec } from "./vector.ts";

/** Longitude and latitude in degrees on the globe, x and y in the plane. */
export type SurfacePosition = readonly [x: number, y: number];

export interface Surface {
  readonly kind: "Geography" | "Geometry";
  /** Returns why this position does not exist on the surface, if it does not. */
  reasonAgainst(position: SurfacePosition): string | undefined;
  place(position: SurfacePosition): Vec;
  /** The point of the surface in the direction of `v`. */
  project(v: Vec): Vec;
  /**
   * True when the two points are so nearly opposite that no path between them is the obvious one.
   */
  isOpposite(a: Vec, b: Vec): boolean;
  distanceOf(a: Vec, b: Vec): number;
  /**
   * The distance from `p` to the nearest point of the segment; if it is beyond `max`, any larger
   * number.
   */
  distanceTo(p: Vec, segment: Segment, max: number): number;
  /** A bound below `distanceTo`, close to it and much quicker. */
  distanceToMin(p: Vec, segment: Segment): number;
  /**
   * A lower bound of the distance between two points, of which `a` and `b` are up to `slack` (a
   * chord) off.
   */
  distanceMin(a: Vec, b: Vec, slack: number): number;
  /** The chord from `p` to the nearest point of the segment. */
  chordTo(p: Vec, segment: Segment): number;
  /** An upper bound of the chord between two points with this distance. */
  chordMax(distance: number): number;
  /** The area left of a closed ring; in the plane, below zero when that is the outside. */
  areaOfLeft(ring: readonly Segment[]): number;
  /** True when the area left of a closed ring is the larger part of the surface. */
  isMoreThanHalf(ring: readonly Segment[]): boolean;
}
