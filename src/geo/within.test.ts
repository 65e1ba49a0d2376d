/**
 * Who is within whom, and who meets whom. In the table every pair has both answers; the properties
 * use star-shaped polygons anywhere on the globe, poles and antimeridian included, for which inside
 * and outside are known by how they were made.
 */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { GLOBE } from "./ellipsoid.ts";
import { isIntersecting } from "./intersects.ts";
import { PLANE } from "./planar.ts";
import { lineOf, pointOf, polygonOf, sample, starAround } from "./sample.fake.ts";
import type { Vec } from "./vector.ts";
import { vec } from "./vector.ts";
import { isWithin } from "./within.ts";

const SQUARE = "POLYGON 0 0, 4 0, 4 4, 0 4";
const FRAME = "POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 1 3, 3 3, 3 1";
const FRAME_AGAIN = "POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 3 1, 3 3, 1 3";
const FIJI = "POLYGON 177 -19, -178 -19, -178 -16, 177 -16";
const ARCTIC = "POLYGON 0 80, 90 80, 180 80, -90 80";

type Row = readonly [a: string, b: string, isWithin: boolean, isIntersecting: boolean];

const BOTH_SURFACES: readonly Row[] = [
  ["POINT 2 2", SQUARE, true, true],
  ["POINT 5 2", SQUARE, false, false],
  ["POINT 0 2", SQUARE, false, true],
  ["POINT 0 0", SQUARE, false, true],
  ["POINT 2 2", FRAME, false, false],
  ["POINT 2 2", FRAME_AGAIN, false, false],
  ["POINT 0.5 2", FRAME, true, true],
  ["POINT 1 2", FRAME, false, true],
  ["POINT 1 1", "POINT 1 1", true, true],
  ["POINT 1 1", "POINT 1 2", false, false],
  ["POINT 0 1", "LINE 0 0, 0 2", true, true],
  ["POINT 0 2", "LINE 0 0, 0 2", false, true],
  ["POINT 0 3", "LINE 0 0, 0 2", false, false],
  ["LINE 1 1, 3 3", SQUARE, true, true],
  ["LINE 1 1, 5 5", SQUARE, false, true],
  ["LINE -1 2, 5 2", SQUARE, false, true],
  ["LINE 5 5, 6 6", SQUARE, false, false],
  ["LINE 0 1, 0 3", SQUARE, false, true],
  ["LINE 0 1, 0 3, 2 2", SQUARE, true, true],
  ["LINE 0.5 2, 3.5 2", FRAME, false, true],
  ["LINE 0 1, 0 2", "LINE 0 0, 0 3", true, true],
  ["LINE 0 1, 0 4", "LINE 0 0, 0 3", false, true],
  ["LINE -1 1, 1 1", "LINE 0 0, 0 3", false, true],
  ["LINE 1 1, 2 2", "POINT 1 1", false, true],
  [SQUARE, SQUARE, true, true],
  [FRAME, SQUARE, true, true],
  [SQUARE, FRAME, false, true],
  ["POLYGON 1 1, 3 1, 3 3, 1 3", FRAME, false, true],
  ["POLYGON 1.5 1.5, 2.5 1.5, 2.5 2.5, 1.5 2.5", FRAME, false, false],
  ["POLYGON 1.5 1.5, 2.5 1.5, 2.5 2.5, 1.5 2.5", SQUARE, true, true],
  ["POLYGON 0 0, 2 0, 2 2, 0 2", SQUARE, true, true],
  ["POLYGON 4 0, 6 0, 6 4, 4 4", SQUARE, false, true],
  ["POLYGON 3 3, 5 3, 5 5, 3 5", SQUARE, false, true],
  [SQUARE, "POINT 2 2", false, true],
  [SQUARE, "LINE 0 0, 4 0", false, true],
];

const GLOBE_ONLY: readonly Row[] = [
  ["POINT 179 -17", FIJI, true, true],
  ["POINT -179 -17", FIJI, true, true],
  ["POINT 180 -17", FIJI, true, true],
  ["POINT 0 -17", FIJI, false, false],
  ["LINE 178 -18, -179 -17", FIJI, true, true],
  ["LINE 176 -18, -177 -17", FIJI, false, true],
  ["POINT 13 90", ARCTIC, true, true],
  ["POINT 45 85", ARCTIC, true, true],
  ["POINT 45 81", ARCTIC, false, false],
  ["POINT 0 -90", ARCTIC, false, false],
  ["LINE 0 85, 180 85", ARCTIC, true, true],
  ["POINT 2 2", "POLYGON 0 0, 0 4, 4 4, 4 0", false, false],
  ["POINT -150 -60", "POLYGON 0 0, 0 4, 4 4, 4 0", true, true],
  [FIJI, "POLYGON 0 0, 0 4, 4 4, 4 0", true, true],
  ["POINT -180 10", "LINE 180 0, 180 20", true, true],
];

