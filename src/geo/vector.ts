/**
 * Points in space, and the few relations of points and segments that need no measure.
 *
 * Both surfaces put their positions in space so that the same arithmetic serves them: the globe as
 * unit vectors, the plane as `(x, y, 1)`. In either picture a segment is the set of points between
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

/** A segment whose ends are equal is a point. */
export interface Segment {
  readonly a: Vec;
  readonly b: Vec;
}

/**
 * How far apart two points may be and still be called the same, relative to their coordinates:
 * about fifty times what rounding does to a unit vector, on the earth some 60 nanometres.
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

/** Of the absolute coordinates: what rounding is proportional to. */
const sumOf = (a: Vec): number => Math.abs(a.x) + Math.abs(a.y) + Math.abs(a.z);

/** The straight distance through space. */
export function chordOf(a: Vec, b: Vec): number {
  const x = a.x - b.x;
  const y = a.y - b.y;
  const z = a.z - b.z;
  return Math.sqrt(x * x + y * y + z * z);
}

/**
 * Above zero when `p` is left of the way from `a` to `b`, below when right of it. The determinant
 * of the three, taken from the differences to `p`: nearby points then lose no digits.
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

/** Does `p` lie on the segment, ends included? */
export function isOn(p: Vec, { a, b }: Segment): boolean {
  const sameMax = SAME_MAX * sumOf(p);
  const chord = chordOf(a, b);
  // The ball over the chord holds the segment and, of the whole great circle, nothing else.
  const reach = (p.x - a.x) * (p.x - b.x) + (p.y - a.y) * (p.y - b.y) + (p.z - a.z) * (p.z - b.z);
  if (!(reach <= sameMax * (chord + sameMax))) return false;
  return Math.abs(sideOf(a, b, p)) <= sameMax * chord;
}

/** Do the two meet in a point that is inside both, each passing to the other's far side? */
export function isCrossing(first: Segment, second: Segment): boolean {
  return isPassing(first, second) && !isTouching(first, second);
}

/** Have the two a point in common? */
export function isMeeting(first: Segment, second: Segment): boolean {
  const sameMax = SAME_MAX * (sumOf(first.a) + sumOf(second.a));
  if (gapOf(first, second) > 10 * sameMax) return false;
  return isTouching(first, second) || isPassing(first, second);
}

/** No point of the one has a shorter chord to a point of the other: a quick bound, often zero. */
export function gapOf(first: Segment, second: Segment): number {
  return Math.max(gapToLine(first, second), gapToLine(second, first));
}

/** How far the second stays on one side of the line that the first is part of. */
function gapToLine({ a, b }: Segment, { a: c, b: d }: Segment): number {
  const start = sideOf(a, b, c);
  const end = sideOf(a, b, d);
  return start * end > 0 ? Math.min(Math.abs(start), Math.abs(end)) / chordOf(a, b) : 0;
}

/** Does an end of one lie on the other? */
function isTouching(first: Segment, second: Segment): boolean {
  return (
    isOn(first.a, second) || isOn(first.b, second) || isOn(second.a, first) || isOn(second.b, first)
  );
}

/** All four turns around a crossing go the same way; where antipodes would cross they differ. */
function isPassing({ a, b }: Segment, { a: c, b: d }: Segment): boolean {
  const turn = -sideOf(a, b, c);
  return turn * sideOf(a, b, d) > 0 && turn * -sideOf(c, d, b) > 0 && turn * sideOf(c, d, a) > 0;
}

/**
 * As `isPassing`, for counting how often the way from `a` to `b` goes through a ring: a vertex of
 * the ring that lies on the way belongs to its left, so that it is passed once or not at all.
 */
export function isPassedBy({ a: p, b: to }: Segment, { a, b }: Segment): boolean {
  const isLeft = sideOf(p, to, a) >= 0;
  if (isLeft === sideOf(p, to, b) >= 0) return false;
  const before = sideOf(a, b, p);
  const after = sideOf(a, b, to);
  return isLeft ? before < 0 && after > 0 : before > 0 && after < 0;
}
