/**
 * What the two geometries have in common: the globe (`ellipsoid.ts`) and the plane (`planar.ts`).
 * Everything above this file works on either and does not know which.
 */
import type { Segment, Vec } from "./vector.ts";

/** Longitude and latitude in degrees on the globe, x and y in the plane. */
export type Position = readonly [x: number, y: number];

export interface Surface {
  readonly kind: "Geography" | "Geometry";
  /** Why this position does not exist on the surface, if so. */
  reasonAgainst(position: Position): string | undefined;
  place(position: Position): Vec;
  /** The point of the surface in the direction of `v`. */
  project(v: Vec): Vec;
  /** Are the two so nearly opposite that no way between them is the obvious one? */
  isOpposite(a: Vec, b: Vec): boolean;
  distanceOf(a: Vec, b: Vec): number;
  /** From `p` to the nearest point of the segment; beyond `max` any larger number will do. */
  distanceTo(p: Vec, segment: Segment, max: number): number;
  /** Close to `distanceTo`, never more, and much less work. */
  distanceToMin(p: Vec, segment: Segment): number;
  /** No distance between a point and a point that are up to `slack` (a chord) off is shorter. */
  distanceMin(a: Vec, b: Vec, slack: number): number;
  /** The chord from `p` to the nearest point of the segment. */
  chordTo(p: Vec, segment: Segment): number;
  /** No two points this far apart have a longer chord. */
  chordMax(distance: number): number;
  /** Of what lies left of a closed ring; in the plane, below zero when that is the outside. */
  areaOfLeft(ring: readonly Segment[]): number;
  /** Is what lies left of a closed ring the larger part of the surface? */
  isMoreThanHalf(ring: readonly Segment[]): boolean;
}