describe.each([GLOBE, PLANE])("$kind", (surface) => {
  const rows = surface === GLOBE ? [...BOTH_SURFACES, ...GLOBE_ONLY] : BOTH_SURFACES;
  test.each(rows)("%s in %s: %s, meets it: %s", (a, b, within, intersects) => {
    const [first, second] = [sample(a, surface), sample(b, surface)];
    expect(isWithin(first, second)).toBe(within);
    expect(isIntersecting(first, second)).toBe(intersects);
    expect(isIntersecting(second, first)).toBe(intersects);
  });
});

test("an empty MultiPolygon is in nothing and meets nothing", () => {
  const empty = { ...sample(SQUARE), type: "MultiPolygon", polygons: [], edges: [] } as const;
  const nothing = { ...empty, tree: undefined };
  expect(isWithin(nothing, sample(SQUARE))).toBe(false);
  expect(isWithin(sample(SQUARE), nothing)).toBe(false);
  expect(isIntersecting(nothing, sample(SQUARE))).toBe(false);
});

const anyCenter: fc.Arbitrary<Vec> = fc
  .tuple(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
  )
  .map(([z, east]) => {
    const radius = Math.sqrt(1 - z * z);
    return vec(radius * Math.cos(east), radius * Math.sin(east), z);
  });
const anyRadii = fc.array(fc.double({ min: 0.05, max: 1.2, noNaN: true }), {
  minLength: 6,
  maxLength: 40,
});
const anySize = fc.constantFrom(1, 0.1, 1e-3, 1e-5);
const anyShare = fc.double({ min: 0.01, max: 0.99, noNaN: true });

/**
 * Between the center and the edge from vertex `index` on; beyond the edge when `depth` is above 1.
 */
function pointIn(
  center: Vec,
  vertices: readonly Vec[],
  index: number,
  depth: number,
  along: number,
): Vec {
  const a = vertices[index % vertices.length] as Vec;
  const b = vertices[(index + 1) % vertices.length] as Vec;
  const mix = (one: number, two: number, three: number) =>
    one * (1 - depth) + depth * ((1 - along) * two + along * three);
  return GLOBE.project(
    vec(mix(center.x, a.x, b.x), mix(center.y, a.y, b.y), mix(center.z, a.z, b.z)),
  );
}

describe("properties on the globe", () => {
  const anyStar = fc.record({ center: anyCenter, radii: anyRadii, size: anySize });

  test("inside and outside of a star, and of its inverse", () => {
    fc.assert(
      fc.property(
        anyStar,
        fc.nat(),
        anyShare,
        anyShare,
        ({ center, radii, size }, index, depth, along) => {
          const vertices = starAround(
            center,
            radii.map((radius) => radius * size),
          );
          const [star, inverse] = [polygonOf(vertices), polygonOf(vertices.toReversed())];
          const inner = pointOf(pointIn(center, vertices, index, depth, along));
          expect(isWithin(inner, star)).toBe(true);
          expect(isWithin(inner, inverse)).toBe(false);
          const outer = pointOf(pointIn(center, vertices, index, 1.01 + depth / 10, along));
          expect(isWithin(outer, star)).toBe(false);
          expect(isWithin(outer, inverse)).toBe(true);
        },
      ),
    );
  });

  test("a shrunken star is within, a grown one is not, and a line to the outside crosses", () => {
    fc.assert(
      fc.property(anyStar, fc.nat(), anyShare, ({ center, radii, size }, index, along) => {
        const scaledBy = (by: number) =>
          starAround(
            center,
            radii.map((radius) => radius * size * by),
          );
        const [star, small, large] = [scaledBy(0.9), scaledBy(0.8), scaledBy(1)].map(polygonOf);
        if (star === undefined || small === undefined || large === undefined) return;
        const flat = size < 1; // Scaling angles keeps a star inside its larger self only when flat.
        if (flat) expect(isWithin(small, star)).toBe(true);
        if (flat) expect(isWithin(large, star)).toBe(false);
        expect(isIntersecting(small, star)).toBe(true);
        const way = [0.5, 1.2].map((depth) => pointIn(center, scaledBy(0.9), index, depth, along));
        expect(isIntersecting(lineOf(way), star)).toBe(true);
        expect(isWithin(lineOf(way), star)).toBe(false);
      }),
    );
  });
});
