/**
 * The plane: x and y without a unit, straight lines, Pythagoras. A position is `(x, y, 1)`, see
 * `vector.ts`.
 */
import type { Surface, SurfacePosition } from "./surface.ts";
import type { Segment, Vec } from "./vector.ts";
import { chordOf, vec } from "./vector.ts";

export const PLANE: Surface = {
  kind: "Geometry",
  reasonAgainst,
  place: ([x, y]) => vec(x, y, 1),
  project: ({ x, y, z }) => vec(x / z, y / z, 1),
  isOpposite: () => false,
  distanceOf: chordOf,
  distanceTo,
  distanceToMin: distanceTo,
  distanceMin: (a, b, slack) => chordOf(a, b) - slack,
  chordTo: distanceTo,
  chordMax: (distance) => distance,
  areaOfLeft,
  isMoreThanHalf: (ring) => areaOfLeft(ring) < 0,
};

/** The largest coordinate: its square still is a finite number, and no map needs more. */
const COORDINATE_MAX = 1e100;

function reasonAgainst([x, y]: SurfacePosition): string | undefined {
  const isInRange = Math.abs(x) <= COORDINATE_MAX && Math.abs(y) <= COORDINATE_MAX;
  return isInRange ? undefined : "Coordinate values must be finite numbers of ordinary size.";
}

function distanceTo(p: Vec, { a, b }: Segment): number {
  const x = b.x - a.x;
  const y = b.y - a.y;
  const square = x * x + y * y;
  if (square === 0) return chordOf(p, a);
  const along = ((p.x - a.x) * x + (p.y - a.y) * y) / square;
  const t = Math.min(1, Math.max(0, along));
  return chordOf(p, vec(a.x + t * x, a.y + t * y, 1));
}

function areaOfLeft(ring: readonly Segment[]): number {
  const origin = ring[0]?.a ?? vec(0, 0, 1);
  let twice = 0;
  for (const { a, b } of ring) {
    twice += (a.x - origin.x) * (b.y - origin.y) - (a.y - origin.y) * (b.x - origin.x);
  }
  return twice / 2;
}
