/**
 * The globe: the WGS-84 ellipsoid, with great-elliptic arcs as the shortest lines. An arc lies in
 * the plane through its ends and the earth's centre.
 *
 * Scaled along its axes the ellipsoid becomes the unit sphere (a latitude becomes the reduced
 * latitude), planes through the centre stay such planes, and great-elliptic arcs become arcs of
 * great circles. So every question that is not about a measure is answered on the sphere, with unit
 * vectors, where neither the antimeridian nor the poles are special. Only lengths and areas depend
 * on the flattening.
 *
 * Invariant: every `Vec` of this surface has length one.
 */
import { integralTo } from "./quadrature.ts";
import type { Surface, SurfacePosition } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { chordOf, cross, dot, minus, normOf, plus, scaled, vec } from "./vector.ts";

const EQUATOR_METRES = 6_378_137;
const FLATTENING = 1 / 298.257223563;
const POLE_METRES = EQUATOR_METRES * (1 - FLATTENING);
const ECCENTRICITY_SQUARED = FLATTENING * (2 - FLATTENING);
const RADIANS_PER_DEGREE = Math.PI / 180;

/**
 * Below this cosine two points count as opposite: one is within some two metres of the other's
 * antipode.
 */
const OPPOSITE_COSINE = -1 + 1e-13;

export const GLOBE: Surface = {
  kind: "Geography",
  reasonAgainst,
  place,
  project: (v) => scaled(v, 1 / normOf(v)),
  isOpposite: (a, b) => dot(a, b) < OPPOSITE_COSINE,
  distanceOf: arcLengthOf,
  distanceTo,
  distanceToMin,
  distanceMin,
  chordTo,
  chordMax: (metres) => 2 * Math.sin(Math.min(Math.PI, metres / POLE_METRES) / 2),
  areaOfLeft,
  isMoreThanHalf: (ring) => solidAngleOf(ring) > 2 * Math.PI,
};

function reasonAgainst([longitude, latitude]: SurfacePosition): string | undefined {
  if (!(Math.abs(latitude) <= 90)) return "Latitude values must be between -90 and 90 degrees.";
  if (!(Math.abs(longitude) <= 180))
    return "Longitude values must be between -180 and 180 degrees.";
  return undefined;
}

function place([longitude, latitude]: SurfacePosition): Vec {
  // A pole is one place at any longitude, and the meridians 180° and -180° are one, despite
  // rounding.
  if (Math.abs(latitude) === 90) return vec(0, 0, Math.sign(latitude));
  const east = longitude * RADIANS_PER_DEGREE;
  const north = latitude * RADIANS_PER_DEGREE;
  const z = (1 - FLATTENING) * Math.sin(north);
  const radius = Math.cos(north);
  const norm = Math.hypot(radius, z);
  const y = Math.abs(longitude) === 180 ? 0 : Math.sin(east);
  return vec((radius * Math.cos(east)) / norm, (radius * y) / norm, z / norm);
}

/** An arc as a path: after the angle `t`, up to `end`, it is at `from · cos t + ahead · sin t`. */
interface Arc {
  readonly from: Vec;
  readonly ahead: Vec;
  readonly end: number;
}

function arcOf(from: Vec, to: Vec): Arc {
  const end = angleOf(from, to);
  // Computing with the difference of the two keeps the digits of a short arc.
  const step = minus(to, from);
  const across = minus(step, scaled(from, dot(step, from)));
  const norm = normOf(across);
  // Equal or opposite ends leave the direction open; any direction is right, and over a pole is
  // one.
  const ahead = norm > 0 ? scaled(across, 1 / norm) : awayFrom(from);
  return { from, ahead, end };
}

function awayFrom({ x, y, z }: Vec): Vec {
  const radius = Math.hypot(x, y);
  return radius > 0 ? vec((-z * x) / radius, (-z * y) / radius, radius) : vec(1, 0, 0);
}

const pointAt = ({ from, ahead }: Arc, t: number): Vec =>
  plus(scaled(from, Math.cos(t)), scaled(ahead, Math.sin(t)));

