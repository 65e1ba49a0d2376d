/** Distances: what geodesy knows, then a naive search over many points. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";

import { distanceOf } from "./distance.ts";
import { GLOBE } from "./ellipsoid.ts";
import { isIntersecting } from "./intersects.ts";
import { PLANE } from "./planar.ts";
import { awayFrom, lineOf, pointOf, polygonOf, sample, starAround } from "./sample.fake.ts";
import type { Vec } from "./vector.ts";
import { plus, scaled, vec } from "./vector.ts";

type Row = readonly [rule: string, a: string, b: string, metres: number];

/** The quarter meridian of WGS-84 is 10 001 965.729 m, a degree of its equator 111 319.491 m. */
const ON_THE_GLOBE: readonly Row[] = [
  ["a degree of the equator", "POINT 0 0", "POINT 1 0", 111_319.491],
  ["from the equator to the pole", "POINT 7 0", "POINT 99 90", 10_001_965.729],
  ["from pole to pole", "POINT 0 90", "POINT 0 -90", 20_003_931.459],
  ["opposite points go over a pole", "POINT 0 0", "POINT 180 0", 20_003_931.459],
  ["across the antimeridian", "POINT 179.5 0", "POINT -179.5 0", 111_319.491],
  ["nowhere", "POINT 12 34", "POINT 12 34", 0],
  ["to the middle of a line", "POINT 0 1", "LINE -1 0, 1 0", 110_574.389],
  ["to the end of a line", "POINT 3 0", "LINE -1 0, 1 0", 222_638.982],
  ["to a polygon's edge", "POINT 5 0", "POLYGON 0 -2, 4 -2, 4 2, 0 2", 111_319.491],
  [
    "out of a hole",
    "POINT 2 0",
    "POLYGON -9 -9, 9 -9, 9 9, -9 9 / 0 -5, 0 5, 5 5, 5 -5",
    222_638.982,
  ],
  ["into the inside", "POINT 2 2", "POLYGON 0 0, 4 0, 4 4, 0 4", 0],
  ["to what is all around", "POINT 2 0", "POLYGON 0 -5, 0 5, 5 5, 5 -5", 222_638.982],
  ["between polygons", "POLYGON -1 -1, 1 0, -1 1", "POLYGON 3 -2, 4 -2, 4 2, 3 2", 222_638.982],
];

const IN_THE_PLANE: readonly Row[] = [
  ["Pythagoras", "POINT 0 0", "POINT 3 4", 5],
  ["to the middle of a line", "POINT 0 1", "LINE -1 0, 1 0", 1],
  ["to the end of a line", "POINT 4 4", "LINE -1 0, 1 0", 5],
  ["out of a hole", "POINT 2 2", "POLYGON 0 0, 4 0, 4 4, 0 4 / 1 1, 1 3, 3 3, 3 1", 1],
  ["between polygons", "POLYGON 0 0, 1 0, 1 1, 0 1", "POLYGON 4 5, 5 5, 5 6, 4 6", 5],
];

describe("on the globe", () => {
  test.each(ON_THE_GLOBE)("%s", (_, a, b, metres) => {
    const there = distanceOf(sample(a), sample(b));
    expect(Math.abs((there ?? -1) - metres)).toBeLessThan(0.001);
    expect(distanceOf(sample(b), sample(a))).toBeCloseTo(there ?? -1, 6);
  });
});

describe("in the plane", () => {
  test.each(IN_THE_PLANE)("%s", (_, a, b, length) => {
    expect(distanceOf(sample(a, PLANE), sample(b, PLANE))).toBe(length);
  });
});

const anyVec: fc.Arbitrary<Vec> = fc
  .tuple(
    fc.double({ min: -1, max: 1, noNaN: true }),
    fc.double({ min: -Math.PI, max: Math.PI, noNaN: true }),
  )
  .map(([z, east]) => {
    const radius = Math.sqrt(1 - z * z);
    return vec(radius * Math.cos(east), radius * Math.sin(east), z);
  });
const anyAzimuth = fc.double({ min: 0, max: 2 * Math.PI, noNaN: true });
const anyAngle = fc.double({ min: 1e-5, max: 1, noNaN: true });

describe("properties on the globe", () => {
  test("no point of a line is closer than the line, and some point is as close", () => {
    fc.assert(
      fc.property(anyVec, anyAzimuth, anyAngle, anyAzimuth, anyAngle, (p, east, far, turn, end) => {
        const a = awayFrom(p, east, far);
        const b = awayFrom(a, turn, end);
        const distance = distanceOf(pointOf(p), lineOf([a, b])) ?? -1;
        let least = Number.POSITIVE_INFINITY;
        for (let step = 0; step <= 400; step++) {
          const q = GLOBE.project(plus(scaled(a, 1 - step / 400), scaled(b, step / 400)));
          least = Math.min(least, GLOBE.distanceOf(p, q));
        }
        expect(distance).toBeLessThanOrEqual(least * (1 + 1e-9) + 1e-6);
        const stepMetres = (6.4e6 * end) / 400;
        expect(distance).toBeGreaterThanOrEqual(least - stepMetres);
      }),
    );
  });

  test("between stars: the same as the least over all pairs of edges, and 0 when they meet", () => {
    const anyRadii = fc.array(fc.double({ min: 0.02, max: 0.3, noNaN: true }), {
      minLength: 6,
      maxLength: 12,
    });
    fc.assert(
      fc.property(
        anyVec,
        anyAzimuth,
        anyAngle,
        anyRadii,
        anyRadii,
        (center, azimuth, far, radii, others) => {
          const one = polygonOf(starAround(center, radii));
          const other = polygonOf(starAround(awayFrom(center, azimuth, far), others));
          const distance = distanceOf(one, other) ?? -1;
          expect(distance === 0).toBe(isIntersecting(one, other));
          if (distance === 0) return;
          let least = Number.POSITIVE_INFINITY;
          for (const edge of one.edges) {
            for (const { a } of other.edges)
              least = Math.min(least, GLOBE.distanceTo(a, edge, Infinity));
          }
          for (const edge of other.edges) {
            for (const { a } of one.edges)
              least = Math.min(least, GLOBE.distanceTo(a, edge, Infinity));
          }
          expect(distance).toBeCloseTo(least, 5);
        },
      ),
    );
  });
});
