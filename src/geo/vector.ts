/**
 * Points in space, and the few relations of points and segments that need no measure.
 *
 * Both surfaces map their positions into space so that the same arithmetic serves both: the globe
 * as unit vectors, the plane as `(x, y, 1)`. In either case a segment is the set of points between
 * its ends in the plane through them and the origin, so "on which side", "on it" and "crossing" are
 * the same determinants. A segment is always shorter than half a turn of the globe.
 *
 * Not here: lengths and areas (`ellipsoid.ts`, `planar.ts`).
 */

export interface Vec {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** A straight or great-circle segment; if its ends are equal, it is a point. */
export interface Segment {
  readonly a: Vec;
  readonly b: Vec;
}

/**
 * How far apart two points may be and still count as the same, relative to their coordinates: about
 * fifty times the rounding error of a unit vector, on the earth some 60 nanometres.
 */
const SAME_MAX = 1e-14;

export const vec = (x: number, y: number, z: number): Vec => ({ x, y, z });

export const dot = (a: Vec, b: Vec): number => a.x * b.x + a.y * b.y + a.z * b.z;

export const minus = (a: Vec, b: Vec): Vec => vec(a.x - b.x, a.y - b.y, a.z - b.z);

export const plus = (a: Vec, b: Vec): Vec => vec(a.x + b.x, a.y + b.y, a.z + b.z);

export const scaled = (a: Vec, by: number): Vec => vec(a.x * by, a.y * by, a.z * by);

export const cross = (a: Vec, b: Vec): Vec =>
  vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);

export const normOf = (a: Vec): number => Math.sqrt(dot(a, a));

/** The sum of the absolute coordinates, to which the rounding error is proportional. */
const sumOf = (a: Vec): number => Math.abs(a.x) + Math.abs(a.y) + Math.abs(a.z);

/** The straight distance through space. */
export function chordOf(a: Vec, b: Vec): number {
  const x = a.x - b.x;
  const y = a.y - b.y;
  const z = a.z - b.z;
  return Math.sqrt(x * x + y * y + z * z);
}

/**
 * Above zero when `p` is left of the path from `a` to `b`, below zero when it is right of it. The
 * result is the determinant of the three, taken from the differences to `p`, so that nearby points
 * lose no digits.
 */
export function sideOf(a: Vec, b: Vec, p: Vec): number {
  const ax = a.x - p.x;
  const ay = a.y - p.y;
  const az = a.z - p.z;
  const bx = b.x - p.x;
  const by = b.y - p.y;
  const bz = b.z - p.z;
  return (ay * bz - az * by) * p.x + (az * bx - ax * bz) * p.y + (ax * by - ay * bx) * p.z;
}

/** True when `p` lies on the segment, ends included. */
export function isOn(p: Vec, { a, b }: Segment): boolean {
  const sameMax = SAME_MAX * sumOf(p);
  const chord = chordOf(a, b);
  // The ball over the chord contains the segment and no other part of the great circle.
  const reach = (p.x - a.x) * (p.x - b.x) + (p.y - a.y) * (p.y - b.y) + (p.z - a.z) * (p.z - b.z);
  if (!(reach <= sameMax * (chord + sameMax))) return false;
  return Math.abs(sideOf(a, b, p)) <= sameMax * chord;
}

/** True when the two meet in a point inside both, each passing to the other's far side. */
export function isCrossing(first: Segment, second: Segment): boolean {
  return isPassing(first, second) && !isTouching(first, second);
}

/** True when the two have a point in common. */
export function isMeeting(first: Segment, second: Segment): boolean {
  const sameMax = SAME_MAX * (sumOf(first.a) + sumOf(second.a));
  if (gapOf(first, second) > 10 * sameMax) return false;
  return isTouching(first, second) || isPassing(first, second);
}

/**
 * A lower bound of the chord between a point of one and a point of the other: quick, often zero.
 */
export function gapOf(first: Segment, second: Segment): number {
  return Math.max(gapToLine(first, second), gapToLine(second, first));
}

/** How far the second segment stays on one side of the line through the first. */
function gapToLine({ a, b }: Segment, { a: c, b: d }: Segment): number {
  const start = sideOf(a, b, c);
  const end = sideOf(a, b, d);
  return start * end > 0 ? Math.min(Math.abs(start), Math.abs(end)) / chordOf(a, b) : 0;
}

/** True when an end of one lies on the other. */
function isTouching(first: Segment, second: Segment): boolean {
  return (
    isOn(first.a, second) || isOn(first.b, second) || isOn(second.a, first) || isOn(second.b, first)
  );
}

/**
 * True when the segments pass through each other: then all four turns around the crossing have the
 * same direction. Where only antipodes would cross, the directions differ.
 */
function isPassing({ a, b }: Segment, { a: c, b: d }: Segment): boolean {
  const turn = -sideOf(a, b, c);
  return turn * sideOf(a, b, d) > 0 && turn * -sideOf(c, d, b) > 0 && turn * sideOf(c, d, a) > 0;
}

/**
 * Like `isPassing`, for counting how often the path from `a` to `b` goes through a ring: a vertex
 * of the ring that lies on the path counts as left of it, so that it is crossed once or not at all.
 */
export function isPassedBy({ a: p, b: to }: Segment, { a, b }: Segment): boolean {
  const isLeft = sideOf(p, to, a) >= 0;
  if (isLeft === sideOf(p, to, b) >= 0) return false;
  const before = sideOf(a, b, p);
  const after = sideOf(a, b, to);
  return isLeft ? before < 0 && after > 0 : before > 0 && after < 0;
}