/** The angle between two unit vectors, as exact for tiny angles as for those near half a turn. */
function angleOf(a: Vec, b: Vec): number {
  return 2 * Math.atan2(chordOf(a, b), normOf(plus(a, b)));
}

/** Metres along the great-elliptic arc. */
function arcLengthOf(a: Vec, b: Vec): number {
  const { from, ahead, end } = arcOf(a, b);
  const metresPerAngle = (t: number): number => {
    const climb = ahead.z * Math.cos(t) - from.z * Math.sin(t);
    return Math.sqrt(1 - ECCENTRICITY_SQUARED * climb * climb);
  };
  return EQUATOR_METRES * integralTo(end, metresPerAngle);
}

/**
 * The radius of the widest circle that fits a curve of the ellipsoid, which it does at the poles.
 */
const CURVE_RADIUS_MAX = (EQUATOR_METRES * EQUATOR_METRES) / POLE_METRES;

/**
 * A lower bound of the distance. The chord through the earth is shorter than any arc over it, and
 * the shortest such arc is that of the widest circle. The bound is tight to a hundred-thousandth
 * for a thousand kilometres.
 */
function distanceMin(a: Vec, b: Vec, slack: number): number {
  const x = EQUATOR_METRES * (a.x - b.x);
  const y = EQUATOR_METRES * (a.y - b.y);
  const z = POLE_METRES * (a.z - b.z);
  const straight = Math.sqrt(x * x + y * y + z * z) - EQUATOR_METRES * slack;
  if (straight <= 0) return 0;
  const bound = 2 * CURVE_RADIUS_MAX * Math.asin(Math.min(1, straight / (2 * CURVE_RADIUS_MAX)));
  return straight < CURVE_RADIUS_MAX ? bound : Math.max(bound, farDistanceMin(a, b, slack));
}

/** A better bound for large distances: the angle on the sphere times the radius at the poles. */
function farDistanceMin(a: Vec, b: Vec, slack: number): number {
  return 2 * POLE_METRES * Math.asin(Math.min(1, Math.max(0, chordOf(a, b) - slack) / 2));
}

function chordTo(p: Vec, { a, b }: Segment): number {
  const arc = arcOf(a, b);
  return chordOf(p, pointAt(arc, nearestAngleOf(p, arc)));
}

/** Up to this angle the sphere's nearest point is nearly right, see `distanceTo`. */
const NEAR_ANGLE_MAX = 0.5;

/**
 * The nearest point of the sphere's arc is close to the nearest point of the ellipsoid's arc, but
 * not the same: the flattening moves it by up to a few thousandths of the distance, which changes
 * the result by up to a hundred-thousandth. So the search goes on from there, measuring in metres.
 */
function distanceTo(p: Vec, { a, b }: Segment, max: number): number {
  const arc = arcOf(a, b);
  const nearest = nearestAngleOf(p, arc);
  const foot = pointAt(arc, nearest);
  if (boundTo(p, foot) > max) return Number.POSITIVE_INFINITY;
  if (arc.end === 0) return arcLengthOf(p, a);
  const angle = angleOf(p, foot);
  const reach = angle < NEAR_ANGLE_MAX ? 0.02 * angle : 0.3;
  const low = Math.max(0, nearest - reach);
  const high = Math.min(arc.end, nearest + reach);
  return minimumOf((t) => arcLengthOf(p, pointAt(arc, t)), low, high);
}

function distanceToMin(p: Vec, { a, b }: Segment): number {
  const arc = arcOf(a, b);
  return boundTo(p, pointAt(arc, nearestAngleOf(p, arc)));
}

/** A lower bound of the distance from `p` to an arc whose nearest point on the sphere is `foot`. */
function boundTo(p: Vec, foot: Vec): number {
  const angle = angleOf(p, foot);
  return angle < NEAR_ANGLE_MAX ? distanceMin(p, foot, 0) * (1 - 3e-5) : angle * POLE_METRES;
}

/** The angle along the arc at which the sphere's point nearest to `p` is. */
function nearestAngleOf(p: Vec, { from, ahead, end }: Arc): number {
  const t = Math.atan2(dot(p, ahead), dot(p, from));
  if (t >= 0 && t <= end) return t;
  const pastEnd = t > end ? t - end : t + 2 * Math.PI - end;
  const beforeStart = t < 0 ? -t : 2 * Math.PI - t;
  return pastEnd < beforeStart ? end : 0;
}

const GOLDEN = (Math.sqrt(5) - 1) / 2;
/**
 * Number of sections of the search. Each keeps 0.62 of the range, and near a minimum the error of
 * the result is quadratic in the range.
 */
const SECTION_COUNT = 34;

function minimumOf(f: (t: number) => number, low: number, high: number): number {
  const ends = Math.min(f(low), f(high));
  let min = low;
  let max = high;
  let left = max - GOLDEN * (max - min);
  let right = min + GOLDEN * (max - min);
  let atLeft = f(left);
  let atRight = f(right);
  for (let section = 0; section < SECTION_COUNT && min < max; section++) {
    if (atLeft <= atRight) {
      max = right;
      right = left;
      atRight = atLeft;
      left = max - GOLDEN * (max - min);
      atLeft = f(left);
    } else {
      min = left;
      left = right;
      atLeft = atRight;
      right = min + GOLDEN * (max - min);
      atRight = f(right);
    }
  }
  return Math.min(ends, atLeft, atRight);
}

/**
 * The ellipsoid has `g(z) = a·b·√(1 + e′²z²)` square metres per solid angle of the sphere. `g` is
 * split into its mean over the sphere and the rest. The share of the mean is exactly the solid
 * angle times the mean. The rest integrates to zero from pole to pole, so it is the rotation of a
 * field along the parallels that is smooth everywhere, also at the poles: by Stokes' theorem its
 * share is an integral along the edges.
 */
function areaOfLeft(ring: readonly Segment[]): number {
  let rest = 0;
  for (const { a, b } of ring) {
    const { from, ahead, end } = arcOf(a, b);
    const turn = from.x * ahead.y - from.y * ahead.x;
    rest += turn * integralTo(end, (t) => field(from.z * Math.cos(t) + ahead.z * Math.sin(t)));
  }
  return MEAN_DENSITY * solidAngleOf(ring) + rest;
}

/** The coefficients of `g` in powers of z²; the eighth is below the last digit of the first. */
const DENSITY: readonly number[] = densityCoefficients(8);
const MEAN_DENSITY = DENSITY.reduce((sum, term, power) => sum + term / (2 * power + 1), 0);
const FIELD: readonly number[] = DENSITY.slice(1).map((_, index) =>
  DENSITY.reduce((sum, term, power) => (power > index ? sum + term / (2 * power + 1) : sum), 0),
);

function densityCoefficients(count: number): readonly number[] {
  const growth = ECCENTRICITY_SQUARED / (1 - ECCENTRICITY_SQUARED);
  const terms = [EQUATOR_METRES * POLE_METRES];
  for (let power = 1; power < count; power++) {
    terms.push((terms[power - 1] ?? 0) * growth * ((1.5 - power) / power));
  }
  return terms;
}

function field(z: number): number {
  const square = z * z;
  return z * FIELD.reduceRight((sum, term) => sum * square + term, 0);
}

/** The solid angle left of the ring, between 0 and 4π: a fan of triangles from its first vertex. */
function solidAngleOf(ring: readonly Segment[]): number {
  const apex = ring[0]?.a ?? vec(0, 0, 1);
  let sum = 0;
  for (const { a, b } of ring) {
    const volume = dot(apex, cross(minus(a, apex), minus(b, apex)));
    sum += 2 * Math.atan2(volume, 1 + dot(apex, a) + dot(a, b) + dot(b, apex));
  }
  const whole = 4 * Math.PI;
  return ((sum % whole) + whole) % whole;
}
